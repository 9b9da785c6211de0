//! A browser session of a client's own, and its end.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::{CallError, Connection, Inbound, Inbox, Member, SessionId, raw};

use super::targets::Targets;
use crate::SharedBrowser;
use crate::clients::Scope;
use crate::limits::Limits;
use crate::listener::Live;
use crate::windows::Windows;

/// How long attaching may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How many messages may wait for the client's task, which only ever passes them on.
const INBOX: usize = 16_384;

/// A client that is attached and not served yet. Dropping it detaches.
pub(crate) struct Attached {
    pub(super) live: Live,
    pub(super) lease: Lease,
    pub(super) inbox: Inbox,
    pub(super) scope: Scope,
    /// The session that the client takes for the root.
    pub(super) root: SessionId,
    pub(super) targets: Targets,
}

/// Why a client cannot be attached.
#[derive(Debug)]
pub(crate) enum AttachError {
    /// The browser is gone, or does not answer.
    NoBrowser,
    /// It does not know this target.
    NoTarget(String),
}

/// A client's hold on the browser: its session, and the browser contexts that it made. Both go when
/// this is dropped, however the client ends.
pub(super) struct Lease {
    connection: Connection,
    browser: SharedBrowser,
    pub(super) windows: Arc<Windows>,
    /// The client's, in `windows`.
    pub(super) number: u64,
    pub(super) member: Member,
    /// The browser session under which all others of the client are.
    pub(super) session: SessionId,
    pub(super) contexts: HashSet<String>,
}

/// Of the answers to both attach commands.
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
    let answer = connection
        .call_raw(None, "Target.attachToBrowserTarget", None)
        .await;
    let session = answer
        .ok()
        .and_then(|result| session_in(result.get()))
        .ok_or(AttachError::NoBrowser)?;
    live.windows.look(&live.browser).await;
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
    let mut targets = Targets::new(limits.paused);
    let root = match &scope {
        Scope::Browser => session,
        // On the client's own browser session, so that nobody else hears of it.
        Scope::Page { target_id } => attach_to(target_id, &lease, &mut inbox, &mut targets).await?,
    };
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
    let params = raw(&json!({ "targetId": target, "flatten": true }));
    let sent = lease.member.send(
        0,
        Some(lease.session.clone()),
        "Target.attachToTarget",
        Some(params),
    );
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

fn session_in(result: &str) -> Option<SessionId> {
    serde_json::from_str::<NewSession>(result)
        .ok()
        .map(|new| new.session_id)
}

impl Lease {
    /// The client disposes of a browser context; false if it did not make it, or has done so.
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
        let params = raw(&json!({ "sessionId": self.session }));
        // Everything under the session goes with it, and with it all pauses of this client.
        forget(
            self.connection
                .post_raw(None, "Target.detachFromTarget", Some(params)),
        );
        self.windows.left(self.number, &self.connection);
        for context in &self.contexts {
            self.browser.context_disposed(context);
            let params = raw(&json!({ "browserContextId": context }));
            // Those that were made with `disposeOnDetach` are gone already; that is refused then.
            forget(
                self.connection
                    .post_raw(None, "Target.disposeBrowserContext", Some(params)),
            );
        }
    }
}

/// Written is enough; on a closed connection there is nothing left to tidy up.
fn forget<T>(reply: impl Future<Output = Result<T, CallError>>) {
    drop(reply);
}
