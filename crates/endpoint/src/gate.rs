//! When a new target may run.
//!
//! A new target stays paused until the supervisor's stealth commands are on the pipe. Other clients of
//! the same browser are attached to it too and could resume it first, so they wait at the gate.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// How long a client waits for a target that the supervisor has not seen. The supervisor never sees some
/// targets, and those must not freeze the client.
const SEEN_LIMIT: Duration = Duration::from_secs(10);
/// How long the answers to the stealth commands may take. A loaded machine needs seconds.
const ACKED_LIMIT: Duration = Duration::from_secs(30);
/// Beyond this number the gate forgets targets that are gone.
const REMEMBERED: usize = 4096;

/// How far the set-up of a target has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// Not seen yet.
    Unseen,
    /// Attached, and paused until its commands have arrived.
    Seen,
    /// Its commands are on the pipe, in order, and Chromium has answered those that another client's
    /// session could overtake.
    Written,
    /// Chromium has answered all of them.
    Acked,
    /// Chromium refused a command, or the target is gone.
    Gone,
}

/// The target is gone, or its stealth was not in place in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the target is gone, or its setup timed out")]
pub struct NotReady;

/// The progress of each target. Cheap to clone; the supervisor writes it, clients wait for it.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    // A std mutex: nothing awaits under it.
    marks: Arc<Mutex<HashMap<String, watch::Sender<Progress>>>>,
    /// Popups, and whether anyone has resumed them. A std mutex: nothing awaits under it.
    popups: Arc<Mutex<HashMap<String, bool>>>,
    /// Whether logins and tabs are restored. Clients wait for that.
    ready: watch::Sender<bool>,
}

impl Gate {
    /// Waits until logins and tabs are restored. If that never happens, the browser is ended, which also
    /// ends the connection of every waiting client.
    pub async fn ready(&self) {
        let mut ready = self.ready.subscribe();
        // Err means the sender is gone, which this clone of the gate rules out.
        let _ = ready.wait_for(|ready| *ready).await;
    }

    /// Admits clients, once logins and tabs are restored.
    pub fn let_in(&self) {
        self.ready.send_replace(true);
    }

    /// Waits until this target may run. Once the supervisor has seen it, there is no limit: the target
    /// has no stealth scripts yet. A target that the supervisor does not see gets ten seconds, because a
    /// client that waits for ever would freeze the page for everyone.
    pub async fn written(&self, target_id: &str) {
        let mut mark = self.watch(target_id);
        // It may come back, like a frame that was in another process for a while.
        let over = *mark.borrow_and_update() == Progress::Gone;
        // Err: the whole gate is gone, and with it what this waits for.
        let seen = async {
            if over {
                let _ = mark.changed().await;
            }
            let _ = mark.wait_for(|progress| *progress >= Progress::Seen).await;
        };
        if tokio::time::timeout(SEEN_LIMIT, seen).await.is_ok() {
            let _ = mark
                .wait_for(|progress| *progress >= Progress::Written)
                .await;
        }
    }

    /// Whether the target is being set up, so that no one may resume it.
    #[must_use]
    pub fn holds(&self, target_id: &str) -> bool {
        *self.watch(target_id).borrow() == Progress::Seen
    }

    /// Records a popup in its opener's process, which is resumed once.
    pub fn add_popup(&self, target_id: &str) {
        let mut popups = self.popups.lock().unwrap_or_else(PoisonError::into_inner);
        popups.entry(target_id.to_owned()).or_default();
    }

    /// Whether the caller should resume a target. For a popup only the first caller gets a yes.
    ///
    /// `Runtime.runIfWaitingForDebugger` resumes a whole renderer process, whatever page it is sent to
    /// (Chromium 156). Sent to a popup that runs already, it resumes the next popup of the same opener before
    /// stealth is in it. One session is enough to resume a popup for all sessions.
    pub fn claims_resume(&self, target_id: &str) -> bool {
        let mut popups = self.popups.lock().unwrap_or_else(PoisonError::into_inner);
        match popups.get_mut(target_id) {
            Some(runs) => !std::mem::replace(runs, true),
            None => true,
        }
    }

    /// Waits until Chromium has answered the supervisor's commands for this target.
    ///
    /// # Errors
    /// [`NotReady`] when the target went away or half a minute passed.
    pub async fn acked(&self, target_id: &str) -> Result<(), NotReady> {
        let mut mark = self.watch(target_id);
        match tokio::time::timeout(
            ACKED_LIMIT,
            mark.wait_for(|progress| *progress >= Progress::Acked),
        )
        .await
        {
            Ok(Ok(progress)) if *progress == Progress::Acked => Ok(()),
            _ => Err(NotReady),
        }
    }

    /// Records how far the set-up of a target has come.
    pub fn mark(&self, target_id: &str, progress: Progress) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.len() > REMEMBERED {
            marks.retain(|_, mark| {
                let over = matches!(*mark.borrow(), Progress::Gone | Progress::Unseen);
                !over || mark.receiver_count() > 0
            });
            let mut popups = self.popups.lock().unwrap_or_else(PoisonError::into_inner);
            popups.retain(|target, _| marks.contains_key(target));
        }
        marks
            .entry(target_id.to_owned())
            .or_insert_with(|| watch::Sender::new(Progress::Unseen))
            .send_if_modified(|mark| {
                // Late answers do not revive a target; only attaching does.
                let late = *mark == Progress::Gone && progress == Progress::Acked;
                let changes = !late && *mark != progress;
                if changes {
                    *mark = progress;
                }
                changes
            });
    }

    fn watch(&self, target_id: &str) -> watch::Receiver<Progress> {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks
            .entry(target_id.to_owned())
            .or_insert_with(|| watch::Sender::new(Progress::Unseen))
            .subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn late_answers_do_not_revive_a_target() {
        let gate = Gate::default();
        gate.mark("T", Progress::Written);
        gate.mark("T", Progress::Gone);
        gate.mark("T", Progress::Acked);
        assert_eq!(gate.acked("T").await, Err(NotReady));
        // Attached again, as a frame that came back from another process is.
        gate.mark("T", Progress::Written);
        gate.mark("T", Progress::Acked);
        assert_eq!(gate.acked("T").await, Ok(()));
    }

    #[test]
    fn a_popup_is_resumed_once() {
        let gate = Gate::default();
        gate.add_popup("P");
        assert!(gate.claims_resume("P"));
        assert!(!gate.claims_resume("P"));
        gate.add_popup("P");
        assert!(!gate.claims_resume("P"), "it is the same one");
        assert!(
            gate.claims_resume("T") && gate.claims_resume("T"),
            "no popup"
        );
    }
}
