//! Tracks where events may have changed stored data.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use szk_cdp::protocol::dom_storage::{
    EventDomStorageItemAdded, EventDomStorageItemRemoved, EventDomStorageItemUpdated,
    EventDomStorageItemsCleared,
};
use szk_cdp::protocol::network::EventResponseReceivedExtraInfo;
use szk_cdp::protocol::page::EventFrameNavigated;
use szk_cdp::protocol::storage::{
    EventIndexedDbContentUpdated, EventIndexedDbListUpdated, TrackIndexedDbForOriginParams,
};
use szk_cdp::{Connection, Event, SessionId, Subscription, SubscriptionError};
use tokio::sync::watch;
use url::Url;

use crate::state::{self, OriginState};
use crate::supervisor::{Supervisor, Tab};

/// Collects events between two readings, so that pages without events need no queries, and an origin
/// whose page is already gone is not forgotten.
pub(super) struct Changes {
    events: Subscription,
    /// Origins to read.
    origins: HashSet<String>,
    /// Origins whose localStorage was written.
    written: HashSet<String>,
    /// When this began.
    since: Timestamp,
    /// Sessions and origins whose databases are already watched.
    watched: HashSet<(SessionId, String)>,
    /// When someone last cleared cookies or storage on purpose.
    orders: watch::Receiver<Option<Instant>>,
    /// When a server last asked to clear them.
    asked: Option<Instant>,
    /// The last clearing after which every saved origin was, or is about to be, read.
    followed: Option<Instant>,
}

/// How long Chromium may take to clear what it is asked to.
const CLEARING: Duration = Duration::from_secs(2);

/// The fields that matter of all these events; each event has some of them.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventFields {
    frame: Frame,
    storage_id: StorageId,
    origin: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Frame {
    parent_id: Option<String>,
    url: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StorageId {
    /// `https://x.example/`; anything after that is a partition, which is not saved.
    storage_key: String,
    is_local_storage: bool,
}

impl Changes {
    pub(super) fn of(supervisor: &Supervisor) -> Self {
        Self {
            events: supervisor.connection().subscribe(),
            origins: HashSet::new(),
            written: HashSet::new(),
            since: Timestamp::now(),
            watched: HashSet::new(),
            orders: supervisor.cleared(),
            asked: None,
            followed: None,
        }
    }

    /// When someone last cleared cookies or storage on purpose.
    pub(super) fn cleared(&self) -> Option<Instant> {
        (*self.orders.borrow()).max(self.asked)
    }

    /// Origins with events that were not [`Changes::seen`] since. If events were missed, the origins of
    /// all open tabs; if something was cleared on purpose, all that are saved: of one without an open page no
    /// event says that it was.
    pub(super) fn pending<'a>(
        &mut self,
        tabs: &[Tab],
        saved: impl IntoIterator<Item = &'a OriginState>,
    ) -> Vec<String> {
        loop {
            match self.events.try_recv() {
                Ok(Some(event)) => {
                    if asks_to_clear(&event) {
                        self.asked = Some(Instant::now());
                    }
                    let origin = changed(&event);
                    if is_about_local_storage(&event) {
                        self.written.extend(origin.clone());
                    }
                    self.origins.extend(origin);
                }
                Err(SubscriptionError::Lagged(_)) => {
                    let open = tabs.iter().filter_map(|tab| origin_of(&tab.page.url));
                    let open: Vec<String> = open.collect();
                    self.written.extend(open.iter().cloned());
                    self.origins.extend(open);
                }
                Ok(None) | Err(SubscriptionError::Closed) => break,
            }
        }
        if let Some(at) = self.cleared()
            && self.followed < Some(at)
        {
            let saved = saved.into_iter().map(|saved| saved.origin.clone());
            self.origins.extend(saved);
            // Until Chromium has surely done it, they are read once more next time.
            if at.elapsed() > CLEARING {
                self.followed = Some(at);
            }
        }
        self.origins.iter().cloned().collect()
    }

    /// Some time before this origin's localStorage was written, if it was.
    pub(super) fn wrote(&self, origin: &str) -> Option<Timestamp> {
        self.written.contains(origin).then_some(self.since)
    }

    /// Notes that szk itself changed this origin.
    pub(super) fn note(&mut self, origin: &str) {
        self.origins.insert(origin.to_owned());
    }

    /// Notes that this origin was read.
    pub(super) fn seen(&mut self, origin: &str) {
        self.origins.remove(origin);
    }

    /// Asks for events about the databases of an origin. The answer does not matter: without events they
    /// are read when the page navigates.
    pub(super) fn watch_databases(
        &mut self,
        connection: &Connection,
        session: &SessionId,
        origin: &str,
    ) {
        if self.watched.insert((session.clone(), origin.to_owned())) {
            connection.tell(Some(session), &TrackIndexedDbForOriginParams::new(origin));
        }
    }
}

/// Whether the server sent `Clear-Site-Data`.
fn asks_to_clear(event: &Event) -> bool {
    #[derive(Deserialize)]
    struct Answered {
        headers: HashMap<String, IgnoredAny>,
    }
    event.method == EventResponseReceivedExtraInfo::IDENTIFIER
        && event.read::<Answered>().is_ok_and(|Answered { headers }| {
            let mut names = headers.keys();
            names.any(|name| name.eq_ignore_ascii_case("clear-site-data"))
        })
}

/// Whether an event says that localStorage was written, not sessionStorage.
fn is_about_local_storage(event: &Event) -> bool {
    event.method.starts_with("DOMStorage.")
        && event
            .read::<EventFields>()
            .is_ok_and(|told| told.storage_id.is_local_storage)
}

/// The origin of the storage that an event is about.
fn changed(event: &Event) -> Option<String> {
    let told = || event.read::<EventFields>().unwrap_or_default();
    match event.method.as_str() {
        EventFrameNavigated::IDENTIFIER => {
            let frame = told().frame;
            if frame.parent_id.is_some() || state::is_visit(&frame.url) {
                return None;
            }
            origin_of(&frame.url)
        }
        EventIndexedDbContentUpdated::IDENTIFIER | EventIndexedDbListUpdated::IDENTIFIER => {
            origin_of(&told().origin)
        }
        EventDomStorageItemAdded::IDENTIFIER
        | EventDomStorageItemRemoved::IDENTIFIER
        | EventDomStorageItemUpdated::IDENTIFIER
        | EventDomStorageItemsCleared::IDENTIFIER => {
            let key = told().storage_id.storage_key;
            origin_of(&key).filter(|origin| key.strip_suffix('/') == Some(origin))
        }
        _ => None,
    }
}

/// The origin of an `http` or `https` address.
pub(super) fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[track_caller]
    fn check(method: &str, params: &str, expected: Option<&str>) {
        let event = Event {
            session: None,
            method: method.to_owned(),
            params: RawValue::from_string(params.to_owned()).unwrap(),
        };
        assert_eq!(changed(&event).as_deref(), expected);
    }

    #[test]
    fn clear_site_data_headers_are_recognised() {
        let event = |method: &str, headers: &str| Event {
            session: None,
            method: method.to_owned(),
            params: RawValue::from_string(format!("{{\"headers\":{{{headers}}}}}")).unwrap(),
        };
        let info = "Network.responseReceivedExtraInfo";
        for name in ["Clear-Site-Data", "clear-site-data", "CLEAR-site-data"] {
            assert!(asks_to_clear(&event(info, &format!(r#""{name}":"*""#))));
        }
        assert!(!asks_to_clear(&event(info, r#""x":"clear-site-data""#)));
        assert!(!asks_to_clear(&event("Network.loadingFinished", "")));
    }

    #[test]
    fn only_what_writes_local_storage_is_about_it() {
        let check = |method: &str, params: &str, expected: bool| {
            let event = Event {
                session: None,
                method: method.to_owned(),
                params: RawValue::from_string(params.to_owned()).unwrap(),
            };
            assert_eq!(is_about_local_storage(&event), expected, "{params}");
        };
        let added = "DOMStorage.domStorageItemAdded";
        let local = r#"{"storageId":{"storageKey":"https://a.test/","isLocalStorage":true}}"#;
        check(added, local, true);
        let of_the_tab = r#"{"storageId":{"storageKey":"https://a.test/","isLocalStorage":false}}"#;
        check(added, of_the_tab, false);
        check("Storage.indexedDBContentUpdated", local, false);
    }

    #[test]
    fn the_origin_is_read_from_events() {
        let page = r#"{"frame":{"id":"F","url":"https://a.test:8/x?y"},"type":"Navigation"}"#;
        check("Page.frameNavigated", page, Some("https://a.test:8"));
        // Reading an origin is no reason to read it again.
        let visit = r#"{"frame":{"id":"F","url":"https://a.test/?szk-visit"}}"#;
        check("Page.frameNavigated", visit, None);
        let child = r#"{"frame":{"id":"G","parentId":"F","url":"https://b.test/"}}"#;
        check("Page.frameNavigated", child, None);
        check(
            "Page.frameNavigated",
            r#"{"frame":{"id":"F","url":"about:blank"}}"#,
            None,
        );
        let item =
            r#"{"storageId":{"storageKey":"https://a.test/","isLocalStorage":true},"key":"k"}"#;
        check(
            "DOMStorage.domStorageItemAdded",
            item,
            Some("https://a.test"),
        );
        let part = r#"{"storageId":{"storageKey":"https://b.test/^0https://a.test"}}"#;
        check("DOMStorage.domStorageItemAdded", part, None);
        check(
            "Storage.indexedDBContentUpdated",
            r#"{"origin":"https://a.test/"}"#,
            Some("https://a.test"),
        );
        check("Network.dataReceived", "{}", None);
    }
}
