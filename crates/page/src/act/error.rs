//! Why an act could not be performed.

use szk_cdp::CallError;

use super::target::NodeRef;
use crate::gone::{is_world_gone, says};

/// Why an act failed. Messages name elements as people would.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// No element matches.
    #[error("no element matches `{selector}`")]
    NotFound {
        /// The selector.
        selector: String,
    },
    /// Several elements match.
    #[error("{count} elements match `{selector}`")]
    Ambiguous {
        /// The selector.
        selector: String,
        /// How many match.
        count: usize,
        /// The first few.
        candidates: Vec<String>,
        /// Their nodes, if the browser could tell them.
        nodes: Vec<NodeRef>,
    },
    /// The selector does not parse.
    #[error("`{selector}` is not a selector: {reason}")]
    Selector {
        /// As given.
        selector: String,
        /// The browser's message.
        reason: String,
    },
    /// A step of a selector that should lead into a frame is not a frame.
    #[error("`{selector}` is not a frame")]
    NoFrame {
        /// The step.
        selector: String,
    },
    /// The node of a ref is gone.
    #[error("the element is no longer in the page")]
    Stale,
    /// Something else would get the click.
    #[error("{target} is covered by {cover}")]
    Covered {
        /// The intended element.
        target: String,
        /// The one in front of it.
        cover: String,
    },
    /// The pointer goes through it.
    #[error(
        "{target} gets no clicks, as it lets the pointer through (`pointer-events: none`): {receiver} would get them"
    )]
    PassesThrough {
        /// The intended element.
        target: String,
        /// What is behind or around it.
        receiver: String,
    },
    /// It moved away under the pointer, and the press landed on something else.
    #[error("the press landed on {hit} instead of {target}, which had moved")]
    Missed {
        /// The intended element.
        target: String,
        /// The one that was hit.
        hit: String,
        /// The press had no effect.
        harmless: bool,
    },
    /// No scrolling brings it into view.
    #[error("{target} lies outside of what the page shows and cannot be scrolled into view")]
    Unreachable {
        /// The element.
        target: String,
    },
    /// It could have scrolled but did not.
    #[error("{target} did not scroll, although it can")]
    Unmoved {
        /// The element.
        target: String,
    },
    /// It is hidden, disabled, read-only or moving.
    #[error("{target} {why}")]
    NotReady {
        /// The element.
        target: String,
        /// What is wrong with it.
        why: String,
    },
    /// This kind of act does not apply to this kind of element.
    #[error("{target} {why}")]
    Unsuited {
        /// The element.
        target: String,
        /// Why not.
        why: String,
    },
    /// No such option.
    #[error("{target} has no option `{wanted}`")]
    NoOption {
        /// The element.
        target: String,
        /// The requested option.
        wanted: String,
        /// The existing options.
        options: Vec<String>,
    },
    /// Several options of a custom list that the text may mean.
    #[error("{target} has {} options that begin with `{wanted}`", .options.len())]
    SeveralOptions {
        /// The element.
        target: String,
        /// The requested option.
        wanted: String,
        /// What these options say.
        options: Vec<String>,
    },
    /// A point outside the visible part.
    #[error("{x},{y} is outside the page's {width}x{height} pixels")]
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
    /// What the call waited for did not come.
    #[error("{missed} within {ms} ms; the page is at {url}")]
    Timeout {
        /// What did not happen: `#st` did not appear.
        missed: String,
        /// For how long.
        ms: u128,
        /// Where the page is.
        url: String,
    },
    /// The time ran out before the act was done.
    #[error("the page kept the act from finishing in time")]
    Late,
    /// The page shows a dialog that stays open and blocks it.
    #[error("the page shows a dialog")]
    Dialog,
    /// The tab was closed meanwhile.
    #[error("the tab was closed")]
    Closed,
    /// The document was replaced meanwhile.
    #[error("the page navigated to another document")]
    Gone,
    /// The browser refused or the connection ended.
    #[error(transparent)]
    Call(CallError),
}

/// More of Chromium's messages for a document that is gone; only acts get them.
///
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
