//! Why a profile could not be opened, or an operation could not be carried out on it.

use std::path::PathBuf;

use szk_config::{ConfigErrors, Denied};
use szk_store::{LockError, Name, StoreError};

use crate::find::FindError;
use crate::launch::LaunchError;
use crate::stealth::ScriptError;
use crate::supervisor::SupervisorError;

/// A profile could not be opened. Nothing of it was changed, and no browser is left running.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Somebody else runs it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Its files could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configuration is wrong.
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    /// It asks for what `[policy]` does not allow.
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
    /// An init script could not be used.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The profile was used with a newer Chromium, and an older one would damage it.
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
    /// Another Chromium, not ours, runs with the profile's data.
    #[error("the profile's data is in use by a browser on `{host}` (pid {pid})")]
    InUse {
        /// Machine.
        host: String,
        /// Process id there.
        pid: u32,
    },
    /// A proxy that needs a login.
    #[error("cannot log in to the proxy: {reason}")]
    Proxy {
        /// What the browser said.
        reason: String,
    },
}

/// An open session could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It is on its way out, or gone.
    #[error("the session is closing")]
    Closing,
    /// The browser is being started again, and that takes too long.
    #[error("the browser is restarting")]
    Restarting,
    /// The endpoint's door could not be opened.
    #[error("cannot open the endpoint: {reason}")]
    Endpoint {
        /// Why.
        reason: String,
    },
}
