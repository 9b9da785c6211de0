//! Tracks who is connected and which operations are running.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_wire::Client;
use szk_wire::events::Happening;
use tokio::sync::watch;

use crate::events::Feed;
use crate::sharing::Sharing;

/// How long sending the last answers may take after the session is closed.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// A count of clients and operations; cheap to clone.
#[derive(Clone)]
pub(crate) struct Clients {
    // A std mutex: nothing awaits under it.
    state: Arc<Mutex<State>>,
    changes: watch::Sender<u64>,
    events: Feed,
    sharing: Sharing,
}

struct State {
    next: u64,
    /// The keeper's own terminal.
    own: Option<String>,
    present: BTreeMap<u64, Client>,
    /// Operations whose answers are not sent.
    operations: usize,
    /// Calls at work, by number.
    working: BTreeMap<u64, Work>,
    /// Clients that have not called for long, for which the session stays open.
    away: usize,
    /// Whether a client was ever connected.
    ever: bool,
    /// When the last client left or the last operation ended.
    quiet_since: Instant,
}

/// A call at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    /// The id of its client.
    pub(crate) client: String,
    /// The client's name, for people.
    pub(crate) name: String,
    pub(crate) operation: String,
}

/// A call is at work; ends when dropped, before its answer is sent.
pub(crate) struct Working {
    clients: Clients,
    number: u64,
}

/// What keeps the session open; ends when dropped.
pub(crate) struct Presence {
    clients: Clients,
    of: Of,
}

/// Whose presence it is.
enum Of {
    /// A connected client's, by its number.
    Client(u64),
    /// A client's that is away.
    Away,
    Operation,
}

impl Clients {
    /// No clients, except for the keeper's own terminal if it has one.
    pub(crate) fn new(own: Option<&str>, hold: Duration) -> Self {
        let events = Feed::default();
        let state = State {
            next: 1,
            ever: own.is_some(),
            own: own.map(str::to_owned),
            present: BTreeMap::new(),
            operations: 0,
            working: BTreeMap::new(),
            away: 0,
            quiet_since: Instant::now(),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changes: watch::Sender::new(0),
            sharing: Sharing::new(hold, events.clone()),
            events,
        }
    }

    /// A client connects.
    pub(crate) fn enter(&self, client: Client) -> Presence {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.ever = true;
        let first = !state.present.values().any(|here| here.id == client.id);
        state.present.insert(number, client.clone());
        self.changed(state);
        self.sharing.enter(&client);
        if first {
            let client = client.name;
            self.events.tell(Happening::ClientCame { client });
        }
        Presence {
            clients: self.clone(),
            of: Of::Client(number),
        }
    }

    /// A client that is away keeps the session open.
    pub(crate) fn keep(&self) -> Presence {
        let mut state = self.lock();
        state.ever = true;
        state.away += 1;
        self.changed(state);
        Presence {
            clients: self.clone(),
            of: Of::Away,
        }
    }

    /// What happens in the session; coming and leaving is told there too.
    pub(crate) fn events(&self) -> Feed {
        self.events.clone()
    }

    /// Which client has which tab.
    pub(crate) fn sharing(&self) -> Sharing {
        self.sharing.clone()
    }

    /// An operation begins.
    pub(crate) fn begin(&self) -> Presence {
        let mut state = self.lock();
        state.operations += 1;
        self.changed(state);
        Presence {
            clients: self.clone(),
            of: Of::Operation,
        }
    }

    /// A call of a client is at work.
    pub(crate) fn work(&self, client: &Client, operation: &str) -> Working {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        let work = Work {
            client: client.id.clone(),
            name: client.name.clone(),
            operation: operation.to_owned(),
        };
        state.working.insert(number, work);
        self.changed(state);
        Working {
            clients: self.clone(),
            number,
        }
    }

    /// The calls at work of others than this client; the longest first.
    pub(crate) fn work_of_others(&self, own: Option<&str>) -> Vec<Work> {
        let state = self.lock();
        let others = state.working.values();
        let others = others.filter(|work| Some(work.client.as_str()) != own);
        others.cloned().collect()
    }

    /// Names of the connected clients.
    pub(crate) fn names(&self) -> Vec<String> {
        let state = self.lock();
        let mut names: Vec<String> = state.own.iter().cloned().collect();
        names.extend(state.present.values().map(|here| here.name.clone()));
        names
    }

    /// Since when nothing keeps the session open: no client and no operation.
    pub(crate) fn quiet_since(&self) -> Option<Instant> {
        let state = self.lock();
        let nobody = state.own.is_none() && state.present.is_empty() && state.away == 0;
        (nobody && state.operations == 0).then_some(state.quiet_since)
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

impl Drop for Working {
    fn drop(&mut self) {
        let mut state = self.clients.lock();
        state.working.remove(&self.number);
        self.clients.changed(state);
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut state = self.clients.lock();
        let left = match self.of {
            Of::Client(number) => state.present.remove(&number),
            Of::Away => {
                state.away = state.away.saturating_sub(1);
                None
            }
            Of::Operation => {
                state.operations = state.operations.saturating_sub(1);
                None
            }
        };
        state.quiet_since = Instant::now();
        let here = &state.present;
        let last = left
            .as_ref()
            .is_some_and(|left| !here.values().any(|other| other.id == left.id));
        self.clients.changed(state);
        if let Some(client) = left {
            self.clients.sharing.leave(&client);
            if last {
                let client = client.name;
                self.clients.events.tell(Happening::ClientLeft { client });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_quiet_only_without_clients_and_operations() {
        let clients = Clients::new(None, Duration::ZERO);
        assert!(clients.quiet_since().is_some() && !clients.ever());
        let one = clients.enter(Client::named("mcp"));
        let work = clients.begin();
        drop(one);
        assert!(clients.quiet_since().is_none() && clients.ever());
        drop(work);
        assert!(clients.quiet_since().is_some());
        assert!(clients.names().is_empty());
    }

    #[test]
    fn calls_at_work_are_those_of_others_until_they_end() {
        let clients = Clients::new(None, Duration::ZERO);
        let first = clients.work(&Client::named("b"), "browser_act");
        let _own = clients.work(&Client::named("a"), "session_close");
        let own = Client::named("a").id;
        let others = |own: Option<&str>| -> Vec<String> {
            let work = clients.work_of_others(own).into_iter();
            work.map(|one| one.operation).collect()
        };
        assert_eq!(others(Some(&own)), ["browser_act"]);
        assert_eq!(others(None), ["browser_act", "session_close"]);
        drop(first);
        assert!(others(Some(&own)).is_empty());
    }

    #[test]
    fn a_client_that_is_away_keeps_the_session_open_and_is_not_there() {
        let clients = Clients::new(None, Duration::ZERO);
        let here = clients.enter(Client::named("a"));
        let away = clients.keep();
        drop(here);
        assert!(clients.names().is_empty() && clients.sharing.present().is_empty());
        assert!(clients.quiet_since().is_none());
        drop(away);
        assert!(clients.quiet_since().is_some() && clients.ever());
    }
}
