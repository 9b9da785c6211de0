//! What each expected browser has reported so far.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::Unfinished;
use crate::pages::Suite;
use crate::report::{Checks, Outcome, Report};

/// The realm that holds what the server itself saw.
pub(super) const HTTP: &str = "http";
/// The check for a realm that did not report.
const REPORTS: &str = "reports";

/// All visits by id. Connections write; whoever waits for a report is woken.
#[derive(Default)]
pub(super) struct Runs {
    // A std mutex: connections are threads.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    stopped: bool,
    runs: BTreeMap<String, Visit>,
}

struct Visit {
    mode: String,
    suite: Suite,
    realms: BTreeMap<String, Checks>,
    done: bool,
}

impl Runs {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Expects a visit; returns its id.
    pub(super) fn add(&self, mode: &str, suite: Suite) -> String {
        let mut state = self.state();
        let id = format!("visit{}", state.runs.len() + 1);
        let visit = Visit {
            mode: mode.to_owned(),
            suite,
            realms: BTreeMap::new(),
            done: false,
        };
        state.runs.insert(id.clone(), visit);
        id
    }

    pub(super) fn suite(&self, id: &str) -> Option<Suite> {
        self.state().runs.get(id).map(|visit| visit.suite)
    }

    /// Adds the report of a realm, or of a part of it.
    pub(super) fn reported(&self, id: &str, realm: &str, checks: Checks) {
        if let Some(visit) = self.state().runs.get_mut(id) {
            let known = visit.realms.entry(realm.to_owned()).or_default();
            known.extend(checks);
        }
        self.changed.notify_all();
    }

    /// What a realm has reported.
    pub(super) fn checks(&self, id: &str, realm: &str) -> Option<Checks> {
        self.state().runs.get(id)?.realms.get(realm).cloned()
    }

    /// Records the headers of a request; only the first of each kind counts.
    pub(super) fn asked(&self, id: &str, what: &str, headers: &[(String, String)]) {
        let mut state = self.state();
        let Some(visit) = state.runs.get_mut(id) else {
            return;
        };
        let checks = visit.realms.entry(HTTP.to_owned()).or_default();
        let lines = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"));
        checks
            .entry(format!("headers of {what}"))
            .or_insert_with(|| Outcome::Value(lines.collect()));
    }

    /// The page has waited for all realms; `missing` did not report.
    pub(super) fn done(&self, id: &str, missing: Vec<String>) {
        if let Some(visit) = self.state().runs.get_mut(id) {
            for realm in missing {
                let outcome = Outcome::Verdict {
                    ok: false,
                    seen: json!("this realm did not report"),
                };
                let checks = visit.realms.entry(realm).or_default();
                checks.insert(REPORTS.to_owned(), outcome);
            }
            visit.done = true;
        }
        self.changed.notify_all();
    }

    /// Waits until a realm has reported; returns whether it has.
    pub(super) fn wait(&self, id: &str, realm: &str, limit: Duration) -> bool {
        let there = |state: &State| {
            let visit = state.runs.get(id)?;
            visit.realms.contains_key(realm).then_some(())
        };
        self.until(limit, there).is_some()
    }

    /// Waits for the end of a visit.
    pub(super) fn report(&self, id: &str, limit: Duration) -> Result<Report, Unfinished> {
        let finished = |state: &State| {
            let visit = state.runs.get(id).filter(|visit| visit.done)?;
            Some(Report {
                mode: visit.mode.clone(),
                realms: visit.realms.clone(),
            })
        };
        self.until(limit, finished).ok_or_else(|| {
            let state = self.state();
            let visit = state.runs.get(id);
            Unfinished {
                mode: visit.map(|visit| visit.mode.clone()).unwrap_or_default(),
                limit,
                reported: visit
                    .map(|visit| visit.realms.keys().cloned().collect())
                    .unwrap_or_default(),
            }
        })
    }

    fn until<T>(&self, limit: Duration, found: impl Fn(&State) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + limit;
        let mut state = self.state();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match found(&state) {
                Some(value) => return Some(value),
                None if left.is_zero() || state.stopped => return None,
                None => {}
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn stop(&self) {
        self.state().stopped = true;
        self.changed.notify_all();
    }

    pub(super) fn stopped(&self) -> bool {
        self.state().stopped
    }
}
