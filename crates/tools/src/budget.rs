//! How long a call may take. The keeper stops a call that takes longer, and a front end stops waiting
//! soon after.

use std::time::Duration;

use crate::Call;

/// The budget of most operations, in milliseconds; `[session] timeout_seconds` replaces it.
pub const USUAL_MS: u64 = 30_000;
/// How long a hand-off waits for the person when the call does not say, in milliseconds.
pub const HANDOFF_WAIT_MS: u64 = 600_000;
/// Time a program gets to end, and before that, to get the endpoint and a page.
pub(crate) const PROGRAM_ENDS: Duration = Duration::from_secs(20);
/// Time a session gets to load a page and to close.
pub(crate) const SESSION_ENDS: Duration = Duration::from_secs(60);

/// The time of an operation, if the call gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// [`USUAL_MS`], or the configured time.
    Usual,
    /// This many milliseconds, whatever the configuration says.
    Fixed(u64),
}

impl Call {
    /// The time the call may take, its own or its operation's, plus the time it needs to end.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let usual = match self.spec().time {
            Time::Usual => USUAL_MS,
            Time::Fixed(millis) => millis,
        };
        let millis = self.input().timeout_ms().unwrap_or(usual);
        // A day is long enough, and keeps sums of times from overflowing.
        Duration::from_millis(millis.clamp(1, 86_400_000)) + self.input().ending()
    }

    /// Gives the call the configured time, if it gives none itself and its operation has the usual
    /// budget.
    pub fn set_usual_ms(&mut self, millis: u64) {
        if self.spec().time == Time::Usual && self.input().timeout_ms().is_none() {
            self.input_mut().set_timeout_ms(millis);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, input: serde_json::Value) -> Call {
        Call::decode(name, input).unwrap()
    }

    #[test]
    fn every_operation_that_takes_a_time_keeps_to_it() {
        for spec in crate::specs() {
            let mut input = crate::input::tests::least(spec);
            let usual = call(spec.name, input.clone());
            assert!(usual.budget() >= Duration::from_secs(30), "{}", spec.name);
            if (spec.input)()["properties"].get("timeout_ms").is_some() {
                input["timeout_ms"] = json!(1234);
                let asked = call(spec.name, input).budget();
                let slack = Duration::from_secs(100);
                assert!(asked < Duration::from_millis(1234) + slack, "{}", spec.name);
            }
        }
    }

    #[test]
    fn the_setting_is_for_calls_that_say_nothing() {
        let set = |name, input| {
            let mut call = call(name, input);
            call.set_usual_ms(77);
            call.input().timeout_ms()
        };
        assert_eq!(set("browser_snapshot", json!({})), Some(77));
        assert_eq!(set("browser_snapshot", json!({"timeout_ms": 5})), Some(5));
        assert_eq!(set("session_open", json!({})), None);
        assert_eq!(set("session_close", json!({})), None);
        assert_eq!(set("session_list", json!({})), None);
    }
}
