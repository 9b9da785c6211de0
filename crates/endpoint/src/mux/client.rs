//! The state of one client, and what the browser sends to it.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::protocol::runtime::RunIfWaitingForDebuggerParams;
use szk_cdp::protocol::target::EventTargetDestroyed;
use szk_cdp::{Event, Inbound, RemoteError, SessionId, json, raw};
use szk_config::{EndpointContexts, EndpointTabs};
use szk_store::DownloadFolder;
use tokio::time::Instant;

use super::attach::{Attached, Lease, detach_from, session_in};
use super::commands::HeldCommand;
use super::downloads::Downloads;
use super::end::End;
use super::foreground::Foreground;
use super::outbox::Outbox;
use super::own_tabs::{OwnTabs, Visibility};
use super::pending::{OnReply, PendingCommand, PendingCommands};
use super::tab_order;
use super::targets::Targets;
use crate::clients::Scope;
use crate::names::Naming;
use crate::rules::Rules;
use crate::shield::Shield;
use crate::{SharedBrowser, create, message};

/// One client. Owned by its task; nothing in it is shared.
pub(super) struct Client {
    pub(super) browser: SharedBrowser,
    pub(super) lease: Lease,
    /// The session that is the client's root; the client never sees its id.
    pub(super) root: SessionId,
    pub(super) scope: Scope,
    pub(super) targets: Targets,
    pub(super) rules: Rules,
    /// `None` for a client without the shield.
    pub(super) shield: Option<Shield>,
    /// The tabs it sees; `None` for a client that sees all.
    pub(super) own_tabs: Option<OwnTabs>,
    /// Other clients' targets to resume once they may run.
    pub(super) leaving: FuturesUnordered<BoxFuture<'static, SessionId>>,
    pub(super) downloads: Downloads,
    pub(super) naming: Naming,
    /// The name that its commands have just revealed.
    pub(super) called: Option<&'static str>,
    /// Pages that it has just made.
    pub(super) made: Vec<String>,
    /// Commands that the browser has not answered.
    pub(super) pending: PendingCommands,
    /// Whether it attaches to everything that opens, and holds it until it has looked.
    pub(super) holds: bool,
    /// New pages being set up. The replies for those with a URL wait for that.
    pub(super) settling: FuturesUnordered<BoxFuture<'static, Settled>>,
    /// Pages that the client created and that are not set up yet: they are blank, and must not run
    /// anything.
    pub(super) fresh: HashSet<String>,
    /// Events about targets that existed before, until they are sorted.
    pub(super) sorting: Option<Vec<Event>>,
    /// The pages it works in, which must not be hidden.
    pub(super) foreground: Foreground,
    /// The sessions in which it has lifecycle events enabled.
    pub(super) lifecycle_sessions: HashSet<SessionId>,
    /// A command that waits. Everything that the client sends after it waits too.
    pub(super) held: Option<HeldCommand>,
    pub(super) outbox: Outbox,
}

/// How to serve a client.
pub(crate) struct ClientOptions {
    pub(crate) rules: Rules,
    pub(crate) naming: Naming,
    /// The profile's downloads.
    pub(crate) downloads: DownloadFolder,
}

/// A message for the client that had to wait for something.
pub(super) enum Settled {
    /// The answer to a `Target.createTarget`.
    Reply {
        id: i32,
        named: Option<SessionId>,
        result: Result<Box<RawValue>, RemoteError>,
    },
    /// An event, already serialised.
    Event(String),
    /// A page that the client knows is set up, or gone.
    SetUp(String),
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
    pub(super) fn new(
        attached: Attached,
        terms: ClientOptions,
        outbox: Outbox,
    ) -> (Self, szk_cdp::Inbox) {
        let Attached {
            live,
            lease,
            inbox,
            scope,
            root,
            targets,
        } = attached;
        let rules = &terms.rules;
        let own_tabs = rules.tabs == EndpointTabs::Own && scope == Scope::Browser;
        let own_tabs = own_tabs.then(OwnTabs::default);
        let downloads = Downloads::to(terms.downloads, rules.bounds.clone());
        let client = Self {
            browser: live.browser,
            lease,
            root,
            scope,
            targets,
            shield: terms.rules.shield.then(Shield::new),
            own_tabs,
            leaving: FuturesUnordered::new(),
            rules: terms.rules,
            downloads,
            naming: terms.naming,
            called: None,
            made: Vec::new(),
            pending: PendingCommands::default(),
            holds: false,
            settling: FuturesUnordered::new(),
            fresh: HashSet::new(),
            sorting: None,
            foreground: Foreground::default(),
            lifecycle_sessions: HashSet::new(),
            held: None,
            outbox,
        };
        (client, inbox)
    }

    /// Passes on a message from the pipe.
    pub(super) fn hear(&mut self, inbound: Option<Inbound>) -> Result<(), End> {
        match inbound {
            Some(Inbound::Event(event)) => self.event(&event),
            Some(Inbound::Reply { id, result, .. }) => match self.pending.take(id) {
                Some(command) => self.reply(command, result),
                None => Ok(()),
            },
            Some(Inbound::Overflow) => Err(End::Slow),
            None => Err(End::BrowserGone),
        }
    }

    /// Answers for a new page that is now navigating.
    pub(super) fn settled(&mut self, settled: Settled) -> Result<(), End> {
        match settled {
            Settled::Reply { id, named, result } => {
                let reply = message::reply(id, named.as_ref(), &result);
                self.outbox.push(reply)
            }
            Settled::Event(text) => self.outbox.push(text),
            Settled::SetUp(target) => {
                self.fresh.remove(&target);
                Ok(())
            }
        }
    }

    /// Resumes a target that the client left paused, because that freezes the page for everyone.
    pub(super) fn resume_overdue(&mut self) -> Result<(), End> {
        while let Some(session) = self.targets.overdue(Instant::now()) {
            let target = self.targets.of(&session);
            if target.is_some_and(|target| self.browser.gate().holds(target)) {
                // The supervisor is slow. No one resumes a target that has no scripts yet.
                self.targets.postpone(session, Instant::now());
                continue;
            }
            if !self.claims_resume(&session) {
                let acts = self.shield.as_mut().map(|shield| shield.resumed(&session));
                self.act(acts.unwrap_or_default(), None)?;
                continue;
            }
            tracing::info!(
                target = self.targets.of(&session),
                "a client left a target paused; resuming it"
            );
            let resume = RunIfWaitingForDebuggerParams::default();
            let unsent = self.order(&session, &resume, OnReply::Nothing)?;
            if unsent.is_none() {
                let acts = self.shield.as_mut().map(|shield| shield.resumed(&session));
                self.act(acts.unwrap_or_default(), None)?;
            }
        }
        Ok(())
    }

    /// Records a browser context that the client created.
    pub(super) fn note_context(&mut self, result: &RawValue) {
        if let Ok(NewContext { browser_context_id }) = json::read(result.get()) {
            if self.rules.contexts == EndpointContexts::Client {
                self.browser.context_created(&browser_context_id);
                if self.holds {
                    self.browser.yield_popups(&browser_context_id);
                }
            }
            self.bound_downloads(&browser_context_id);
            self.lease.contexts.insert(browser_context_id);
        }
    }

    pub(super) fn event(&mut self, event: &Event) -> Result<(), End> {
        self.show(event)?;
        self.replay_lifecycle_events(event)
    }

    fn show(&mut self, event: &Event) -> Result<(), End> {
        if self.keep_back(event)? {
            return Ok(());
        }
        let ended = self.targets.learn(event);
        if let Some(session) = &ended {
            self.lifecycle_sessions.remove(session);
        }
        if event.method == EventTargetDestroyed::IDENTIFIER
            && let Ok(NewTarget { target_id }) = event.read()
        {
            self.foreground.forget(&target_id);
        }
        // What the command waited for will not come any more.
        if ended.is_some() && self.held_in_vain() {
            self.release(false)?;
        }
        let session = event.session.as_ref();
        if ended.as_ref() == Some(&self.root) {
            return Err(End::TargetGone);
        }
        if ended.is_some()
            && let Some(shield) = &mut self.shield
        {
            let acts = shield.ended(|session| self.targets.scripted(session).is_some());
            self.act(acts, None)?;
        }
        if session == Some(&self.lease.session) && self.scope != Scope::Browser {
            // The browser session only serves to attach a client of one target.
            return Ok(());
        }
        if let Some(own) = &mut self.own_tabs {
            match own.visibility(event, &self.lease.session, &self.lease.contexts) {
                Visibility::Shown => {}
                Visibility::Hidden | Visibility::Deferred => return Ok(()),
                Visibility::Detach { session, target } => {
                    let gate = self.browser.gate();
                    self.leaving.push(Box::pin(async move {
                        gate.written(&target).await;
                        session
                    }));
                    return Ok(());
                }
            }
        }
        if let Some(acts) = self.shield.as_mut().and_then(|shield| shield.event(event)) {
            return self.act(acts, Some(event));
        }
        if let Some(placed) = self.downloads.event(event) {
            let (method, session) = (event.method.clone(), event.session.clone());
            let session = session.filter(|session| *session != self.root);
            self.settling.push(Box::pin(async move {
                let params = placed.await;
                Settled::Event(message::made(&method, &params, session.as_ref()))
            }));
            return Ok(());
        }
        self.pass(event)
    }

    /// Passes on an event unchanged.
    pub(super) fn pass(&self, event: &Event) -> Result<(), End> {
        self.outbox.push(self.written(event))
    }

    fn written(&self, event: &Event) -> String {
        let session = event.session.as_ref();
        let session = session.filter(|session| **session != self.root);
        match self.scrubbed(event) {
            Some(params) => message::made(&event.method, &params, session),
            None => message::event(event, session),
        }
    }

    fn reply(
        &mut self,
        pending: PendingCommand,
        result: Result<Box<RawValue>, RemoteError>,
    ) -> Result<(), End> {
        self.pass_kept()?;
        let PendingCommand {
            id, named, then, ..
        } = pending;
        match (then, &result) {
            (OnReply::Nothing | OnReply::Window(_), Err(_)) | (OnReply::Nothing, _) => {
                return Ok(());
            }
            (OnReply::Window(window), Ok(bounds)) => {
                self.lease.windows.was(window, bounds);
                return Ok(());
            }
            (OnReply::Shield(ask), _) => {
                let acts = self
                    .shield
                    .as_mut()
                    .map(|shield| shield.reply(ask, &result));
                return self.act(acts.unwrap_or_default(), None);
            }
            (then @ (OnReply::World { .. } | OnReply::Script { .. }), Ok(answer)) => {
                self.learned(then, answer)?;
            }
            (OnReply::Attached, Ok(attached)) => {
                if let Some(session) = session_in(attached.get()) {
                    self.targets.begin(&session);
                }
            }
            (OnReply::Context, Ok(context)) => self.note_context(context),
            (OnReply::Targets, Ok(targets)) => {
                let own = self.own_tabs.as_ref();
                let shown = own.and_then(|own| own.filter(targets, &self.lease.contexts));
                let sorted = tab_order::sorted(&self.browser, shown.as_deref().unwrap_or(targets));
                let result = sorted.map_or(result, Ok);
                return self
                    .outbox
                    .push(message::reply(id, named.as_ref(), &result));
            }
            (OnReply::Settle { .. }, Err(_)) => self.created(None)?,
            (OnReply::Settle { url, for_tab }, Ok(page)) => {
                if let Ok(NewTarget { target_id }) = json::read(page.get()) {
                    self.created(Some(&target_id))?;
                    if for_tab || url != create::BLANK {
                        self.settle((id, named), target_id, url, for_tab);
                        return Ok(());
                    }
                    self.set_up(target_id);
                }
            }
            _ => {}
        }
        self.outbox
            .push(message::reply(id, named.as_ref(), &result))
    }

    /// Chromium has created a page for this client, or refused to. Checks the events that waited for
    /// that again.
    fn created(&mut self, target: Option<&str>) -> Result<(), End> {
        self.made.extend(target.map(str::to_owned));
        let deferred = self
            .own_tabs
            .as_mut()
            .map(|own| own.created(target.map(str::to_owned)));
        for event in deferred.unwrap_or_default() {
            self.event(&event)?;
        }
        Ok(())
    }

    /// Resumes a target that is not the client's, and detaches from it.
    pub(super) fn let_go(&mut self, session: &SessionId) -> Result<(), End> {
        if self.claims_resume(session) {
            self.tell(session, &RunIfWaitingForDebuggerParams::default())?;
        }
        let root = self.lease.session.clone();
        self.tell(&root, &detach_from(session))
    }

    /// A blank page belongs to the client at once, so that it can attach during the setup.
    fn set_up(&mut self, target: String) {
        self.fresh.insert(target.clone());
        let gate = self.browser.gate();
        self.settling.push(Box::pin(async move {
            // A page that is not set up is closed, and commands for it get that answer.
            let _ = gate.acked(&target).await;
            Settled::SetUp(target)
        }));
    }

    /// Navigates a new page, and then answers with the page, or with the tab around it.
    fn settle(
        &mut self,
        (id, named): (i32, Option<SessionId>),
        target: String,
        url: String,
        for_tab: bool,
    ) {
        let browser = Arc::clone(&self.browser);
        self.settling.push(Box::pin(async move {
            let settled = create::settle(Arc::clone(&browser), &target, &url).await;
            let answer = settled.and_then(|()| match for_tab {
                true => browser.tab_target(&target).ok_or(create::SetupFailed),
                false => Ok(target),
            });
            let result = answer
                .map(|target| raw(&json!({ "targetId": target })))
                .map_err(|error| message::refused(error.to_string()));
            Settled::Reply { id, named, result }
        }));
    }
}
