//! Attaches a client to a browser session of its own, and detaches it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::target::{
    AttachToBrowserTargetParams, AttachToTargetParams, DetachFromTargetParams,
    DisposeBrowserContextParams,
};
use szk_cdp::{Connection, Inbound, Inbox, Member, SessionId, json};

use super::targets::Targets;
use crate::SharedBrowser;
use crate::clients::Scope;
use crate::limits::Limits;
use crate::listener::Live;
use crate::windows::Windows;

/// How long attaching may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How many messages may wait for the client's task, which only passes them on.
const INBOX: usize = 16_384;

/// A client that is attached but not served yet. Dropping this detaches it.
pub(crate) struct Attached {
    pub(super) live: Live,
    pub(super) lease: Lease,
    pub(super) inbox: Inbox,
    pub(super) scope: Scope,
    /// The session that is the client's root.
    pub(super) root: SessionId,
    pub(super) targets: Targets,
}

/// Why a client cannot be attached.
#[derive(Debug)]
pub(crate) enum AttachError {
    /// The browser is gone, or does not answer.
    NoBrowser,
    /// The browser does not know this target.
    NoTarget(String),
}

/// What a client holds in the browser: its session, and the browser contexts it created. Dropping this
/// releases both, however the client ends.
pub(super) struct Lease {
    connection: Connection,
    browser: SharedBrowser,
    pub(super) windows: Arc<Windows>,
    /// The client's number in `windows`.
    pub(super) number: u64,
    pub(super) member: Member,
    /// The browser session that contains all other sessions of the client.
    pub(super) session: SessionId,
    pub(super) contexts: HashSet<String>,
}

/// The part that the answers to both attach commands share.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSession {
    session_id: SessionId,
}

/// Attaches a client to the browser, or to one target in it.
pub(crate) async fn attach(
    live: Live,
    scope: Scope,
    limits: Limits,
) -> Result<Attached, AttachError> {
    match tokio::time::timeout(LIMIT, attach_now(live, scope, limits)).await {
        Ok(attached) => attached,
        Err(_) => Err(AttachError::NoBrowser),
    }
}

async fn attach_now(live: Live, scope: Scope, limits: Limits) -> Result<Attached, AttachError> {
    let connection = live.browser.connection();
    let (member, mut inbox) = connection.join(INBOX);
    let late = connection.clone();
    let reply = connection.post::<NewSession>(None, &AttachToBrowserTargetParams::default());
    // The client may be gone, or its time up, when the browser answers.
    let answer = reply.or_undo(move |new| late.tell(None, &detach_from(&new.session_id)));
    let session = answer
        .await
        .ok()
        .map(|new| new.session_id)
        .ok_or(AttachError::NoBrowser)?;
    // Before anything else is waited for: from here on it detaches, whatever happens.
    let lease = Lease {
        connection,
        browser: Arc::clone(&live.browser),
        number: live.windows.join(),
        windows: Arc::clone(&live.windows),
        member,
        session: session.clone(),
        contexts: HashSet::new(),
    };
    if !lease.member.own(session.clone()) {
        return Err(AttachError::NoBrowser);
    }
    live.windows.look(&live.browser).await;
    let mut targets = Targets::new(limits.paused);
    let root = match &scope {
        Scope::Browser => session,
        // On the client's own browser session, so that no one else hears of it.
        Scope::Page { target_id } => attach_to(target_id, &lease, &mut inbox, &mut targets).await?,
    };
    if scope != Scope::Browser {
        targets.begin(&root);
    }
    Ok(Attached {
        live,
        lease,
        inbox,
        scope,
        root,
        targets,
    })
}

async fn attach_to(
    target: &str,
    lease: &Lease,
    inbox: &mut Inbox,
    targets: &mut Targets,
) -> Result<SessionId, AttachError> {
    let attach = AttachToTargetParams {
        flatten: Some(true),
        ..AttachToTargetParams::new(target.to_owned())
    };
    let sent = lease.member.post(0, &lease.session, &attach);
    sent.map_err(|_| AttachError::NoBrowser)?;
    loop {
        match inbox.recv().await {
            Some(Inbound::Event(event)) => drop(targets.learn(&event)),
            Some(Inbound::Reply {
                result: Ok(result), ..
            }) => return session_in(result.get()).ok_or(AttachError::NoBrowser),
            Some(Inbound::Reply { result: Err(_), .. }) => {
                return Err(AttachError::NoTarget(target.to_owned()));
            }
            Some(Inbound::Overflow) | None => return Err(AttachError::NoBrowser),
        }
    }
}

/// The session in the answer to a command that attaches.
pub(super) fn session_in(result: &str) -> Option<SessionId> {
    json::read::<NewSession>(result)
        .ok()
        .map(|new| new.session_id)
}

/// The command that ends a session.
pub(super) fn detach_from(session: &SessionId) -> DetachFromTargetParams {
    DetachFromTargetParams {
        session_id: Some(session.as_str().to_owned().into()),
    }
}

impl Lease {
    /// The client disposes of a browser context; false if it did not create it, or has already disposed
    /// of it.
    pub(super) fn dispose(&mut self, context: &str) -> bool {
        let owned = self.contexts.remove(context);
        if owned {
            self.browser.context_disposed(context);
        }
        owned
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Ends all sessions below, and with them all pauses of this client. Nobody waits for an answer: on a
        // closed connection there is nothing left to clean up.
        self.connection.tell(None, &detach_from(&self.session));
        self.windows.left(self.number, &self.connection);
        for context in &self.contexts {
            self.browser.context_disposed(context);
            // Contexts created with `disposeOnDetach` are already gone, so this is refused for them.
            let dispose = DisposeBrowserContextParams::new(context.clone());
            self.connection.tell(None, &dispose);
        }
    }
}
