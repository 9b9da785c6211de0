//! The attached targets: pages as numbered tabs, frames and workers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use szk_cdp::SessionId;
use tokio::sync::watch;

use super::client_contexts::ClientContexts;
use super::load_failures::Unreachable;
use super::state::{State, TabSlot, is_blank, is_error_page};
use super::tab_overrides::{OverrideStore, OverridesByPurpose, Revision};
use super::target_events::Info;
use super::titles;
use crate::stealth::TargetCommand;

/// A target that the supervisor is attached to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetInfo {
    /// CDP target id.
    pub target_id: String,
    /// `page`, `iframe`, `worker`, `service_worker`, …
    pub kind: String,
    /// URL of its document or script.
    pub url: String,
    /// Title of its document.
    pub title: String,
    /// Our session with it.
    pub session: SessionId,
    /// Browser context it belongs to.
    pub browser_context: Option<String>,
    /// Target that opened it.
    pub opener: Option<String>,
    /// Session of the target that contains it; `None` for those of the whole browser.
    pub parent: Option<SessionId>,
    /// A page that is not visible: its tab may navigate to it, and shows another one until then.
    pub prerendered: bool,
}

/// A page as people and agents name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// `t1`, `t2`, …; never reused in a session.
    pub id: String,
    /// The page behind it.
    pub page: TargetInfo,
}

/// A target whose setup failed and that was closed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedTarget {
    /// CDP target id.
    pub target_id: String,
    /// Which command it refused, what kind of target it is, and why.
    pub reason: String,
}

/// Number of failed targets to keep; later ones only go to the log.
const MOST_TROUBLES: usize = 50;

/// The registry of targets; the actor writes it, everyone reads it.
#[derive(Debug)]
pub(super) struct Targets {
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
    /// Grows with every change.
    changes: watch::Sender<u64>,
    /// Targets that refused their setup, with the reason, oldest first.
    troubles: watch::Sender<Vec<FailedTarget>>,
}

impl Targets {
    pub(super) fn starting_at(first_tab: u32) -> Self {
        Self {
            state: Mutex::new(State {
                next_tab: first_tab,
                ..State::default()
            }),
            changes: watch::Sender::new(0),
            troubles: watch::Sender::default(),
        }
    }

    pub(super) fn attached(&self, info: &Info, session: SessionId, parent: Option<&SessionId>) {
        let target_id = info.target_id.clone();
        let target = TargetInfo {
            target_id: target_id.clone(),
            kind: info.r#type.clone(),
            url: info.url.clone(),
            title: titles::title(info).to_owned(),
            session,
            browser_context: info.browser_context_id.clone(),
            opener: info.opener_id.clone(),
            parent: parent.cloned(),
            prerendered: info.is_prerendered(),
        };
        self.change(|state| {
            state.targets.insert(target_id.clone(), target);
            state.shows(&target_id);
        });
    }

    /// Records a tab, which pages will come into.
    pub(super) fn tab_attached(&self, session: SessionId, target_id: &str) {
        let target_id = target_id.to_owned();
        self.read().tab_sessions.insert(session, target_id);
    }

    /// Pages with Chromium's own tabs around them, in the order of tabs, the current one first.
    pub(super) fn tab_order(&self) -> Vec<String> {
        let state = self.read();
        let mut slots: Vec<_> = state.tabs.iter().collect();
        slots.sort_by_key(|slot| Some(slot.number) != state.current);
        let ids = slots.into_iter().flat_map(|slot| {
            let around = slot
                .tab
                .as_ref()
                .and_then(|tab| state.tab_sessions.get(tab));
            [Some(&slot.page), around]
        });
        ids.flatten().cloned().collect()
    }

    /// The target id of Chromium's own tab around a page.
    pub(super) fn tab_target(&self, page: &str) -> Option<String> {
        let state = self.read();
        let tab = state.targets.get(page)?.parent.as_ref()?;
        state.tab_sessions.get(tab).cloned()
    }

    /// Forgets a session; returns its target, if that was the known one.
    pub(super) fn detached(&self, session: &str) -> Option<TargetInfo> {
        let mut gone = None;
        self.change(|state| {
            let session = SessionId::from(session);
            if state.tab_sessions.remove(&session).is_some() {
                state.close(|slot| slot.tab.as_ref() == Some(&session));
            }
            let mut known = state.targets.values();
            let target = known.find(|target| target.session == session);
            let target_id = target.map(|target| target.target_id.clone());
            if let Some(target_id) = target_id {
                gone = state.targets.remove(&target_id);
                state.overrides.session_gone(&session);
                state.heading.remove(&target_id);
                state.unreachable.remove(&target_id);
                state.crashed.remove(&target_id);
                // Chromium's tab may be about to show another page.
                state.close(|slot| slot.tab.is_none() && slot.page == target_id);
            }
        });
        gone
    }

    /// Records that the process of a page has died, or that there is a new one.
    pub(super) fn crashed(&self, target_id: &str, is_dead: bool) {
        if self.has_crashed(target_id) != is_dead {
            self.change(|state| {
                match is_dead {
                    true => state.crashed.insert(target_id.to_owned()),
                    false => state.crashed.remove(target_id),
                };
            });
        }
    }

    /// The target of a session.
    pub(super) fn target_of(&self, session: &SessionId) -> Option<String> {
        let state = self.read();
        let mut targets = state.targets.values();
        let target = targets.find(|target| target.session == *session)?;
        Some(target.target_id.clone())
    }

    pub(super) fn has_crashed(&self, target_id: &str) -> bool {
        self.read().crashed.contains(target_id)
    }

    /// What a page could not load.
    pub(super) fn unreachable(&self, target_id: &str) -> Option<Unreachable> {
        self.read().unreachable.get(target_id).cloned()
    }

    /// When the last tab closed, if none is open.
    pub(super) fn emptied(&self) -> Option<Instant> {
        let state = self.read();
        state.emptied.filter(|_| state.tabs.is_empty())
    }

    pub(super) fn changed(&self, info: &Info) {
        let target_id = info.target_id.as_str();
        self.seen(target_id, &info.url, titles::title(info));
        self.change(|state| {
            if let Some(target) = state.targets.get_mut(target_id) {
                target.prerendered = info.is_prerendered();
                state.shows(target_id);
            }
        });
    }

    /// Records a page's address and title.
    pub(super) fn seen(&self, target_id: &str, url: &str, title: &str) {
        self.change(|state| {
            if !is_blank(url) {
                state.heading.remove(target_id);
            }
            let meant = state.unreachable.get(target_id);
            let meant = meant.filter(|_| is_error_page(url)).cloned();
            let url = meant.as_ref().map_or(url, |meant| &meant.url);
            if let Some(target) = state.targets.get_mut(target_id) {
                url.clone_into(&mut target.url);
                title.clone_into(&mut target.title);
            }
        });
    }

    /// A page has a new document: the browser's own if an address was unreachable.
    pub(super) fn arrived(&self, target_id: &str, unreachable: Option<Unreachable>) {
        let Some(unreachable) = unreachable else {
            self.read().unreachable.remove(target_id);
            return;
        };
        self.change(|state| {
            let target = state.targets.get_mut(target_id);
            if let Some(target) = target.filter(|target| is_error_page(&target.url)) {
                target.url.clone_from(&unreachable.url);
            }
            let target_id = target_id.to_owned();
            state.unreachable.insert(target_id, unreachable);
        });
    }

    /// Records the titles of pages that are where we know them to be; others are navigating, and
    /// reported soon.
    pub(super) fn titled(&self, told: &[Info]) {
        let mut changed = false;
        let mut state = self.read();
        for info in told {
            let target = state.targets.get_mut(&info.target_id);
            if let Some(target) = target.filter(|target| target.url == info.url) {
                let title = titles::title(info);
                changed |= target.title != title;
                title.clone_into(&mut target.title);
            }
        }
        drop(state);
        if changed {
            self.changes.send_modify(|count| *count += 1);
        }
    }

    /// Records that a blank tab is being navigated: until it arrives, it is shown with this address and
    /// title.
    pub(super) fn heads_for(&self, target_id: &str, url: &str, title: &str) {
        self.change(|state| {
            let slot = (url.to_owned(), title.to_owned());
            state.heading.insert(target_id.to_owned(), slot);
        });
    }

    pub(super) fn in_trouble(&self, target_id: &str, reason: String) {
        let target_id = target_id.to_owned();
        self.troubles.send_modify(|troubles| {
            // The first ones explain all the others.
            if troubles.len() < MOST_TROUBLES {
                troubles.push(FailedTarget { target_id, reason });
            }
        });
    }

    pub(super) fn trouble(&self, target_id: &str) -> Option<String> {
        let troubles = self.troubles.borrow();
        let found = troubles.iter().find(|of| of.target_id == target_id);
        found.map(|trouble| trouble.reason.clone())
    }

    /// Notified of every target whose setup failed.
    pub(super) fn troubles(&self) -> watch::Receiver<Vec<FailedTarget>> {
        self.troubles.subscribe()
    }

    /// The outermost target that contains this one, possibly itself.
    pub(super) fn outermost(&self, target_id: &str) -> String {
        let state = self.read();
        let mut outermost = target_id;
        while let Some(parent) = state
            .targets
            .get(outermost)
            .and_then(|of| of.parent.as_ref())
            && let Some((owner, _)) = state.targets.iter().find(|(_, of)| of.session == *parent)
        {
            outermost = owner;
        }
        outermost.to_owned()
    }

    /// Everything below a session, at any depth.
    pub(super) fn below(&self, session: &SessionId) -> Vec<TargetInfo> {
        let state = self.read();
        let is_below = |target: &&TargetInfo| {
            let mut parent = target.parent.as_ref();
            while let Some(above) = parent {
                if above == session {
                    return true;
                }
                parent = state.parent(above);
            }
            false
        };
        state.targets.values().filter(is_below).cloned().collect()
    }

    /// Gives access to the overrides of all tabs.
    pub(super) fn overrides<T>(&self, work: impl FnOnce(&mut OverrideStore) -> T) -> T {
        work(&mut self.read().overrides)
    }

    /// Gives access to what is left to clients in browser contexts of their own.
    pub(super) fn client_contexts<T>(&self, work: impl FnOnce(&mut ClientContexts) -> T) -> T {
        work(&mut self.read().client_contexts)
    }

    /// Whether the supervisor sends this emulation to a session. False in a context where it leaves that to
    /// a client.
    pub(super) fn orders_in(&self, session: &SessionId, method: &str) -> bool {
        let state = self.read();
        let mut targets = state.targets.values();
        let target = targets.find(|target| target.session == *session);
        let context = target.and_then(|target| target.browser_context.as_deref());
        state.client_contexts.emulates(context, method)
    }

    /// The overrides for a target that is attached below this session: a page that its tab shows now, or
    /// something in a page.
    pub(super) fn overrides_below(
        &self,
        parent: Option<&SessionId>,
    ) -> Vec<(TargetCommand, Revision)> {
        let state = self.read();
        let Some(parent) = parent else {
            return Vec::new();
        };
        let slot = state.slot_of(parent);
        let is_page = state.tab_sessions.contains_key(parent);
        slot.map_or_else(Vec::new, |slot| state.overrides.of(slot.number, is_page))
    }

    /// Everything in the tab that this session is in, with whether it is a page, and the tab's number.
    pub(super) fn in_tab_of(&self, session: &SessionId) -> (Option<u32>, Vec<(SessionId, bool)>) {
        let state = self.read();
        let Some(slot) = state.slot_of(session) else {
            return (None, Vec::new());
        };
        let number = slot.number;
        let all = state.targets.values().filter_map(|target| {
            let slot = state.slot_of(&target.session)?;
            (slot.number == number).then(|| (target.session.clone(), target.kind == "page"))
        });
        (Some(number), all.collect())
    }

    /// The tab that a session is in, even if the tab is not visible yet.
    pub(super) fn tab_of(&self, session: &SessionId) -> Option<String> {
        let state = self.read();
        state.slot_of(session).map(TabSlot::id)
    }

    /// Whether there is such a tab, whichever page it shows.
    pub(super) fn has_tab(&self, id: &str) -> bool {
        self.read().tabs.iter().any(|slot| slot.id() == id)
    }

    /// Whether a tab has this id, even if its page has just gone.
    pub(super) fn is_taken(&self, id: &str) -> bool {
        self.read().tabs.iter().any(|place| place.id() == id)
    }

    /// Gives a tab the number that it had in the previous browser.
    pub(super) fn renumber(&self, target_id: &str, id: &str) -> bool {
        let mut renumbered = false;
        self.change(|state| {
            let number = id.strip_prefix('t').and_then(|number| number.parse().ok());
            let taken = state.tabs.iter().any(|slot| Some(slot.number) == number);
            let slot = state.tabs.iter_mut().find(|slot| slot.page == target_id);
            let (Some(number), Some(slot), false) = (number, slot, taken) else {
                return;
            };
            if state.current == Some(slot.number) {
                state.current = Some(number);
            }
            slot.number = number;
            state.next_tab = state.next_tab.max(number.saturating_add(1));
            renumbered = true;
        });
        renumbered
    }

    /// The overrides of each tab, by tab id.
    pub(super) fn all_overrides(&self) -> HashMap<String, OverridesByPurpose> {
        let state = self.read();
        let tabs = state.tabs.iter();
        tabs.map(|slot| (slot.id(), state.overrides.all(slot.number)))
            .collect()
    }

    pub(super) fn all(&self) -> Vec<TargetInfo> {
        self.read().targets.values().cloned().collect()
    }

    /// Whether a page that another one opened has had no document yet.
    pub(super) fn is_blank_popup(&self, target_id: &str) -> bool {
        let state = self.read();
        state.targets.get(target_id).is_some_and(|target| {
            target.opener.is_some() && matches!(&*target.url, "" | "about:blank")
        })
    }

    pub(super) fn session(&self, target_id: &str) -> Option<SessionId> {
        self.read()
            .targets
            .get(target_id)
            .map(|target| target.session.clone())
    }

    /// The first page, now or as soon as there is one.
    pub(super) async fn first_page(&self) -> String {
        let mut changes = self.changes.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(slot) = self.read().tabs.first() {
                return slot.page.clone();
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(super) fn tabs(&self) -> Vec<Tab> {
        let state = self.read();
        state
            .tabs
            .iter()
            .filter_map(|slot| state.tab(slot))
            .collect()
    }

    pub(super) fn current(&self) -> Option<Tab> {
        let state = self.read();
        let current = state.current?;
        let slot = state.tabs.iter().find(|slot| slot.number == current)?;
        state.tab(slot)
    }

    pub(super) fn use_tab(&self, target_id: &str) {
        let mut state = self.read();
        let tab = state.tabs.iter().find(|slot| slot.page == target_id);
        if let Some(number) = tab.map(|slot| slot.number) {
            state.current = Some(number);
        }
    }

    pub(super) fn next_tab(&self) -> u32 {
        self.read().next_tab
    }

    /// Notified of every change; the number has no meaning.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn read(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.read());
        self.changes.send_modify(|count| *count += 1);
    }
}
