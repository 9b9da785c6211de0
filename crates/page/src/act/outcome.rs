//! The effects of an act.

/// The effects of an act, as far as they were visible until the page settled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Where it led.
    pub navigation: Option<Navigation>,
    /// CDP target ids of tabs it opened.
    pub tabs: Vec<String>,
    /// Dialogs it opened.
    pub dialogs: Vec<Dialog>,
    /// Downloads it started.
    pub downloads: Vec<Download>,
    /// Script requests it caused.
    pub requests: usize,
    /// Changes to the document, and events of controls.
    pub changes: u64,
    /// How many of them look as if they came by themselves: figures that changed while no event was dispatched.
    pub ticks: u64,
    /// How many of them are `input`, `change` and `submit` events, by which a control or a form reports
    /// itself.
    pub own: u64,
    /// What it changed says that the page is at work now, so that more is to come.
    pub working: bool,
    /// What now has the focus, if that changed.
    pub focus: Option<String>,
    /// That is its target, as after any press on something that can have the focus: no effect of its own.
    pub focus_led: bool,
    /// Frames that were removed from the page.
    pub frames_removed: usize,
    /// Text that it selected.
    pub selection: Option<String>,
    /// It opened a file chooser.
    pub chooser: bool,
    /// It opened a `showOpenFilePicker` picker, which is refused: it has no field that could take
    /// files.
    pub picker: bool,
    /// The browser did not send a form because of this field.
    pub refused: Option<Refusal>,
    /// The page opened the print dialog.
    pub printed: bool,
    /// The tab closed.
    pub closed: bool,
    /// The page has not acknowledged the last event: it is busy, or its window is held up.
    pub late: bool,
}

impl Outcome {
    /// The open dialog that blocks the page.
    #[must_use]
    pub fn open_dialog(&self) -> Option<&Dialog> {
        self.dialogs.iter().find(|dialog| dialog.accepted.is_none())
    }

    /// Whether anything visible happened at all.
    #[must_use]
    pub fn happened(&self) -> bool {
        let quiet = Self {
            late: self.late,
            working: self.working,
            focus_led: self.focus_led,
            focus: self.focus.clone().filter(|_| self.focus_led),
            ..Self::default()
        };
        *self != quiet
    }

    /// The same, or it gave its target the focus: that may show something.
    #[must_use]
    pub fn stirred(&self) -> bool {
        self.focus.is_some() || self.happened()
    }

    /// Whether anything came of it beyond the document itself.
    #[must_use]
    pub fn led(&self) -> bool {
        let rest = Self {
            focus: None,
            selection: None,
            changes: 0,
            ticks: 0,
            own: 0,
            ..self.clone()
        };
        self.late || rest.happened()
    }

    /// Whether anything came of it beside what an act does by itself: it moves the focus and the selection, and
    /// a control says that it was changed. A clock that went on meanwhile is no effect.
    #[must_use]
    pub fn shows(&self) -> bool {
        let rest = Self {
            focus: None,
            focus_led: false,
            selection: None,
            changes: self.changes.saturating_sub(self.own + self.ticks),
            own: 0,
            ticks: 0,
            ..self.clone()
        };
        rest.happened()
    }
}

/// A field that holds something else than its form may be sent with.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Refusal {
    /// Its name in messages.
    pub field: String,
    /// What the browser, or the page, says about it.
    pub message: String,
}

/// Where a document went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigation {
    /// The address it is at, or on its way to.
    pub url: String,
    /// How far it has got.
    pub journey: Journey,
    /// Whether a frame navigated, and not the page.
    pub in_frame: bool,
    /// The HTTP status with which a new document came, if it came over HTTP and that is known.
    pub status: Option<u16>,
    /// Why the address could not be loaded, such as `net::ERR_CONNECTION_REFUSED` or `HTTP ERROR 500`: what
    /// has arrived is the browser's own page, which says so.
    pub failed: Option<String>,
}

/// How far a navigation has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journey {
    /// Requested; no response had come when the time was up.
    Started,
    /// A new document has arrived.
    Arrived,
    /// The same document at another address.
    Within,
    /// It ended without a document: a download, an empty response, or a person who chose to stay.
    Ended,
}

/// A dialog of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// Whether it was accepted; `None` while it is open.
    pub accepted: Option<bool>,
}

/// A download that has started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// Where it comes from.
    pub url: String,
    /// The file name that the site suggests.
    pub filename: String,
}

/// How to answer dialogs that open during an act.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answering {
    /// Accept or dismiss. If left out, alerts and `beforeunload` are accepted, because that loses
    /// nothing the act did not ask for, and questions stay open if someone can answer them.
    pub accept: Option<bool>,
    /// No one can be asked during this call: questions are dismissed at once.
    pub alone: bool,
    /// The text for a prompt.
    pub text: Option<String>,
}

impl Answering {
    /// Whether to accept a dialog of this kind, if it must be answered now.
    #[must_use]
    pub fn accepts(&self, kind: &str) -> bool {
        self.accept
            .unwrap_or(matches!(kind, "alert" | "beforeunload"))
    }
}
