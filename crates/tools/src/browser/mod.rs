//! Operations on the pages of an open session.

mod act;
mod navigate;
mod run_code;
mod screenshot;

pub use act::{
    Act, ActDialog, ActInput, ActKind, ActNavigation, ActOutput, DialogAnswer, ElementState,
    InputPace, MouseButton,
};
pub use navigate::{History, Navigate, NavigateInput, NavigateOutput, Wait};
pub use run_code::{RunCode, RunCodeInput, RunCodeOutput, World};
pub use screenshot::{ImageFormat, Screenshot, ScreenshotInput, ScreenshotOutput};
