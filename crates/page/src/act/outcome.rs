//! What came of an act.

/// What came of an act, as far as it could be seen until the page was quiet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Where it led.
    pub navigation: Option<Navigation>,
    /// CDP target ids of tabs that it opened.
    pub tabs: Vec<String>,
    /// Dialogs that it opened.
    pub dialogs: Vec<Dialog>,
    /// Downloads that it started.
    pub downloads: Vec<Download>,
    /// Requests of scripts that it caused.
    pub requests: usize,
    /// Changes of the document, and events of controls.
    pub changes: u64,
    /// What has the focus now, if that is something else than before.
    pub focus: Option<String>,
    /// It opened a file chooser.
    pub chooser: bool,
    /// It opened a picker of `showOpenFilePicker`, which is refused: there is no field to give files to.
    pub picker: bool,
    /// The tab closed.
    pub closed: bool,
    /// The page has not answered the last event: it is busy, or its window is held up.
    pub late: bool,
}

impl Outcome {
    /// The dialog that is open: the page stands still.
    #[must_use]
    pub fn open_dialog(&self) -> Option<&Dialog> {
        self.dialogs.iter().find(|dialog| dialog.accepted.is_none())
    }

    /// Whether anything at all was seen to happen.
    #[must_use]
    pub fn happened(&self) -> bool {
        let quiet = Self {
            late: self.late,
            ..Self::default()
        };
        *self != quiet
    }
}

/// Where a document went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigation {
    /// The address, or the one it is on its way to.
    pub url: String,
    /// How far it has come.
    pub journey: Journey,
    /// Whether it is a frame that went there, and not the page.
    pub in_frame: bool,
}

/// How far a navigation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journey {
    /// Asked for; the answer had not come when the time was over.
    Started,
    /// A new document is there.
    Arrived,
    /// The same document, at another address.
    Within,
    /// It ended without a document: a download, an empty answer, or a person who stayed.
    Ended,
}

/// A dialog of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// Whether it was accepted; nothing while it is open.
    pub accepted: Option<bool>,
}

/// A download that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Where it comes from.
    pub url: String,
    /// The name that the site suggests.
    pub filename: String,
}

/// What dialogs are answered that open while an act goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answering {
    /// Accept or dismiss. Left out: alerts and `beforeunload` are accepted, because nothing can be lost
    /// by that which the act did not ask for; questions stay open where somebody may answer them.
    pub accept: Option<bool>,
    /// Nobody can be asked while this goes on: questions are dismissed at once.
    pub alone: bool,
    /// The text for a prompt.
    pub text: Option<String>,
}

impl Answering {
    /// Whether a dialog of this kind is accepted, if it has to be answered now.
    #[must_use]
    pub fn accepts(&self, kind: &str) -> bool {
        self.accept
            .unwrap_or(matches!(kind, "alert" | "beforeunload"))
    }
}
