//! What a page waits for an answer to, or the browser would like to know.

use szk_cdp::SessionId;

/// Something to be answered.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Its number: that of its entry in the journal, where it has one.
    pub id: u64,
    /// The page's own session; commands about it go there.
    pub session: SessionId,
    /// The page's target.
    pub target: String,
    /// The page's tab.
    pub tab: Option<String>,
    /// What it is.
    pub what: Prompted,
    /// It stays open until somebody answers it, or, a dialog, until nobody has for long.
    pub held: bool,
}

/// What there is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompted {
    /// A dialog; the page stands still meanwhile.
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        r#type: String,
        /// What it asks.
        message: String,
        /// What a prompt's field holds at first.
        text: String,
    },
    /// A file chooser.
    Chooser(Chooser),
    /// A download that has begun.
    Download {
        /// CDP's id.
        guid: String,
        /// The name the site gives it.
        name: String,
    },
}

/// A file chooser that a page opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chooser {
    /// The input element.
    pub backend_node: i64,
    /// Session of the frame it is in.
    pub frame_session: SessionId,
    /// Whether it takes several files.
    pub multiple: bool,
}
