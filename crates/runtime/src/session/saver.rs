//! Saving what a profile would lose, while it is open.
//!
//! Every few seconds the cookies are read (one command for the whole browser), and the storage of those
//! pages where something happened. Only a state that differs is written. The last look is before
//! Chromium is asked to end; the state is sealed as clean once it has ended in order.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use szk_cdp::{CallError, Connection};
use szk_config::Bounds;
use szk_store::{Profile, StoreError};

use super::Running;
use super::changes::{Changes, origin_of};
use super::found::Found;
use super::tabs::{self, Before};
use crate::state::{
    self, CaptureOptions, Digest, Extras, Item, OriginStorage, Policy, SessionStorage,
    StorageState, TabState,
};
use crate::supervisor::{Stands, Tab};

/// How long one look at a page may take; a page that is stuck is looked at another time.
const LOOK: Duration = Duration::from_secs(2);
/// Origins without an open page that are read in one look.
const CLOSED_AT_ONCE: usize = 16;
/// How long the last look at all pages may take.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// Keeps the saved state of one profile; used by the session's own task, read by handlers.
pub(crate) struct Saver {
    profile: Profile,
    interval: Duration,
    chromium: String,
    // A std mutex: nothing awaits under it.
    known: Mutex<Known>,
}

struct Known {
    /// The state as far as it is known.
    state: StorageState,
    /// sessionStorage by tab id and origin.
    sessions: BTreeMap<(String, String), Vec<Item>>,
    /// Restored tabs by id, until they have got to their page: a server that is slow to answer, or
    /// down, must not cost the tab.
    on_their_way: BTreeMap<String, TabState>,
    /// What was written last.
    written: Option<Digest>,
    /// The ids of the tabs, as they are in the state.
    ids: Vec<String>,
    /// What stood in the tabs of the browser that died, by their ids.
    stands: HashMap<String, Stands>,
    /// What to restore; taken by the first look after a start.
    found: Option<Found>,
    /// Where something happened.
    changes: Option<Changes>,
}

impl Saver {
    pub(super) fn new(profile: Profile, seconds: u64, chromium: &str, found: Found) -> Self {
        let known = Known {
            state: found.state.clone(),
            sessions: BTreeMap::new(),
            on_their_way: BTreeMap::new(),
            written: None,
            ids: Vec::new(),
            stands: HashMap::new(),
            found: Some(found),
            changes: None,
        };
        Self {
            profile,
            interval: Duration::from_secs(seconds.clamp(1, 5)),
            chromium: chromium.to_owned(),
            known: Mutex::new(known),
        }
    }

    /// How often to look.
    pub(super) fn interval(&self) -> Duration {
        self.interval
    }

    /// The next restore is one after a crash; the tabs are those that were open when it happened.
    pub(super) fn after_crash(&self, died: &Running) {
        self.note_tabs(died, &died.supervisor.tabs());
        let mut known = self.known();
        let state = known.state.clone();
        known.stands = died.supervisor.stands();
        known.found = Some(Found::after_crash(&self.profile, state));
    }

    /// Brings back what the browser has lost. Answers what could not be brought back.
    pub(super) async fn restore(
        &self,
        running: &Running,
        with_tabs: bool,
        bounds: &Bounds,
    ) -> Vec<String> {
        let (found, before) = {
            let mut known = self.known();
            known.changes = Some(Changes::of(&running.supervisor));
            known.written = None;
            known.sessions.clear();
            known.on_their_way.clear();
            let before = Before {
                ids: std::mem::take(&mut known.ids),
                stands: std::mem::take(&mut known.stands),
            };
            (known.found.take(), before)
        };
        let Some(found) = found else {
            return Vec::new();
        };
        let connection = running.supervisor.connection();
        let mut warnings = Vec::new();
        if !found.state.cookies.is_empty() {
            match state::capture_cookies(connection).await {
                Ok(present) => {
                    let cookies = state::cookies_to_restore(
                        &found.state.cookies,
                        &present,
                        found.cookies,
                        Timestamp::now(),
                    );
                    warnings.extend(state::restore_cookies(connection, &cookies).await);
                }
                Err(error) => return vec![format!("cookies could not be restored: {error}")],
            }
        }
        if found.storage != Policy::SessionOnly && !found.state.origins.is_empty() {
            warnings.extend(
                state::restore_origins(connection, &found.state.origins, found.storage).await,
            );
        }
        let mut warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        if with_tabs && let Some(extras) = &found.state.szk {
            let restored = tabs::restore(&running.supervisor, extras, &before, bounds).await;
            self.note_restored(&restored.tabs, extras);
            warnings.extend(restored.warnings);
        }
        warnings
    }

    /// Writes a state into the browser, over what is there.
    pub(super) async fn import(&self, running: &Running, state: &StorageState) -> Vec<String> {
        let connection = running.supervisor.connection();
        let cookies = state::cookies_to_restore(
            &state.cookies,
            &[],
            Policy::FillEverything,
            Timestamp::now(),
        );
        let mut warnings = state::restore_cookies(connection, &cookies).await;
        warnings.extend(
            state::restore_origins(connection, &state.origins, Policy::FillEverything).await,
        );
        {
            let mut known = self.known();
            for origin in &state.origins {
                known.state.absorb(OriginStorage {
                    state: origin.clone(),
                    session_storage: Vec::new(),
                    unread: Vec::new(),
                    warnings: Vec::new(),
                });
            }
        }
        warnings.iter().map(ToString::to_string).collect()
    }

    /// Looks for changes, and writes when there are any.
    pub(super) async fn tick(&self, running: &Running) -> Result<(), StoreError> {
        let tabs = running.supervisor.tabs();
        let pending = self.pending(&tabs);
        self.look(running, &tabs, pending).await;
        self.write(false)
    }

    /// Looks at everything that is open, and at what changed and is closed again; answers the state.
    /// Used for export and for clones.
    pub(super) async fn capture_now(&self, running: Option<&Running>) -> StorageState {
        if let Some(running) = running {
            let tabs = running.supervisor.tabs();
            let mut all = self.pending(&tabs);
            all.extend(tabs.iter().filter_map(|tab| origin_of(&tab.page.url)));
            self.look(running, &tabs, all).await;
        }
        self.known().state.clone()
    }

    fn pending(&self, tabs: &[Tab]) -> Vec<String> {
        let mut known = self.known();
        known
            .changes
            .as_mut()
            .map(|changes| changes.pending(tabs))
            .unwrap_or_default()
    }

    /// The last look before Chromium is asked to end. Written at once: the end may not be in order.
    pub(super) async fn last_look(&self, running: &Running) -> Result<(), StoreError> {
        // A page that is stuck must not keep the session from closing.
        if tokio::time::timeout(LAST_LOOK, self.capture_now(Some(running)))
            .await
            .is_err()
        {
            tracing::warn!("the last look at the pages took too long");
        }
        self.write(false)
    }

    /// Notes whether Chromium has written its own files in order.
    pub(super) fn seal(&self, clean: bool) -> Result<(), StoreError> {
        if clean { self.write(true) } else { Ok(()) }
    }

    /// Reads all cookies, and the storage of these origins: in a tab where one is open, else in one that
    /// nobody sees. What could not be read is looked at again next time.
    async fn look(&self, running: &Running, tabs: &[Tab], origins: Vec<String>) {
        let connection = running.supervisor.connection();
        match tokio::time::timeout(LOOK, state::capture_cookies(connection)).await {
            Ok(Ok(cookies)) => self.known().state.cookies = cookies,
            Ok(Err(error)) => tracing::debug!(%error, "cookies were not read"),
            Err(_) => tracing::debug!("cookies were not read in time"),
        }
        self.note_tabs(running, tabs);
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        for origin in origins {
            let at_it = tabs_at(tabs, &origin);
            if at_it.is_empty() {
                closed.push(origin);
                continue;
            }
            // All of them: each has a sessionStorage of its own.
            open.extend(at_it);
        }
        // Side by side: a page that is stuck keeps no other from being read.
        join_all(open.into_iter().map(|tab| self.look_at(connection, tab))).await;
        closed.truncate(CLOSED_AT_ONCE);
        let options = CaptureOptions::default();
        let (captured, warnings) =
            state::capture_closed_origins(connection, &closed, &options).await;
        for storage in captured {
            self.note_storage(connection, None, storage);
        }
        for warning in warnings {
            tracing::debug!(%warning, "its storage was not read");
        }
        let mut known = self.known();
        if let Some(changes) = &mut known.changes {
            // Once is enough: an origin that cannot be read would be asked for ever.
            closed.iter().for_each(|origin| changes.seen(origin));
        }
        drop(known);
        self.note_tabs(running, tabs);
    }

    async fn look_at(&self, connection: &Connection, tab: &Tab) {
        let capture = state::capture_origin(connection, &tab.page.session, &tab.page.target_id);
        match tokio::time::timeout(LOOK, capture).await {
            Ok(Ok(Some(storage))) => self.note_storage(connection, Some(tab), storage),
            Ok(Ok(None) | Err(CallError::SessionGone | CallError::Closed { .. })) => {}
            trouble => {
                let error = trouble.map(|result| result.err());
                tracing::debug!(tab = tab.id, ?error, "its storage was not read");
            }
        }
    }

    fn note_storage(&self, connection: &Connection, tab: Option<&Tab>, storage: OriginStorage) {
        for warning in &storage.warnings {
            tracing::info!(%warning, "left out of the saved state");
        }
        let origin = storage.state.origin.clone();
        let mut known = self.known();
        if let Some(changes) = &mut known.changes {
            changes.seen(&origin);
            if let Some(tab) = tab {
                changes.watch_databases(connection, &tab.page.session, &origin);
            }
        }
        if let Some(tab) = tab {
            let items = storage.session_storage.clone();
            known.sessions.insert((tab.id.clone(), origin), items);
        }
        known.state.absorb(storage);
    }

    /// What a restored tab had is its own until its page says something else.
    fn note_restored(&self, restored: &[(usize, String)], extras: &Extras) {
        let mut known = self.known();
        for (index, id) in restored {
            if let Some(tab) = extras.tabs.get(*index) {
                known.on_their_way.insert(id.clone(), tab.clone());
            }
            for storage in extras.session_storage.iter().filter(|s| s.tab == *index) {
                let place = (id.clone(), storage.origin.clone());
                known.sessions.insert(place, storage.items.clone());
            }
        }
    }

    fn note_tabs(&self, running: &Running, tabs: &[Tab]) {
        let current = running.supervisor.current_tab().map(|tab| tab.id);
        let mut known = self.known();
        known.on_their_way.retain(|id, _| {
            let open = tabs.iter().find(|open| open.id == *id);
            open.is_some_and(|tab| tabs::is_blank(&tab.page.url))
        });
        let kept: Vec<(&Tab, TabState)> = tabs
            .iter()
            .filter_map(|tab| {
                let (url, title) = match known.on_their_way.get(&tab.id) {
                    Some(to) => (to.url.clone(), to.title.clone()),
                    None => (tab.page.url.clone(), tab.page.title.clone()),
                };
                let active = Some(&tab.id) == current.as_ref();
                tabs::worth_keeping(&url).then_some((tab, TabState { url, title, active }))
            })
            .collect();
        known
            .sessions
            .retain(|(tab, _), _| tabs.iter().any(|open| open.id == *tab));
        let session_storage = kept
            .iter()
            .enumerate()
            .flat_map(|(index, (tab, _))| {
                let origins = known
                    .sessions
                    .iter()
                    .filter(|((id, _), items)| *id == tab.id && !items.is_empty());
                origins.map(move |((_, origin), items)| SessionStorage {
                    tab: index,
                    origin: origin.clone(),
                    items: items.clone(),
                })
            })
            .collect();
        let saved = known
            .state
            .szk
            .as_ref()
            .map_or_else(Timestamp::now, |extras| extras.saved);
        let mut extras = Extras::new(saved);
        extras.chromium = Some(self.chromium.clone());
        known.ids = kept.iter().map(|(tab, _)| tab.id.clone()).collect();
        extras.tabs = kept.into_iter().map(|(_, state)| state).collect();
        extras.session_storage = session_storage;
        known.state.szk = Some(extras);
        known.state.sort();
    }

    /// Writes the state, if it is another one than was written last.
    fn write(&self, clean: bool) -> Result<(), StoreError> {
        let mut known = self.known();
        let extras = known
            .state
            .szk
            .get_or_insert_with(|| Extras::new(Timestamp::now()));
        extras.clean = clean;
        let digest = known.state.digest();
        if known.written.as_ref() == Some(&digest) {
            return Ok(());
        }
        if let Some(extras) = &mut known.state.szk {
            extras.saved = Timestamp::now();
        }
        self.profile.write_state(&known.state.to_bytes())?;
        known.written = Some(digest);
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tabs that are at an origin.
fn tabs_at<'a>(tabs: &'a [Tab], origin: &str) -> Vec<&'a Tab> {
    let is_there = |tab: &&Tab| origin_of(&tab.page.url).as_deref() == Some(origin);
    tabs.iter().filter(is_there).collect()
}
