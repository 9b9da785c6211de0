//! Tracks who is connected and which operations are running.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_wire::events::Happening;
use tokio::sync::watch;

use crate::events::Feed;

/// How long sending the last answers may take after the session is closed.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// A count of clients and operations; cheap to clone.
#[derive(Clone)]
pub(crate) struct Clients {
    // A std mutex: nothing awaits under it.
    state: Arc<Mutex<State>>,
    changes: watch::Sender<u64>,
    events: Feed,
}

struct State {
    next: u64,
    present: BTreeMap<u64, String>,
    operations: usize,
    /// Whether a client was ever connected.
    ever: bool,
    /// When the last client left or the last operation ended.
    quiet_since: Instant,
}

/// A connected client or a running operation; ends when dropped.
pub(crate) struct Presence {
    clients: Clients,
    /// `None` for an operation.
    number: Option<u64>,
}

impl Clients {
    /// No clients, except for the keeper's own terminal if it has one.
    pub(crate) fn new(own: Option<&str>) -> Self {
        let present: BTreeMap<u64, String> =
            own.map(|name| (0, name.to_owned())).into_iter().collect();
        let state = State {
            next: 1,
            ever: !present.is_empty(),
            present,
            operations: 0,
            quiet_since: Instant::now(),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changes: watch::Sender::new(0),
            events: Feed::default(),
        }
    }

    /// A client connects.
    pub(crate) fn enter(&self, name: String) -> Presence {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.ever = true;
        state.present.insert(number, name.clone());
        self.changed(state);
        self.events.tell(Happening::ClientCame { client: name });
        Presence {
            clients: self.clone(),
            number: Some(number),
        }
    }

    /// What happens in the session; coming and leaving is told there too.
    pub(crate) fn events(&self) -> Feed {
        self.events.clone()
    }

    /// An operation begins.
    pub(crate) fn begin(&self) -> Presence {
        let mut state = self.lock();
        state.operations += 1;
        self.changed(state);
        Presence {
            clients: self.clone(),
            number: None,
        }
    }

    /// Names of the connected clients.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().present.values().cloned().collect()
    }

    /// Since when no client is connected and no operation is running; `None` if there is one.
    pub(crate) fn quiet_since(&self) -> Option<Instant> {
        let state = self.lock();
        (state.present.is_empty() && state.operations == 0).then_some(state.quiet_since)
    }

    /// Whether a client was ever connected.
    pub(crate) fn ever(&self) -> bool {
        self.lock().ever
    }

    /// Notified of every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Waits until all answers are sent, but not for ever.
    pub(crate) async fn answers_sent(&self) {
        let mut changes = self.changes();
        let sent = async { while self.lock().operations > 0 && changes.changed().await.is_ok() {} };
        if tokio::time::timeout(LAST_ANSWERS, sent).await.is_err() {
            tracing::warn!("the caller did not take the answer");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self, state: MutexGuard<'_, State>) {
        drop(state);
        self.changes.send_modify(|count| *count += 1);
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut state = self.clients.lock();
        let left = match self.number {
            Some(number) => state.present.remove(&number),
            None => {
                state.operations = state.operations.saturating_sub(1);
                None
            }
        };
        state.quiet_since = Instant::now();
        self.clients.changed(state);
        if let Some(client) = left {
            self.clients.events.tell(Happening::ClientLeft { client });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_quiet_only_without_clients_and_operations() {
        let clients = Clients::new(None);
        assert!(clients.quiet_since().is_some() && !clients.ever());
        let one = clients.enter("mcp".into());
        let work = clients.begin();
        drop(one);
        assert!(clients.quiet_since().is_none() && clients.ever());
        drop(work);
        assert!(clients.quiet_since().is_some());
        assert!(clients.names().is_empty());
    }
}
