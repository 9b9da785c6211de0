//! Calls the keeper of a session: the one that answered before, the one just found or started, or its
//! successor.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use szk_store::Name;
use szk_tools::session::{OpenInput, State};
use szk_tools::{Call, Code, Done, Failure, Progress, Response};
use szk_wire::{Found, Start};

use super::Client;
use crate::keeper::{LiveKeeper, Missing};
use crate::{deadline, keeper, names};

/// How many keepers to try in a row when each is closing.
const KEEPERS_TRIED: u32 = 5;

impl Client {
    /// Calls a keeper that answered before, without checking first that it still does. Returns `None`,
    /// with nothing done, if it does not answer or is closing.
    pub(super) async fn at_once(
        &self,
        session: &Name,
        call: &Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Option<Result<Response, Failure>> {
        let socket = self.reached().get(session).cloned()?;
        if self.present && !self.watches {
            let who = self.http.client();
            self.presences.hold(session.as_str(), &socket, &who).await;
        }
        let asked = self.http.operation(&socket, call, Found::Open, progress);
        match asked.await {
            Err(failure) if may_be_closing(&failure) => {
                self.reached().remove(session);
                None
            }
            done => Some(done),
        }
    }

    fn reached(&self) -> MutexGuard<'_, HashMap<Name, PathBuf>> {
        self.reached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the session's keeper, or starts one.
    pub(super) async fn reach(
        &self,
        start: &Start,
        missing: Missing,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<LiveKeeper, Failure> {
        let reached = keeper::reach(self, start, missing, progress).await?;
        if self.present {
            let (who, at) = (self.http.client(), &reached.socket);
            self.presences.hold(&start.session, at, &who).await;
        }
        let session = names::parse(&start.session)?;
        let mut known = self.reached();
        // Each clone has a keeper of its own; those that exited are not called again.
        known.retain(|_, socket| socket.exists());
        known.insert(session, reached.socket.clone());
        drop(known);
        Ok(reached)
    }

    /// Calls the keeper just reached; if it is closing, calls its successor, which is then the one reached.
    pub(super) async fn on_reached(
        &self,
        session: &Name,
        reached: &mut LiveKeeper,
        call: &Call,
        found: Found,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let mut tried = 0;
        loop {
            let asked = self.http.operation(&reached.socket, call, found, progress);
            match asked.await {
                Err(failure) if may_be_closing(&failure) && tried < KEEPERS_TRIED => {
                    tried += 1;
                    // If someone deleted the profile meanwhile, do not create it again as an empty one.
                    let (start, missing) = match call {
                        Call::SessionOpen(open) => (self.start(session, open)?, Missing::Make),
                        _ => (self.start(session, &OpenInput::default())?, Missing::Refuse),
                    };
                    *reached = self.reach(&start, missing, progress).await?;
                }
                other => return other,
            }
        }
    }

    /// Calls the keeper of a session that must already be open.
    pub(crate) async fn on_open(
        &self,
        session: &Name,
        call: &Call,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let profile = self.store.profile(session);
        let Some(socket) = keeper::find(self, &profile, Duration::from_secs(10)).await else {
            if profile.is_live() {
                return Err(deadline::unanswering(&profile));
            }
            return Err(match profile.exists() {
                true => names::not_open(session, true),
                false => names::unknown(&self.store, session),
            });
        };
        let asked = self.http.operation(&socket, call, Found::Open, progress);
        asked.await
    }

    /// Whether no other client has come to a keeper meanwhile.
    pub(super) async fn is_alone(&self, reached: &LiveKeeper) -> bool {
        let own = usize::from(self.present);
        let info = self.http.info(&reached.socket).await;
        info.is_none_or(|info| info.clients.len() <= own)
    }
}

/// The failure of a call to a keeper. If the call `started` it and it is still there, something was done,
/// though nothing of what the call was for.
pub(crate) fn failed(failure: Failure, session: &Name, started: bool) -> Failure {
    let gone = matches!(
        failure.code,
        Code::SessionBusy | Code::SessionNotFound | Code::BrowserCrashed
    );
    if !started || gone || failure.effect != Done::None {
        return failure;
    }
    Failure {
        message: format!("{} (`{session}` was opened for this call)", failure.message),
        ..failure
    }
    .effect(Done::Done)
}

/// The outcome of a call whose session was then closed again: what was done counts, and that the browser is still
/// running is said beside it.
pub(super) fn and_closed(
    outcome: Result<Response, Failure>,
    closed: Result<Response, Failure>,
    session: &Name,
) -> Result<Response, Failure> {
    let Err(failure) = closed else {
        return outcome;
    };
    let mut response = outcome.map_err(|own| failed(own, session, true))?;
    let warning = format!(
        "`{session}` was opened for this call and could not be closed again: {}; close it with `session_close` (`szk close {session}`)",
        failure.message
    );
    response.summary.push_str(&format!("\nnote: {warning}"));
    // A newer keeper's answer may be another one.
    if let Ok(mut output) = response.read::<State>() {
        output.warnings.push(warning);
        response.data = Response::of::<State>(String::new(), &output)?.data;
    }
    Ok(response)
}

/// Whether a closing keeper could have answered like this, with nothing done, so the next one can be
/// asked.
fn may_be_closing(failure: &Failure) -> bool {
    failure.code == Code::SessionBusy && failure.retryable && failure.effect == Done::None
}

#[cfg(test)]
mod tests {
    use szk_tools::session::{StateCounts, StateOutput};

    use super::*;

    #[test]
    fn a_failed_call_that_started_its_session_had_an_effect() {
        let session = names::parse("work").unwrap();
        let check = |failure: Failure, started, effect, says| {
            let failure = failed(failure, &session, started);
            assert_eq!(failure.effect, effect, "{failure}");
            let told = failure.message.contains("`work` was opened");
            assert_eq!(told, says, "{failure}");
        };
        let of = |code| Failure::new(code, "no");
        check(of(Code::NotFound), true, Done::Done, true);
        check(of(Code::PolicyDenied), true, Done::Done, true);
        check(of(Code::NotFound), false, Done::None, false);
        let late = of(Code::Timeout).effect(Done::Unknown);
        check(late, true, Done::Unknown, false);
        // Nothing is open.
        for gone in [Code::SessionBusy, Code::BrowserCrashed] {
            check(of(gone), true, Done::None, false);
        }
    }

    #[test]
    fn what_was_done_counts_even_if_the_session_then_stays_open() {
        let session = names::parse("work").unwrap();
        let done = || {
            let output = StateOutput {
                session: "work".to_owned(),
                created: false,
                counts: StateCounts::default(),
                path: None,
                state: None,
                warnings: Vec::new(),
            };
            Response::of::<State>("exported", &output).unwrap()
        };
        let stuck = || Err(Failure::new(Code::Timeout, "it did not close"));
        let both = and_closed(Ok(done()), stuck(), &session).unwrap();
        assert!(
            both.summary
                .starts_with("exported\nnote: `work` was opened")
        );
        assert!(
            both.summary.contains("it did not close"),
            "{}",
            both.summary
        );
        let warnings = both.read::<State>().unwrap().warnings;
        assert!(warnings[0].contains("szk close work"), "{warnings:?}");
        assert_eq!(and_closed(Ok(done()), Ok(done()), &session), Ok(done()));
        let wrong = || Failure::new(Code::NotFound, "no such file");
        let own = and_closed(Err(wrong()), stuck(), &session).unwrap_err();
        assert_eq!((own.code, own.effect), (Code::NotFound, Done::Done));
        let own = and_closed(Err(wrong()), Ok(done()), &session).unwrap_err();
        assert_eq!(own, wrong());
    }

    #[test]
    fn a_call_that_may_have_had_an_effect_is_not_repeated() {
        let closing = Failure::new(Code::SessionBusy, "the session is closing").retryable();
        assert!(may_be_closing(&closing));
        for effect in [Done::Unknown, Done::Done] {
            assert!(!may_be_closing(&closing.clone().effect(effect)));
        }
        assert!(!may_be_closing(&Failure::new(
            Code::SessionBusy,
            "a dialog"
        )));
        assert!(!may_be_closing(
            &Failure::new(Code::Timeout, "slow").retryable()
        ));
    }
}
