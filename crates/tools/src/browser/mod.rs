//! Operations on the pages of an open session.

mod act;
mod arm;
mod batch;
mod emulate;
mod extract;
mod find;
mod logs;
mod navigate;
mod pdf;
mod run_code;
mod run_file;
mod run_test;
mod screenshot;
mod snapshot;

pub use act::{
    Act, ActDialog, ActInput, ActKind, ActNavigation, ActOutput, DialogAnswer, ElementState,
    InputPace, MouseButton,
};
pub use extract::{Extract, ExtractInput, ExtractOutput, Form};
pub use find::{Find, FindInput, FindOutput, Match};
mod tabs;

pub use arm::{Arm, ArmEvent, ArmInput, ArmOutput};
pub use batch::{Batch, BatchDone, BatchInput, BatchOutput, BatchStep};
pub use emulate::{ColorScheme, Device, Emulate, EmulateInput, EmulateOutput, Emulated, Setting};
pub use logs::{LogKind, Logs, LogsInput, LogsOutput, RequestDetail};
pub use navigate::{History, Navigate, NavigateInput, NavigateOutput, Wait};
pub use pdf::{Pdf, PdfInput, PdfOutput};
pub use run_code::{RunCode, RunCodeInput, RunCodeOutput, Runner, World};
pub use run_file::{RunFile, RunFileInput};
pub use run_test::{
    RunTest, RunTestInput, RunTestOutput, TestAttachment, TestError, TestOutcome, TestRow, Tests,
};
pub use screenshot::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
pub use snapshot::{Seen, Snapshot, SnapshotInput, SnapshotMode, SnapshotOutput};
pub use tabs::{TabRow, Tabs, TabsAction, TabsInput, TabsOutput};
