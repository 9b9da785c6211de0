//! A client's commands, and the policy for each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::protocol::network::ClearBrowserCookiesParams;
use szk_cdp::protocol::page::{
    GetFrameTreeParams, NavigateParams, SetLifecycleEventsEnabledParams,
};
use szk_cdp::protocol::runtime::{
    CallFunctionOnParams, EvaluateParams, RunIfWaitingForDebuggerParams,
};
use szk_cdp::protocol::storage::{
    ClearCookiesParams, ClearDataForOriginParams, ClearDataForStorageKeyParams,
};
use szk_cdp::protocol::target::SetAutoAttachParams;
use szk_cdp::{RemoteError, SendError, SessionId, raw};

use super::client::Client;
use super::end::End;
use super::pending::{OnReply, PendingCommand};
use super::tab_order;
use crate::message::{self, Command};
use crate::policy::{self, Answer, Learn, Policy, Rewrite, Until};
use crate::{create, visibility};

/// How long a page may take to say whether it is hidden: a busy page has no picture to give, and input
/// must not wait for one that a dialog blocks.
const PICTURE: Duration = Duration::from_secs(2);
const INPUT: Duration = Duration::from_millis(300);

/// Methods that clear all cookies or all storage of an origin.
const CLEARING: [&str; 4] = [
    ClearBrowserCookiesParams::IDENTIFIER,
    ClearCookiesParams::IDENTIFIER,
    ClearDataForOriginParams::IDENTIFIER,
    ClearDataForStorageKeyParams::IDENTIFIER,
];

/// A command whose session belongs to the client.
#[derive(Debug)]
pub(super) struct Addressed {
    pub(super) id: i32,
    /// As the client named it, for the answer.
    pub(super) named: Option<SessionId>,
    /// As on the wire.
    pub(super) session: SessionId,
    pub(super) method: String,
    pub(super) params: Option<Box<RawValue>>,
}

/// A command that waits, usually for the supervisor.
pub(super) struct HeldCommand {
    command: Addressed,
    /// `None`: waits for its page, whatever the command is; its policy still has to be applied.
    until: Option<Until>,
    /// Returns whether its page is hidden, or does not have its size, if it waits for that.
    pub(super) wait: BoxFuture<'static, bool>,
}

impl Client {
    /// Handles a message of the client.
    pub(super) fn listen(&mut self, text: &str) -> Result<(), End> {
        let Command {
            id,
            method,
            session: named,
            params,
        } = match message::parse(text) {
            Ok(command) => command,
            Err(malformed) => return self.outbox.push(message::malformed(&malformed)),
        };
        let session = match &named {
            None => self.root.clone(),
            // The client does not know the ids of these two; a lucky guess is still refused.
            Some(named)
                if *named != self.root
                    && *named != self.lease.session
                    && self.lease.member.owns(named) =>
            {
                named.clone()
            }
            // Without the session, as Chromium answers.
            Some(_) => {
                return self.outbox.push(message::reply(
                    id,
                    None,
                    &Err(message::unknown_session()),
                ));
            }
        };
        self.apply(Addressed {
            id,
            named,
            session,
            method,
            params,
        })
    }

    /// Sends the held command, now that what it waited for has come. Wakes a page first if it turned out
    /// to be hidden; `found` says so, or whatever else the command waited to learn.
    pub(super) fn release(&mut self, found: bool) -> Result<(), End> {
        if let Some(HeldCommand {
            until: Some(Until::Sized(width, height)),
            command,
            ..
        }) = self
            .held
            .take_if(|held| matches!(held.until, Some(Until::Sized(..))))
        {
            let sized = match found {
                true => Err(message::refused(format!(
                    "cannot resize the window to {width}x{height}"
                ))),
                false => Ok(raw(&json!({}))),
            };
            return self.answer(&command, sized);
        }
        if found
            && let Some(held) = &self.held
            && let Some(page) = self.targets.page_around(&held.command.session)
        {
            let page = page.to_owned();
            self.wake(&page)?;
        }
        match self.held.take() {
            Some(HeldCommand {
                command,
                until: Some(until),
                ..
            }) => self.go_on(command, until),
            Some(HeldCommand { command, .. }) => self.apply(command),
            None => Ok(()),
        }
    }

    /// Whether the client has lost the target of the held command meanwhile.
    pub(super) fn held_in_vain(&self) -> bool {
        let lost = |held: &HeldCommand| self.targets.of(&held.command.session).is_none();
        self.held.as_ref().is_some_and(lost)
    }

    fn apply(&mut self, command: Addressed) -> Result<(), End> {
        if let Some(name) = self.naming.heard(&command.method) {
            self.called = Some(name);
        }
        if let Some(target) = self.targets.of(&command.session)
            && !begins(&command.method)
            && !self.targets.pauses(&command.session)
            && self.fresh.remove(target)
        {
            let target = target.to_owned();
            self.hold_for(target, command, None);
            return Ok(());
        }
        if let Err(refused) = self.within_bounds(&command) {
            return self.answer(&command, Err(refused));
        }
        self.note_lifecycle_events(&command);
        if is_work(&command.method) {
            self.targets.works(&command.session);
        }
        if CLEARING.contains(&command.method.as_str()) && !self.is_in_own_context(&command) {
            self.browser.storage_cleared();
        }
        let mut policy = Policy::Forward(Learn::Nothing);
        let context = self.context(&command.session);
        for next in policy::of(&command.method, &self.rules, context) {
            if let Policy::Refuse(when, _) = next
                && !self.applies(when, &command)
            {
                continue;
            }
            policy = next;
            break;
        }
        self.carry_out(policy, command)
    }

    /// Who owns the browser context of a session's target.
    fn context(&self, session: &SessionId) -> policy::Context {
        let context = self.targets.context(session);
        match context.is_some_and(|context| self.lease.contexts.contains(context)) {
            true => policy::Context::Own,
            false => policy::Context::Profile,
        }
    }

    /// Whether a command is about a browser context of the client's own.
    fn is_in_own_context(&self, command: &Addressed) -> bool {
        let contexts = &self.lease.contexts;
        let named = read(command).is_some_and(
            |Context {
                 browser_context_id: id,
             }| contexts.contains(&id),
        );
        named || self.context(&command.session) == policy::Context::Own
    }

    fn carry_out(&mut self, policy: Policy, mut command: Addressed) -> Result<(), End> {
        match policy {
            Policy::Forward(Learn::Nothing) => self.forward(command, OnReply::Pass),
            Policy::Forward(Learn::Holds) => {
                if command.session == self.root
                    && let Some(Attaching { auto_attach, hold }) = read(&command)
                {
                    self.holds = auto_attach && hold;
                }
                self.forward(command, OnReply::Pass)
            }
            Policy::Forward(Learn::Attaches) => self.forward(command, OnReply::Attached),
            Policy::Forward(Learn::Context) => self.forward(command, OnReply::Context),
            Policy::Forward(Learn::Targets) => self.forward(command, OnReply::Targets),
            Policy::Forward(Learn::Emulates(emulation)) => {
                if let Some(context) = self.targets.context(&command.session) {
                    self.browser.yield_emulation(context, emulation);
                }
                self.forward(command, OnReply::Pass)
            }
            Policy::Forward(learn) => self.note(command, learn),
            Policy::Answer(Answer::Goodbye) => {
                self.answer(&command, Ok(raw(&json!({}))))?;
                Err(End::Goodbye)
            }
            Policy::Answer(Answer::Kept) => {
                tracing::debug!(method = command.method, "not passed on to the page");
                self.answer(&command, Ok(raw(&json!({}))))
            }
            Policy::Answer(Answer::Contexts) => self.pretend(command, true),
            Policy::Answer(Answer::NoContexts) => self.pretend(command, false),
            Policy::Rewrite(Rewrite::CreateTarget) => self.create(command),
            Policy::Rewrite(Rewrite::Source) => {
                let shield = self.shield.as_ref();
                let clean =
                    shield.and_then(|it| it.clean(&command.session, command.params.as_deref()));
                command.params = clean.or(command.params);
                self.forward(command, OnReply::Pass)
            }
            Policy::Rewrite(Rewrite::Downloads) => self.download(command),
            Policy::Rewrite(Rewrite::Window) => self.resize(command),
            Policy::Rewrite(Rewrite::Viewport) => self.wants_viewport(command),
            Policy::Hold(until) => self.hold(command, until),
            Policy::Refuse(_, why) => {
                tracing::debug!(method = command.method, "refused to a client");
                let error = message::refused(format!("`{}` is refused: {why}", command.method));
                self.answer(&command, Err(error))
            }
        }
    }

    /// Keeps downloads where the profile has them.
    fn download(&mut self, mut command: Addressed) -> Result<(), End> {
        let contexts = &self.lease.contexts;
        let owns = |context: &str| contexts.contains(context);
        let instead = self.downloads.want(command.params.as_deref(), owns);
        command.params = instead.or(command.params);
        self.forward(command, OnReply::Pass)
    }

    pub(super) fn forward(&mut self, command: Addressed, then: OnReply) -> Result<(), End> {
        let works = self.works(&command);
        if command.session == self.lease.session && tab_order::tells_of_all(&command.method) {
            self.sorting.get_or_insert_default();
        }
        let Addressed {
            id,
            named,
            session,
            method,
            params,
        } = command;
        let number = self.pending.insert(PendingCommand {
            id,
            named: named.clone(),
            then,
            works,
        });
        if works {
            self.attend(&session, number);
        }
        let error = match self
            .lease
            .member
            .send(number, Some(session), &method, params)
        {
            Ok(()) => return Ok(()),
            Err(SendError::Closed) => return Err(End::BrowserGone),
            Err(SendError::NotYours) => message::unknown_session(),
            Err(SendError::Full) => message::refused("the browser is busy; try again"),
        };
        self.pending.take(number);
        self.outbox
            .push(message::reply(id, named.as_ref(), &Err(error)))
    }

    pub(super) fn answer(
        &self,
        command: &Addressed,
        result: Result<Box<RawValue>, RemoteError>,
    ) -> Result<(), End> {
        self.outbox
            .push(message::reply(command.id, command.named.as_ref(), &result))
    }

    fn hold(&mut self, command: Addressed, until: Until) -> Result<(), End> {
        let target = match until {
            Until::Written => self.targets.released(&command.session),
            Until::Acked => self.targets.awaited(&command.session),
            Until::InFront => self.targets.page(&command.session),
            Until::Seen => self.unseen(&command.session),
            Until::Sized(..) => None,
        };
        let Some(target) = target.map(str::to_owned) else {
            return self.go_on(command, until);
        };
        self.hold_for(target, command, Some(until));
        Ok(())
    }

    pub(super) fn hold_for(&mut self, target: String, command: Addressed, until: Option<Until>) {
        tracing::trace!(target, method = command.method, ?until, "held");
        let gate = self.browser.gate();
        let wait: BoxFuture<'static, bool> = match until {
            Some(Until::Written) => Box::pin(async move {
                gate.written(&target).await;
                false
            }),
            Some(Until::InFront) => self.look(target, PICTURE),
            Some(Until::Seen) => self.look(target, INPUT),
            Some(Until::Sized(width, height)) => self.size(target, (width, height)),
            Some(Until::Acked) | None => Box::pin(async move {
                if gate.acked(&target).await.is_err() {
                    tracing::debug!(target, "navigating before the setup is acknowledged");
                }
                false
            }),
        };
        self.held = Some(HeldCommand {
            command,
            until,
            wait,
        });
    }

    fn look(&self, target: String, patience: Duration) -> BoxFuture<'static, bool> {
        let browser = Arc::clone(&self.browser);
        Box::pin(async move { visibility::is_hidden(browser, &target, patience).await })
    }

    fn go_on(&mut self, command: Addressed, until: Until) -> Result<(), End> {
        if until != Until::Written {
            return self.forward(command, OnReply::Pass);
        }
        let session = command.session.clone();
        self.targets.resumed(&session);
        if self.claims_resume(&session) {
            self.forward(command, OnReply::Pass)?;
        } else {
            self.answer(&command, Ok(raw(&json!({}))))?;
            // It may have loaded during this client's setup.
            self.repeat_lifecycle_events(&session)?;
        }
        // Right behind it, so before anything that the page is opened for.
        let acts = self.shield.as_mut().map(|shield| shield.resumed(&session));
        self.act(acts.unwrap_or_default(), None)
    }

    /// Whether to resume a session's target; not a popup that already runs.
    pub(super) fn claims_resume(&self, session: &SessionId) -> bool {
        let target = self.targets.of(session);
        target.is_none_or(|target| self.browser.gate().claims_resume(target))
    }

    /// Makes the page blank and remembers where to navigate it. Passes on an invalid command, for
    /// Chromium to reject.
    fn create(&mut self, mut command: Addressed) -> Result<(), End> {
        let fields: Option<BTreeMap<String, Box<RawValue>>> = read(&command);
        let Some(mut fields) = fields else {
            return self.forward(command, OnReply::Pass);
        };
        // The answer would name the tab, but the page is what is set up.
        let for_tab = fields
            .remove("forTab")
            .is_some_and(|value| value.get() == "true");
        let Some(url) = fields
            .get("url")
            .and_then(|url| serde_json::from_str(url.get()).ok())
        else {
            return self.forward(command, OnReply::Pass);
        };
        fields.insert("url".to_owned(), raw(&create::BLANK));
        let says = |field: &str, value: &str| fields.get(field).is_some_and(|it| it.get() == value);
        // A hidden target has no window.
        let windowed = !says("hidden", "true") && !says("newWindow", "true");
        if !fields.contains_key("browserContextId") && windowed {
            let usual = raw(&self.lease.windows.new_window());
            let usual: BTreeMap<_, _> = serde_json::from_str(usual.get()).unwrap_or_default();
            fields.extend(usual);
        }
        command.params = Some(raw(&fields));
        if let Some(own) = &mut self.own_tabs {
            own.creates();
        }
        self.forward(command, OnReply::Settle { url, for_tab })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attaching {
    auto_attach: bool,
    #[serde(rename = "waitForDebuggerOnStart")]
    hold: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Context {
    pub(super) browser_context_id: String,
}

/// Whether a program has begun to work in a page when it sends this, set up or not.
fn is_work(method: &str) -> bool {
    let others = [
        NavigateParams::IDENTIFIER,
        EvaluateParams::IDENTIFIER,
        CallFunctionOnParams::IDENTIFIER,
    ];
    method.starts_with("Input.") || others.contains(&method)
}

/// Commands allowed for a blank page before it is set up, because they run nothing in it.
fn begins(method: &str) -> bool {
    let others = [
        SetLifecycleEventsEnabledParams::IDENTIFIER,
        GetFrameTreeParams::IDENTIFIER,
        SetAutoAttachParams::IDENTIFIER,
        // It waits by itself.
        RunIfWaitingForDebuggerParams::IDENTIFIER,
    ];
    method.ends_with(".enable") || others.contains(&method)
}

/// The parameters of one of the methods in the policy table; most others are never parsed.
pub(super) fn read<T: for<'a> Deserialize<'a>>(command: &Addressed) -> Option<T> {
    serde_json::from_str(command.params.as_deref()?.get()).ok()
}
