//! Operations on the pages of an open session.

mod act;
mod extract;
mod find;
mod navigate;
mod run_code;
mod screenshot;
mod snapshot;

pub use act::{
    Act, ActDialog, ActInput, ActKind, ActNavigation, ActOutput, DialogAnswer, ElementState,
    InputPace, MouseButton,
};
pub use extract::{Extract, ExtractInput, ExtractOutput, Form};
pub use find::{Find, FindInput, FindOutput, Match};
pub use navigate::{History, Navigate, NavigateInput, NavigateOutput, Wait};
pub use run_code::{RunCode, RunCodeInput, RunCodeOutput, World};
pub use screenshot::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
pub use snapshot::{Snapshot, SnapshotInput, SnapshotMode, SnapshotOutput};
