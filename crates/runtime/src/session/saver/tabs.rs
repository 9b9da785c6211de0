//! The tabs in the saved state, with their sessionStorage.

use std::time::Duration;

use jiff::Timestamp;
use szk_recovery::Verdict;

use super::{Known, Saver};
use crate::session::Running;
use crate::session::tabs::{self, PreviousTabs};
use crate::state::{Extras, SessionStorage, TabState};
use crate::supervisor::Tab;

/// How long a browser must outlive its last tab, and one of several, before they count as closed.
const ENDING: Duration = Duration::from_secs(10);
const CLOSING: Duration = Duration::from_millis(1500);

impl Saver {
    /// The saved tabs are those of the state until all of them are restored.
    pub(super) fn expect_tabs(&self, before: &PreviousTabs) {
        let mut known = self.known();
        known.expects_tabs = true;
        known.ids.clone_from(&before.ids);
        known.overrides.clone_from(&before.overrides);
    }

    /// A restored tab keeps its saved data until its page reports something else. A browser that died meanwhile
    /// has not got all of them.
    pub(super) fn note_restored(
        &self,
        running: &Running,
        restored: &[(usize, String)],
        extras: &Extras,
    ) {
        let mut known = self.known();
        known.expects_tabs = running.supervisor.connection().is_closed();
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

    pub(super) fn note_tabs(&self, running: &Running, tabs: &[Tab]) {
        let current = running.supervisor.current_tab().map(|tab| tab.id);
        let mut known = self.known();
        let now = self.began.elapsed();
        // The saved tabs are still to come.
        if known.held.is_some() || known.expects_tabs {
            return;
        }
        if closed_lately(&mut known, tabs, now) == Verdict::Wait {
            return;
        }
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
        extras.browser = Some(running.chromium.pid());
        known.ids = kept.iter().map(|(tab, _)| tab.id.clone()).collect();
        extras.tabs = kept.into_iter().map(|(_, state)| state).collect();
        extras.session_storage = session_storage;
        known.state.szk = Some(extras);
        known.state.sort();
    }
}

/// An exiting browser closes its tabs first, one after the other, which takes a while on a busy machine.
/// So closed tabs only count as closed if the browser outlives them.
fn closed_lately(known: &mut Known, tabs: &[Tab], now: Duration) -> Verdict {
    let is_open = |id: &String| tabs.iter().any(|tab| tab.id == *id);
    if !tabs.is_empty() && (known.is_last_look || known.ids.iter().all(is_open)) {
        return known.tabs_doubt.settle();
    }
    let enough = match tabs.is_empty() {
        true => ENDING,
        false => CLOSING,
    };
    let before = known.ids.len();
    known.tabs_doubt.judge_after(before, 0, now, enough)
}
