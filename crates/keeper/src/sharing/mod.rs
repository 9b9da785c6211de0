//! Which client has which tab, so that several can work in one session without treading on each other.
//!
//! A client *has* the tabs that it opened, focused or acted in last, and *holds* one while a write of its
//! runs there, and for a while after. Writes of others to a held tab are refused; reading is free. A
//! person in the window or in a live view makes no calls, and is never refused. [`visit`] is one call's
//! part in this; [`tabs`] finds and opens tabs for it; [`table`] knows who has what, and neither waits nor asks the browser.

pub(crate) mod tabs;

mod table;
mod visit;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_wire::Client;

pub(crate) use table::SharedTab;
use table::TabTransfer;
pub(crate) use visit::Visit;

use crate::events::Feed;
use table::Table;

/// Who has which tab; cheap to clone.
#[derive(Clone)]
pub(crate) struct Sharing {
    // A std mutex: nothing awaits under it.
    table: Arc<Mutex<Table>>,
    events: Feed,
    /// One call at a time opens a tab or claims one that nobody has.
    opening: Arc<tokio::sync::Mutex<()>>,
}

impl Sharing {
    /// Nobody has anything. A write holds its tab for this long after it ended.
    pub(crate) fn new(hold: Duration, events: Feed) -> Self {
        Self {
            table: Arc::new(Mutex::new(Table::new(hold))),
            events,
            opening: Arc::default(),
        }
    }

    /// A client connects.
    pub(crate) fn enter(&self, client: &Client) {
        self.lock().enter(client);
    }

    /// A connection of a client ends; with the last one it gives up its tabs. Who uses a token of `szk serve`
    /// keeps them until somebody else needs them.
    pub(crate) fn leave(&self, client: &Client) {
        self.lock().leave(client);
    }

    /// The clients that are connected, by id and name; those that only call now and then are not among
    /// them.
    pub(crate) fn present(&self) -> Vec<(String, String)> {
        self.lock().present()
    }

    /// The name of the client that has a tab, if it lives.
    pub(crate) fn owner(&self, tab: &SharedTab, open: &[SharedTab]) -> Option<String> {
        self.lock().owner(tab, open)
    }

    /// A call opens a tab for itself, or has closed it. Other calls get it only if they name it.
    pub(crate) fn keep_private(&self, tab: &str, private: bool) {
        self.lock().keep_private(tab, private);
    }

    /// Whether a call has opened the tab for itself.
    pub(crate) fn is_private(&self, tab: &str) -> bool {
        self.lock().is_private(tab)
    }

    /// Waits for its turn to get a tab that nobody has.
    pub(crate) async fn opening(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.opening).lock_owned().await
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
