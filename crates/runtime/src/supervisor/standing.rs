//! Commands for a page and all that is and comes below it.
//!
//! What was ordered for a purpose holds until something else is ordered for it, or the page is gone.
//! Scripts for new documents are taken back then; their ids come with the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use szk_cdp::{CallError, Connection, Reply, SessionId};

use super::Supervisor;
use super::targets::Targets;
use crate::stealth::{Order, raw};

/// The command whose effect has an id.
const ADD: &str = "Page.addScriptToEvaluateOnNewDocument";
const REMOVE: &str = "Page.removeScriptToEvaluateOnNewDocument";

/// Commands and their parameters, in their order.
type Orders = Vec<(&'static str, Value)>;

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
    /// By the page's session and by what it is for.
    pages: HashMap<SessionId, BTreeMap<&'static str, (Stamp, Orders)>>,
    /// In each session.
    scripts: HashMap<SessionId, Vec<(Stamp, String)>>,
    last: u64,
}

impl Standing {
    /// Orders for a page from now on; the stamp of it, and that of what was ordered before.
    fn order(
        &mut self,
        page: &SessionId,
        purpose: &'static str,
        orders: Orders,
    ) -> (Stamp, Option<Stamp>) {
        self.last += 1;
        let stamp = Stamp(self.last);
        let purposes = self.pages.entry(page.clone()).or_default();
        let before = purposes.insert(purpose, (stamp, orders));
        (stamp, before.map(|(stamp, _)| stamp))
    }

    /// What is ordered for the page of this session; `None` if that is no page with orders.
    pub(super) fn of(&self, page: &SessionId) -> Option<Vec<(Order, Stamp)>> {
        let purposes = self.pages.get(page)?.values();
        let all = purposes.flat_map(|(stamp, orders)| {
            let order = |(method, params): &(&'static str, Value)| Order::wished(method, params);
            orders.iter().map(move |one| (order(one), *stamp))
        });
        Some(all.collect())
    }

    /// A script is in place; whether it is still wanted.
    fn added(&mut self, session: &SessionId, stamp: Stamp, script: &str) -> bool {
        let mut all = self.pages.values().flat_map(BTreeMap::values);
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

    pub(super) fn gone(&mut self, session: &SessionId) {
        self.pages.remove(session);
        self.scripts.remove(session);
    }
}

impl Supervisor {
    /// Gives a page and all that is and comes below it these commands, in this order; whoever cannot
    /// take one does without it. What was ordered for the same purpose before is ordered no more, and
    /// its scripts for new documents are removed. All is written when this returns.
    ///
    /// # Errors
    /// [`CallError`] when the page itself refuses.
    pub fn stand(
        &self,
        page: &SessionId,
        purpose: &'static str,
        orders: Vec<(&'static str, Value)>,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let post = |session: &SessionId, method, params: &Value| {
            self.connection
                .post_raw(Some(session), method, Some(raw(params)))
        };
        let below = self.targets.below(page);
        let (stamp, removed) = self.targets.standing(|standing| {
            let (stamp, before) = standing.order(page, purpose, orders.clone());
            (stamp, before.map(|before| standing.take(before)))
        });
        for (session, script) in removed.into_iter().flatten() {
            drop(post(&session, REMOVE, &json!({"identifier": script})));
        }
        let mut replies = Vec::new();
        for (method, params) in &orders {
            for target in &below {
                let reply = post(&target.session, method, params);
                drop(self.awaited(&target.session, method, stamp, reply));
            }
            replies.push(self.awaited(page, method, stamp, post(page, method, params)));
        }
        async move {
            for reply in replies {
                // Err: only at the end of the program.
                reply.await.unwrap_or(Err(CallError::SessionGone))?;
            }
            Ok(())
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
        let (first, before) = standing.order(&page, "hear", vec![(ADD, json!({}))]);
        assert_eq!(before, None);
        assert_eq!(standing.of(&page).unwrap().len(), 1);
        assert!(standing.of(&frame).is_none());
        assert!(standing.added(&page, first, "1"));
        assert!(standing.added(&frame, first, "7"));
        let (other, _) = standing.order(&page, "other", Vec::new());
        assert!(standing.added(&page, other, "2"));
        let (_, before) = standing.order(&page, "hear", Vec::new());
        assert_eq!(before, Some(first));
        let mut taken = standing.take(first);
        taken.sort_by(|one, two| one.1.cmp(&two.1));
        assert_eq!(
            taken,
            [(page.clone(), "1".into()), (frame.clone(), "7".into())]
        );
        // An answer that comes too late.
        assert!(!standing.added(&frame, first, "8"));
        standing.gone(&page);
        assert!(standing.take(other).is_empty());
        assert!(standing.of(&page).is_none());
    }
}
