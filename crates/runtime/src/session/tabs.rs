//! Opening the tabs of the last time again.

use std::collections::HashMap;
use std::time::Duration;

use szk_cdp::SessionId;
use szk_config::{Bounds, Deed};

use crate::state::{self, Extras, SessionStorage};
use crate::supervisor::{Stands, Supervisor};

/// More tabs than this are not opened by themselves. So many were open before, and would be lost.
const MOST: usize = 300;
/// How long a script that refills sessionStorage stays registered at most.
const REFILL: Duration = Duration::from_secs(60);

/// Whether a page can be opened again by its address.
pub(super) fn worth_keeping(url: &str) -> bool {
    ["http://", "https://", "file://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// A tab that is nowhere, or on its way to its first page.
pub(super) fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}

/// What the tabs were in a browser that died.
#[derive(Default)]
pub(super) struct Before {
    /// Ids, as the tabs are saved.
    pub(super) ids: Vec<String>,
    /// What stood in them, by id.
    pub(super) stands: HashMap<String, Stands>,
}

/// What came of opening the tabs again.
#[derive(Default)]
pub(super) struct Restored {
    /// Place among the saved tabs, and id of the tab it is now.
    pub(super) tabs: Vec<(usize, String)>,
    pub(super) warnings: Vec<String>,
}

/// Opens the tabs and sends them on their way, without waiting for any page: a dead site costs
/// nothing. The first one takes the blank tab that the browser started with. Those of a browser that died
/// are what they were, to whoever knows them.
pub(super) async fn restore(
    supervisor: &Supervisor,
    extras: &Extras,
    before: &Before,
    bounds: &Bounds,
) -> Restored {
    let mut restored = Restored::default();
    let warnings = &mut restored.warnings;
    if extras.tabs.len() > MOST {
        warnings.push(format!(
            "{} of {} tabs were not opened again",
            extras.tabs.len() - MOST,
            extras.tabs.len()
        ));
    }
    let mut active = None;
    for (index, saved) in extras.tabs.iter().take(MOST).enumerate() {
        if !worth_keeping(&saved.url) {
            continue;
        }
        if let Err(denied) = bounds.check(Deed::Visit(&saved.url)) {
            warnings.push(format!("a tab was not opened again: {denied}"));
            continue;
        }
        let blank = supervisor
            .tabs()
            .into_iter()
            .find(|tab| index == 0 && tab.page.url == "about:blank");
        let tab = match blank {
            Some(tab) => tab,
            None => match supervisor.open_tab().await {
                Ok(tab) => tab,
                Err(error) => {
                    warnings.push(format!("a tab was not opened again: {error}"));
                    continue;
                }
            },
        };
        let tab = match before.ids.get(index) {
            Some(id) => {
                let stands = before.stands.get(id).map_or(&[][..], Vec::as_slice);
                supervisor.continues(tab, id, stands).await
            }
            None => tab,
        };
        let storage: Vec<&SessionStorage> = extras
            .session_storage
            .iter()
            .filter(|storage| storage.tab == index)
            .collect();
        supervisor.heads_for(&tab, &saved.url, &saved.title);
        if let Err(error) = go(supervisor, &tab.page.session, &saved.url, &storage).await {
            warnings.push(format!("a tab was not opened again: {error}"));
        }
        restored.tabs.push((index, tab.id.clone()));
        if saved.active {
            active = Some(tab);
        }
    }
    if let Some(tab) = active {
        supervisor.use_tab(&tab);
        drop(
            supervisor
                .connection()
                .post_raw(Some(&tab.page.session), "Page.bringToFront", None),
        );
    }
    restored
}

/// Sends a tab to its page, with its sessionStorage there before the page's first script.
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
        // The answer comes when the document is there or has failed; by then the script has run.
        let _ = tokio::time::timeout(REFILL, sent).await;
        if let Some(refill) = refill {
            refill.remove().await;
        }
    });
    Ok(())
}
