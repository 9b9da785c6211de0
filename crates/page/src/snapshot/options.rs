//! What is asked of a view.

/// What is listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Controls, clickable things, and what says where they are; images, and what alerts and dialogs say.
    #[default]
    Interactive,
    /// All of it, with its text and its descriptions.
    Full,
    /// What has a ref, without anything around it: ref, role and name.
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
    /// What is in the node of a ref.
    Ref(String),
    /// What is in the one element that fits.
    Selector(String),
}

/// What is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What is listed.
    pub mode: Mode,
    /// Only a part.
    pub scope: Option<Scope>,
    /// Levels below the root.
    pub depth: Option<usize>,
    /// With the box of each node.
    pub boxes: bool,
}
