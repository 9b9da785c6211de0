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
use tokio_util::sync::CancellationToken;

use crate::app::App;

/// How often to look for sessions whose time is over.
const LOOK: Duration = Duration::from_millis(500);

/// Longest time until a session that others use is looked at again.
const AGAIN: Duration = Duration::from_secs(30);

/// Since when the sessions that this server opened are idle.
pub(crate) struct Activity {
    /// Zero: sessions are never closed.
    idle: Duration,
    /// Those that it opened or that something uses through it. A std mutex: nothing awaits under it.
    sessions: Mutex<HashMap<String, Use>>,
}

struct Use {
    /// Whether this server opened the session: it closes no others.
    ours: bool,
    /// Calls and connections that go on.
    held: usize,
    /// When the last of them ended, or when others were seen in the session.
    last: Instant,
    /// Cancelled when the session is given up, for the programs connected through this server.
    given_up: CancellationToken,
    /// Programs connected through this server.
    programs: usize,
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

    /// This server has opened a session. What uses it already, such as the call that opens it, goes on.
    pub(crate) fn opened(&self, session: &str, now: Instant) {
        self.change(session, |used| {
            used.ours = true;
            used.last = now;
        });
    }

    /// Something uses a session until the guard is dropped.
    pub(crate) fn hold(self: &Arc<Self>, session: &str) -> SessionUse {
        self.change(session, |used| used.held += 1);
        SessionUse(Arc::clone(self), session.to_owned())
    }

    /// A program has connected to a session, and stays until the guard is dropped. What it sends is use
    /// ([`Activity::sent`]), its being there is none: programs that were forgotten would keep browsers for
    /// ever.
    pub(crate) fn program(self: &Arc<Self>, session: &str) -> Program {
        let given_up = self.change(session, |used| {
            used.last = Instant::now();
            used.programs += 1;
            used.given_up.clone()
        });
        Program {
            activity: Arc::clone(self),
            session: session.to_owned(),
            given_up,
        }
    }

    /// A program has sent something to a session.
    fn sent(&self, session: &str) {
        if let Some(used) = self.sessions().get_mut(session) {
            used.last = Instant::now();
        }
    }

    /// Programs connected to a session through this server.
    fn programs(&self, session: &str) -> usize {
        self.sessions().get(session).map_or(0, |used| used.programs)
    }

    /// Ends the connections of programs to a session.
    fn give_up(&self, session: &str) {
        tracing::info!(
            session,
            "ending the connections of programs that send nothing"
        );
        if let Some(used) = self.sessions().get_mut(session) {
            // Whoever connects from now on is not meant.
            std::mem::take(&mut used.given_up).cancel();
        }
    }

    /// The sessions whose time is over.
    fn due(&self, now: Instant) -> Vec<String> {
        let over =
            |used: &Use| used.ours && used.held == 0 && now.duration_since(used.last) >= self.idle;
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
        self.change(session, |used| {
            used.ours = false;
            used.look = None;
        });
    }

    /// Changes what is known of a session, and forgets it if there is nothing to know.
    fn change<T>(&self, session: &str, change: impl FnOnce(&mut Use) -> T) -> T {
        let mut sessions = self.sessions();
        let used = sessions
            .entry(session.to_owned())
            .or_insert_with(Use::unknown);
        let changed = change(used);
        if !used.ours && used.held == 0 && used.programs == 0 {
            sessions.remove(session);
        }
        changed
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Use>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Use {
    /// A session that this server has not opened, and that nothing uses through it.
    fn unknown() -> Self {
        Self {
            ours: false,
            held: 0,
            last: Instant::now(),
            given_up: CancellationToken::new(),
            programs: 0,
            look: None,
        }
    }
}

/// A use of a session that goes on.
pub(crate) struct SessionUse(Arc<Activity>, String);

impl Drop for SessionUse {
    fn drop(&mut self) {
        self.0.change(&self.1, |used| {
            used.held = used.held.saturating_sub(1);
            used.last = Instant::now();
        });
    }
}

/// A program that is connected to a session.
pub(crate) struct Program {
    activity: Arc<Activity>,
    session: String,
    given_up: CancellationToken,
}

impl Program {
    /// It has sent something.
    pub(crate) fn sent(&self) {
        self.activity.sent(&self.session);
    }

    /// Completes when the session is closed although the program is connected: it sent nothing for long.
    pub(crate) fn given_up(&self) -> impl Future<Output = ()> + Send + use<> {
        self.given_up.clone().cancelled_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.activity.change(&self.session, |used| {
            used.programs = used.programs.saturating_sub(1);
        });
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
            if app.activity.programs(&session) > 0 {
                // The keeper closes nothing beneath a program: it has until the next look to hear of it.
                match has_others(&app, &own, &session).await {
                    true => app.activity.seen(&session, true, Instant::now()),
                    false => app.activity.give_up(&session),
                }
                continue;
            }
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
            let others = has_others(&app, &own, &session).await;
            app.activity.seen(&session, others, Instant::now());
        }
    }
}

/// Whether anybody is connected to a session, as far as it says, besides programs through this server.
async fn has_others(app: &App, own: &Client, session: &str) -> bool {
    let input = ListInput {
        session: Some(session.to_owned()),
        ..ListInput::default()
    };
    let listed = own.call(Call::from(input), &|_| {}).await;
    let listed = listed.and_then(|response| response.read::<List>());
    let programs = app.activity.programs(session);
    listed.is_ok_and(|list| {
        let mut rows = list.sessions.iter();
        rows.any(|row| row.clients.len() > programs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_uses_a_session_by_what_it_sends_and_leaves_when_it_is_given_up() {
        let activity = Arc::new(Activity::new(Duration::from_secs(100)));
        let begin = Instant::now();
        activity.opened("work", begin);
        let program = activity.program("work");
        let due = |after: u64| activity.due(Instant::now() + Duration::from_secs(after));
        assert!(due(99).is_empty());
        assert_eq!(due(101), ["work"]);
        activity.sessions().get_mut("work").unwrap().last =
            begin.checked_sub(Duration::from_secs(200)).unwrap();
        assert_eq!(due(0), ["work"]);
        program.sent();
        assert!(due(99).is_empty());
        assert_eq!(activity.programs("work"), 1);
        activity.give_up("work");
        program.given_up().await;
        drop(program);
        assert_eq!(activity.programs("work"), 0);
        assert_eq!(activity.programs("unknown"), 0);
    }

    #[test]
    fn a_use_that_began_before_the_session_was_opened_counts() {
        let activity = Arc::new(Activity::new(Duration::from_secs(100)));
        let due = || activity.due(Instant::now() + Duration::from_secs(1000));
        // The call that opens it, and another one that came first.
        let (opens, other) = (activity.hold("work"), activity.hold("work"));
        let program = activity.program("work");
        activity.opened("work", Instant::now());
        drop(opens);
        activity.opened("work", Instant::now());
        assert!(due().is_empty(), "the other call goes on");
        assert_eq!(activity.programs("work"), 1);
        // Closed and opened again below the other call.
        activity.forget("work");
        activity.opened("work", Instant::now());
        let again = activity.hold("work");
        drop(other);
        assert!(due().is_empty(), "the new call goes on");
        drop(again);
        assert_eq!(due(), ["work"]);
        drop(program);
        activity.forget("work");
        assert!(activity.sessions().is_empty());
    }

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
