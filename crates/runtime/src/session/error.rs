//! Why a profile could not be opened, or an operation on it could not be done.

use std::path::PathBuf;

use szk_config::{ConfigErrors, Denied};
use szk_store::{LockError, Name, StoreError};

use crate::find::FindError;
use crate::launch::LaunchError;
use crate::stealth::ScriptError;
use crate::supervisor::SupervisorError;

/// A profile could not be opened. It is unchanged, and no browser is left running.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process runs it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Its files are unusable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configuration is invalid.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// Its options need something that `[policy]` forbids.
    #[error(transparent)]
    Policy(#[from] Denied),
    /// There is no Chromium to start.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Chromium did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Stealth could not be applied.
    #[error(transparent)]
    Stealth(#[from] SupervisorError),
    /// An init script is unusable.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A newer Chromium has used the profile, and an older one would damage it.
    #[error("profile `{name}` was used with Chromium {used}, and `{binary}` is {found}")]
    Older {
        /// The profile.
        name: Name,
        /// Version used last.
        used: String,
        /// Version found now.
        found: String,
        /// The executable.
        binary: PathBuf,
    },
    /// Another Chromium, not ours, uses the profile's data.
    #[error("the profile's data is in use by a browser on `{host}` (pid {pid})")]
    InUse {
        /// Machine.
        host: String,
        /// Process id there.
        pid: u32,
    },
    /// The login to the proxy failed.
    #[error("cannot log in to the proxy: {reason}")]
    Proxy {
        /// The browser's message.
        reason: String,
    },
}

/// An open session could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It is closing or closed.
    #[error("the session is closing")]
    Closing,
    /// Restarting the browser takes too long.
    #[error("the browser is restarting")]
    Restarting,
    /// The endpoint could not be opened.
    #[error("cannot open the endpoint: {reason}")]
    Endpoint {
        /// The reason.
        reason: String,
    },
}
