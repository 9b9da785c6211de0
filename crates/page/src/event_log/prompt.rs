//! What a page is waiting for, or the browser wants to know.

use szk_cdp::SessionId;

use crate::prompts::files::FileField;

/// Something to be answered.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Its number: that of its log entry, if it has one.
    pub id: u64,
    /// The page's own session; commands about it go there.
    pub session: SessionId,
    /// The page's target.
    pub target: String,
    /// The page's tab.
    pub tab: Option<String>,
    /// What it is.
    pub what: Prompted,
    /// It stays open until someone answers it or, for a dialog, until it times out.
    pub held: bool,
}

/// What to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompted {
    /// A dialog, which blocks the page.
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        r#type: String,
        /// What it asks.
        message: String,
        /// The initial content of a prompt's field.
        text: String,
    },
    /// A file chooser.
    Chooser(Chooser),
    /// A download that has started.
    Download {
        /// CDP's id.
        guid: String,
        /// The file name from the site.
        name: String,
    },
}

/// A file chooser that a page opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chooser {
    /// The input element.
    pub field: FileField,
    /// Whether it takes several files.
    pub multiple: bool,
}
