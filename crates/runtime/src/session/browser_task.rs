//! The task that owns the browser of an open session.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::close::{self, Remaining, Why};
use super::{Inner, Lifecycle, Running, restart};
use crate::launch::{Exit, Keeps, Mode};

/// Requests to the task.
#[derive(Debug)]
pub(super) enum Ask {
    /// Save and close.
    Close {
        /// Whether to save.
        save: bool,
        /// The reason, for the record.
        why: Why,
    },
}

impl Ask {
    /// The request when no handle is left.
    const LAST: Self = Self::Close {
        save: true,
        why: Why::Dropped,
    };
}

/// How long a browser without a window may be without tabs: a script may close its last page just before
/// it opens the next one.
const WINDOW_GRACE: Duration = Duration::from_secs(2);

/// When to save for the first time. Until then the browser is busy with its first page, which would wait for the
/// answers.
const FIRST_SAVE: Duration = Duration::from_millis(300);

/// How often to check the profile's folder.
const FOLDER: Duration = Duration::from_millis(500);

/// How long a browser whose connection has ended may take to exit before it is looked at again.
const LEAVING: Duration = Duration::from_millis(50);

/// Without its network service, a browser loads no page. It cannot start that service again once an update has replaced
/// files that belong to it; another browser can.
const NO_NETWORK: &str = "Chromium could not restart its network service, so Chromium was started again; an update may have replaced its files";

/// An event of the browser.
enum Happened {
    Asked(bool, Why),
    Ended(Exit),
    WindowClosed,
    HelperDied(Keeps),
    Deleted,
}

/// Runs until the session is closed.
pub(super) async fn run(inner: Arc<Inner>, mut asked: mpsc::Receiver<Ask>) {
    let mut history = restart::History::default();
    let mut saving = tokio::time::interval_at(Instant::now() + FIRST_SAVE, inner.saver.interval());
    saving.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let Some(running) = inner.running.borrow().clone() else {
            return;
        };
        // Ends on a request to close, on the exit of Chromium or of a helper process, when the person
        // closes the last window, or when someone deletes the profile's folder. Saving runs beside these
        // and never ends; an interrupted save starts again later.
        let happened = tokio::select! {
            ask = asked.recv() => match ask {
                Some(Ask::Close { save, why }) => Happened::Asked(save, why),
                None => Happened::Asked(true, Why::Dropped),
            },
            exit = running.chromium.ended() => Happened::Ended(exit),
            () = window_closed(&inner, &running) => Happened::WindowClosed,
            keeps = inner.saver.helper_lost(&running) => Happened::HelperDied(keeps),
            () = deleted(&inner) => Happened::Deleted,
            () = save(&inner, &running, &mut saving) => continue,
            () = tell(&inner, &running) => continue,
        };
        match happened {
            Happened::Asked(save, why) => {
                return close::close(&inner, Remaining::Running(running), save, why).await;
            }
            Happened::WindowClosed => {
                return close::close(&inner, Remaining::Running(running), true, Why::Window).await;
            }
            Happened::Deleted => {
                tracing::error!(
                    "the profile's folder was deleted or replaced; stopping its browser"
                );
                return close::close(&inner, Remaining::Running(running), false, Why::Deleted)
                    .await;
            }
            Happened::HelperDied(keeps) => {
                // The browser may exit right after it; then everything is restored anyway.
                let put_back = tokio::select! {
                    put_back = inner.saver.put_back(&running, keeps) => put_back,
                    _ = running.chromium.ended() => continue,
                };
                let Some(put_back) = put_back else {
                    // Its exit is noticed in a moment.
                    tokio::time::sleep(LEAVING).await;
                    continue;
                };
                let is_back = put_back.is_ok();
                let (Ok(told) | Err(told)) = put_back;
                inner.warn(told);
                if keeps == Keeps::Cookies && !is_back {
                    inner.warn(NO_NETWORK.to_owned());
                    running.chromium.kill();
                }
            }
            Happened::Ended(exit) if exit.clean => {
                running.chromium.end_process_group().await;
                return close::close(&inner, Remaining::Ended, true, Why::Window).await;
            }
            Happened::Ended(exit) => {
                running.chromium.end_process_group().await;
                inner.life.send_replace(Lifecycle::Restarting {
                    why: exit.text.clone(),
                });
                inner.running.send_replace(None);
                if let Some(listener) = inner.listener.lock().await.as_ref() {
                    listener.detach();
                }
                inner.saver.after_crash(&running);
                let first_tab = running.supervisor.next_tab();
                drop(running);
                // A request to close takes precedence over a restart.
                let again = tokio::select! {
                    again = restart::again(&inner, &mut history, &exit, first_tab) => again,
                    ask = asked.recv() => {
                        let Ask::Close { save, why } = ask.unwrap_or(Ask::LAST);
                        return close::close(&inner, Remaining::Died, save, why).await;
                    }
                };
                if let Err(why) = again {
                    return close::close(&inner, Remaining::Died, true, Why::Crashed(why)).await;
                }
            }
        }
    }
}

/// Ends when the profile's folder is no longer the one that was opened. Anything written from then on
/// would be lost, or would end up in another profile.
async fn deleted(inner: &Inner) {
    while inner.owns_folder() {
        tokio::time::sleep(FOLDER).await;
    }
}

/// Checks for changes every few seconds, for as long as the browser runs.
async fn save(inner: &Inner, running: &Running, saving: &mut Interval) {
    let mut told = false;
    loop {
        saving.tick().await;
        if !inner.owns_folder() {
            continue;
        }
        match inner.saver.tick(running).await {
            Ok(()) => told = false,
            // Only once: a full disk stays full for a while.
            Err(error) if !told => {
                told = true;
                inner.warn(format!("cannot save the state: {error}"));
            }
            Err(error) => tracing::debug!(%error, "the state could not be saved"),
        }
    }
}

/// Warns about targets that were closed because stealth failed, for as long as the browser runs.
async fn tell(inner: &Inner, running: &Running) {
    let mut troubles = running.supervisor.troubles();
    loop {
        for trouble in troubles.borrow_and_update().iter() {
            // `warn` drops repetitions.
            inner.warn(format!(
                "cannot apply stealth, so it was closed: {}",
                trouble.reason
            ));
        }
        if troubles.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Completes when a person has closed the window: there has been no page for a while. Without a display
/// no one can close a window, and a session without pages simply stays open. If clients of the endpoint
/// are connected, one of them closed the page and is about to open another.
async fn window_closed(inner: &Inner, running: &Running) {
    if inner.plan.mode == Mode::Headless {
        return std::future::pending().await;
    }
    let mut changes = running.supervisor.changes();
    loop {
        while !running.supervisor.tabs().is_empty() {
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
        let again = tokio::time::timeout(WINDOW_GRACE, async {
            while running.supervisor.tabs().is_empty() && changes.changed().await.is_ok() {}
        });
        let visited = match inner.listener.lock().await.as_ref() {
            Some(listener) => *listener.client_count().borrow() > 0,
            None => false,
        };
        if again.await.is_err() && !visited {
            return;
        }
    }
}
