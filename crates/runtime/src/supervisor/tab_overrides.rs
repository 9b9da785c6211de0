//! Overrides of a tab: commands for its page, for everything below that page, and for every page that the
//! tab shows later.
//!
//! Overrides are kept by purpose. They hold until others are set for the same purpose or the tab closes,
//! and a restarted browser takes them over from the one before. Replacing them removes the scripts that
//! they added to new documents; Chromium names those scripts in its answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use szk_cdp::protocol::page::RemoveScriptToEvaluateOnNewDocumentParams;
use szk_cdp::{CallError, Connection, Reply, Request, SessionId};

use super::targets::Targets;
use super::{Supervisor, Tab};
use crate::stealth::TargetCommand;

/// Commands in the order in which they are sent.
type Orders = Vec<Request>;

/// The overrides of a tab for one purpose.
#[derive(Debug, Clone, Default)]
pub struct TabOverrides {
    /// For the page and everything below it.
    pub everywhere: Orders,
    /// For the page alone.
    pub page: Orders,
}

impl TabOverrides {
    fn of(&self, is_page: bool) -> impl Iterator<Item = &Request> {
        let own = self.page.iter().filter(move |_| is_page);
        self.everywhere.iter().chain(own)
    }
}

/// A tab's overrides by purpose.
pub(crate) type OverridesByPurpose = Vec<(&'static str, TabOverrides)>;

/// The answer to any command. Only the one that adds a script to new documents answers with an id, which
/// removing the script needs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Added {
    identifier: Option<String>,
}

/// Numbers each call that sets overrides; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Revision(u64);

/// The overrides of all tabs, and the scripts that they added.
#[derive(Debug, Default)]
pub(super) struct OverrideStore {
    /// By tab number and purpose.
    tabs: HashMap<u32, BTreeMap<&'static str, (Revision, TabOverrides)>>,
    /// The scripts added in each session.
    scripts: HashMap<SessionId, Vec<(Revision, String)>>,
    last: u64,
}

impl OverrideStore {
    /// Sets a tab's overrides for a purpose. Returns their revision and that of the ones they replace.
    fn set(
        &mut self,
        tab: u32,
        purpose: &'static str,
        overrides: TabOverrides,
    ) -> (Revision, Option<Revision>) {
        self.last += 1;
        let revision = Revision(self.last);
        let purposes = self.tabs.entry(tab).or_default();
        let before = purposes.insert(purpose, (revision, overrides));
        (revision, before.map(|(revision, _)| revision))
    }

    /// The commands for a page of this tab, or for something below one.
    pub(super) fn of(&self, tab: u32, is_page: bool) -> Vec<(TargetCommand, Revision)> {
        let purposes = self.tabs.get(&tab).into_iter().flat_map(BTreeMap::values);
        let all = purposes.flat_map(|(revision, overrides)| {
            overrides
                .of(is_page)
                .map(move |one| (TargetCommand::wished(one), *revision))
        });
        all.collect()
    }

    /// All overrides of this tab.
    pub(super) fn all(&self, tab: u32) -> OverridesByPurpose {
        let purposes = self.tabs.get(&tab).into_iter().flatten();
        purposes
            .map(|(purpose, (_, overrides))| (*purpose, overrides.clone()))
            .collect()
    }

    /// Records a script that Chromium has added. False if its overrides have been replaced meanwhile.
    fn added(&mut self, session: &SessionId, revision: Revision, script: &str) -> bool {
        let mut all = self.tabs.values().flat_map(BTreeMap::values);
        let wanted = all.any(|(of, _)| *of == revision);
        if wanted {
            let scripts = self.scripts.entry(session.clone()).or_default();
            scripts.push((revision, script.to_owned()));
        }
        wanted
    }

    /// Forgets the scripts of a revision and returns them.
    fn take(&mut self, revision: Revision) -> Vec<(SessionId, String)> {
        let mut taken = Vec::new();
        for (session, scripts) in &mut self.scripts {
            let gone = scripts.extract_if(.., |(of, _)| *of == revision);
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
    /// Sends these commands, in this order, to a page, to everything below it now or later, and to every
    /// page that its tab shows later. They replace the overrides of the same purpose and remove the
    /// scripts that those added to new documents. A target that refuses a command does without it. All
    /// commands are on the pipe when this returns.
    ///
    /// # Errors
    /// [`CallError`] when the page itself refuses, or is gone.
    pub fn set_overrides(
        &self,
        page: &SessionId,
        purpose: &'static str,
        orders: Vec<Request>,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let overrides = TabOverrides {
            everywhere: orders,
            page: Vec::new(),
        };
        self.set_tab_overrides(page, purpose, overrides)
    }

    /// Like [`Self::set_overrides`], with commands that only pages get.
    ///
    /// # Errors
    /// [`CallError`] when the page itself refuses, or is gone.
    pub fn set_tab_overrides(
        &self,
        page: &SessionId,
        purpose: &'static str,
        overrides: TabOverrides,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let mut replies = Vec::new();
        let (tab, within) = self.targets.in_tab_of(page);
        let known = tab.is_some();
        if let Some(tab) = tab {
            let (revision, removed) = self.targets.overrides(|store| {
                let (revision, before) = store.set(tab, purpose, overrides.clone());
                (revision, before.map(|before| store.take(before)))
            });
            for (session, script) in removed.into_iter().flatten() {
                remove(&self.connection, &session, &script);
            }
            for (session, is_page) in within {
                for command in overrides.of(is_page) {
                    let reply = self.connection.post(Some(&session), command);
                    let awaited = self.awaited(&session, revision, reply);
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
                // The task fails only when the program ends.
                reply.await.unwrap_or(Err(CallError::SessionGone))?;
            }
            Ok(())
        }
    }

    /// The overrides of each tab, for the browser that replaces this one.
    pub(crate) fn overrides(&self) -> HashMap<String, OverridesByPurpose> {
        self.targets.all_overrides()
    }

    /// Gives a tab the number and the overrides of one of the previous browser.
    pub(crate) async fn continues(
        &self,
        tab: Tab,
        id: &str,
        overrides: &[(&'static str, TabOverrides)],
    ) -> Tab {
        if !self.targets.renumber(&tab.page.target_id, id) {
            return tab;
        }
        for (purpose, overrides) in overrides {
            let set = self.set_tab_overrides(&tab.page.session, purpose, overrides.clone());
            if let Err(error) = set.await {
                tracing::warn!(%error, purpose, "a reopened tab lacks its overrides");
            }
        }
        Tab {
            id: id.to_owned(),
            ..tab
        }
    }

    /// Reads an answer even if the caller stops waiting: its script id is needed later.
    fn awaited(
        &self,
        session: &SessionId,
        revision: Revision,
        reply: Reply<Added>,
    ) -> tokio::task::JoinHandle<Result<(), CallError>> {
        let (connection, targets) = (self.connection.clone(), Arc::clone(&self.targets));
        let session = session.clone();
        tokio::spawn(async move {
            let answer = reply.await?;
            keep(&connection, &targets, &session, revision, answer);
            Ok(())
        })
    }
}

/// Records the script that a command added, or removes it if its overrides have been replaced.
pub(super) fn keep(
    connection: &Connection,
    targets: &Targets,
    session: &SessionId,
    revision: Revision,
    answer: Added,
) {
    let Some(identifier) = answer.identifier else {
        return;
    };
    let wanted = targets.overrides(|store| store.added(session, revision, &identifier));
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
    fn replacing_overrides_returns_their_scripts() {
        let mut store = OverrideStore::default();
        let (page, frame) = (SessionId::from("page"), SessionId::from("frame"));
        let overrides = |everywhere: Orders| TabOverrides {
            everywhere,
            page: vec![Request::of(&ClearGeolocationOverrideParams::default())],
        };
        let hear = overrides(vec![Request::of(&EnableParams::default())]);
        let (first, before) = store.set(1, "hear", hear);
        assert_eq!(before, None);
        let counted = |store: &OverrideStore| [true, false].map(|page| store.of(1, page).len());
        assert_eq!(counted(&store), [2, 1]);
        assert!(store.of(2, true).is_empty());
        assert!(store.added(&page, first, "1"));
        assert!(store.added(&frame, first, "7"));
        let (other, _) = store.set(1, "other", TabOverrides::default());
        assert!(store.added(&page, other, "2"));
        let (_, before) = store.set(1, "hear", TabOverrides::default());
        assert_eq!(before, Some(first));
        let mut taken = store.take(first);
        taken.sort_by(|one, two| one.1.cmp(&two.1));
        assert_eq!(
            taken,
            [(page.clone(), "1".into()), (frame.clone(), "7".into())]
        );
        // An answer that arrives too late.
        assert!(!store.added(&frame, first, "8"));
        store.session_gone(&page);
        assert!(store.take(other).is_empty());
        store.tab_gone(1);
        assert!(store.all(1).is_empty());
    }
}
