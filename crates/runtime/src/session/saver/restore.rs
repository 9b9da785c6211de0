//! Writes a saved state into the browser.

use std::collections::BTreeMap;

use jiff::Timestamp;
use szk_cdp::{CallError, Connection};
use szk_config::Bounds;
use szk_recovery::Millis;

use super::helpers::{PAUSE, meeting};
use super::{LOOK, Saver};
use crate::launch::{Helper, Keeps};
use crate::session::Running;
use crate::session::changes::Changes;
use crate::session::saved::SavedState;
use crate::session::tabs::{self, PreviousTabs, RestoreTo, worth_keeping};
use crate::state::{
    self, Cookie, CookieKey, Counts, Extras, OriginStorage, StorageState, Truth, Unread, Warning,
};
use crate::supervisor::Supervisor;

/// How often to try to restore cookies.
const TRIES: usize = 5;

/// When to restore the tabs.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) enum RestoreTabs {
    Never,
    Now,
    /// Once [`Saver::restore_held`] is called.
    AfterPage,
}

/// Tabs to restore later.
pub(super) struct HeldTabs(Box<Extras>);

/// What is left to restore once the first page is ready.
pub(in crate::session) struct Unrestored {
    found: SavedState,
    before: PreviousTabs,
    /// Whether storage is among it.
    stores: bool,
    warnings: Vec<String>,
}

impl Saver {
    /// Restores what the browser has lost. Returns what could not be restored.
    pub(in crate::session) async fn restore(
        &self,
        running: &Running,
        tabs: RestoreTabs,
        bounds: &Bounds,
    ) -> Vec<String> {
        let left = self.restore_cookies(&running.supervisor).await;
        self.restore_rest(left, running, tabs, bounds).await
    }

    /// Restores the cookies, for which no page is needed; a browser that starts can be asked while its first page
    /// is being made. `None` if nothing is to be restored.
    pub(in crate::session) async fn restore_cookies(
        &self,
        supervisor: &Supervisor,
    ) -> Option<Unrestored> {
        let (found, before) = {
            let mut known = self.known();
            known.changes = Some(Changes::of(supervisor));
            known.written = None;
            known.sessions.clear();
            known.on_their_way.clear();
            known.held = None;
            known.expects_tabs = false;
            known.touched.clear();
            known.stuck.clear();
            known.doubts.clear();
            known.readings.clear();
            known.read.clear();
            known.cookies_changed.clear();
            known.storage_changed.clear();
            known.helpers = Default::default();
            let before = PreviousTabs {
                ids: std::mem::take(&mut known.ids),
                overrides: std::mem::take(&mut known.overrides),
            };
            (known.found.take(), before)
        };
        let found = found?;
        tracing::debug!(
            cookies = ?found.cookies,
            storage = ?found.storage,
            deleted = found.state.szk.as_ref().is_some_and(|extras| !extras.deleted.is_empty()),
            "restoring the saved state"
        );
        self.note_unread(&found);
        let connection = supervisor.connection();
        let mut warnings: Vec<String> = Vec::new();
        // Find the processes before writing to them, so that a death from now on is noticed.
        self.find_helpers(connection).await;
        let network = self.known().helpers.network.process();
        match set_found_cookies(connection, &found, network).await {
            Ok((set, network)) => {
                warnings.extend(set.refused.iter().map(ToString::to_string));
                self.note_restored_cookies(set.now);
                self.known().helpers.network.replaced(network);
            }
            Err(error) => {
                // No readings until they are restored.
                self.known().helpers.network.lost();
                warnings.push(format!("cannot restore cookies: {error}"));
            }
        }
        let stores = state::has_origins_to_put(&found.state, found.storage);
        if !stores {
            warnings.extend(self.take_over().await);
        }
        Some(Unrestored {
            found,
            before,
            stores,
            warnings,
        })
    }

    /// Makes the saved state that of this browser: one of the browser before must not pass for it. Returns what to
    /// tell the user.
    async fn take_over(&self) -> Option<String> {
        let error = self.write(false).await.err()?;
        Some(format!("cannot save the state: {error}"))
    }

    /// Restores what needs pages. Returns what could not be restored.
    pub(in crate::session) async fn restore_rest(
        &self,
        left: Option<Unrestored>,
        running: &Running,
        tabs: RestoreTabs,
        bounds: &Bounds,
    ) -> Vec<String> {
        let Some(left) = left else {
            return Vec::new();
        };
        let Unrestored {
            found,
            before,
            stores,
            mut warnings,
        } = left;
        if stores {
            let connection = running.supervisor.connection();
            let after = Timestamp::now();
            let storage = self.known().helpers.storage.process();
            let work = state::put_origins(connection, &found.state, found.storage);
            let (put, storage) = meeting(connection, Keeps::LocalStorage, storage, work).await;
            {
                let mut known = self.known();
                if let Some(storage) = storage {
                    known.helpers.storage.found(storage);
                }
                known.note_put(&put, after);
                let names = put.found.iter().map(|(origin, _)| origin.clone());
                known.touched.extend(names);
                known.state.add_found(put.found);
            }
            warnings.extend(put.warnings.iter().map(ToString::to_string));
            // Chromium starts the storage service when it is needed.
            self.find_helpers(connection).await;
            warnings.extend(self.take_over().await);
        }
        // Pages must not be loaded without them.
        for keeps in self.not_back() {
            let put_back = self.put_back(running, keeps).await;
            warnings.extend(put_back.map(|(Ok(told) | Err(told))| told));
        }
        let Some(extras) = &found.state.szk else {
            return warnings;
        };
        match tabs {
            RestoreTabs::Now => {
                let first = RestoreTo::FirstTab;
                self.expect_tabs(&before);
                let restored =
                    tabs::restore(&running.supervisor, extras, &before, bounds, first).await;
                self.note_restored(running, &restored.tabs, extras);
                warnings.extend(restored.warnings);
            }
            RestoreTabs::AfterPage if extras.tabs.iter().any(|tab| worth_keeping(&tab.url)) => {
                self.known().held = Some(HeldTabs(Box::new(extras.clone())));
            }
            RestoreTabs::AfterPage | RestoreTabs::Never => {}
        }
        warnings
    }

    /// Whether saved tabs wait for a page.
    pub(in crate::session) fn holds_tabs(&self) -> bool {
        self.known().held.is_some()
    }

    /// The addresses of the saved tabs that wait for a page.
    pub(in crate::session) fn held_tabs(&self) -> Vec<String> {
        let known = self.known();
        let tabs = known.held.iter().flat_map(|held| &held.0.tabs);
        tabs.map(|tab| tab.url.clone()).collect()
    }

    /// Opens the saved tabs that wait. Returns what could not be restored.
    pub(in crate::session) async fn restore_held(
        &self,
        running: &Running,
        bounds: &Bounds,
        place: RestoreTo,
    ) -> Vec<String> {
        let held = self.known().held.as_ref().map(|held| held.0.clone());
        let Some(extras) = held else {
            return Vec::new();
        };
        let before = PreviousTabs::default();
        let restored = tabs::restore(&running.supervisor, &extras, &before, bounds, place).await;
        self.note_restored(running, &restored.tabs, &extras);
        self.known().held = None;
        restored.warnings
    }

    /// What exists after restoring is the known state, except that a browser that accepted no cookie
    /// does not count as a reading.
    fn note_restored_cookies(&self, now: Vec<Cookie>) {
        let mut known = self.known();
        if !now.is_empty() || known.state.cookies.is_empty() {
            known.state.cookies = now;
            known.cookies_unread = None;
        }
    }

    /// What is right until this browser is read.
    fn note_unread(&self, found: &SavedState) {
        let mut known = self.known();
        known.cookies_unread = Some(found.cookies.until_read());
        let extras = found.state.szk.as_ref();
        for origin in &found.state.origins {
            let before = extras.and_then(|extras| extras.unread.get(&origin.origin).copied());
            let restored = found.storage.unless(before.map(Truth::from));
            match Unread::after(restored) {
                Some(unread) => known.unread.insert(origin.origin.clone(), unread),
                None => known.unread.remove(&origin.origin),
            };
        }
    }

    /// Writes a state into the browser, overwriting what is there.
    pub(in crate::session) async fn import(
        &self,
        running: &Running,
        state: &StorageState,
    ) -> Imported {
        let connection = running.supervisor.connection();
        let over = BTreeMap::new();
        let plan = state::cookies_to_restore(state, &[], &over, Truth::Nothing, Timestamp::now());
        let put = state::put_cookies(connection, &plan.set).await;
        let (cookies, dropped) = match state::capture_cookies(connection).await {
            Ok(now) => put.kept(&now),
            Err(_) => (put.accepted, Vec::new()),
        };
        let after = Timestamp::now();
        let storage = state::put_origins(connection, state, Truth::Nothing).await;
        {
            let mut known = self.known();
            known.note_put(&storage, after);
            for origin in &state.origins {
                known.touched.insert(origin.origin.clone());
                if let Some(changes) = &mut known.changes {
                    changes.note(&origin.origin);
                }
                known.state.absorb(OriginStorage {
                    state: origin.clone(),
                    session_storage: Vec::new(),
                    unread: Vec::new(),
                    warnings: Vec::new(),
                });
            }
        }
        let warnings = put.refused.iter().chain(&dropped).chain(&storage.warnings);
        Imported {
            counts: Counts {
                cookies: cookies.len(),
                ..storage.taken
            },
            warnings: warnings.map(ToString::to_string).collect(),
            cookies,
        }
    }
}

/// What the browser took of a state that was imported.
#[derive(Debug)]
pub struct Imported {
    /// Counts of cookies and storage, and of nothing else.
    pub counts: Counts,
    /// The cookies.
    pub cookies: Vec<Cookie>,
    /// What it did not take, one line each, without values.
    pub warnings: Vec<String>,
}

/// Restores the cookies, again if the network service dies meanwhile: Chromium never answers what it
/// asked the dead one (Chromium 156). `network` is that service if it is known. Returns the one that has them now:
/// its death must be noticed, too.
async fn set_found_cookies(
    connection: &Connection,
    found: &SavedState,
    mut network: Option<Helper>,
) -> Result<(Set, Option<Helper>), CallError> {
    for attempt in 1..=TRIES {
        if network.is_none_or(|network| !network.lives()) {
            network = find_network(connection).await;
        }
        let gone = async {
            match network {
                Some(network) => network.ended().await,
                None => tokio::time::sleep(LOOK).await,
            }
        };
        tokio::select! {
            biased;
            set = set_cookies(connection, &found.state, found.cookies, &found.changed) => {
                let set = set?;
                let now = match network {
                    Some(_) if !set.is_doubtful => network,
                    _ => find_network(connection).await,
                };
                // One that is not a process of its own is never found.
                if now == network && (now.is_some() || attempt == TRIES) {
                    return Ok((set, now));
                }
                // One that was not seen may have died since.
                tracing::info!("another network service may have answered while cookies were restored");
                if now.is_none() {
                    tokio::time::sleep(PAUSE).await;
                }
                network = now;
            }
            () = gone => tracing::info!("the network service died while cookies were restored"),
        }
    }
    Err(CallError::NotSent)
}

async fn find_network(connection: &Connection) -> Option<Helper> {
    let asked = tokio::time::timeout(LOOK, Helper::find(connection, Keeps::Cookies));
    asked.await.ok().and_then(Result::ok).flatten()
}

/// The result of writing cookies into the browser.
#[derive(Default)]
pub(super) struct Set {
    /// How many it had lost.
    pub(super) lost: usize,
    /// How many of these it has again.
    pub(super) restored: usize,
    /// The cookies it has now.
    now: Vec<Cookie>,
    /// The cookies it refused.
    pub(super) refused: Vec<Warning>,
    /// It has not all that was set, or still has what was removed. It may have refused that, or a page changed it; or
    /// the network service died, and while it was still exiting, the next one answered with what is on the disk.
    pub(super) is_doubtful: bool,
}

/// Sets and removes cookies as far as the saved ones are right.
pub(super) async fn set_cookies(
    connection: &Connection,
    saved: &StorageState,
    truth: Truth,
    changed: &BTreeMap<CookieKey, Millis>,
) -> Result<Set, CallError> {
    let extras = saved.szk.as_ref();
    let found = state::capture_cookies(connection).await?;
    if saved.cookies.is_empty() && extras.is_none_or(|extras| extras.deleted.cookies.is_empty()) {
        return Ok(Set {
            now: found,
            ..Set::default()
        });
    }
    let now = Timestamp::now();
    let plan = state::cookies_to_restore(saved, &found, changed, truth, now);
    tracing::debug!(
        found = found.len(),
        set = plan.set.len(),
        removed = plan.remove.len(),
        "restored cookies"
    );
    let mut refused = state::remove_cookies(connection, &plan.remove).await;
    let put = state::put_cookies(connection, &plan.set).await;
    let now = state::capture_cookies(connection).await?;
    let (kept, dropped) = put.kept(&now);
    // Not told: a cookie may have expired meanwhile, or a page removed it.
    for warning in &dropped {
        tracing::debug!(%warning, "a cookie that was restored is gone again");
    }
    let is_doubtful = !state::has_all(&now, &plan.set) || state::has_any(&now, &plan.remove);
    refused.extend(put.refused);
    Ok(Set {
        lost: plan.set.len(),
        restored: kept.len(),
        now,
        refused,
        is_doubtful,
    })
}

#[cfg(test)]
mod tests;
