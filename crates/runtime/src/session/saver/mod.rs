//! Saves what a profile would lose, while it is open.
//!
//! Every few seconds it reads the cookies (one command for the whole browser), and the storage of the
//! pages that had events (`reading`). Only a trusted reading becomes part of the state, and only a state
//! that differs is written. When a helper process dies, it restores the last reading before it reads
//! anything again (`helpers`). The final reading comes before Chromium is asked to exit; the state is
//! sealed as clean once Chromium has exited in order.

mod helpers;
mod reading;
mod restore;
mod tabs;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use szk_recovery::Doubt;
use szk_store::{Profile, StoreError};

use super::Running;
use super::changes::{Changes, origin_of};
use super::saved::SavedState;
use crate::state::{
    self, CookieKey, Deleted, Digest, Extras, HashedEntries, Item, LocalChange, LocalCommits, Put,
    StorageState, TabState, Truth, Unread,
};
use crate::supervisor::{OverridesByPurpose, Tab};
use helpers::Helpers;
use reading::Reading;
use restore::HeldTabs;
pub use restore::Imported;
pub(super) use restore::RestoreTabs;

/// How long one reading of a page may take; a page that is stuck is read another time.
const LOOK: Duration = Duration::from_secs(2);
/// Origins without an open page to read at once.
const CLOSED_AT_ONCE: usize = 16;
/// Pause before cookies are read again after a reading that was not trusted.
const REREAD: Duration = Duration::from_millis(500);
/// How long the final reading of all pages may take.
const LAST_LOOK: Duration = Duration::from_secs(5);
/// After this long without a reading, Chromium has written an origin's changes.
const BEHIND: Duration = Duration::from_secs(60);

/// Keeps the saved state of one profile; the session's own task uses it, handlers read it.
pub(crate) struct Saver {
    profile: Profile,
    interval: Duration,
    chromium: String,
    /// The start of the monotonic clock for readings.
    began: Instant,
    /// Held while the state is written, also where whoever asked for that has gone away.
    writing: Arc<tokio::sync::Mutex<()>>,
    // A std mutex: nothing awaits under it.
    known: Mutex<Known>,
}

struct Known {
    /// The state as far as it is known.
    state: StorageState,
    /// sessionStorage by tab id and origin.
    sessions: BTreeMap<(String, String), Vec<Item>>,
    /// Restored tabs by id, until they reach their page: a slow or dead server must not cost the tab.
    on_their_way: BTreeMap<String, TabState>,
    /// Saved tabs that wait for a page: until they are restored, they are the tabs of the state.
    held: Option<HeldTabs>,
    /// Saved tabs are being restored, or were when the browser died.
    expects_tabs: bool,
    /// What was written last.
    written: Option<Digest>,
    /// The ids of the tabs, as they are in the state.
    ids: Vec<String>,
    /// The overrides of tabs in the browser that died, by tab id.
    overrides: HashMap<String, OverridesByPurpose>,
    /// What to restore; the first reading after a start takes it.
    found: Option<SavedState>,
    /// Where events happened.
    changes: Option<Changes>,
    /// The helper processes of this browser.
    helpers: Helpers,
    /// How often one of them died.
    losses: u64,
    /// Doubts about the cookies.
    doubt: Doubt,
    /// Doubts about the tabs: an exiting browser closes them first.
    tabs_doubt: Doubt,
    /// The session is closing: the tabs open now were left open.
    is_last_look: bool,
    /// Doubts about the storage of origins.
    doubts: HashMap<String, Doubt>,
    /// Readings of pages that have not finished yet, by tab.
    readings: HashMap<String, Reading>,
    /// For each cookie found changed in this browser, the last time when it had not changed yet.
    cookies_changed: BTreeMap<CookieKey, Timestamp>,
    /// The last change to the localStorage of each origin that was found changed in this browser.
    storage_changed: BTreeMap<String, LocalChange>,
    /// When the cookies were last read.
    cookies_read: Option<Timestamp>,
    /// What was deleted since Chromium last exited in order.
    deleted: Deleted,
    /// What is right of the cookies until they are read in this browser for the first time.
    cookies_unread: Option<Truth>,
    /// The same for origins.
    unread: BTreeMap<String, Unread>,
    /// Since when an origin that has changed could not be read.
    stuck: HashMap<String, Instant>,
    /// Origins read in this browser.
    touched: HashSet<String>,
    /// What was left out of the state, by origin; each is logged once.
    left_out: HashMap<String, HashSet<String>>,
    /// When an origin was last read.
    read: HashMap<String, Instant>,
    /// When the state was last found to be right, by the wall clock and by a monotonic one.
    confirmed: Option<(Timestamp, Instant)>,
}

impl Known {
    /// What to trust for origins that could not be read.
    fn unread(&self) -> BTreeMap<String, Unread> {
        // By now Chromium has written the changes of such an origin.
        let stuck = self
            .stuck
            .iter()
            .filter(|(_, since)| since.elapsed() > BEHIND);
        let stuck = stuck.map(|(origin, _)| (origin.clone(), Unread::Files));
        self.unread.clone().into_iter().chain(stuck).collect()
    }

    /// Notes the localStorage that was written into this browser.
    fn note_put(&mut self, put: &Put, after: Timestamp) {
        let change = LocalChange {
            after,
            noticed: Timestamp::now(),
            entries: HashedEntries::default(),
        };
        let written = put.written.iter();
        self.storage_changed
            .extend(written.map(|origin| (origin.clone(), change.clone())));
    }

    /// Records in the state what was deleted and what is unread, or that Chromium's files are right.
    fn mark(&mut self, clean: bool) {
        let (deleted, unread) = if clean {
            Default::default()
        } else {
            (self.deleted.clone(), self.unread())
        };
        let state = &mut self.state;
        let extras = state
            .szk
            .get_or_insert_with(|| Extras::new(Timestamp::now()));
        extras.clean = clean;
        extras.deleted = deleted;
        extras.unread = unread;
    }
}

impl Saver {
    pub(super) fn new(profile: Profile, seconds: u64, chromium: &str, found: SavedState) -> Self {
        let extras = found.state.szk.as_ref();
        let known = Known {
            deleted: extras
                .map(|extras| extras.deleted.clone())
                .unwrap_or_default(),
            unread: extras
                .map(|extras| extras.unread.clone())
                .unwrap_or_default(),
            cookies_unread: Some(found.cookies),
            confirmed: None,
            state: found.state.clone(),
            sessions: BTreeMap::new(),
            on_their_way: BTreeMap::new(),
            held: None,
            expects_tabs: false,
            written: None,
            ids: Vec::new(),
            overrides: HashMap::new(),
            found: Some(found),
            changes: None,
            helpers: Helpers::default(),
            losses: 0,
            doubt: Doubt::default(),
            tabs_doubt: Doubt::default(),
            is_last_look: false,
            doubts: HashMap::new(),
            readings: HashMap::new(),
            cookies_changed: BTreeMap::new(),
            storage_changed: BTreeMap::new(),
            cookies_read: None,
            stuck: HashMap::new(),
            touched: HashSet::new(),
            left_out: HashMap::new(),
            read: HashMap::new(),
        };
        Self {
            profile,
            interval: Duration::from_secs(seconds.clamp(1, 5)),
            chromium: chromium.to_owned(),
            began: Instant::now(),
            writing: Arc::default(),
            known: Mutex::new(known),
        }
    }

    /// How often to read.
    pub(super) fn interval(&self) -> Duration {
        self.interval
    }

    /// Prepares for a restore after a crash; the tabs are those that were open then.
    pub(super) fn after_crash(&self, died: &Running) {
        self.note_tabs(died, &died.supervisor.tabs());
        let mut known = self.known();
        known.mark(false);
        let state = known.state.clone();
        if !known.expects_tabs {
            known.overrides.clear();
        }
        known.overrides.extend(died.supervisor.overrides());
        let mut found = SavedState::after_crash(&self.profile, state, known.confirmed);
        found.cookies = found.cookies.unless(known.cookies_unread);
        known.found = Some(found);
    }

    /// Reads, and writes if anything changed.
    pub(super) async fn tick(&self, running: &Running) -> Result<(), StoreError> {
        let tabs = running.supervisor.tabs();
        let pending = self.pending(&tabs);
        let believed = self.look(running, &tabs, pending).await;
        self.write(false).await?;
        if believed {
            let now = Timestamp::now();
            let used = state::profile_times(&self.profile.user_data_dir()).used;
            self.known().confirmed = Some((now, Instant::now()));
            self.profile
                .confirm_state(now.max(used.unwrap_or(now)).into());
        }
        Ok(())
    }

    /// Reads everything that is open, and what changed and is already closed; returns the state. Used
    /// for export and for clones.
    pub(super) async fn capture_now(&self, running: Option<&Running>) -> StorageState {
        if let Some(running) = running {
            let tabs = running.supervisor.tabs();
            let mut all = self.pending(&tabs);
            all.extend(tabs.iter().filter_map(|tab| origin_of(&tab.page.url)));
            self.look(running, &tabs, all).await;
        }
        let mut state = self.known().state.clone();
        if let Some(extras) = &mut state.szk {
            // These are about this browser only.
            extras.deleted = Deleted::default();
            extras.unread.clear();
            extras.browser = None;
        }
        state
    }

    fn pending(&self, tabs: &[Tab]) -> Vec<String> {
        let mut known = self.known();
        let Known { changes, state, .. } = &mut *known;
        let changes = changes.as_mut();
        changes
            .map(|changes| changes.pending(tabs, &state.origins))
            .unwrap_or_default()
    }

    /// The final reading before Chromium is asked to exit. Written at once, because the exit may not be
    /// in order.
    pub(super) async fn last_look(&self, running: &Running) -> Result<(), StoreError> {
        self.known().is_last_look = true;
        let looked = async {
            self.capture_now(Some(running)).await;
            // Someone who logs out and closes at once must be logged out.
            while self.known().doubt.waits() {
                tokio::time::sleep(REREAD).await;
                self.look_at_cookies(running.supervisor.connection()).await;
            }
        };
        // A page that is stuck must not keep the session from closing.
        if tokio::time::timeout(LAST_LOOK, looked).await.is_err() {
            tracing::warn!("the final reading of the pages took too long");
        }
        self.write(false).await
    }

    /// Whether Chromium's file has every cookie of the last reading. Checked after Chromium's exit: a
    /// network service that died just before it has written nothing, and nothing else reports that.
    pub(super) fn has_written_its_cookies(&self) -> bool {
        let times = state::cookie_times(&self.profile.user_data_dir());
        let known = self.known();
        let cookies = &known.state.cookies;
        state::are_written(
            cookies,
            times.as_ref(),
            &known.cookies_changed,
            Timestamp::now(),
        )
    }

    /// Whether Chromium has written localStorage since it changed. Checked after Chromium's exit: a storage
    /// service that gets no processor while Chromium exits, or is killed, has written nothing, and nothing else
    /// reports that.
    pub(super) fn has_written_its_local_storage(&self) -> bool {
        let known = self.known();
        if known.storage_changed.is_empty() {
            return true;
        }
        let commits = LocalCommits::read(&self.profile.user_data_dir());
        let is_empty = |name: &String| {
            let origins = &known.state.origins;
            let found = origins.iter().find(|origin| origin.origin == *name);
            found.is_none_or(|origin| origin.local_storage.is_empty())
        };
        let mut changes = known.storage_changed.iter();
        changes.all(|(origin, change)| commits.have(origin, change, is_empty(origin)))
    }

    /// Records that Chromium has written its own files in order: they are right from now on.
    pub(super) async fn seal(&self) -> Result<(), StoreError> {
        {
            let mut known = self.known();
            known.deleted = Deleted::default();
            known.unread.clear();
        }
        self.write(true).await
    }

    /// Waits for a write that is under way. Once the profile is free, we must not write to it.
    pub(super) async fn rests(&self) {
        drop(self.writing.lock().await);
    }

    /// Writes the state, if it differs from what was written last; while the disk is slow, others go on.
    async fn write(&self, clean: bool) -> Result<(), StoreError> {
        let turn = Arc::clone(&self.writing).lock_owned().await;
        let Some((state, digest)) = self.unwritten(clean) else {
            return Ok(());
        };
        let profile = self.profile.clone();
        let written = tokio::task::spawn_blocking(move || {
            let written = profile.write_state(&state);
            drop(turn);
            written
        });
        match written.await {
            Ok(written) => written?,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
        self.known().written = Some(digest);
        Ok(())
    }

    /// The state, if it is to be written.
    fn unwritten(&self, clean: bool) -> Option<(Vec<u8>, Digest)> {
        let mut known = self.known();
        if known.cookies_unread.is_some() && !clean {
            // The saved state is right until this browser has been read.
            return None;
        }
        known.mark(clean);
        let digest = known.state.digest();
        if known.written.as_ref() == Some(&digest) {
            return None;
        }
        if let Some(extras) = &mut known.state.szk {
            let now = Timestamp::now();
            let used = state::profile_times(&self.profile.user_data_dir()).used;
            // Files from the future: the clock was set back.
            extras.saved = now.max(used.unwrap_or(now));
        }
        Some((known.state.to_bytes(), digest))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
