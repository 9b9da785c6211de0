//! Buttons of the mouse that stay down between calls, and who releases them.

use std::sync::Arc;
use std::time::Duration;

use szk_cdp::protocol::page::EventFrameNavigated;
use szk_cdp::protocol::target::EventDetachedFromTarget;
use szk_cdp::{Subscription, SubscriptionError};
use szk_page::act::{self, Act};
use szk_page::input::Pace;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use tokio::sync::watch;

use crate::context::Keeper;

/// A client that is never connected, such as a terminal, cannot leave: after this long it has forgotten.
const LONG: Duration = Duration::from_secs(300);

/// Says which buttons an act of the mouse left down.
pub(super) async fn told(keeper: &Keeper, tab: &Tab, act: &Act) -> Option<String> {
    if !matches!(act, Act::Down(_) | Act::Move(_) | Act::Up(_) | Act::Hover) {
        return None;
    }
    let held = keeper.acting.devices.take(&tab.page.target_id).await;
    let kept: Vec<String> = held.kept().iter().map(ToString::to_string).collect();
    let (noun, verb) = match kept.len() {
        0 => return None,
        1 => ("button", "is"),
        _ => ("buttons", "are"),
    };
    Some(format!(
        "the {} {noun} {verb} down until `up`",
        kept.join(" and ")
    ))
}

/// Releases what an act has left down once the page goes elsewhere, its client leaves, or nobody cares for
/// long. Ends when the buttons are up.
pub(super) async fn watch(keeper: &Arc<Keeper>, running: &Running, tab: &Tab) {
    let kept = {
        let mut held = keeper.acting.devices.take(&tab.page.target_id).await;
        match held.begin_watch() {
            Some(kept) => kept,
            // Watched already, or up again.
            None => return,
        }
    };
    let events = running.supervisor.connection().subscribe();
    let (weak, running, tab) = (keeper.weak(), running.clone(), tab.clone());
    let leaves = left(keeper);
    tokio::spawn(async move {
        tokio::select! {
            // By an act.
            () = up(kept) => return,
            () = elsewhere(events, &tab) => {}
            () = leaves => {}
            () = tokio::time::sleep(LONG) => {}
        }
        let Some(keeper) = weak.upgrade() else { return };
        let acting = &keeper.acting;
        let held = acting.devices.take(&tab.page.target_id).await;
        let mut device = acting.device(&running, &tab, held, Pace::Fast);
        let connection = running.supervisor.connection();
        act::let_go(connection, &tab.page.session, &mut device).await;
    });
}

async fn up(mut kept: watch::Receiver<u8>) {
    // An error is a device that is gone.
    drop(kept.wait_for(|kept| *kept == 0).await);
}

/// Waits until the tab shows another document, or is gone.
async fn elsewhere(mut events: Subscription, tab: &Tab) {
    loop {
        match events.recv().await {
            Ok(event) if event.method == EventFrameNavigated::IDENTIFIER => {
                let ours = event.session.as_ref() == Some(&tab.page.session);
                let frame = event.read::<Navigated>().unwrap_or_default().frame;
                if ours && frame.parent_id.is_none() {
                    return;
                }
            }
            Ok(event) if event.method == EventDetachedFromTarget::IDENTIFIER => {
                let gone = event.read::<Detached>().unwrap_or_default();
                if gone.session_id == tab.page.session.as_str() {
                    return;
                }
            }
            Ok(_) | Err(SubscriptionError::Lagged(_)) => {}
            Err(SubscriptionError::Closed) => return,
        }
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Navigated {
    frame: Frame,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Frame {
    parent_id: Option<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

/// Waits until the client of a call leaves; for ever, if it is not connected.
fn left(keeper: &Keeper) -> impl Future<Output = ()> + Send + 'static {
    let sharing = keeper.sharing.clone();
    let mut changes = keeper.clients.changes();
    let id = keeper.visit.client().map(|client| client.id.clone());
    let here = move || sharing.present().into_iter().map(|(id, _)| id);
    let id = id.filter(|id| here().any(|one| one == *id));
    async move {
        let Some(id) = id else {
            return std::future::pending().await;
        };
        while here().any(|one| one == id) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}
