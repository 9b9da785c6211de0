//! The connected clients.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// One connected client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientInfo {
    /// Counts up from 1; a listener never reuses it.
    pub id: u64,
    /// What it is attached to.
    pub scope: Scope,
    /// Its name, from its header or from its first requests; empty while unknown.
    pub name: String,
    /// Its `User-Agent` header, if it sent one.
    pub agent: Option<String>,
    /// Whether pages are shielded from it.
    pub shield: bool,
    /// When it connected.
    pub connected_at: Timestamp,
    /// Chromium's ids of the pages that it made.
    pub pages: Vec<String>,
}

/// What a client is attached to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Scope {
    /// The whole browser.
    Browser,
    /// One target.
    Page {
        /// Chromium's id of it.
        target_id: String,
    },
}

/// The clients of one listener.
pub(super) struct Clients {
    // A std mutex: nothing awaits under it.
    slots: Mutex<Slots>,
    count: watch::Sender<usize>,
    max: usize,
}

#[derive(Default)]
struct Slots {
    taken: BTreeMap<u64, (ClientInfo, CancellationToken)>,
    last: u64,
}

/// A client's slot; dropping it frees the slot.
pub(super) struct ClientSlot {
    clients: Arc<Clients>,
    pub(super) id: u64,
    /// Cancelled when someone disconnects the client.
    pub(super) leaving: CancellationToken,
}

impl Clients {
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            slots: Mutex::default(),
            count: watch::Sender::new(0),
            max,
        })
    }

    /// Takes a slot; `None` if all are taken.
    pub(super) fn admit(
        self: &Arc<Self>,
        scope: Scope,
        agent: Option<String>,
        name: Option<String>,
        shield: bool,
    ) -> Option<ClientSlot> {
        let mut slots = self.lock();
        if slots.taken.len() >= self.max {
            return None;
        }
        slots.last += 1;
        let id = slots.last;
        let leaving = CancellationToken::new();
        let info = ClientInfo {
            id,
            scope,
            name: name.unwrap_or_default(),
            agent,
            shield,
            connected_at: Timestamp::now(),
            pages: Vec::new(),
        };
        slots.taken.insert(id, (info, leaving.clone()));
        self.count.send_replace(slots.taken.len());
        Some(ClientSlot {
            clients: Arc::clone(self),
            id,
            leaving,
        })
    }

    pub(super) fn all(&self) -> Vec<ClientInfo> {
        self.lock()
            .taken
            .values()
            .map(|(info, _)| info.clone())
            .collect()
    }

    /// Disconnects a client; false if no client has this number.
    pub(super) fn disconnect(&self, id: u64) -> bool {
        let slots = self.lock();
        let found = slots.taken.get(&id);
        found.inspect(|(_, leaving)| leaving.cancel()).is_some()
    }

    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Most pages that are remembered of one client.
const PAGES: usize = 256;

impl ClientSlot {
    /// The client made a page.
    pub(super) fn made(&self, page: String) {
        if let Some((info, _)) = self.clients.lock().taken.get_mut(&self.id) {
            info.pages.push(page);
            if info.pages.len() > PAGES {
                info.pages.remove(0);
            }
        }
    }

    /// Names the client.
    pub(super) fn set_name(&self, name: &str) {
        if let Some((info, _)) = self.clients.lock().taken.get_mut(&self.id) {
            name.clone_into(&mut info.name);
        }
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut slots = self.clients.lock();
        slots.taken.remove(&self.id);
        self.clients.count.send_replace(slots.taken.len());
    }
}
