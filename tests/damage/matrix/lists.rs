//! What is done, to which process, and when.

use std::fmt::Display;

use crate::harness::Signal;

/// A value of one of the lists, by its name in tables and on the command line.
pub(super) trait Listed: Copy + Eq + 'static {
    /// The list.
    const ALL: &'static [Self];
    /// Its name.
    fn name(self) -> &'static str;
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Blow {
    Kill,
    Term,
    Int,
    /// Stopped for a while, then continued.
    Stop,
}

impl Blow {
    /// The signal.
    pub(super) fn signal(self) -> Signal {
        match self {
            Self::Kill => Signal::KILL,
            Self::Term => Signal::TERM,
            Self::Int => Signal::INT,
            Self::Stop => Signal::STOP,
        }
    }
}

impl Listed for Blow {
    const ALL: &'static [Self] = &[Self::Kill, Self::Term, Self::Int, Self::Stop];

    fn name(self) -> &'static str {
        match self {
            Self::Kill => "SIGKILL",
            Self::Term => "SIGTERM",
            Self::Int => "SIGINT",
            Self::Stop => "SIGSTOP",
        }
    }
}

/// To which process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Browser,
    Network,
    Gpu,
    Renderer,
    Storage,
    Keeper,
    Front,
    KeeperAndBrowser,
    Everything,
}

impl Listed for Target {
    const ALL: &'static [Self] = &[
        Self::Browser,
        Self::Network,
        Self::Gpu,
        Self::Renderer,
        Self::Storage,
        Self::Keeper,
        Self::Front,
        Self::KeeperAndBrowser,
        Self::Everything,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Network => "network",
            Self::Gpu => "gpu",
            Self::Renderer => "renderer",
            Self::Storage => "storage",
            Self::Keeper => "keeper",
            Self::Front => "front",
            Self::KeeperAndBrowser => "keeper+browser",
            Self::Everything => "everything",
        }
    }
}

/// When: what szk is doing at that moment. The page is at work in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Moment {
    Idle,
    /// A call blocks the page's only thread.
    Busy,
    /// A navigation waits for a server that does not answer.
    Navigation,
    /// `state.json` is being written.
    Save,
    /// A cleanly closed profile is being opened.
    Open,
    Close,
    /// A profile whose keeper and browser were killed is being opened.
    Restore,
    /// A client of the endpoint is at work.
    Client,
}

impl Listed for Moment {
    const ALL: &'static [Self] = &[
        Self::Idle,
        Self::Busy,
        Self::Navigation,
        Self::Save,
        Self::Open,
        Self::Close,
        Self::Restore,
        Self::Client,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Navigation => "navigation",
            Self::Save => "save",
            Self::Open => "open",
            Self::Close => "close",
            Self::Restore => "restore",
            Self::Client => "client",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pub(super) blow: Blow,
    pub(super) target: Target,
    pub(super) moment: Moment,
}

impl Display for Cell {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            blow,
            target,
            moment,
        } = self;
        let (blow, target, moment) = (blow.name(), target.name(), moment.name());
        write!(out, "{blow:7} {target:14} {moment:10}")
    }
}

/// All of them.
pub(super) fn all() -> Vec<Cell> {
    let cells = Target::ALL.iter().flat_map(|target| {
        Moment::ALL.iter().flat_map(|moment| {
            Blow::ALL.iter().map(|blow| Cell {
                blow: *blow,
                target: *target,
                moment: *moment,
            })
        })
    });
    cells.collect()
}
