//! One call's part in the sharing of tabs.

use std::sync::{Mutex, PoisonError};

use szk_tools::{Failure, TabUse};
use szk_wire::Client;
use szk_wire::events::Happening;

use super::{SharedTab, Sharing, TabTransfer};

/// Who makes a call and what it does to tabs. Dropping it ends its writes; their tabs stay held for a
/// while.
pub(crate) struct Visit {
    sharing: Sharing,
    /// `None`: the keeper itself, or a person, who has no tabs and is never refused.
    client: Option<Client>,
    uses: TabUse,
    /// Whether it takes tabs that others hold.
    take: bool,
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Ids of the tabs that it writes to.
    writes: Vec<String>,
    /// What its answer should say.
    told: Vec<String>,
}

impl Visit {
    /// The keeper's own work, or a person's.
    pub(crate) fn of_nobody(sharing: &Sharing) -> Self {
        Self::of(sharing, None, TabUse::Reads, false)
    }

    /// A call of a client.
    pub(crate) fn of(sharing: &Sharing, client: Option<Client>, uses: TabUse, take: bool) -> Self {
        Self {
            sharing: sharing.clone(),
            client,
            uses,
            take,
            state: Mutex::default(),
        }
    }

    /// The client, unless nobody calls.
    pub(crate) fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// A tab that the client has already.
    pub(crate) fn own(&self, open: &[SharedTab]) -> Option<String> {
        let client = self.client.as_ref()?;
        self.sharing.lock().own(client, open)
    }

    /// The session's tab that was used last, if no other client has it. The caller has its turn:
    /// see [`Sharing::opening`].
    pub(crate) fn claim(&self, open: &[SharedTab], current: &str) -> Option<String> {
        let Some(client) = &self.client else {
            return Some(current.to_owned());
        };
        let claimed = self.sharing.lock().claim(client, open, current);
        let (tab, taken) = claimed?;
        self.tell_of(&tab, taken);
        Some(tab)
    }

    /// The client's tab for calls that name none, if it has one.
    pub(crate) fn current(&self) -> Option<String> {
        let client = self.client.as_ref()?;
        self.sharing.lock().current(client).map(str::to_owned)
    }

    /// Whether a tab is the client's.
    pub(crate) fn has(&self, tab: &str) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| self.sharing.lock().is_of(client, tab))
    }

    /// Whether no other client lives.
    pub(crate) fn is_alone(&self) -> bool {
        let client = self.client.as_ref();
        client.is_none_or(|client| self.sharing.lock().others(client).is_empty())
    }

    /// A tab was opened for the client.
    pub(crate) fn has_got(&self, tab: &SharedTab) {
        if let Some(client) = &self.client {
            let taken = self.sharing.lock().look(client, tab, &[]);
            self.tell_of(&tab.id, taken);
        }
    }

    /// The name of another client that has this tab.
    pub(crate) fn another(&self, tab: &SharedTab, open: &[SharedTab]) -> Option<String> {
        let client = self.client.as_ref()?;
        self.sharing.lock().another(client, tab, open)
    }

    /// The call turns to a tab.
    ///
    /// # Errors
    /// `TAB_TAKEN` if it writes and another holds the tab.
    pub(crate) fn turn_to(&self, tab: &SharedTab, open: &[SharedTab]) -> Result<(), Failure> {
        let Some(client) = &self.client else {
            return Ok(());
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = match self.uses {
            TabUse::Leaves => None,
            TabUse::Writes if !state.writes.contains(&tab.id) => {
                let taken = self.sharing.lock().write(client, tab, self.take)?;
                state.writes.push(tab.id.clone());
                taken
            }
            TabUse::Writes => {
                self.sharing.lock().still(client, tab)?;
                None
            }
            TabUse::Reads => self.sharing.lock().look(client, tab, open),
        };
        if let Some(TabTransfer { from: Some(from) }) = &taken {
            state.told.push(format!("took {} from {from}", tab.id));
        }
        self.tell_of(&tab.id, taken);
        Ok(())
    }

    /// Tells those who follow the session.
    fn tell_of(&self, tab: &str, taken: Option<TabTransfer>) {
        if let (Some(client), Some(TabTransfer { from })) = (&self.client, taken) {
            self.sharing.events.tell(Happening::TabTaken {
                tab: tab.to_owned(),
                client: client.name.clone(),
                from,
            });
        }
    }

    /// Adds a line to the call's answer.
    pub(crate) fn tell(&self, line: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.told.push(line);
    }

    /// What the answer should say.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.told)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &self.client {
            let mut table = self.sharing.lock();
            for tab in &state.writes {
                table.wrote(client, tab);
            }
        }
    }
}
