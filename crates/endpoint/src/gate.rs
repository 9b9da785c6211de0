//! Who may go on with a target, and when.
//!
//! A new target waits until the supervisor's stealth commands are on the pipe. Other clients of the
//! same browser see the target too and could let it run first; they ask the gate.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// How long a client is held back for a target that the supervisor has not seen: one that it never
/// sees must not freeze the client.
const SEEN_LIMIT: Duration = Duration::from_secs(10);
/// How long the answers to the stealth commands may take; a loaded machine needs seconds.
const ACKED_LIMIT: Duration = Duration::from_secs(30);
/// Marks of targets that are long gone are dropped beyond this number.
const REMEMBERED: usize = 4096;

/// How far the supervisor has come with a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// Not seen yet.
    Unseen,
    /// Attached; its commands are on their way. It is held until they are where they have to be.
    Seen,
    /// Its commands are written to the pipe, in order, and those that another client's session could
    /// overtake are answered.
    Written,
    /// All of them were answered.
    Acked,
    /// Something was refused, or the target is gone.
    Gone,
}

/// The target is gone, or stealth could not be applied to it in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the target is gone or was not set up in time")]
pub struct NotReady;

/// One mark per target. Cheap to clone; the supervisor writes, clients wait.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    // A std mutex: nothing awaits under it.
    marks: Arc<Mutex<HashMap<String, watch::Sender<Progress>>>>,
    /// Popups, and whether somebody has resumed them. A std mutex: nothing awaits under it.
    popups: Arc<Mutex<HashMap<String, bool>>>,
    /// Whether logins and tabs are back: before that nobody else is let in.
    ready: watch::Sender<bool>,
}

impl Gate {
    /// Waits until the browser has its logins and tabs back. A browser that never gets there is ended,
    /// and with it the connection of whoever waits here.
    pub async fn ready(&self) {
        let mut ready = self.ready.subscribe();
        // Err means the sender is gone, which this clone of the gate rules out.
        let _ = ready.wait_for(|ready| *ready).await;
    }

    /// Lets clients in.
    pub fn let_in(&self) {
        self.ready.send_replace(true);
    }

    /// Waits until the supervisor lets this target run. One that the supervisor has seen is waited for
    /// as long as it takes: it has no scripts yet. One that it never sees is not, after ten seconds,
    /// because holding a client for ever would freeze the page for everybody.
    pub async fn written(&self, target_id: &str) {
        let mut mark = self.watch(target_id);
        // What is gone may have come back, as a frame does that was in another process for a while.
        let over = *mark.borrow_and_update() == Progress::Gone;
        // Err means the sender is gone with the whole gate: nothing to wait for.
        let seen = async {
            if over {
                let _ = mark.changed().await;
            }
            let _ = mark.wait_for(|stage| *stage >= Progress::Seen).await;
        };
        if tokio::time::timeout(SEEN_LIMIT, seen).await.is_ok() {
            let _ = mark.wait_for(|stage| *stage >= Progress::Written).await;
        }
    }

    /// Whether the target is held for its set-up at the moment: nobody may let it run.
    #[must_use]
    pub fn holds(&self, target_id: &str) -> bool {
        *self.watch(target_id).borrow() == Progress::Seen
    }

    /// Notes a popup in its opener's process: it is resumed once.
    pub fn add_popup(&self, target_id: &str) {
        let mut popups = self.popups.lock().unwrap_or_else(PoisonError::into_inner);
        popups.entry(target_id.to_owned()).or_default();
    }

    /// Whether the caller is to resume a target; a popup is resumed by the first caller only.
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

    /// Waits until the supervisor's commands for this target are answered.
    ///
    /// # Errors
    /// [`NotReady`] when the target went away or half a minute passed.
    pub async fn acked(&self, target_id: &str) -> Result<(), NotReady> {
        let mut mark = self.watch(target_id);
        match tokio::time::timeout(
            ACKED_LIMIT,
            mark.wait_for(|stage| *stage >= Progress::Acked),
        )
        .await
        {
            Ok(Ok(stage)) if *stage == Progress::Acked => Ok(()),
            _ => Err(NotReady),
        }
    }

    /// Notes that a target has come this far.
    pub fn mark(&self, target_id: &str, stage: Progress) {
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
                // The last answers of a target that is gone do not bring it back; only attaching does.
                let late = *mark == Progress::Gone && stage == Progress::Acked;
                let changes = !late && *mark != stage;
                if changes {
                    *mark = stage;
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
    async fn what_is_gone_is_not_brought_back_by_late_answers() {
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
