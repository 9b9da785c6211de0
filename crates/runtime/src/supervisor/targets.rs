//! What is attached: pages as numbered tabs, frames and workers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use szk_cdp::SessionId;
use szk_cdp::protocol::browser_protocol::target::TargetInfo as CdpTargetInfo;
use tokio::sync::watch;

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
    /// The session it is below of: that of a page for its cross-process frames and dedicated workers.
    pub parent: Option<SessionId>,
    /// Browser context it belongs to.
    pub browser_context: Option<String>,
    /// Target that opened it.
    pub opener: Option<String>,
}

/// A page as people and agents name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// `t1`, `t2`, …; never reused in a session.
    pub id: String,
    /// The page behind it.
    pub page: TargetInfo,
}

#[derive(Debug, Default)]
struct State {
    targets: HashMap<String, TargetInfo>,
    /// Tab numbers of pages, in the order of opening.
    tabs: Vec<(u32, String)>,
    next_tab: u32,
    /// The page that was opened or used last.
    current: Option<String>,
    /// Where blank tabs are on their way to: address and title.
    heading: HashMap<String, (String, String)>,
    /// What everything below a page gets besides, by the page's session.
    standing: HashMap<SessionId, Vec<(&'static str, Value)>>,
    /// Targets whose set-up was refused, with the reason.
    trouble: HashMap<String, String>,
}

/// The registry; written by the actor, read by everybody.
#[derive(Debug)]
pub(super) struct Targets {
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
    /// Grows with every change.
    changes: watch::Sender<u64>,
}

impl Targets {
    pub(super) fn starting_at(first_tab: u32) -> Self {
        Self {
            state: Mutex::new(State {
                next_tab: first_tab,
                ..State::default()
            }),
            changes: watch::Sender::new(0),
        }
    }

    pub(super) fn attached(
        &self,
        info: &CdpTargetInfo,
        session: SessionId,
        parent: Option<SessionId>,
    ) {
        let target_id = info.target_id.inner().clone();
        let target = TargetInfo {
            target_id: target_id.clone(),
            kind: info.r#type.clone(),
            url: info.url.clone(),
            title: info.title.clone(),
            session,
            parent: parent.clone(),
            browser_context: info
                .browser_context_id
                .as_ref()
                .map(|context| context.inner().clone()),
            opener: info.opener_id.as_ref().map(|opener| opener.inner().clone()),
        };
        self.change(|state| {
            let is_tab = parent.is_none() && target.kind == "page";
            if is_tab && !state.tabs.iter().any(|(_, known)| *known == target_id) {
                state.tabs.push((state.next_tab, target_id.clone()));
                state.next_tab += 1;
                state.current = Some(target_id.clone());
            }
            state.targets.insert(target_id, target);
        });
    }

    /// Forgets a session; answers which target it was, if it was the one known.
    pub(super) fn detached(&self, session: &str) -> Option<String> {
        let mut gone = None;
        self.change(|state| {
            gone = state
                .targets
                .values()
                .find(|target| target.session.as_str() == session)
                .map(|target| target.target_id.clone());
            if let Some(target_id) = &gone {
                state.targets.remove(target_id);
                state.standing.remove(session);
                state.trouble.remove(target_id);
                state.heading.remove(target_id);
                state.tabs.retain(|(_, tab)| tab != target_id);
                if state.current.as_ref() == Some(target_id) {
                    state.current = state.tabs.last().map(|(_, tab)| tab.clone());
                }
            }
        });
        gone
    }

    pub(super) fn changed(&self, target_id: &str, url: &str, title: &str) {
        self.change(|state| {
            if !is_blank(url) {
                state.heading.remove(target_id);
            }
            if let Some(target) = state.targets.get_mut(target_id) {
                url.clone_into(&mut target.url);
                title.clone_into(&mut target.title);
            }
        });
    }

    /// A blank tab is sent somewhere: until it is there it is shown as if it were.
    pub(super) fn heads_for(&self, target_id: &str, url: &str, title: &str) {
        self.change(|state| {
            let place = (url.to_owned(), title.to_owned());
            state.heading.insert(target_id.to_owned(), place);
        });
    }

    pub(super) fn in_trouble(&self, target_id: &str, reason: String) {
        self.change(|state| {
            state.trouble.insert(target_id.to_owned(), reason);
        });
    }

    pub(super) fn trouble(&self, target_id: &str) -> Option<String> {
        self.read().trouble.get(target_id).cloned()
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

    /// What everything below a page gets besides from now on.
    pub(super) fn stand(&self, page: &SessionId, orders: Vec<(&'static str, Value)>) {
        self.read().standing.insert(page.clone(), orders);
    }

    /// What a target gets that is attached below this session.
    pub(super) fn standing(&self, parent: Option<&SessionId>) -> Vec<(&'static str, Value)> {
        let state = self.read();
        let mut parent = parent;
        while let Some(above) = parent {
            if let Some(orders) = state.standing.get(above) {
                return orders.clone();
            }
            parent = state.parent(above);
        }
        Vec::new()
    }

    pub(super) fn all(&self) -> Vec<TargetInfo> {
        self.read().targets.values().cloned().collect()
    }

    pub(super) fn session(&self, target_id: &str) -> Option<SessionId> {
        self.read()
            .targets
            .get(target_id)
            .map(|target| target.session.clone())
    }

    /// The first page there is, now or later.
    pub(super) async fn first_page(&self) -> String {
        let mut changes = self.changes.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some((_, target_id)) = self.read().tabs.first() {
                return target_id.clone();
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
            .filter_map(|(number, target_id)| state.tab(*number, target_id))
            .collect()
    }

    pub(super) fn current(&self) -> Option<Tab> {
        let state = self.read();
        let current = state.current.as_ref()?;
        let (number, target_id) = state.tabs.iter().find(|(_, tab)| tab == current)?;
        state.tab(*number, target_id)
    }

    pub(super) fn use_tab(&self, target_id: &str) {
        self.read().current = Some(target_id.to_owned());
    }

    pub(super) fn next_tab(&self) -> u32 {
        self.read().next_tab
    }

    /// Told of every change; the number means nothing.
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

impl State {
    /// The session above a session.
    fn parent(&self, session: &SessionId) -> Option<&SessionId> {
        let mut targets = self.targets.values();
        targets
            .find(|target| target.session == *session)?
            .parent
            .as_ref()
    }

    fn tab(&self, number: u32, target_id: &str) -> Option<Tab> {
        let mut page = self.targets.get(target_id)?.clone();
        if is_blank(&page.url)
            && let Some((url, title)) = self.heading.get(target_id)
        {
            url.clone_into(&mut page.url);
            title.clone_into(&mut page.title);
        }
        Some(Tab {
            id: format!("t{number}"),
            page,
        })
    }
}

/// Whether a page is nowhere yet.
fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}
