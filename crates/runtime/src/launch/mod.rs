//! Starts Chromium and ends it. Nothing else in szk starts a browser.

mod by_hand;
mod chromium;
mod crash_handlers;
mod display;
mod exit;
#[cfg(target_os = "linux")]
mod external;
mod features;
mod flags;
mod gpu;
mod helper;
mod hosts;
mod mode;
mod preferences;
mod process_group;
mod spawn;
mod tail;

use std::path::PathBuf;

use szk_config::{Bounds, Identity};

pub use by_hand::ByHand;
pub use chromium::{Chromium, Exit};
pub use exit::Ended;
pub(crate) use exit::Unfinished;
pub(crate) use flags::raw_port;
pub use flags::{environment, flags};
pub use gpu::has_gpu;
pub(crate) use helper::{Helper, Keeps};
pub use mode::Mode;
pub(crate) use preferences::open_nothing;

/// Everything that a start of Chromium depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The executable.
    pub binary: PathBuf,
    /// Its user data directory, which exists with mode 0700.
    pub user_data_dir: PathBuf,
    /// With or without a window.
    pub mode: Mode,
    /// Whether to draw on an X server of its own instead of into memory.
    pub xvfb: bool,
    /// How the browser presents itself.
    pub identity: Identity,
    /// The user agent, if the identity has one: the only way to set it for shared and service workers.
    pub user_agent: Option<String>,
    /// Folders of unpacked extensions.
    pub extensions: Vec<PathBuf>,
    /// What the session may do.
    pub bounds: Bounds,
    /// The user's own flags; they come last, so they win.
    pub extra_args: Vec<String>,
    /// Whether this process runs as root, where Chromium's sandbox cannot work.
    pub root: bool,
    /// Whether a graphics card can be used.
    pub gpu: bool,
}

/// Chromium could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The executable could not be run at all.
    #[error("cannot start `{path}`")]
    Spawn {
        /// The executable.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// There is no X server for it.
    #[error("cannot start Xvfb: {0}")]
    Display(std::io::Error),
    /// It exited before it answered.
    #[error("`{path}` exited while starting ({status}){}", said(.stderr))]
    Ended {
        /// The executable.
        path: PathBuf,
        /// Whether its exit code was 0.
        success: bool,
        /// How it exited.
        status: String,
        /// Its last lines on standard error.
        stderr: String,
    },
    /// It did not answer in time and was killed.
    #[error("`{path}` did not answer within {seconds} s{}", said(.stderr))]
    Silent {
        /// The executable.
        path: PathBuf,
        /// The limit.
        seconds: u64,
        /// Whether it was to load extensions: it waits for an answer to its dialog about one that it cannot load.
        extended: bool,
        /// Its last lines on standard error.
        stderr: String,
    },
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; its output: {stderr}")
    }
}

/// Whether Chromium would run as root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
