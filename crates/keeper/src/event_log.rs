//! Keeps the session's event log across restarts of its browser.

use std::path::Path;
use std::sync::Arc;

use szk_page::event_log::{self, EventLog, Names, Placing};
use szk_runtime::session::{Running, Session};
use tokio::sync::watch;

use crate::browser;
use crate::context::{Keeper, WeakKeeper};

/// An event log that is also written to the profile's `artifacts`.
pub(crate) fn of(session: &Session) -> EventLog {
    let artifacts = session.profile().artifacts_dir();
    EventLog::new(Some(artifacts.join(szk_store::JOURNAL)))
}

/// Follows each browser of the session, one after the other, and answers its prompts.
pub(crate) fn keep(keeper: &Arc<Keeper>) {
    tokio::spawn(browser::answer_prompts(Arc::clone(keeper)));
    browser::keep_ahead(keeper);
    tokio::spawn(go_on(keeper.weak(), keeper.session.watch_running()));
    let (session, event_log) = (keeper.session.clone(), keeper.event_log.clone());
    // Ends with the session.
    tokio::spawn(async move {
        let mut browsers = session.watch_running();
        loop {
            let running = browsers.borrow_and_update().clone();
            if let Some(running) = running {
                follow(&session, &event_log, running).await;
            }
            if browsers.changed().await.is_err() {
                return;
            }
        }
    });
}

/// Applies what was requested for a tab to the next browser too.
async fn go_on(keeper: WeakKeeper, mut browsers: watch::Receiver<Option<Running>>) {
    // The first one has nothing yet.
    let mut known = browsers.borrow_and_update().is_some();
    while browsers.changed().await.is_ok() {
        let running = browsers.borrow_and_update().clone();
        let Some(running) = running else { continue };
        let Some(keeper) = keeper.upgrade() else {
            return;
        };
        if std::mem::replace(&mut known, true) {
            keeper
                .uncaught
                .again(&running.supervisor, &keeper.event_log);
            keeper.polled.again(&running.supervisor);
            browser::emulate_again(&keeper, &running).await;
        }
    }
}

async fn follow(session: &Session, event_log: &EventLog, running: Running) {
    let supervisor = running.supervisor.clone();
    // Taken already: someone is following it.
    let Some(events) = supervisor.events_from_start() else {
        return;
    };
    let allowed = session.resolved().settings.policy.downloads;
    let downloads = session.downloads().clone();
    let folder = allowed.then(|| downloads.incoming());
    let connection = supervisor.connection().clone();
    event_log::save_downloads(&connection, folder.as_deref());
    let names: Names = Box::new(move |target| supervisor.tab_of_target(target));
    drop(running);
    let placing: Placing =
        Box::new(
            move |id, name, file| match downloads.place(id, name, Path::new(file)) {
                Ok(place) => place.to_string_lossy().into_owned(),
                Err(error) => {
                    tracing::warn!(file, %error, "cannot put a download in its place");
                    file.to_owned()
                }
            },
        );
    event_log.follow(connection, events, names, placing).await;
}
