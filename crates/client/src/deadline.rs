//! The front end's own time limit.
//!
//! A keeper ends each call by its budget and says so. A stopped or hung keeper says nothing: then the
//! client ends the call [`GRACE`] later, whatever it was waiting for.

use std::future::Future;
use std::time::Duration;

use szk_store::{KeeperInfo, Profile};
use szk_tools::{Call, Code, Done, Failure, Reach, Response, Scope};
use szk_wire::shared_clock_ms;

use crate::names;

/// How much longer than its budget a call may take, so that the keeper can answer first.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
/// Time to start a keeper, before the call's own budget begins.
const OPENING: Duration = Duration::from_secs(60);

tokio::task_local! {
    /// When to give up the current task's call, by [`shared_clock_ms`]. Its requests carry this time.
    static UNTIL: u64;
}

/// When to give up the current task's call, if it has a deadline.
pub(crate) fn until() -> Option<u64> {
    UNTIL.try_with(|until| *until).ok()
}

/// How long to wait for a call.
pub(crate) struct Deadline {
    budget: Duration,
    limit: Duration,
    operation: &'static str,
    effect: Done,
}

impl Deadline {
    /// The deadline of a call; `live` says whether its session already has a keeper.
    pub(crate) fn of(call: &Call, live: bool) -> Self {
        let (spec, budget) = (call.spec(), call.budget());
        let opens = match call {
            // Its budget already covers opening.
            Call::SessionOpen(_) => false,
            Call::SessionRunTest(_) => true,
            _ => spec.scope == Scope::Opens && !live,
        };
        let opening = if opens { OPENING } else { Duration::ZERO };
        Self {
            budget,
            limit: budget + opening + GRACE,
            operation: spec.name,
            effect: match spec.reach {
                // It may have started the session.
                Reach::Read if opens => Done::Unknown,
                Reach::Read => Done::None,
                Reach::Write | Reach::Destroy => Done::Unknown,
            },
        }
    }

    /// Waits for the work until the deadline. `profile` is called only if time runs out.
    pub(crate) async fn hold(
        self,
        work: impl Future<Output = Result<Response, Failure>>,
        profile: impl FnOnce() -> Option<Profile>,
    ) -> Result<Response, Failure> {
        let until = shared_clock_ms().saturating_add(self.limit.as_millis() as u64);
        let work = UNTIL.scope(until, work);
        match tokio::time::timeout(self.limit, work).await {
            Ok(done) => done,
            Err(_) => Err(self.passed(profile())),
        }
    }

    fn passed(&self, profile: Option<Profile>) -> Failure {
        let millis = self.budget.as_millis();
        let message = format!("`{}` was not answered within {millis} ms", self.operation);
        match profile.and_then(|profile| Some((profile.keeper()?, profile))) {
            Some((keeper, profile)) if keeper.is_alive() => {
                silent(message, &keeper, &profile).effect(self.effect)
            }
            _ => Failure::new(Code::Timeout, message)
                .hint("check the session with `szk list`; call again, or raise `timeout_ms`")
                .retryable()
                .effect(self.effect),
        }
    }
}

/// The failure for a keeper that exists but does not answer.
pub(crate) fn unanswering(profile: &Profile) -> Failure {
    let message = format!("session `{}` is open but does not answer", profile.name());
    match profile.keeper() {
        Some(keeper) if keeper.is_alive() => silent(message, &keeper, profile),
        _ => Failure::new(Code::Timeout, message)
            .hint(format!(
                "it may be starting or closing: call again, or see `{}`",
                profile.log_path().display()
            ))
            .retryable(),
    }
}

/// Names the process, and how to inspect, resume or end it.
fn silent(message: String, keeper: &KeeperInfo, profile: &Profile) -> Failure {
    let (pid, name) = (keeper.pid, profile.name());
    let failure = if keeper.is_stopped() {
        Failure::new(
            Code::Timeout,
            format!("{message}: its keeper, process {pid}, is stopped"),
        )
        .hint(format!(
            "resume it with `kill -CONT {pid}`, or end it and its browser with `kill -9 {pid}`; opening `{name}` again restores tabs and logins"
        ))
    } else {
        Failure::new(
            Code::Timeout,
            format!("{message}: its keeper, process {pid}, is running but does not respond"),
        )
        .hint(format!(
            "call again later, or find out what it is doing with `ps -o pid,stat,etime,cmd -p {pid}` and `{}`; `kill -9 {pid}` ends it and its browser, and opening `{name}` again restores tabs and logins",
            profile.log_path().display()
        ))
    };
    failure.retryable()
}

impl crate::Client {
    /// The profile of a call: the one it names, or the only open one. Does not wait for anything.
    pub(crate) fn meant(&self, named: Option<&str>) -> Option<Profile> {
        if let Some(name) = named {
            return Some(self.store().profile(&names::parse(name).ok()?));
        }
        let all = self.store().list().ok()?;
        let mut live = all.into_iter().filter(Profile::is_live);
        let only = live.next();
        only.filter(|_| live.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_calls_that_start_a_keeper_get_time_for_it() {
        let limit = |name, input, live| {
            let call = Call::decode(name, input).unwrap();
            Deadline::of(&call, live).limit.as_secs()
        };
        let asked = json!({"timeout_ms": 5000});
        assert_eq!(limit("browser_snapshot", asked.clone(), true), 10);
        assert_eq!(limit("browser_snapshot", asked.clone(), false), 70);
        assert_eq!(limit("session_open", asked.clone(), false), 10);
        assert_eq!(limit("session_close", asked, false), 10);
    }

    #[tokio::test]
    async fn an_unanswered_call_ends_and_reports_its_possible_effect() {
        for (name, input, live, effect) in [
            (
                "browser_snapshot",
                json!({"timeout_ms": 10}),
                true,
                Done::None,
            ),
            (
                "browser_snapshot",
                json!({"timeout_ms": 10}),
                false,
                Done::Unknown,
            ),
            (
                "browser_act",
                json!({"kind": "click", "ref": "e1", "timeout_ms": 10}),
                true,
                Done::Unknown,
            ),
        ] {
            let call = Call::decode(name, input).unwrap();
            let deadline = Deadline {
                limit: Duration::from_millis(10),
                ..Deadline::of(&call, live)
            };
            let failure = deadline
                .hold(std::future::pending(), || None)
                .await
                .unwrap_err();
            assert_eq!((failure.code, failure.effect), (Code::Timeout, effect));
            assert!(failure.retryable && failure.hint.is_some());
        }
    }
}
