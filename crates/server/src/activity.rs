//! Closes the sessions that this server opened once nothing has used them for `[server] idle`.
//!
//! [`Activity`] does no I/O; [`watch`] carries out what it decides. A session that other clients use, or a
//! connected program, is not closed beneath them: the keeper refuses, and `watch` asks again later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_client::Client;
use szk_tools::session::CloseInput;
use szk_tools::{Call, Code};
use tokio::time::interval;

use crate::app::App;

/// How often to look for sessions whose time is over.
const LOOK: Duration = Duration::from_millis(500);

/// Longest time until the keeper of a session in use is asked again.
const AGAIN: Duration = Duration::from_secs(30);

/// Since when the sessions that this server opened are idle.
pub(crate) struct Activity {
    /// Zero: sessions are never closed.
    idle: Duration,
    /// A std mutex: nothing awaits under it.
    sessions: Mutex<HashMap<String, Use>>,
}

struct Use {
    /// Calls and connections that go on.
    held: usize,
    /// When the last of them ended, or when to ask the keeper again, less the idle time.
    last: Instant,
}

impl Activity {
    pub(crate) fn new(idle: Duration) -> Self {
        Self {
            idle,
            sessions: Mutex::default(),
        }
    }

    /// Whether anything has to be known about sessions.
    pub(crate) fn is_limited(&self) -> bool {
        !self.idle.is_zero()
    }

    /// This server has opened a session.
    pub(crate) fn opened(&self, session: &str, now: Instant) {
        let fresh = Use { held: 0, last: now };
        self.sessions().insert(session.to_owned(), fresh);
    }

    /// Something uses a session until the guard is dropped.
    pub(crate) fn hold(self: &Arc<Self>, session: &str) -> Held {
        if let Some(used) = self.sessions().get_mut(session) {
            used.held += 1;
        }
        Held(Arc::clone(self), session.to_owned())
    }

    /// The sessions whose time is over.
    fn due(&self, now: Instant) -> Vec<String> {
        let over = |used: &Use| used.held == 0 && now.duration_since(used.last) >= self.idle;
        let sessions = self.sessions();
        let due = sessions.iter().filter(|(_, used)| over(used));
        due.map(|(name, _)| name.clone()).collect()
    }

    /// Makes a session that is in use due again later.
    fn later(&self, session: &str, now: Instant) {
        let wait = self.idle.min(AGAIN);
        if let Some(used) = self.sessions().get_mut(session) {
            // The clock of a machine that has just started may not reach back so far.
            used.last = now.checked_sub(self.idle - wait).unwrap_or(now);
        }
    }

    /// A session that was closed is watched no longer: the next one of its name may be somebody else's.
    pub(crate) fn forget(&self, session: &str) {
        self.sessions().remove(session);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Use>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A use of a session that goes on.
pub(crate) struct Held(Arc<Activity>, String);

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(used) = self.0.sessions().get_mut(&self.1) {
            // A session that was opened meanwhile does not know of this use.
            used.held = used.held.saturating_sub(1);
            used.last = Instant::now();
        }
    }
}

/// Saves and closes idle sessions until the server stops.
pub(crate) async fn watch(app: Arc<App>, own: Client) {
    if !app.activity.is_limited() {
        return;
    }
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = app.stop.cancelled() => return,
        }
        for session in app.activity.due(Instant::now()) {
            // Clients of tokens keep a session open for as long as the server runs.
            app.leave(&session);
            let input = CloseInput {
                session: Some(session.clone()),
                ..CloseInput::default()
            };
            match own.call(Call::from(input), &|_| {}).await {
                Ok(_) => {
                    tracing::info!(session, "closed, because nothing used it");
                    app.activity.forget(&session);
                }
                Err(failure) if failure.code == Code::SessionNotFound => {
                    app.activity.forget(&session);
                }
                Err(failure) => {
                    tracing::debug!(%failure, session, "cannot close an idle session yet");
                    app.activity.later(&session, Instant::now());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sessions_of_this_server_that_nothing_uses_are_due() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let activity = Arc::new(Activity::new(Duration::from_secs(100)));
        drop(activity.hold("other"));
        assert!(activity.due(at(1000)).is_empty());
        activity.opened("work", at(0));
        assert!(activity.due(at(99)).is_empty());
        assert_eq!(activity.due(at(100)), ["work"]);
        let (first, second) = (activity.hold("work"), activity.hold("work"));
        assert!(activity.due(at(1000)).is_empty());
        drop(first);
        assert!(activity.due(at(1000)).is_empty());
        drop(second);
        assert_eq!(activity.due(at(1000)), ["work"]);
        // The keeper refused: asked again after half a minute.
        activity.later("work", at(1000));
        assert!(activity.due(at(1029)).is_empty());
        assert_eq!(activity.due(at(1030)), ["work"]);
        activity.forget("work");
        assert!(activity.due(at(2000)).is_empty());
    }
}
