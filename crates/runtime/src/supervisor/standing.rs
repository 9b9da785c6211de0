//! Commands for a tab: its page, what is and comes below that, and the pages that come after it.
//!
//! What was ordered for a purpose holds until something else is ordered for it, or the tab is gone; a
//! browser that is started again gets it from the one before. Scripts for new documents are taken back
//! then; their ids come with the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use szk_cdp::{CallError, Connection, Reply, SessionId, raw};

use super::targets::Targets;
use super::{Supervisor, Tab};
use crate::stealth::Order;

/// The command whose effect has an id.
const ADD: &str = "Page.addScriptToEvaluateOnNewDocument";
const REMOVE: &str = "Page.removeScriptToEvaluateOnNewDocument";

/// Commands and their parameters, in their order.
type Orders = Vec<(&'static str, Value)>;

/// What was ordered for one purpose.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// For the page and all that is below it.
    pub everywhere: Orders,
    /// For the page itself.
    pub page: Orders,
}

impl Wishes {
    fn of(&self, is_page: bool) -> impl Iterator<Item = &(&'static str, Value)> {
        let own = self.page.iter().filter(move |_| is_page);
        self.everywhere.iter().chain(own)
    }
}

/// What stands in a tab, by what it is for.
pub(crate) type Stands = Vec<(&'static str, Wishes)>;

/// The answer to a command that ends by nothing else than being forgotten.
#[derive(Deserialize)]
struct Added {
    identifier: String,
}

/// One time of ordering; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(u64);

/// What was ordered, and the scripts that came of it.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// By the tab's number and by what it is for.
    tabs: HashMap<u32, BTreeMap<&'static str, (Stamp, Wishes)>>,
    /// In each session.
    scripts: HashMap<SessionId, Vec<(Stamp, String)>>,
    last: u64,
}

impl Standing {
    /// Orders for a tab from now on; the stamp of it, and that of what was ordered before.
    fn order(&mut self, tab: u32, purpose: &'static str, wishes: Wishes) -> (Stamp, Option<Stamp>) {
        self.last += 1;
        let stamp = Stamp(self.last);
        let purposes = self.tabs.entry(tab).or_default();
        let before = purposes.insert(purpose, (stamp, wishes));
        (stamp, before.map(|(stamp, _)| stamp))
    }

    /// What is ordered for something in this tab.
    pub(super) fn of(&self, tab: u32, is_page: bool) -> Vec<(Order, Stamp)> {
        let purposes = self.tabs.get(&tab).into_iter().flat_map(BTreeMap::values);
        let all = purposes.flat_map(|(stamp, wishes)| {
            let order = |(method, params): &(&'static str, Value)| Order::wished(method, params);
            wishes.of(is_page).map(move |one| (order(one), *stamp))
        });
        all.collect()
    }

    /// All that is ordered for this tab.
    pub(super) fn all(&self, tab: u32) -> Stands {
        let purposes = self.tabs.get(&tab).into_iter().flatten();
        purposes
            .map(|(purpose, (_, wishes))| (*purpose, wishes.clone()))
            .collect()
    }

    /// A script is in place; whether it is still wanted.
    fn added(&mut self, session: &SessionId, stamp: Stamp, script: &str) -> bool {
        let mut all = self.tabs.values().flat_map(BTreeMap::values);
        let wanted = all.any(|(of, _)| *of == stamp);
        if wanted {
            let scripts = self.scripts.entry(session.clone()).or_default();
            scripts.push((stamp, script.to_owned()));
        }
        wanted
    }

    /// The scripts that came of these orders.
    fn take(&mut self, stamp: Stamp) -> Vec<(SessionId, String)> {
        let mut taken = Vec::new();
        for (session, scripts) in &mut self.scripts {
            let gone = scripts.extract_if(.., |(of, _)| *of == stamp);
            taken.extend(gone.map(|(_, script)| (session.clone(), script)));
        }
        taken
    }

    pub(super) fn session_gone(&mut self, session: &SessionId) {
        self.scripts.remove(session);
    }

    pub(super) fn tab_gone(&mut self, tab: u32) {
        self.tabs.remove(&tab);
    }
}

impl Supervisor {
    /// Gives the tab of this page these commands, in this order: the page, all that is and comes below
    /// it, and pages that come into the tab after it. Whoever cannot take one does without it. What was
    /// ordered for the same purpose before is ordered no more, and its scripts for new documents are
    /// removed. All is written when this returns.
    ///
    /// # Errors
    /// [`CallError`] when the page itself refuses, or is gone.
    pub fn stand(
        &self,
        page: &SessionId,
        purpose: &'static str,
        orders: Vec<(&'static str, Value)>,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let wishes = Wishes {
            everywhere: orders,
            page: Vec::new(),
        };
        self.stand_for(page, purpose, wishes)
    }

    /// The same with commands that only pages get.
    ///
    /// # Errors
    /// [`CallError`] when the page itself refuses, or is gone.
    pub fn stand_for(
        &self,
        page: &SessionId,
        purpose: &'static str,
        wishes: Wishes,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let post = |session: &SessionId, method, params: &Value| {
            self.connection
                .post_raw(Some(session), method, Some(raw(params)))
        };
        let mut replies = Vec::new();
        let (tab, within) = self.targets.in_tab_of(page);
        let known = tab.is_some();
        if let Some(tab) = tab {
            let (stamp, removed) = self.targets.standing(|standing| {
                let (stamp, before) = standing.order(tab, purpose, wishes.clone());
                (stamp, before.map(|before| standing.take(before)))
            });
            for (session, script) in removed.into_iter().flatten() {
                drop(post(&session, REMOVE, &json!({"identifier": script})));
            }
            for (session, is_page) in within {
                for (method, params) in wishes.of(is_page) {
                    let reply = post(&session, method, params);
                    let awaited = self.awaited(&session, method, stamp, reply);
                    if session == *page {
                        replies.push(awaited);
                    }
                }
            }
        }
        async move {
            if !known {
                return Err(CallError::SessionGone);
            }
            for reply in replies {
                // Err: only at the end of the program.
                reply.await.unwrap_or(Err(CallError::SessionGone))?;
            }
            Ok(())
        }
    }

    /// What stands in each tab, for the browser that comes after this one.
    pub(crate) fn stands(&self) -> HashMap<String, Stands> {
        self.targets.all_standing()
    }

    /// Makes a tab one of the browser before: its number, and what stood in it.
    pub(crate) async fn continues(
        &self,
        tab: Tab,
        id: &str,
        stands: &[(&'static str, Wishes)],
    ) -> Tab {
        if !self.targets.renumber(&tab.page.target_id, id) {
            return tab;
        }
        for (purpose, wishes) in stands {
            let stood = self.stand_for(&tab.page.session, purpose, wishes.clone());
            if let Err(error) = stood.await {
                tracing::warn!(%error, purpose, "does not stand in a tab that is opened again");
            }
        }
        Tab {
            id: id.to_owned(),
            ..tab
        }
    }

    /// Waits for an answer whether or not somebody else does: what it says is needed later.
    fn awaited(
        &self,
        session: &SessionId,
        method: &'static str,
        stamp: Stamp,
        reply: Reply<Box<RawValue>>,
    ) -> tokio::task::JoinHandle<Result<(), CallError>> {
        let (connection, targets) = (self.connection.clone(), Arc::clone(&self.targets));
        let session = session.clone();
        tokio::spawn(async move {
            let answer = reply.await?;
            keep(&connection, &targets, &session, method, stamp, &answer);
            Ok(())
        })
    }
}

/// Remembers the script that an order brought, or takes it back if nobody wants it any more.
pub(super) fn keep(
    connection: &Connection,
    targets: &Targets,
    session: &SessionId,
    method: &str,
    stamp: Stamp,
    answer: &RawValue,
) {
    if method != ADD {
        return;
    }
    let Ok(Added { identifier }) = serde_json::from_str(answer.get()) else {
        return;
    };
    let wanted = targets.standing(|standing| standing.added(session, stamp, &identifier));
    if !wanted {
        let params = raw(&json!({"identifier": identifier}));
        drop(connection.post_raw(Some(session), REMOVE, Some(params)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_go_with_the_orders_that_brought_them() {
        let mut standing = Standing::default();
        let (page, frame) = (SessionId::from("page"), SessionId::from("frame"));
        let wishes = |everywhere: Orders| Wishes {
            everywhere,
            page: vec![("Emulation.clearGeolocationOverride", json!({}))],
        };
        let (first, before) = standing.order(1, "hear", wishes(vec![(ADD, json!({}))]));
        assert_eq!(before, None);
        let counted = |standing: &Standing| [true, false].map(|page| standing.of(1, page).len());
        assert_eq!(counted(&standing), [2, 1]);
        assert!(standing.of(2, true).is_empty());
        assert!(standing.added(&page, first, "1"));
        assert!(standing.added(&frame, first, "7"));
        let (other, _) = standing.order(1, "other", Wishes::default());
        assert!(standing.added(&page, other, "2"));
        let (_, before) = standing.order(1, "hear", Wishes::default());
        assert_eq!(before, Some(first));
        let mut taken = standing.take(first);
        taken.sort_by(|one, two| one.1.cmp(&two.1));
        assert_eq!(
            taken,
            [(page.clone(), "1".into()), (frame.clone(), "7".into())]
        );
        // An answer that comes too late.
        assert!(!standing.added(&frame, first, "8"));
        standing.session_gone(&page);
        assert!(standing.take(other).is_empty());
        standing.tab_gone(1);
        assert!(standing.all(1).is_empty());
    }
}
