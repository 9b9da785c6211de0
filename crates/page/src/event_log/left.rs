//! Requests of documents that are gone. Chromium says nothing more of them: a document may go into the
//! back/forward cache with what it still waits for, and one in another process takes its reports along.

use szk_cdp::SessionId;

use super::collect::Collector;
use super::events::{Frame, FrameDetached};

/// What is said of a request whose document went before its end.
const LEFT: &str = "its page was left before it ended";

/// A request without an end.
#[derive(Debug)]
pub(super) struct Open {
    /// Its entry.
    pub(super) entry: u64,
    /// The frame it is for.
    pub(super) frame: String,
    /// The document it is for.
    pub(super) loader: String,
    /// A server has answered.
    pub(super) answered: bool,
}

impl Open {
    /// Whether it brings a document, whose id it has.
    fn is_navigation(&self, request: &str) -> bool {
        self.loader == request
    }

    /// Whether it brings a document that this frame is still to get.
    fn is_next_of(&self, request: &str, frame: &str) -> bool {
        self.is_navigation(request) && self.frame == frame && !self.answered
    }
}

impl Collector {
    /// The key of a request. A frame in another process reports the end of what brought its document, which
    /// began in the process around it.
    pub(super) fn open(&self, session: &SessionId, request: &str) -> Option<(SessionId, String)> {
        let key = (session.clone(), request.to_owned());
        if self.requests.contains_key(&key) {
            return Some(key);
        }
        let page = self.page_of(session)?;
        let mut all = self.requests.iter();
        let found = all.find(|((of, id), open)| {
            id == request && open.is_navigation(id) && self.page_of(of) == Some(page)
        });
        found.map(|(key, _)| key.clone())
    }

    fn page_of(&self, session: &SessionId) -> Option<&SessionId> {
        let page = self.owners.get(session)?.page.as_ref();
        page.map(|(page, _)| page)
    }

    /// A page has another document: what the one before and its frames and workers asked for is over.
    pub(super) fn page_left(&mut self, session: &SessionId, main: &Frame) {
        let below: Vec<SessionId> = self
            .owners
            .iter()
            .filter(|(of, owner)| {
                *of != session && !owner.outlives && self.page_of(of) == Some(session)
            })
            .map(|(of, _)| of.clone())
            .collect();
        self.end(|of, request, open| {
            let here = of == session && open.loader != main.loader_id;
            (here || below.contains(of)) && !open.is_next_of(request, &main.id)
        });
    }

    /// A frame has another document.
    pub(super) fn frame_left(&mut self, session: &SessionId, frame: &Frame) {
        self.end(|of, request, open| {
            let was = of == session && open.frame == frame.id && open.loader != frame.loader_id;
            was && !open.is_next_of(request, &frame.id)
        });
    }

    /// A frame is gone, or its next document is in another process, which reports how that ends.
    pub(super) fn frame_detached(&mut self, session: &SessionId, frame: &FrameDetached) {
        let swaps = frame.reason == "swap";
        self.end(|of, request, open| {
            let was = of == session && open.frame == frame.frame_id;
            was && !(swaps && open.is_navigation(request))
        });
    }

    fn end(&mut self, is_over: impl Fn(&SessionId, &str, &Open) -> bool) {
        let over = self
            .requests
            .extract_if(|(of, request), open| is_over(of, request, open));
        let over: Vec<u64> = over.map(|(_, open)| open.entry).collect();
        for entry in over {
            self.given_up(entry, LEFT);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_cdp::testing::{Peer, Script};

    use super::super::{EventLog, Kind, Query, Statuses, What};

    /// A log that follows a scripted browser with the page `S`, and below it the frame `F`.
    fn log() -> (EventLog, Peer) {
        let (connection, mut events, peer) = Script::new().start();
        tokio::spawn(async move { while events.recv().await.is_some() {} });
        let log = EventLog::new(None);
        let (following, subscription) = (log.clone(), connection.subscribe());
        let names = Box::new(|target: &str| Some(target.to_owned()));
        let placing = Box::new(|_: &str, _: &str, file: &str| file.to_owned());
        tokio::spawn(async move {
            following
                .follow(connection, subscription, names, placing)
                .await;
        });
        attach(&peer, None, "S", "page");
        attach(&peer, Some("S"), "F", "iframe");
        (log, peer)
    }

    fn attach(peer: &Peer, parent: Option<&str>, session: &str, kind: &str) {
        let info = json!({"targetId": format!("T-{session}"), "type": kind});
        let params = json!({"sessionId": session, "targetInfo": info});
        peer.event(parent, "Target.attachedToTarget", params);
    }

    fn asks(peer: &Peer, session: &str, id: &str, loader: &str, frame: &str) {
        let request = json!({"url": format!("http://a/{id}"), "method": "GET"});
        let params = json!({"requestId": id, "loaderId": loader, "frameId": frame,
            "type": "Fetch", "request": request});
        peer.event(Some(session), "Network.requestWillBeSent", params);
    }

    fn says(peer: &Peer, session: &str, method: &str, id: &str) {
        let params = json!({"requestId": id, "response": {"status": 200}});
        peer.event(Some(session), method, params);
    }

    fn shows(peer: &Peer, session: &str, frame: &str, parent: Option<&str>, loader: &str) {
        let mut told = json!({"id": frame, "loaderId": loader});
        if let Some(parent) = parent {
            told["parentId"] = parent.into();
        }
        peer.event(Some(session), "Page.frameNavigated", json!({"frame": told}));
    }

    /// Ids of the requests in flight once the log has read everything.
    async fn pending(log: &EventLog, peer: &Peer) -> Vec<String> {
        let mut changes = log.changes();
        let of = |statuses| Query {
            kind: Some(Kind::Network),
            statuses,
            ..Query::default()
        };
        let ids = |found: &super::super::Found| -> Vec<String> {
            let entries = found.entries.iter();
            let urls = entries.filter_map(|entry| match &entry.what {
                What::Network(one) => Some((one.done, one.url.clone())),
                _ => None,
            });
            let done = urls.filter(|(done, url)| !url.ends_with("mark") || *done);
            done.map(|(_, url)| url["http://a/".len()..].to_owned())
                .collect()
        };
        let marks = || {
            let all = ids(&log.read(&of(None)));
            all.iter().filter(|id| *id == "mark").count()
        };
        let before = marks();
        asks(peer, "S", "mark", "mark", "mark");
        says(peer, "S", "Network.loadingFinished", "mark");
        while marks() == before {
            changes.changed().await.unwrap();
        }
        ids(&log.read(&of(Some(Statuses::Pending))))
    }

    fn why(log: &EventLog, id: &str) -> Value {
        let found = log.read(&Query {
            kind: Some(Kind::Network),
            ..Query::default()
        });
        let mut all = found.entries.iter();
        let failed = all.find_map(|entry| match &entry.what {
            What::Network(one) if one.url.ends_with(id) => one.failed.clone(),
            _ => None,
        });
        json!(failed)
    }

    #[tokio::test]
    async fn what_a_document_asked_for_ends_with_it() {
        let (log, peer) = log();
        asks(&peer, "S", "L", "L", "T-S");
        says(&peer, "S", "Network.responseReceived", "L");
        asks(&peer, "S", "slow", "L", "T-S");
        asks(&peer, "F", "inner", "I", "T-F");
        // The next document is on its way, and the one after it.
        asks(&peer, "S", "M", "M", "T-S");
        asks(&peer, "S", "N", "N", "T-S");
        shows(&peer, "S", "T-S", None, "M");
        asks(&peer, "S", "new", "M", "T-S");
        assert_eq!(pending(&log, &peer).await, ["M", "N", "new"]);
        assert_eq!(why(&log, "slow"), super::LEFT);
    }

    #[tokio::test]
    async fn a_frame_that_is_left_or_removed_takes_its_own_requests_along() {
        let (log, peer) = log();
        asks(&peer, "S", "page", "L", "T-S");
        asks(&peer, "S", "old", "A", "C");
        asks(&peer, "S", "other", "B", "D");
        shows(&peer, "S", "C", Some("T-S"), "A2");
        asks(&peer, "S", "new", "A2", "C");
        assert_eq!(pending(&log, &peer).await, ["page", "other", "new"]);
        peer.event(Some("S"), "Page.frameDetached", json!({"frameId": "D"}));
        assert_eq!(pending(&log, &peer).await, ["page", "new"]);
    }

    #[tokio::test]
    async fn a_frame_of_another_process_says_how_its_document_ended() {
        let (log, peer) = log();
        asks(&peer, "S", "X", "X", "T-F");
        says(&peer, "S", "Network.responseReceived", "X");
        let swaps = json!({"frameId": "T-F", "reason": "swap"});
        peer.event(Some("S"), "Page.frameDetached", swaps);
        assert_eq!(pending(&log, &peer).await, ["X"]);
        says(&peer, "F", "Network.loadingFinished", "X");
        assert!(pending(&log, &peer).await.is_empty());
        assert_eq!(why(&log, "X"), Value::Null);
    }
}
