//! How long a call may take. The keeper ends what takes longer; a front that hears nothing by then ends too.

use std::time::Duration;

use crate::Call;

/// The budget of most operations, in milliseconds; `[session] timeout_seconds` replaces it.
pub const USUAL_MS: u64 = 30_000;
/// How long a hand-off waits for the person when the call does not say, in milliseconds.
pub const HANDOFF_WAIT_MS: u64 = 600_000;
/// How long a program may take to end, and to be given a door and a page before.
pub(crate) const PROGRAM_ENDS: Duration = Duration::from_secs(20);
/// How long a session may take to load a page and to be closed.
pub(crate) const SESSION_ENDS: Duration = Duration::from_secs(60);

/// The time of an operation when the call does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// [`USUAL_MS`], or what the configuration says instead.
    Usual,
    /// So many milliseconds, whatever the configuration says.
    Fixed(u64),
}

impl Call {
    /// The time the call may take, by its own word or by its kind, with what comes after it.
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

    /// Gives the call the time of the setting, if it says nothing and its kind has the usual budget.
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
