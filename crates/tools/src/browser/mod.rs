//! Operations on the pages of an open session.

mod navigate;
mod run_code;
mod screenshot;

pub use navigate::{History, Navigate, NavigateInput, NavigateOutput, Wait};
pub use run_code::{RunCode, RunCodeInput, RunCodeOutput, World};
pub use screenshot::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
