//! Saving what a profile would lose, while it is open.
//!
//! Every few seconds the cookies are read (one command for the whole browser), and the storage of those
//! pages where something happened (`look`). Only a reading that is believed becomes part of the state,
//! and only a state that differs is written. When a process that keeps data for Chromium dies, what was
//! read last is put back before anything is read again (`helpers`). The last look is before Chromium is
//! asked to end; the state is sealed as clean once it has ended in order.

mod helpers;
mod reading;
mod restore;
mod tabs;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use szk_recovery::Doubt;
use szk_store::{Profile, StoreError};

use super::Running;
use super::changes::{Changes, origin_of};
use super::saved::SavedState;
use crate::state::{
    self, CookieKey, Deleted, Digest, Extras, Item, StorageState, TabState, Truth, Unread,
};
use crate::supervisor::{OverridesByPurpose, Tab};
use helpers::Helpers;
use reading::Reading;

/// How long one look at a page may take; a page that is stuck is looked at another time.
const LOOK: Duration = Duration::from_secs(2);
/// Origins without an open page that are read in one look.
const CLOSED_AT_ONCE: usize = 16;
/// Pause before the cookies are read again whose reading was not believed.
const REREAD: Duration = Duration::from_millis(500);
/// How long the last look at all pages may take.
const LAST_LOOK: Duration = Duration::from_secs(5);
/// After this long without a reading, Chromium has written what an origin has changed.
const BEHIND: Duration = Duration::from_secs(60);

/// Keeps the saved state of one profile; used by the session's own task, read by handlers.
pub(crate) struct Saver {
    profile: Profile,
    interval: Duration,
    chromium: String,
    /// Where the clock of readings begins; it never jumps.
    began: Instant,
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
    /// The overrides of the tabs of the browser that died, by tab id.
    overrides: HashMap<String, OverridesByPurpose>,
    /// What to restore; taken by the first look after a start.
    found: Option<SavedState>,
    /// Where something happened.
    changes: Option<Changes>,
    /// The processes that keep data for this browser.
    helpers: Helpers,
    /// How often one of them died.
    losses: u64,
    /// Doubts about the cookies.
    doubt: Doubt,
    /// Doubts about the tabs: a browser that is about to end closes them first.
    tabs_doubt: Doubt,
    /// The session is being closed: what is open now was left open.
    is_last_look: bool,
    /// Doubts about the storage of origins.
    doubts: HashMap<String, Doubt>,
    /// Looks at pages that have not come to an end yet, by tab.
    readings: HashMap<String, Reading>,
    /// Before when a cookie had not changed yet that was found changed in this browser.
    cookies_changed: BTreeMap<CookieKey, Timestamp>,
    /// When the cookies were last read.
    cookies_read: Option<Timestamp>,
    /// What was deleted since Chromium last ended in order.
    deleted: Deleted,
    /// What is right of the cookies until they are read in this browser for the first time.
    cookies_unread: Option<Truth>,
    /// The same of origins.
    unread: BTreeMap<String, Unread>,
    /// Since when an origin could not be read although it has changed.
    stuck: HashMap<String, Instant>,
    /// Origins that were read in this browser.
    touched: HashSet<String>,
    /// What was left out of the state, by origin: each is logged once.
    left_out: HashMap<String, HashSet<String>>,
    /// When an origin was read last.
    read: HashMap<String, Instant>,
    /// When the state was last found to be true, by the wall clock and by one that never jumps.
    confirmed: Option<(Timestamp, Instant)>,
}

impl Known {
    /// What is right of origins whose reading is not.
    fn unread(&self) -> BTreeMap<String, Unread> {
        // Chromium has written by now what such an origin has changed.
        let stuck = self
            .stuck
            .iter()
            .filter(|(_, since)| since.elapsed() > BEHIND);
        let stuck = stuck.map(|(origin, _)| (origin.clone(), Unread::Files));
        self.unread.clone().into_iter().chain(stuck).collect()
    }

    /// Says in the state what was deleted and what is not read, or that Chromium's files are right.
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
        known.mark(false);
        let state = known.state.clone();
        known.overrides = died.supervisor.overrides();
        let mut found = SavedState::after_crash(&self.profile, state, known.confirmed);
        found.cookies = found.cookies.unless(known.cookies_unread);
        known.found = Some(found);
    }

    /// Looks for changes, and writes when there are any.
    pub(super) async fn tick(&self, running: &Running) -> Result<(), StoreError> {
        let tabs = running.supervisor.tabs();
        let pending = self.pending(&tabs);
        let believed = self.look(running, &tabs, pending).await;
        self.write(false)?;
        if believed {
            let now = Timestamp::now();
            let used = state::profile_times(&self.profile.user_data_dir()).used;
            self.known().confirmed = Some((now, Instant::now()));
            self.profile
                .confirm_state(now.max(used.unwrap_or(now)).into());
        }
        Ok(())
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
        let mut state = self.known().state.clone();
        if let Some(extras) = &mut state.szk {
            // About this browser alone.
            extras.deleted = Deleted::default();
            extras.unread.clear();
            extras.browser = None;
        }
        state
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
        self.known().is_last_look = true;
        let looked = async {
            self.capture_now(Some(running)).await;
            // Whoever logs out and closes at once is logged out.
            while self.known().doubt.waits() {
                tokio::time::sleep(REREAD).await;
                self.look_at_cookies(running.supervisor.connection()).await;
            }
        };
        // A page that is stuck must not keep the session from closing.
        if tokio::time::timeout(LAST_LOOK, looked).await.is_err() {
            tracing::warn!("the final reading of the pages took too long");
        }
        self.write(false)
    }

    /// Whether Chromium's file has every cookie as it was read last. It is asked after Chromium's end: a
    /// network service that died just before it has written nothing, and nobody else says so.
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

    /// Notes that Chromium has written its own files in order: they are right from now on.
    pub(super) fn seal(&self) -> Result<(), StoreError> {
        let mut known = self.known();
        known.deleted = Deleted::default();
        known.unread.clear();
        drop(known);
        self.write(true)
    }

    /// Writes the state, if it is another one than was written last.
    fn write(&self, clean: bool) -> Result<(), StoreError> {
        let mut known = self.known();
        if known.cookies_unread.is_some() && !clean {
            // What was saved is right until this browser has been read.
            return Ok(());
        }
        known.mark(clean);
        let digest = known.state.digest();
        if known.written.as_ref() == Some(&digest) {
            return Ok(());
        }
        if let Some(extras) = &mut known.state.szk {
            let now = Timestamp::now();
            let used = state::profile_times(&self.profile.user_data_dir()).used;
            // Files of the future: the clock was set back.
            extras.saved = now.max(used.unwrap_or(now));
        }
        self.profile.write_state(&known.state.to_bytes())?;
        known.written = Some(digest);
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
