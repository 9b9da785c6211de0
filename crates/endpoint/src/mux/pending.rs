//! A client's commands that the browser has not answered yet.

use std::collections::HashMap;

use szk_cdp::SessionId;

use crate::shield::Ask;

/// A command that the browser has not answered yet.
#[derive(Debug)]
pub(super) struct PendingCommand {
    /// The client's own id; it may use one twice.
    pub(super) id: i32,
    /// The session as the client named it.
    pub(super) named: Option<SessionId>,
    pub(super) then: OnReply,
    /// Whether it runs code in a page, which may wait for the page to be painted.
    pub(super) works: bool,
}

/// What happens to the reply.
#[derive(Debug)]
pub(super) enum OnReply {
    /// The client gets it.
    Pass,
    /// It names a browser context that the client owns from now on. The client gets it.
    Context,
    /// It names a page that has to go to this URL. The client gets it when that is under way.
    Settle {
        /// Where to.
        url: String,
        /// The client wants to know Chromium's tab around it instead.
        for_tab: bool,
    },
    /// It is about a world that the client made in a frame, whose context it hears of first.
    World {
        /// Where.
        session: SessionId,
        /// In which frame.
        frame: String,
        /// Under which name.
        world: String,
    },
    /// It is about a script that brings a world to every new document.
    Script {
        /// Where.
        session: SessionId,
        /// The name of the world.
        world: String,
    },
    /// It lists targets; those of others are left out.
    Targets,
    /// The shield gets it.
    Shield(Ask),
    /// What a window is like before the client changes it.
    Window(i64),
    /// Nobody gets it: the endpoint asked.
    Nothing,
}

/// All pending commands, by a number that is used once.
#[derive(Debug, Default)]
pub(super) struct PendingCommands {
    commands: HashMap<u64, PendingCommand>,
    last: u64,
    contexts: usize,
}

impl PendingCommands {
    pub(super) fn insert(&mut self, command: PendingCommand) -> u64 {
        self.last += 1;
        self.contexts += usize::from(command.makes_context());
        self.commands.insert(self.last, command);
        self.last
    }

    pub(super) fn take(&mut self, number: u64) -> Option<PendingCommand> {
        let command = self.commands.remove(&number)?;
        self.contexts -= usize::from(command.makes_context());
        Some(command)
    }

    /// Those that run code in a page, and their sessions; none for the client's root.
    pub(super) fn working(&self) -> impl Iterator<Item = (u64, Option<&SessionId>)> {
        let working = self.commands.iter().filter(|(_, command)| command.works);
        working.map(|(number, command)| (*number, command.named.as_ref()))
    }

    /// Whether one is not answered yet.
    pub(super) fn holds(&self, number: u64) -> bool {
        self.commands.contains_key(&number)
    }

    /// The number of the last one.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether a browser context is being made, which must not be forgotten.
    pub(super) fn makes_context(&self) -> bool {
        self.contexts > 0
    }
}

impl PendingCommand {
    /// A command that the endpoint sends in the client's name.
    pub(super) fn ours(then: OnReply) -> Self {
        Self {
            id: 0,
            named: None,
            then,
            works: false,
        }
    }

    pub(super) fn makes_context(&self) -> bool {
        matches!(self.then, OnReply::Context)
    }
}
