//! In which tabs something happened that may have changed their storage.

use std::collections::HashSet;

use serde_json::json;
use szk_cdp::{Connection, SessionId, Subscription, SubscriptionError};

use crate::stealth::raw;
use crate::supervisor::{Supervisor, Tab};

/// Collects events between two looks; nothing is asked of a page where nothing happened.
pub(super) struct Changes {
    events: Subscription,
    /// Tabs to look at again.
    again: HashSet<String>,
    /// Sessions and origins whose databases are watched already.
    watched: HashSet<(SessionId, String)>,
}

/// Methods that mean that storage may have changed.
const TELLING: [&str; 7] = [
    "Page.frameNavigated",
    "DOMStorage.domStorageItemAdded",
    "DOMStorage.domStorageItemUpdated",
    "DOMStorage.domStorageItemRemoved",
    "DOMStorage.domStorageItemsCleared",
    "Storage.indexedDBContentUpdated",
    "Storage.indexedDBListUpdated",
];

impl Changes {
    pub(super) fn of(supervisor: &Supervisor) -> Self {
        Self {
            events: supervisor.connection().subscribe(),
            again: HashSet::new(),
            watched: HashSet::new(),
        }
    }

    /// Tabs where something happened since the last call; all of them when events were missed.
    pub(super) fn take(&mut self, tabs: &[Tab]) -> HashSet<String> {
        let mut changed = std::mem::take(&mut self.again);
        loop {
            match self.events.try_recv() {
                Ok(Some(event)) if TELLING.contains(&event.method.as_str()) => {
                    let tab = tabs
                        .iter()
                        .find(|tab| Some(&tab.page.session) == event.session.as_ref());
                    changed.extend(tab.map(|tab| tab.id.clone()));
                }
                Ok(Some(_)) => {}
                Err(SubscriptionError::Lagged(_)) => {
                    changed.extend(tabs.iter().map(|tab| tab.id.clone()))
                }
                Ok(None) | Err(SubscriptionError::Closed) => break,
            }
        }
        changed
    }

    /// Looks at this tab again next time.
    pub(super) fn again(&mut self, tab: &str) {
        self.again.insert(tab.to_owned());
    }

    /// Asks to be told of changes in the databases of an origin. The answer does not matter: without it
    /// they are looked at when the page moves.
    pub(super) fn watch_databases(
        &mut self,
        connection: &Connection,
        session: &SessionId,
        origin: &str,
    ) {
        if self.watched.insert((session.clone(), origin.to_owned())) {
            let params = raw(&json!({"origin": origin}));
            drop(connection.post_raw(
                Some(session),
                "Storage.trackIndexedDBForOrigin",
                Some(params),
            ));
        }
    }
}
