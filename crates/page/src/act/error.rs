//! Why something could not be done.

use szk_cdp::CallError;

use crate::gone::{is_world_gone, says};

/// Why an act failed. Messages name elements as people know them.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// No element fits.
    #[error("no element fits `{selector}`")]
    NotFound {
        /// What was looked for.
        selector: String,
    },
    /// Several elements fit.
    #[error("{count} elements fit `{selector}`")]
    Ambiguous {
        /// What was looked for.
        selector: String,
        /// How many there are.
        count: usize,
        /// The first few.
        candidates: Vec<String>,
    },
    /// The selector is not one.
    #[error("`{selector}` is not a selector: {reason}")]
    Selector {
        /// As given.
        selector: String,
        /// The browser's words.
        reason: String,
    },
    /// A step of a selector that should lead into a frame does not.
    #[error("`{selector}` is no frame")]
    NoFrame {
        /// The step.
        selector: String,
    },
    /// The node of a ref is gone.
    #[error("the element is no longer in the page")]
    Stale,
    /// Something else is where the click would go.
    #[error("{target} is covered by {cover}")]
    Covered {
        /// What should have been hit.
        target: String,
        /// What would have been.
        cover: String,
    },
    /// It moved away under the pointer, and something else was pressed.
    #[error("the press landed on {hit} instead of {target}, which had moved")]
    Missed {
        /// What should have been hit.
        target: String,
        /// What was.
        hit: String,
        /// Nothing came of it.
        harmless: bool,
    },
    /// It could scroll, and did not.
    #[error("{target} did not scroll, although there is room")]
    Unmoved {
        /// What should have.
        target: String,
    },
    /// It is hidden, disabled, read-only or moving.
    #[error("{target} {why}")]
    NotReady {
        /// The element.
        target: String,
        /// What it lacks.
        why: String,
    },
    /// This kind of act is not for this kind of element.
    #[error("{target} {why}")]
    Unsuited {
        /// The element.
        target: String,
        /// Why not.
        why: String,
    },
    /// No such choice.
    #[error("{target} has no option `{wanted}`")]
    NoOption {
        /// The element.
        target: String,
        /// What was asked for.
        wanted: String,
        /// What there is.
        options: Vec<String>,
    },
    /// A place outside of what is visible.
    #[error("{x},{y} is outside of the page's {width}x{height} pixels")]
    Outside {
        /// As given.
        x: i32,
        /// As given.
        y: i32,
        /// Of the viewport.
        width: i32,
        /// Of the viewport.
        height: i32,
    },
    /// What was waited for did not come.
    #[error("{waited} did not come within {ms} ms; the page is at {url}")]
    Timeout {
        /// What was waited for.
        waited: String,
        /// How long.
        ms: u128,
        /// Where the page is.
        url: String,
    },
    /// The time was over before the act was.
    #[error("the page did not let the act end in time")]
    Late,
    /// The page shows a dialog that stays open, and stands still.
    #[error("the page shows a dialog")]
    Asked,
    /// The tab went away meanwhile.
    #[error("the tab was closed")]
    Closed,
    /// The document went away meanwhile.
    #[error("the page went to another document")]
    Gone,
    /// The browser refused or the connection ended.
    #[error(transparent)]
    Call(CallError),
}

/// Chromium's further words for a document that is gone; only acts hear them.
const GONE: [&str; 2] = [
    "Inspected target navigated or closed",
    "uniqueContextId not found",
];

impl From<CallError> for ActError {
    fn from(error: CallError) -> Self {
        match &error {
            CallError::SessionGone => Self::Closed,
            error if is_world_gone(error) || GONE.iter().any(|gone| says(error, gone)) => {
                Self::Gone
            }
            _ => Self::Call(error),
        }
    }
}
