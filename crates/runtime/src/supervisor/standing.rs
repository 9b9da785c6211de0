//! Commands for a tab: its page, what is and comes below that, and the pages that come after it.
//!
//! What was ordered for a purpose holds until something else is ordered for it, or the tab is gone; a
//! browser that is started again gets it from the one before. Scripts for new documents are taken back
//! then; their ids come with the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use szk_cdp::protocol::page::RemoveScriptToEvaluateOnNewDocumentParams;
use szk_cdp::{CallError, Connection, Reply, Request, SessionId};

use super::targets::Targets;
use super::{Supervisor, Tab};
use crate::stealth::Order;

/// Commands in their order.
type Orders = Vec<Request>;

/// What was ordered for one purpose.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// For the page and all that is below it.
    pub everywhere: Orders,
    /// For the page itself.
    pub page: Orders,
}

impl Wishes {
    fn of(&self, is_page: bool) -> impl Iterator<Item = &Request> {
        let own = self.page.iter().filter(move |_| is_page);
        self.everywhere.iter().chain(own)
    }
}

/// What stands in a tab, by what it is for.
pub(crate) type Stands = Vec<(&'static str, Wishes)>;

/// The answer to any command. A script for new documents ends by nothing else than being removed by its
/// id; nothing else is answered with one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Added {
    identifier: Option<String>,
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
            wishes
                .of(is_page)
                .map(move |one| (Order::wished(one), *stamp))
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
        orders: Vec<Request>,
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
        let mut replies = Vec::new();
        let (tab, within) = self.targets.in_tab_of(page);
        let known = tab.is_some();
        if let Some(tab) = tab {
            let (stamp, removed) = self.targets.standing(|standing| {
                let (stamp, before) = standing.order(tab, purpose, wishes.clone());
                (stamp, before.map(|before| standing.take(before)))
            });
            for (session, script) in removed.into_iter().flatten() {
                remove(&self.connection, &session, &script);
            }
            for (session, is_page) in within {
                for command in wishes.of(is_page) {
                    let reply = self.connection.post(Some(&session), command);
                    let awaited = self.awaited(&session, stamp, reply);
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
        stamp: Stamp,
        reply: Reply<Added>,
    ) -> tokio::task::JoinHandle<Result<(), CallError>> {
        let (connection, targets) = (self.connection.clone(), Arc::clone(&self.targets));
        let session = session.clone();
        tokio::spawn(async move {
            let answer = reply.await?;
            keep(&connection, &targets, &session, stamp, answer);
            Ok(())
        })
    }
}

/// Remembers the script that an order brought, or takes it back if nobody wants it any more.
pub(super) fn keep(
    connection: &Connection,
    targets: &Targets,
    session: &SessionId,
    stamp: Stamp,
    answer: Added,
) {
    let Some(identifier) = answer.identifier else {
        return;
    };
    let wanted = targets.standing(|standing| standing.added(session, stamp, &identifier));
    if !wanted {
        remove(connection, session, &identifier);
    }
}

fn remove(connection: &Connection, session: &SessionId, script: &str) {
    let params = RemoveScriptToEvaluateOnNewDocumentParams::new(script.to_owned());
    connection.tell(Some(session), &params);
}

#[cfg(test)]
mod tests {
    use szk_cdp::protocol::emulation::ClearGeolocationOverrideParams;
    use szk_cdp::protocol::page::EnableParams;

    use super::*;

    #[test]
    fn scripts_go_with_the_orders_that_brought_them() {
        let mut standing = Standing::default();
        let (page, frame) = (SessionId::from("page"), SessionId::from("frame"));
        let wishes = |everywhere: Orders| Wishes {
            everywhere,
            page: vec![Request::of(&ClearGeolocationOverrideParams::default())],
        };
        let (first, before) = standing.order(
            1,
            "hear",
            wishes(vec![Request::of(&EnableParams::default())]),
        );
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
