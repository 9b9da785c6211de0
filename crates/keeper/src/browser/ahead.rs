//! In tabs that are being worked, starts our scripts in each new document while it loads: otherwise the first
//! snapshot and the first act would wait for them.

use std::sync::Arc;
use std::time::Duration;

use szk_cdp::{SessionId, SubscriptionError};
use szk_page::document;
use szk_page::snapshot::Begun;
use szk_runtime::session::Running;
use tokio::sync::watch;

use super::view;
use crate::context::{Keeper, WeakKeeper};

/// How long a document may take to let scripts run: the next call waits as long.
const PATIENCE: Duration = Duration::from_millis(300);

/// Does so in each browser of the session, one after the other.
pub(crate) fn keep_ahead(keeper: &Arc<Keeper>) {
    tokio::spawn(each(keeper.weak(), keeper.session.watch_running()));
}

async fn each(keeper: WeakKeeper, mut browsers: watch::Receiver<Option<Running>>) {
    loop {
        let running = browsers.borrow_and_update().clone();
        if let Some(running) = running {
            follow(&keeper, running).await;
        }
        if browsers.changed().await.is_err() {
            return;
        }
    }
}

async fn follow(keeper: &WeakKeeper, running: Running) {
    let mut events = running.supervisor.connection().subscribe();
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            Err(SubscriptionError::Lagged(_)) => continue,
            Err(SubscriptionError::Closed) => return,
        };
        if let (Some(session), Some(frame)) = (&event.session, document::new_in_main_frame(&event))
        {
            let (keeper, running, session) = (keeper.clone(), running.clone(), session.clone());
            tokio::spawn(async move {
                let begun = begin(&keeper, &running, &session, &frame);
                // Err: whoever needs the scripts starts them.
                let _ = tokio::time::timeout(PATIENCE, begun).await;
            });
        }
    }
}

async fn begin(keeper: &WeakKeeper, running: &Running, session: &SessionId, frame: &str) {
    let supervisor = &running.supervisor;
    let tab = supervisor
        .tab_of(session)
        .and_then(|id| supervisor.tab(&id));
    let (Some(keeper), Some(tab)) = (keeper.upgrade(), tab) else {
        return;
    };
    let page = view::page(running, &tab);
    if page.frame != frame || page.session != *session {
        return;
    }
    let shared = keeper.views.of(running, &tab);
    let acts = keeper.acting.go_on(&page);
    // Whoever holds it is reading the page.
    let reads = shared.try_lock().map_or(true, |view| view.has_read(&page));
    if !reads {
        return acts.await;
    }
    let _holds = keeper.views.hold(&tab);
    let reads = async {
        if let Ok(begun) = Begun::start(&page).await {
            shared.lock().await.go_on_in(begun);
        }
    };
    tokio::join!(reads, acts);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_tools::Call;
    use szk_wire::Found;

    use crate::handle;
    use crate::testing::{PAGE, Scripted, TARGET, browser};

    /// What a page says that shows nothing.
    fn empty() -> Value {
        json!({"text": "", "cut": "", "suspects": 0})
    }

    fn loads(scripted: &Scripted, frame: &Value, how: &str) {
        let params = json!({"frame": frame, "type": how});
        scripted
            .peer
            .event(Some(PAGE), "Page.frameNavigated", params);
    }

    fn worlds(scripted: &Scripted) -> usize {
        scripted.calls("Page.createIsolatedWorld").len()
    }

    async fn snapshot(scripted: &Scripted) {
        let call = Call::decode("browser_snapshot", json!({})).unwrap();
        handle::call(&scripted.keeper, call, Found::Open, &|_| {})
            .await
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn scripts_start_in_what_a_tab_loads_that_is_being_read() {
        let nothing = json!({"result": []});
        let script = browser(empty()).answer("Runtime.getProperties", nothing);
        let scripted = Scripted::on(script).await;
        let page = json!({"id": TARGET, "loaderId": "L2", "url": "http://a/"});
        let quiet = async || tokio::time::sleep(std::time::Duration::from_secs(1)).await;

        // Nobody reads it.
        quiet().await;
        let before = worlds(&scripted);
        loads(&scripted, &page, "Navigation");
        quiet().await;
        assert_eq!(worlds(&scripted), before);

        snapshot(&scripted).await;
        quiet().await;
        let before = worlds(&scripted);
        let inner = json!({"id": "F", "parentId": TARGET, "loaderId": "L3", "url": "http://a/"});
        loads(&scripted, &inner, "Navigation");
        loads(&scripted, &page, "BackForwardCacheRestore");
        quiet().await;
        assert_eq!(worlds(&scripted), before);
        loads(&scripted, &page, "Navigation");
        quiet().await;
        assert_eq!(worlds(&scripted), before + 1);

        // What was begun is used.
        snapshot(&scripted).await;
        assert_eq!(worlds(&scripted), before + 1);
    }
}
