//! Operations on the pages of an open session.

mod emulate;
mod navigate;
mod pdf;
mod run_code;
mod screenshot;
mod tabs;

pub use emulate::{ColorScheme, Device, Emulate, EmulateInput, EmulateOutput, Emulated, Setting};
pub use navigate::{History, Navigate, NavigateInput, NavigateOutput, Wait};
pub use pdf::{Pdf, PdfInput, PdfOutput};
pub use run_code::{RunCode, RunCodeInput, RunCodeOutput, World};
pub use screenshot::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
pub use tabs::{TabRow, Tabs, TabsAction, TabsInput, TabsOutput};
