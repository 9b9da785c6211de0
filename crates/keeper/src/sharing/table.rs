//! Who has what, and the rules.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Done, Failure};
use szk_wire::Client;
use tokio::time::Instant;

/// A tab, as far as the rules are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedTab {
    /// Its id.
    pub(crate) id: String,
    /// Chromium's id of its page.
    pub(crate) target: String,
    /// The page that opened it.
    pub(crate) opener: Option<String>,
    /// The endpoint's client that made it, by name.
    pub(crate) program: Option<String>,
}

impl SharedTab {
    pub(crate) fn of(tab: &Tab) -> Self {
        Self {
            id: tab.id.clone(),
            target: tab.page.target_id.clone(),
            opener: tab.page.opener.clone(),
            program: None,
        }
    }
}

/// A tab changed hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TabTransfer {
    /// The name of the client that had it, if one did and lives.
    pub(crate) from: Option<String>,
}

/// The clients and the tabs of a session.
pub(crate) struct Table {
    hold: Duration,
    clients: HashMap<String, ClientState>,
    tabs: HashMap<String, TabOwner>,
    /// Tabs that calls have opened for themselves: no other call gets one that does not name it.
    private: HashSet<String>,
}

/// What is known of a client.
struct ClientState {
    client: Client,
    /// Its open connections.
    connections: usize,
    /// The tab of its calls that name none.
    current: Option<String>,
}

/// A tab that a client has.
struct TabOwner {
    /// The client's id.
    by: String,
    /// Since when.
    since: Timestamp,
    /// Its writes that are running.
    writing: usize,
    /// When its last write ended; `None` if it has not written here.
    wrote: Option<Instant>,
}

impl Table {
    pub(super) fn new(hold: Duration) -> Self {
        Self {
            hold,
            clients: HashMap::new(),
            tabs: HashMap::new(),
            private: HashSet::new(),
        }
    }

    pub(super) fn enter(&mut self, client: &Client) {
        self.known(client).connections += 1;
    }

    pub(super) fn leave(&mut self, client: &Client) {
        let known = self.known(client);
        known.connections = known.connections.saturating_sub(1);
        // Who uses a token comes back under the same name, and without a connection may lose its tabs.
        if known.connections == 0 && !client.has_token() {
            self.clients.remove(&client.id);
            self.tabs.retain(|_, had| had.by != client.id);
        }
    }

    pub(super) fn present(&self) -> Vec<(String, String)> {
        let here = self.clients.values().filter(|known| known.connections > 0);
        let mut here: Vec<_> = here
            .map(|known| (known.client.id.clone(), known.client.name.clone()))
            .collect();
        here.sort();
        here
    }

    /// The tab of a client's call that names none: its current one, else another that it has.
    pub(crate) fn own(&mut self, client: &Client, open: &[SharedTab]) -> Option<String> {
        self.forget(open);
        let known = self.clients.get(&client.id);
        let last = known.and_then(|known| known.current.clone());
        if let Some(last) = last.filter(|last| self.is_open_to(client, last)) {
            return Some(last);
        }
        let newest = open
            .iter()
            .rev()
            .find(|tab| self.is_open_to(client, &tab.id))?;
        self.known(client).current = Some(newest.id.clone());
        Some(newest.id.clone())
    }

    /// Gives a client that has none the session's current tab, unless another client has it.
    pub(crate) fn claim(
        &mut self,
        client: &Client,
        open: &[SharedTab],
        current: &str,
    ) -> Option<(String, Option<TabTransfer>)> {
        let current = open.iter().find(|tab| tab.id == current)?;
        if self.is_private(&current.id) {
            return None;
        }
        if self.another(client, current, open).is_some() {
            return None;
        }
        Some((current.id.clone(), self.give(client, current)))
    }

    /// The name of another living client that has this tab.
    pub(crate) fn another(
        &self,
        client: &Client,
        tab: &SharedTab,
        open: &[SharedTab],
    ) -> Option<String> {
        let mut tab = tab;
        // A tab that nobody has yet belongs to whoever has the one that opened it.
        for _ in 0..open.len().max(1) {
            if let Some(had) = self.tabs.get(&tab.id) {
                return (had.by != client.id && self.has(had)).then(|| self.name(&had.by));
            }
            if tab.program.is_some() {
                return tab.program.clone();
            }
            let opener = tab.opener.as_ref()?;
            tab = open.iter().find(|other| other.target == *opener)?;
        }
        None
    }

    /// The name of the living client that has this tab.
    pub(super) fn owner(&self, tab: &SharedTab, open: &[SharedTab]) -> Option<String> {
        let nobody = Client {
            id: String::new(),
            name: String::new(),
            process: None,
            front: None,
            token: None,
        };
        self.another(&nobody, tab, open)
    }

    /// The tab of a client's calls that name none, if it has one.
    pub(crate) fn current(&self, client: &Client) -> Option<&str> {
        self.clients.get(&client.id)?.current.as_deref()
    }

    /// Whether a tab is this client's.
    pub(crate) fn is_of(&self, client: &Client, tab: &str) -> bool {
        self.tabs.get(tab).is_some_and(|had| had.by == client.id)
    }

    /// Whether a call of the client that names no tab may get this one.
    fn is_open_to(&self, client: &Client, tab: &str) -> bool {
        self.is_of(client, tab) && !self.is_private(tab)
    }

    /// Whether a call has opened the tab for itself.
    pub(super) fn is_private(&self, tab: &str) -> bool {
        self.private.contains(tab)
    }

    /// A call opens a tab for itself, or has closed it.
    pub(super) fn keep_private(&mut self, tab: &str, private: bool) {
        if private {
            self.private.insert(tab.to_owned());
        } else {
            self.private.remove(tab);
        }
    }

    /// The names of other clients that live: those that are connected, and those that hold a tab.
    pub(crate) fn others(&self, client: &Client) -> Vec<String> {
        let lives = |known: &ClientState| {
            let holds = |had: &TabOwner| had.by == known.client.id && self.holds(had);
            known.connections > 0 || self.tabs.values().any(holds)
        };
        let others = self.clients.values();
        let others = others.filter(|known| known.client.id != client.id && lives(known));
        let mut names: Vec<_> = others.map(|known| known.client.name.clone()).collect();
        names.sort();
        names
    }

    /// A client looks at a tab, or opens it: it becomes its current one, unless another has it.
    pub(crate) fn look(
        &mut self,
        client: &Client,
        tab: &SharedTab,
        open: &[SharedTab],
    ) -> Option<TabTransfer> {
        if self.another(client, tab, open).is_some() {
            return None;
        }
        self.give(client, tab)
    }

    /// A client is about to write to a tab. `take` takes it from whoever holds it.
    ///
    /// # Errors
    /// `TAB_TAKEN` if another holds it.
    pub(crate) fn write(
        &mut self,
        client: &Client,
        tab: &SharedTab,
        take: bool,
    ) -> Result<Option<TabTransfer>, Failure> {
        if let Some(had) = self.tabs.get(&tab.id)
            && had.by != client.id
            && !take
            && self.holds(had)
        {
            return Err(self.taken(tab, had));
        }
        let taken = self.give(client, tab);
        if let Some(had) = self.tabs.get_mut(&tab.id) {
            had.writing += 1;
        }
        Ok(taken)
    }

    /// A client goes on writing.
    ///
    /// # Errors
    /// `TAB_TAKEN` if another has taken the tab meanwhile.
    pub(crate) fn still(&self, client: &Client, tab: &SharedTab) -> Result<(), Failure> {
        match self.tabs.get(&tab.id) {
            Some(had) if had.by != client.id => Err(self.taken(tab, had).effect(Done::Unknown)),
            _ => Ok(()),
        }
    }

    /// A write has ended.
    pub(crate) fn wrote(&mut self, client: &Client, tab: &str) {
        if let Some(had) = self.tabs.get_mut(tab)
            && had.by == client.id
        {
            had.writing = had.writing.saturating_sub(1);
            had.wrote = Some(Instant::now());
        }
    }

    /// Makes a tab the client's, and its current one.
    fn give(&mut self, client: &Client, tab: &SharedTab) -> Option<TabTransfer> {
        let before = self.tabs.get(&tab.id);
        let from = before.filter(|had| had.by != client.id && self.has(had));
        let from = from.map(|had| self.name(&had.by));
        let changed = before.is_none_or(|had| had.by != client.id);
        self.known(client).current = Some(tab.id.clone());
        if !changed {
            return None;
        }
        for known in self.clients.values_mut() {
            let lost = known.client.id != client.id && known.current.as_ref() == Some(&tab.id);
            if lost {
                known.current = None;
            }
        }
        let had = TabOwner {
            by: client.id.clone(),
            since: Timestamp::now(),
            writing: 0,
            wrote: None,
        };
        self.tabs.insert(tab.id.clone(), had);
        Some(TabTransfer { from })
    }

    /// Whether a client still has its tab: as long as it is connected, else as long as it holds it.
    fn has(&self, had: &TabOwner) -> bool {
        let connected = self.clients.get(&had.by);
        connected.is_some_and(|known| known.connections > 0) || self.holds(had)
    }

    /// Whether a client holds its tab against writes of others.
    fn holds(&self, had: &TabOwner) -> bool {
        let recent = had.wrote.is_some_and(|at| at.elapsed() < self.hold);
        let lives = self.clients.get(&had.by);
        (had.writing > 0 || recent) && lives.is_some_and(|known| known.client.may_live())
    }

    fn taken(&self, tab: &SharedTab, had: &TabOwner) -> Failure {
        let (id, name) = (&tab.id, self.name(&had.by));
        let since = had.since.strftime("%H:%M:%SZ");
        let until = match had.wrote.filter(|_| had.writing == 0) {
            Some(at) => {
                let left = self.hold.saturating_sub(at.elapsed()).as_secs() + 1;
                format!("free in {left} s if it does nothing more there")
            }
            None => "it is working there now".to_owned(),
        };
        Failure::new(
            Code::TabTaken,
            format!("{name} has worked in {id} since {since}; {until}"),
        )
        .hint(format!(
            "leave out `tab` to work in your own, or take it with `browser_tabs`, `action` focus, `tab` {id} and `take` true; reading it is free"
        ))
        .retryable()
    }

    fn name(&self, id: &str) -> String {
        let known = self.clients.get(id);
        known.map_or_else(|| id.to_owned(), |known| known.client.name.clone())
    }

    fn known(&mut self, client: &Client) -> &mut ClientState {
        let known = self.clients.entry(client.id.clone());
        let known = known.or_insert_with(|| ClientState {
            client: client.clone(),
            connections: 0,
            current: None,
        });
        // It may have a better name by now, and lives as long as its latest call's process.
        known.client = client.clone();
        known
    }

    /// Forgets tabs that are gone, and clients that are gone and have none.
    fn forget(&mut self, open: &[SharedTab]) {
        self.tabs
            .retain(|id, had| had.writing > 0 || open.iter().any(|tab| tab.id == *id));
        let tabs = &self.tabs;
        self.clients.retain(|id, known| {
            known.connections > 0
                || tabs.values().any(|had| had.by == *id) && known.client.may_live()
        });
        let clients = &self.clients;
        self.tabs.retain(|_, had| clients.contains_key(&had.by));
    }
}

#[cfg(test)]
mod tests;
