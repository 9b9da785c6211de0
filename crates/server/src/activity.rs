//! Closes the sessions that this server opened once nothing has used them for `[server] idle`.
//!
//! [`Activity`] does no I/O; [`watch`] carries out what it decides. A session that other clients use, or a
//! connected program, is not closed beneath them: the keeper refuses. As long as they are there, `watch`
//! looks again and again, so that the session's time begins when they have left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_client::Client;
use szk_tools::session::{CloseInput, List, ListInput};
use szk_tools::{Call, Code};
use tokio::time::interval;

use crate::app::App;

/// How often to look for sessions whose time is over.
const LOOK: Duration = Duration::from_millis(500);

/// Longest time until a session that others use is looked at again.
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
    /// When the last of them ended, or when others were seen in the session.
    last: Instant,
    /// When to look whether those others, who do not come through this server, are still there.
    look: Option<Instant>,
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
        let fresh = Use {
            held: 0,
            last: now,
            look: None,
        };
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

    /// The sessions that others used when this was last known, and that it is time to look at.
    fn to_look_at(&self, now: Instant) -> Vec<String> {
        let sessions = self.sessions();
        let due = sessions
            .iter()
            .filter(|(_, used)| used.look.is_some_and(|look| look <= now));
        due.map(|(name, _)| name.clone()).collect()
    }

    /// Others use a session, or no longer do.
    fn seen(&self, session: &str, others: bool, now: Instant) {
        let wait = (self.idle / 4).min(AGAIN);
        if let Some(used) = self.sessions().get_mut(session) {
            used.look = others.then(|| now + wait);
            if others {
                used.last = now;
            }
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
                    app.activity.seen(&session, true, Instant::now());
                }
            }
        }
        for session in app.activity.to_look_at(Instant::now()) {
            let others = has_clients(&own, &session).await;
            app.activity.seen(&session, others, Instant::now());
        }
    }
}

/// Whether anybody is connected to a session, as far as it says.
async fn has_clients(own: &Client, session: &str) -> bool {
    let input = ListInput {
        session: Some(session.to_owned()),
        ..ListInput::default()
    };
    let listed = own.call(Call::from(input), &|_| {}).await;
    let listed = listed.and_then(|response| response.read::<List>());
    listed.is_ok_and(|list| list.sessions.iter().any(|row| !row.clients.is_empty()))
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
        // The keeper refused, because a program is connected: its time begins when that has left.
        activity.seen("work", true, at(1000));
        assert!(activity.to_look_at(at(1024)).is_empty());
        assert_eq!(activity.to_look_at(at(1025)), ["work"]);
        activity.seen("work", true, at(1025));
        activity.seen("work", false, at(1050));
        assert!(activity.to_look_at(at(5000)).is_empty());
        assert!(activity.due(at(1124)).is_empty());
        assert_eq!(activity.due(at(1125)), ["work"]);
        activity.forget("work");
        assert!(activity.due(at(2000)).is_empty());
    }
}
