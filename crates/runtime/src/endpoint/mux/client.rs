//! Everything of one client, and what the browser tells it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::value::RawValue;
use szk_cdp::{Event, Inbound, RemoteError, SendError, SessionId};
use tokio::time::Instant;

use super::attach::{Attached, Lease};
use super::commands::Held;
use super::end::End;
use super::outbox::Outbox;
use super::targets::Targets;
use super::waiting::{AllWaiting, Then, Waiting};
use crate::endpoint::clients::Scope;
use crate::endpoint::{SharedStage, create, message};

/// One client. Owned by its task; nothing in it is shared.
pub(super) struct Client {
    pub(super) stage: SharedStage,
    pub(super) lease: Lease,
    /// The session that the client takes for the root: it never sees its id.
    pub(super) root: SessionId,
    pub(super) scope: Scope,
    pub(super) targets: Targets,
    /// Commands on the wire.
    pub(super) waiting: AllWaiting,
    /// New pages that are on their way to their URL; their replies wait for it.
    pub(super) settling: FuturesUnordered<BoxFuture<'static, Settled>>,
    /// A command that waits, and with it all that the client sends after it.
    pub(super) held: Option<Held>,
    pub(super) outbox: Outbox,
}

/// The delayed answer to a `Target.createTarget`.
pub(super) struct Settled {
    id: i32,
    named: Option<SessionId>,
    result: Result<Box<RawValue>, RemoteError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewContext {
    browser_context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewTarget {
    target_id: String,
}

impl Client {
    pub(super) fn new(attached: Attached, outbox: Outbox) -> (Self, szk_cdp::Inbox) {
        let Attached {
            live,
            lease,
            inbox,
            scope,
            root,
            targets,
        } = attached;
        let client = Self {
            stage: live.stage,
            lease,
            root,
            scope,
            targets,
            waiting: AllWaiting::default(),
            settling: FuturesUnordered::new(),
            held: None,
            outbox,
        };
        (client, inbox)
    }

    /// Passes on what came off the pipe.
    pub(super) fn hear(&mut self, inbound: Option<Inbound>) -> Result<(), End> {
        match inbound {
            Some(Inbound::Event(event)) => self.event(&event),
            Some(Inbound::Reply { id, result, .. }) => match self.waiting.take(id) {
                Some(waiting) => self.reply(waiting, result),
                None => Ok(()),
            },
            Some(Inbound::Overflow) => Err(End::Slow),
            None => Err(End::BrowserGone),
        }
    }

    /// Answers for a new page that is on its way.
    pub(super) fn settled(&mut self, settled: Settled) -> Result<(), End> {
        let Settled { id, named, result } = settled;
        self.outbox
            .push(message::reply(id, named.as_ref(), &result))
    }

    /// Lets a target run that the client left paused: it freezes the page for everybody.
    pub(super) fn resume_overdue(&mut self) -> Result<(), End> {
        while let Some(session) = self.targets.overdue(Instant::now()) {
            let target = self.targets.of(&session);
            if target.is_some_and(|target| self.stage.gate().holds(target)) {
                // It is the supervisor that is slow. Nobody lets a target run that has no scripts yet.
                self.targets.postpone(session, Instant::now());
                continue;
            }
            tracing::info!(
                target = self.targets.of(&session),
                "a client left a target paused; resuming it"
            );
            let id = self.waiting.insert(Waiting {
                id: 0,
                named: None,
                then: Then::Nothing,
            });
            match self
                .lease
                .member
                .send(id, Some(session), "Runtime.runIfWaitingForDebugger", None)
            {
                Ok(()) => {}
                Err(SendError::Closed) => return Err(End::BrowserGone),
                // The session just went away, or the pipe is full of work; both end the matter.
                Err(SendError::NotYours | SendError::Full) => drop(self.waiting.take(id)),
            }
        }
        Ok(())
    }

    /// Remembers a browser context that the client made.
    pub(super) fn note_context(&mut self, result: &RawValue) {
        if let Ok(NewContext { browser_context_id }) = serde_json::from_str(result.get()) {
            self.lease.contexts.insert(browser_context_id);
        }
    }

    fn event(&mut self, event: &Event) -> Result<(), End> {
        let ended = self.targets.learn(event);
        // Nothing comes any more of what was waited for.
        if ended.is_some() && self.held_in_vain() {
            self.release()?;
        }
        let session = event.session.as_ref();
        if ended.as_ref() == Some(&self.root) {
            return Err(End::TargetGone);
        }
        if session == Some(&self.lease.session) && self.scope != Scope::Browser {
            // The browser session is only how a client of one target is attached.
            return Ok(());
        }
        let named = session.filter(|session| **session != self.root);
        self.outbox.push(message::event(event, named))
    }

    fn reply(
        &mut self,
        waiting: Waiting,
        result: Result<Box<RawValue>, RemoteError>,
    ) -> Result<(), End> {
        let Waiting { id, named, then } = waiting;
        match (then, &result) {
            (Then::Nothing, _) => return Ok(()),
            (Then::Context, Ok(context)) => self.note_context(context),
            (Then::Settle { url }, Ok(page)) => {
                if let Ok(NewTarget { target_id }) = serde_json::from_str(page.get()) {
                    self.settle(id, named, target_id, url, result);
                    return Ok(());
                }
            }
            _ => {}
        }
        self.outbox
            .push(message::reply(id, named.as_ref(), &result))
    }

    fn settle(
        &mut self,
        id: i32,
        named: Option<SessionId>,
        target: String,
        url: String,
        result: Result<Box<RawValue>, RemoteError>,
    ) {
        let stage = Arc::clone(&self.stage);
        self.settling.push(Box::pin(async move {
            let settled = create::settle(stage, &target, &url).await;
            let result = settled
                .map_err(|error| message::refused(error.to_string()))
                .and(result);
            Settled { id, named, result }
        }));
    }
}
