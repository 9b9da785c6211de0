//! A client's commands that the browser has not answered yet.

use std::collections::HashMap;

use szk_cdp::SessionId;

use crate::shield::Ask;

/// A command that the browser has not answered yet.
#[derive(Debug)]
pub(super) struct PendingCommand {
    /// The client's own id, which it may reuse.
    pub(super) id: i32,
    /// The session as the client named it.
    pub(super) named: Option<SessionId>,
    pub(super) then: OnReply,
    /// Whether it runs code in a page, which may wait for the page to be painted.
    pub(super) works: bool,
}

/// What to do with the reply.
#[derive(Debug)]
pub(super) enum OnReply {
    /// Pass it to the client.
    Pass,
    /// It names a browser context that the client now owns; pass it to the client.
    Context,
    /// It names a session that the client has attached by itself; pass it to the client.
    Attached,
    /// It names a page that has to navigate to this URL; pass it to the client once that is in progress.
    Settle {
        /// The URL.
        url: String,
        /// The client wants Chromium's tab around the page instead.
        for_tab: bool,
    },
    /// It is about a world that the client created in a frame, whose context it learns about first.
    World {
        /// The session.
        session: SessionId,
        /// The frame.
        frame: String,
        /// The world's name.
        world: String,
    },
    /// It is about a script that adds a world to every new document.
    Script {
        /// The session.
        session: SessionId,
        /// The name of the world.
        world: String,
    },
    /// It lists targets; leave out those of others.
    Targets,
    /// Pass it to the shield.
    Shield(Ask),
    /// It describes a window before the client changes it.
    Window(i64),
    /// Drop it: the endpoint sent the command.
    Nothing,
}

/// All pending commands, by a number that is never reused.
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

    /// The commands that run code in a page, with their sessions; `None` for the client's root.
    pub(super) fn working(&self) -> impl Iterator<Item = (u64, Option<&SessionId>)> {
        let working = self.commands.iter().filter(|(_, command)| command.works);
        working.map(|(number, command)| (*number, command.named.as_ref()))
    }

    /// Whether a command is still unanswered.
    pub(super) fn holds(&self, number: u64) -> bool {
        self.commands.contains_key(&number)
    }

    /// The number of the last command.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether a browser context is being created, which must not be forgotten.
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
