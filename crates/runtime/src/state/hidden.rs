//! A hidden tab that can show a document of any origin without contacting a server.
//!
//! We answer every request of it here. Three things would still reach the network, so they are
//! prevented:
//! - Chromium preconnects to the origin of a navigation, even if the request is intercepted. So the
//!   navigation goes to a port that Chromium never connects to, and from there on by a redirect, which
//!   Chromium neither preconnects to nor resolves.
//! - A service worker of the origin would answer instead, and fetch: it is bypassed.
//! - A visible tab requests a favicon: refused, like everything but the document.
//!
//! Visits in a hidden tab are not in the history.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use szk_cdp::protocol::fetch::{
    EventRequestPaused, FailRequestParams, FulfillRequestParams, HeaderEntry,
};
use szk_cdp::protocol::network::{
    self, ErrorReason, EventLoadingFailed, ResourceType, SetBypassServiceWorkerParams,
};
use szk_cdp::protocol::page::NavigateParams;
use szk_cdp::protocol::target::{AttachToTargetParams, CreateTargetParams};
use szk_cdp::{CallError, Connection, Done, Event, Inbound, Inbox, Member, Request, SessionId};
use tokio::sync::watch;

use crate::supervisor::{NewTarget, every_request};

/// Port 1 is one of the ports that Chromium refuses to connect to before it considers a proxy.
const START: &str = "http://127.0.0.1:1/";
/// Suffix of the address of a visited document. The supervisor sees hidden tabs like any other, and a
/// visit must not look like a page that has just loaded, which would be a reason for the next visit.
const VISIT: &str = "?szk-visit";
/// What a navigation that was ended says.
const ABORTED: &str = "net::ERR_ABORTED";
/// Capacity for unanswered requests; a blank document makes one.
const INBOX: usize = 1024;

/// A tab that closes when this is dropped.
pub(super) struct HiddenTab {
    connection: Connection,
    session: SessionId,
    /// Closed with this.
    _target: NewTarget,
    /// Where the next redirect leads. A std mutex: nothing awaits under it.
    wanted: Arc<Mutex<String>>,
    /// The navigation that came to nothing last.
    failed: watch::Receiver<Option<String>>,
    /// Owns the session, so that its requests come only here, and in order.
    _member: Member,
}

/// A document that is open in a hidden tab.
pub(super) struct Visit {
    pub(super) frame: String,
    navigation: Option<String>,
}

/// Why the document could not be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum VisitError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("cannot get a document of this origin: {0}")]
    Refused(String),
    #[error("not the origin of a website")]
    NoOrigin,
}

impl HiddenTab {
    pub(super) async fn open(connection: &Connection) -> Result<Self, CallError> {
        let target = create(connection).await?;
        let wanted = Arc::new(Mutex::new(String::new()));
        let (member, inbox) = connection.join(INBOX);
        let session = attach(connection, target.id()).await?;
        member.own(session.clone());
        let (failing, failed) = watch::channel(None);
        // Ends with the member.
        tokio::spawn(answer(
            connection.clone(),
            session.clone(),
            inbox,
            Arc::clone(&wanted),
            failing,
        ));
        let tab = Self {
            connection: connection.clone(),
            session,
            _target: target,
            wanted,
            failed,
            _member: member,
        };
        // Without all of these a visit might reach the network, so then there is no tab.
        let every = every_request();
        let orders = [
            Request::of(&every),
            Request::of(&network::EnableParams::default()),
            Request::of(&SetBypassServiceWorkerParams::new(true)),
        ];
        let session = Some(&tab.session);
        let replies = orders.map(|order| tab.connection.post::<Done>(session, &order));
        for reply in replies {
            reply.await?;
        }
        Ok(tab)
    }

    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }

    /// Navigates to an empty document of the origin.
    pub(super) async fn visit(&self, origin: &str) -> Result<Visit, VisitError> {
        if !is_origin(origin) {
            return Err(VisitError::NoOrigin);
        }
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = format!("{origin}/{VISIT}");
        let visited: Navigated = self
            .connection
            .ask(Some(&self.session), &NavigateParams::new(START))
            .await?;
        match visited.error_text.as_deref() {
            // Nobody else ends a navigation here.
            Some(ABORTED) => Err(CallError::Crashed.into()),
            Some(reason) => Err(VisitError::Refused(reason.to_owned())),
            None => Ok(Visit {
                frame: visited.frame_id,
                navigation: visited.loader_id,
            }),
        }
    }

    /// Works in the document.
    ///
    /// A renderer may die when the navigation is answered and its document is not there yet. That is no
    /// crash of the page (Chromium 156), and all further calls would wait until the next navigation.
    pub(super) async fn during<T, E: From<CallError>>(
        &self,
        visit: &Visit,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let mut failed = self.failed.clone();
        let lost = failed.wait_for(|failed| failed.is_some() && *failed == visit.navigation);
        tokio::select! {
            biased;
            done = work => done,
            Ok(_) = lost => Err(CallError::Crashed.into()),
        }
    }
}

/// Whether an address is one of a document in a hidden tab.
pub(crate) fn is_visit(url: &str) -> bool {
    url.ends_with(VISIT)
}

/// `https://host` or `https://host:port`, as Chromium writes it.
fn is_origin(origin: &str) -> bool {
    let host = origin
        .strip_prefix("https://")
        .or_else(|| origin.strip_prefix("http://"));
    host.is_some_and(|host| {
        let odd =
            |char: char| char.is_ascii_control() || char.is_whitespace() || "/?#@\\".contains(char);
        !host.is_empty() && !host.contains(odd)
    })
}

async fn create(connection: &Connection) -> Result<NewTarget, CallError> {
    // Chromium 136 introduced hidden tabs; older ones at least have background tabs.
    let hidden = CreateTargetParams {
        hidden: Some(true),
        ..CreateTargetParams::new("about:blank")
    };
    let background = CreateTargetParams {
        background: Some(true),
        ..CreateTargetParams::new("about:blank")
    };
    match NewTarget::create(connection, &hidden).await {
        Err(CallError::Remote { .. }) => NewTarget::create(connection, &background).await,
        created => created,
    }
}

async fn attach(connection: &Connection, target: &str) -> Result<SessionId, CallError> {
    let attach = AttachToTargetParams {
        flatten: Some(true),
        ..AttachToTargetParams::new(target.to_owned())
    };
    let attached: Attached = connection.ask(None, &attach).await?;
    Ok(attached.session_id)
}

async fn answer(
    connection: Connection,
    session: SessionId,
    mut inbox: Inbox,
    wanted: Arc<Mutex<String>>,
    failing: watch::Sender<Option<String>>,
) {
    while let Some(message) = inbox.recv().await {
        let Inbound::Event(event) = message else {
            continue;
        };
        if event.method == EventLoadingFailed::IDENTIFIER
            && let Ok(Failed { request_id, kind }) = event.read()
            && kind == ResourceType::Document
        {
            failing.send_replace(Some(request_id));
        }
        let wanted = wanted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(decided) = decide(&event, &wanted) {
            // Refused only if the navigation is already over; no one waits for it then.
            connection.tell(Some(&session), &decided);
        }
    }
}

/// The answer to a request, if the event is one.
fn decide(event: &Event, wanted: &str) -> Option<Request> {
    if event.method != EventRequestPaused::IDENTIFIER {
        return None;
    }
    let paused: Paused = event.read().ok()?;
    let (status, name, value) = match &*paused.request.url {
        START => (302, "location", wanted),
        url if url == wanted => (200, "content-type", "text/html; charset=utf-8"),
        _ => {
            let refused = FailRequestParams::new(paused.request_id, ErrorReason::BlockedByClient);
            return Some(Request::of(&refused));
        }
    };
    Some(Request::of(&FulfillRequestParams {
        response_headers: Some(vec![HeaderEntry::new(name, value)]),
        body: Some(String::new().into()),
        ..FulfillRequestParams::new(paused.request_id, status)
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    frame_id: String,
    /// Its document's request has the same id.
    loader_id: Option<String>,
    error_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failed {
    request_id: String,
    #[serde(rename = "type")]
    kind: ResourceType,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    request: PausedRequest,
}

#[derive(Deserialize)]
struct PausedRequest {
    url: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Script};

    use super::*;

    #[test]
    fn only_websites_have_origins() {
        for origin in ["https://x.test", "http://localhost:8080", "http://[::1]:80"] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "null",
            "https://",
            "file://",
            "chrome-extension://a",
            "https://x.test/",
            "https://x@y",
            "http://x y",
            "http://x\r\ny",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }

    fn browser() -> Script {
        Script::new()
            .answer("Target.createTarget", json!({"targetId": "T"}))
            .answer("Target.attachToTarget", json!({"sessionId": "H"}))
            .answer("Page.navigate", json!({"frameId": "F"}))
    }

    #[tokio::test]
    async fn requests_are_answered_and_the_tab_is_closed() {
        let (connection, _events, peer) = browser().start();
        let tab = HiddenTab::open(&connection).await.unwrap();
        assert_eq!(tab.visit("https://x.test").await.unwrap().frame, "F");
        for (id, url) in [
            ("1", START),
            ("2", "https://x.test/?szk-visit"),
            ("3", "https://x.test/favicon.ico"),
            ("4", "https://y.test/"),
        ] {
            peer.event(
                Some("H"),
                "Fetch.requestPaused",
                json!({"requestId": id, "request": {"url": url}}),
            );
        }
        for (nth, status) in [(1, 302), (2, 200)] {
            assert_eq!(
                peer.call("Fetch.fulfillRequest", nth).await.unwrap().params["responseCode"],
                status
            );
        }
        assert_eq!(
            peer.call("Fetch.failRequest", 2).await.unwrap().params["requestId"],
            "4"
        );
        drop(tab);
        assert_eq!(
            peer.call("Target.closeTarget", 1).await.unwrap().params["targetId"],
            "T"
        );
    }

    #[tokio::test]
    async fn without_interception_there_is_no_tab() {
        for method in [
            "Fetch.enable",
            "Network.enable",
            "Network.setBypassServiceWorker",
        ] {
            let (connection, _events, peer) = browser().fail_nth(method, 1, -32000, "no").start();
            assert!(HiddenTab::open(&connection).await.is_err(), "{method}");
            assert!(
                peer.call("Target.closeTarget", 1).await.is_some(),
                "{method}"
            );
        }
    }

    #[tokio::test]
    async fn one_that_is_given_up_while_it_opens_is_closed() {
        let silent = Script::new().answer("Target.attachToTarget", Answer::silence());
        let (connection, _events, peer) = silent.then(browser()).start();
        let opening = async move { HiddenTab::open(&connection).await.map(drop) };
        tokio::select! {
            _ = opening => panic!("nobody answers"),
            _ = peer.call("Target.attachToTarget", 1) => {}
        }
        let closed = peer.call("Target.closeTarget", 1).await.unwrap();
        assert_eq!(closed.params["targetId"], "T");
    }

    #[tokio::test]
    async fn an_older_chromium_gets_a_background_tab() {
        let (connection, _events, peer) = browser()
            .fail_nth("Target.createTarget", 1, -32602, "hidden?")
            .start();
        HiddenTab::open(&connection).await.unwrap();
        assert_eq!(peer.calls()[1].params["background"], true);
    }
}
