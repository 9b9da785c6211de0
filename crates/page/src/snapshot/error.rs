//! Why a page could not be read, or a ref could not be resolved.

use szk_cdp::CallError;
use szk_cdp::world::Thrown;

/// A page could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The browser refused, or went away.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Our script failed in the page.
    #[error("cannot read the page: {0}")]
    Script(#[from] Thrown),
    /// The scope is a ref that no longer resolves.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The selector is neither CSS nor XPath.
    #[error("`{0}` is neither a CSS selector nor an XPath")]
    Selector(String),
    /// Nothing matches the selector.
    #[error("no element matches `{0}`")]
    Nothing(String),
    /// More than one element matches the selector.
    #[error("{count} elements match `{selector}`")]
    Many {
        /// The selector.
        selector: String,
        /// How many.
        count: u32,
        /// The first few, with refs.
        candidates: Vec<String>,
    },
    /// The cursor belongs to another snapshot.
    #[error("the cursor `{0}` belongs to another snapshot")]
    Cursor(String),
}

/// A ref no longer stands for what it did.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Stale {
    /// The tab never gave out this ref.
    #[error("there is no ref `{0}` in this tab")]
    Unknown(String),
    /// Its node, or the whole document, is gone.
    #[error("`{reference}` was {was}, which is no longer on the page")]
    Gone {
        /// The ref.
        reference: String,
        /// What it was.
        was: String,
    },
    /// The node exists, but is something else now.
    #[error("`{reference}` was {was} and is now {now}")]
    Changed {
        /// The ref.
        reference: String,
        /// What it was.
        was: String,
        /// What it is.
        now: String,
    },
    /// It could not be checked.
    #[error(transparent)]
    Call(#[from] CallError),
}
