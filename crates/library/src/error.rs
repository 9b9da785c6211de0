//! What can go wrong in a page.

use szk_cdp::CallError;
use szk_config::Denied;
use szk_page::act::{ActError, Failed};
use szk_page::extract::SchemaError;
use szk_page::navigation::WatchError;
use szk_page::snapshot::{ReadError, Stale};
use szk_runtime::session::SessionError;

/// Why something could not be done in a page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The session has no browser.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The tab was closed.
    #[error("the tab is closed")]
    Closed,
    /// `[policy]` forbids it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The address could not be loaded.
    #[error("`{url}` could not be loaded: {why}")]
    NotLoaded {
        /// The address.
        url: String,
        /// The browser's reason, such as `net::ERR_CONNECTION_REFUSED`.
        why: String,
    },
    /// The page or its browser went away meanwhile.
    #[error(transparent)]
    Gone(#[from] WatchError),
    /// The browser did not do what it was asked for.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The page could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A ref leads nowhere any more.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The act failed.
    #[error("{error}")]
    Act {
        /// Why.
        error: ActError,
        /// Whether the page may have seen some of it: then it is not safe to repeat.
        begun: bool,
    },
    /// A schema that records cannot have.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// It took longer than it may.
    #[error("not done in time")]
    Late,
}

impl From<Failed> for PageError {
    fn from(failed: Failed) -> Self {
        Self::Act {
            error: failed.error,
            begun: failed.begun,
        }
    }
}
