//! How long a call may take. The keeper ends what takes longer; a front that hears nothing by then ends too.

use std::time::Duration;

use crate::Call;
use crate::browser::Runner;

/// The budget of most operations, in milliseconds; `[session] timeout_seconds` replaces it.
pub const USUAL_MS: u64 = 30_000;
/// How long a hand-off waits for the person when the call does not say, in milliseconds.
pub const HANDOFF_WAIT_MS: u64 = 600_000;
/// How long a program may take to end, and to be given a door and a page before.
const PROGRAM_ENDS: Duration = Duration::from_secs(20);
/// How long a session may take to load a page and to be closed.
const SESSION_ENDS: Duration = Duration::from_secs(60);

impl Call {
    /// The time the call may take, by its own word or by its kind, with what comes after it.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let (given, otherwise) = self.asked_and_usual_ms();
        // A day is long enough, and keeps sums of times from overflowing.
        Duration::from_millis(given.unwrap_or(otherwise).clamp(1, 86_400_000)) + self.ending()
    }

    /// What comes after the time of a program is up: its end, and that of its session, before the answer.
    #[must_use]
    pub fn ending(&self) -> Duration {
        match self {
            Self::BrowserRunCode(input) if input.runner == Some(Runner::Playwright) => PROGRAM_ENDS,
            Self::BrowserRunFile(_) | Self::BrowserRunTest(_) => PROGRAM_ENDS,
            Self::SessionRunTest(_) => PROGRAM_ENDS + SESSION_ENDS,
            _ => Duration::ZERO,
        }
    }

    /// Whether the call leaves its time to the setting: it says nothing, and its kind has the usual budget.
    #[must_use]
    pub fn leaves_its_time_open(&self) -> bool {
        let fixed = matches!(
            self,
            Self::BrowserArm(_)
                | Self::SessionEndpoint(_)
                | Self::SessionList(_)
                | Self::SessionClose(_)
        );
        !fixed && self.asked_and_usual_ms() == (None, USUAL_MS)
    }

    fn asked_and_usual_ms(&self) -> (Option<u64>, u64) {
        match self {
            Self::SessionOpen(input) => (input.timeout_ms, 60_000),
            Self::SessionClose(input) => (input.timeout_ms, USUAL_MS),
            Self::WorkflowLogin(input) => (input.timeout_ms, 60_000),
            Self::WorkflowFillForm(input) => (input.timeout_ms, 60_000),
            Self::WorkflowScrape(input) => (input.timeout_ms, 120_000),
            Self::BrowserNavigate(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserSnapshot(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserExtract(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserFind(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserAct(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserRunCode(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserRunFile(input) => (input.timeout_ms, 60_000),
            Self::BrowserRunTest(input) => (input.tests.timeout_ms, 300_000),
            Self::SessionRunTest(input) => (input.tests.timeout_ms, 300_000),
            Self::BrowserScreenshot(input) => (input.timeout_ms, USUAL_MS),
            // It answers that it still waits when its time is up.
            Self::SessionHandoff(input) => (
                input.timeout_ms.map(|wait| wait.saturating_add(10_000)),
                HANDOFF_WAIT_MS + 10_000,
            ),
            Self::BrowserPdf(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserTabs(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserEmulate(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserLogs(input) => (input.timeout_ms, USUAL_MS),
            Self::BrowserBatch(input) => (input.timeout_ms, 60_000),
            Self::BrowserArm(_) | Self::SessionEndpoint(_) | Self::SessionList(_) => {
                (None, USUAL_MS)
            }
            // Whole profiles are moved.
            Self::SessionState(_) | Self::SessionDelete(_) => (None, 120_000),
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
            let schema = (spec.input)();
            let mut input = json!({});
            for field in schema["required"].as_array().into_iter().flatten() {
                let field = field.as_str().unwrap();
                let of = &schema["properties"][field];
                input[field] = match (&of["enum"][0], of["type"].as_str()) {
                    (serde_json::Value::String(first), _) => first.as_str().into(),
                    (_, Some("array")) => json!([]),
                    (_, Some("object")) => json!({}),
                    _ => "x".into(),
                };
            }
            let usual = call(spec.name, input.clone());
            assert!(usual.budget() >= Duration::from_secs(30), "{}", spec.name);
            if schema["properties"].get("timeout_ms").is_some() {
                input["timeout_ms"] = json!(1234);
                let asked = call(spec.name, input).budget();
                let slack = Duration::from_secs(100);
                assert!(asked < Duration::from_millis(1234) + slack, "{}", spec.name);
            }
        }
    }

    #[test]
    fn the_setting_is_for_calls_that_say_nothing() {
        assert!(call("browser_snapshot", json!({})).leaves_its_time_open());
        assert!(!call("browser_snapshot", json!({"timeout_ms": 5})).leaves_its_time_open());
        assert!(!call("session_open", json!({})).leaves_its_time_open());
        assert!(!call("session_list", json!({})).leaves_its_time_open());
    }
}
