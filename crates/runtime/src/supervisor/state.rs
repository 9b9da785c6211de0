//! The attached targets, and which tab shows which page.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use szk_cdp::SessionId;

use super::client_contexts::ClientContexts;
use super::load_failures::Unreachable;
use super::tab_overrides::OverrideStore;
use super::targets::{Tab, TargetInfo};

/// Everything that is attached.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) targets: HashMap<String, TargetInfo>,
    /// Chromium's own tabs, which hold the pages: our session with each, and its target id.
    pub(super) tab_sessions: HashMap<SessionId, String>,
    /// In the order of opening.
    pub(super) tabs: Vec<TabSlot>,
    pub(super) next_tab: u32,
    /// Number of the tab that was opened or used last.
    pub(super) current: Option<u32>,
    /// The address and title that a blank tab is navigating to.
    pub(super) heading: HashMap<String, (String, String)>,
    /// What a page could not load: it shows the browser's own page, which has another address.
    pub(super) unreachable: HashMap<String, Unreachable>,
    /// Overrides that were set for tabs.
    pub(super) overrides: OverrideStore,
    /// What the supervisor leaves to clients in browser contexts of their own.
    pub(super) client_contexts: ClientContexts,
    /// Pages whose process has died.
    pub(super) crashed: HashSet<String>,
    /// When the last tab closed.
    pub(super) emptied: Option<Instant>,
}

/// A tab. It changes its page when it activates a prerendered one.
#[derive(Debug)]
pub(super) struct TabSlot {
    pub(super) number: u32,
    /// Our session with Chromium's tab target, which lives as long as this. `None` for a page without one.
    pub(super) tab: Option<SessionId>,
    /// Target id of the page that the tab shows.
    pub(super) page: String,
}

impl TabSlot {
    pub(super) fn id(&self) -> String {
        format!("t{}", self.number)
    }
}

impl State {
    /// The tab that a session belongs to, directly or through its parents.
    pub(super) fn slot_of(&self, session: &SessionId) -> Option<&TabSlot> {
        let mut at = Some(session);
        while let Some(session) = at {
            let is_it = |slot: &&TabSlot| match &slot.tab {
                Some(tab) => tab == session,
                None => {
                    let page = self.targets.get(&slot.page);
                    page.is_some_and(|page| page.session == *session)
                }
            };
            if let Some(slot) = self.tabs.iter().find(is_it) {
                return Some(slot);
            }
            at = self.parent(session);
        }
        None
    }

    /// The session above a session.
    pub(super) fn parent(&self, session: &SessionId) -> Option<&SessionId> {
        let mut targets = self.targets.values();
        targets
            .find(|target| target.session == *session)?
            .parent
            .as_ref()
    }

    /// Assigns a page to its tab, or to a new one. Ignores pages that nobody sees, such as prerendered ones.
    pub(super) fn shows(&mut self, target_id: &str) {
        let Some(page) = self.targets.get(target_id) else {
            return;
        };
        let tab = page.parent.clone();
        let in_tab = tab
            .as_ref()
            .is_none_or(|tab| self.tab_sessions.contains_key(tab));
        let is_known = self.tabs.iter().any(|slot| slot.page == target_id);
        if page.kind != "page" || page.prerendered || !in_tab || is_known {
            return;
        }
        let same = |slot: &&mut TabSlot| tab.is_some() && slot.tab == tab;
        if let Some(slot) = self.tabs.iter_mut().find(same) {
            target_id.clone_into(&mut slot.page);
            return;
        }
        let number = self.next_tab;
        self.tabs.push(TabSlot {
            number,
            tab,
            page: target_id.to_owned(),
        });
        self.next_tab += 1;
        self.current = Some(number);
    }

    /// Removes the tabs that `which` selects.
    pub(super) fn close(&mut self, which: impl Fn(&TabSlot) -> bool) {
        let overrides = &mut self.overrides;
        self.tabs.retain(|slot| {
            let stays = !which(slot);
            if !stays {
                overrides.tab_gone(slot.number);
            }
            stays
        });
        if self.tabs.is_empty() {
            self.emptied = Some(Instant::now());
        }
        let current = self.current;
        if !self.tabs.iter().any(|slot| Some(slot.number) == current) {
            self.current = self.tabs.last().map(|slot| slot.number);
        }
    }

    pub(super) fn tab(&self, slot: &TabSlot) -> Option<Tab> {
        let mut page = self.targets.get(&slot.page)?.clone();
        if is_blank(&page.url)
            && let Some((url, title)) = self.heading.get(&slot.page)
        {
            url.clone_into(&mut page.url);
            title.clone_into(&mut page.title);
        }
        Some(Tab {
            id: slot.id(),
            page,
        })
    }
}

/// Whether an address is that of the browser's own page about a load that failed.
pub(super) fn is_error_page(url: &str) -> bool {
    url.starts_with("chrome-error:")
}

/// Whether a page has not navigated anywhere yet.
pub(super) fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}
