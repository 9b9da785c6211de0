//! Restores the tabs of the last time.

use std::collections::HashMap;
use std::time::Duration;

use szk_cdp::SessionId;
use szk_cdp::protocol::page::BringToFrontParams;
use szk_config::{Action, Bounds};

use crate::state::{self, Extras, SessionStorage, TabState};
use crate::supervisor::{OverridesByPurpose, Supervisor, Tab};

/// Maximum number of tabs to restore. Others were open, and are lost.
const MOST: usize = 300;
/// How long a blank tab may take to answer. One whose renderer has died never does.
const ANSWERS: Duration = Duration::from_secs(5);
/// Number of blank tabs to try for each tab.
const TRIES: usize = 3;
/// How long a script that refills sessionStorage stays registered at most.
const REFILL: Duration = Duration::from_secs(60);

/// Whether a page can be restored by its address.
pub(super) fn worth_keeping(url: &str) -> bool {
    ["http://", "https://", "file://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// A tab that has not navigated, or is navigating to its first page.
pub(super) fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}

/// The tabs of a browser that died.
#[derive(Default)]
pub(super) struct PreviousTabs {
    /// Ids, in the order in which the tabs are saved.
    pub(super) ids: Vec<String>,
    /// Their overrides, by id.
    pub(super) overrides: HashMap<String, OverridesByPurpose>,
}

impl PreviousTabs {
    /// The id of a tab, and its overrides.
    fn named(&self, index: usize) -> Option<(&str, &OverridesByPurpose)> {
        const NONE: &OverridesByPurpose = &Vec::new();
        let id = self.ids.get(index)?;
        Some((id, self.overrides.get(id).unwrap_or(NONE)))
    }
}

/// Where restored tabs go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RestoreTo {
    /// The first one takes the blank tab that the browser started with, and the one that was in front is in
    /// front again.
    FirstTab,
    /// Into tabs of their own, behind the page that is open.
    Behind,
}

/// The result of restoring tabs.
#[derive(Default)]
pub(super) struct Restored {
    /// Index among the saved tabs, and the id the tab has now.
    pub(super) tabs: Vec<(usize, String)>,
    pub(super) warnings: Vec<String>,
}

/// Opens the tabs and starts their navigations, without waiting for any page, so a dead site costs no
/// time. Tabs of a browser that died keep their ids.
pub(super) async fn restore(
    supervisor: &Supervisor,
    extras: &Extras,
    before: &PreviousTabs,
    bounds: &Bounds,
    place: RestoreTo,
) -> Restored {
    let mut restored = Restored::default();
    let warnings = &mut restored.warnings;
    if extras.tabs.len() > MOST {
        let left = extras.tabs.len() - MOST;
        let were = if left == 1 { "was" } else { "were" };
        warnings.push(format!(
            "{left} of {} tabs {were} not restored",
            extras.tabs.len()
        ));
    }
    let mut active = None;
    for (index, saved) in extras.tabs.iter().take(MOST).enumerate() {
        if !worth_keeping(&saved.url) {
            continue;
        }
        if let Err(denied) = bounds.check(Action::Visit(&saved.url)) {
            warnings.push(format!("a tab was not restored: {denied}"));
            continue;
        }
        let blank = supervisor.tabs().into_iter().find(|tab| {
            place == RestoreTo::FirstTab
                && index == 0
                && tab.page.url == "about:blank"
                && !supervisor.has_crashed(tab)
        });
        let storage: Vec<&SessionStorage> = extras
            .session_storage
            .iter()
            .filter(|storage| storage.tab == index)
            .collect();
        let previous = before.named(index);
        let tab = match reopen(supervisor, blank, place, previous, saved, &storage).await {
            Ok(tab) => tab,
            // The next browser gets all of them.
            Err(_) if supervisor.connection().is_closed() => break,
            Err(reason) => {
                warnings.push(format!("a tab was not restored: {reason}"));
                continue;
            }
        };
        restored.tabs.push((index, tab.id.clone()));
        if saved.active && place == RestoreTo::FirstTab {
            active = Some(tab);
        }
    }
    if let Some(tab) = active {
        supervisor.use_tab(&tab);
        supervisor
            .connection()
            .tell(Some(&tab.page.session), &BringToFrontParams::default());
    }
    restored
}

/// Opens a saved tab, in the blank one if there is one, and starts its navigation. Replaces a blank tab
/// that does not answer.
async fn reopen(
    supervisor: &Supervisor,
    blank: Option<Tab>,
    place: RestoreTo,
    before: Option<(&str, &OverridesByPurpose)>,
    saved: &TabState,
    storage: &[&SessionStorage],
) -> Result<Tab, String> {
    let mut tab = match blank {
        Some(tab) => tab,
        None => open(supervisor, place).await?,
    };
    for _ in 0..TRIES {
        let sent = async {
            let tab = match before {
                Some((id, overrides)) => supervisor.continues(tab.clone(), id, overrides).await,
                None => tab.clone(),
            };
            supervisor.heads_for(&tab, &saved.url, &saved.title);
            let sent = go(supervisor, &tab.page.session, &saved.url, storage).await;
            sent.map(|()| tab).map_err(|error| error.to_string())
        };
        if let Ok(sent) = tokio::time::timeout(ANSWERS, sent).await
            && !(sent.is_err() && supervisor.has_crashed(&tab))
        {
            return sent;
        }
        tracing::warn!(tab = tab.id, "a blank tab does not answer; replacing it");
        // Open it before closing the other: a browser should never be without tabs.
        let another = open(supervisor, place).await?;
        // If it cannot even be closed, leave it.
        let _ = tokio::time::timeout(ANSWERS, supervisor.close_tab(&tab)).await;
        tab = another;
    }
    Err("blank tabs do not answer".to_owned())
}

async fn open(supervisor: &Supervisor, place: RestoreTo) -> Result<Tab, String> {
    let opened = match place {
        RestoreTo::FirstTab => supervisor.open_tab().await,
        RestoreTo::Behind => supervisor.open_tab_behind().await,
    };
    opened.map_err(|error| error.to_string())
}

/// Navigates a tab, with its sessionStorage in place before the page's first script.
async fn go(
    supervisor: &Supervisor,
    session: &SessionId,
    url: &str,
    storage: &[&SessionStorage],
) -> Result<(), szk_cdp::CallError> {
    let refill = match storage {
        [] => None,
        _ => Some(state::refill_session_storage(supervisor.connection(), session, storage).await?),
    };
    let sent = supervisor.send_to(session, url);
    tokio::spawn(async move {
        // The answer comes once the document has loaded or failed; by then the script has run.
        let _ = tokio::time::timeout(REFILL, sent).await;
        if let Some(refill) = refill {
            refill.remove().await;
        }
    });
    Ok(())
}
