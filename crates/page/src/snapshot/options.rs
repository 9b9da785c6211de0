//! What to read.

/// What to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Controls and everything else that can be worked, with the text beside it; images, and what alerts
    /// and dialogs say.
    #[default]
    Interactive,
    /// Everything, with text and descriptions.
    Full,
    /// Only nodes with a ref, without context: ref, role and name.
    Minimal,
}

impl Mode {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Full => "full",
            Self::Minimal => "minimal",
        }
    }
}

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The content of a ref's node.
    Ref(String),
    /// The content of the only element that matches.
    Selector(String),
}

/// What to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What to list.
    pub mode: Mode,
    /// Only a part.
    pub scope: Option<Scope>,
    /// Levels below the root.
    pub depth: Option<usize>,
    /// Include the box of each node.
    pub boxes: bool,
    /// Leave out what can be worked only because it listens, unless that is known already: asking the browser
    /// takes longer than all else.
    pub unheard: bool,
    /// Include all of each text and value, however long, because it is searched.
    pub searched: bool,
}

impl Options {
    /// The whole page in a mode.
    pub(super) fn of(mode: Mode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    /// Whether they leave out no part of the page.
    pub(super) fn whole(&self) -> bool {
        self.scope.is_none() && self.depth.is_none() && !self.boxes
    }
}
