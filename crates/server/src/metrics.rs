//! Counts of calls, for `/metrics` (OpenMetrics text).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0];

/// Counters of one operation.
#[derive(Debug, Default, Clone)]
struct Counts {
    /// By code; `OK` for success.
    by_code: BTreeMap<String, u64>,
    /// Calls that took at most this long, and all.
    at_most: [u64; BOUNDS.len()],
    calls: u64,
    seconds: f64,
}

/// All counters of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// A std mutex: nothing awaits under it.
    by_operation: Mutex<BTreeMap<&'static str, Counts>>,
    /// Events of sessions that clients were too slow for.
    lost: AtomicU64,
}

/// What is so at the moment.
#[derive(Debug, Default)]
pub(crate) struct Now {
    /// Profiles in the store, and open ones.
    pub(crate) sessions: (usize, usize),
    /// Requests in the queue.
    pub(crate) waiting: usize,
    /// Bytes of each open session's browser.
    pub(crate) memory: Vec<(String, u64)>,
}

impl Metrics {
    pub(crate) fn of(operations: impl Iterator<Item = &'static str>) -> Self {
        Self {
            by_operation: Mutex::new(operations.map(|name| (name, Counts::default())).collect()),
            lost: AtomicU64::new(0),
        }
    }

    /// Counts a call that ended with this code.
    pub(crate) fn count(&self, operation: &'static str, code: &str, took: Duration) {
        let mut all = self
            .by_operation
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let counts = all.entry(operation).or_default();
        *counts.by_code.entry(code.to_owned()).or_default() += 1;
        let seconds = took.as_secs_f64();
        counts.calls += 1;
        counts.seconds += seconds;
        for (bound, count) in BOUNDS.iter().zip(&mut counts.at_most) {
            *count += u64::from(seconds <= *bound);
        }
    }

    /// Counts events that a client has missed.
    pub(crate) fn lost(&self, events: u64) {
        self.lost.fetch_add(events, Ordering::Relaxed);
    }

    /// The text of `/metrics`.
    pub(crate) fn text(&self, now: &Now) -> String {
        let all = self
            .by_operation
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "# TYPE szk_sessions gauge\n# HELP szk_sessions Profiles in the store.\nszk_sessions{{status=\"stored\"}} {}\nszk_sessions{{status=\"open\"}} {}\n",
            now.sessions.0, now.sessions.1
        );
        let _ = write!(
            text,
            "# TYPE szk_queue gauge\n# HELP szk_queue Requests that wait until a session can be opened.\nszk_queue {}\n",
            now.waiting
        );
        text.push_str("# TYPE szk_browser_memory_bytes gauge\n# UNIT szk_browser_memory_bytes bytes\n# HELP szk_browser_memory_bytes Memory that the browser of an open session has for itself.\n");
        // Names of sessions have no character that would need escaping.
        for (session, bytes) in &now.memory {
            let _ = writeln!(
                text,
                "szk_browser_memory_bytes{{session=\"{session}\"}} {bytes}"
            );
        }
        let _ = write!(
            text,
            "# TYPE szk_events_lost counter\n# HELP szk_events_lost Events of sessions that clients missed, because they were too slow or away too long.\nszk_events_lost_total {}\n",
            self.lost.load(Ordering::Relaxed)
        );
        text.push_str(
            "# TYPE szk_calls counter\n# HELP szk_calls Calls by operation and outcome.\n",
        );
        for (operation, counts) in &*all {
            for (code, count) in &counts.by_code {
                let _ = writeln!(
                    text,
                    "szk_calls_total{{operation=\"{operation}\",code=\"{code}\"}} {count}"
                );
            }
        }
        text.push_str("# TYPE szk_call_seconds histogram\n# UNIT szk_call_seconds seconds\n# HELP szk_call_seconds How long calls took.\n");
        for (operation, counts) in all.iter().filter(|(_, counts)| counts.calls > 0) {
            for (bound, count) in BOUNDS.iter().zip(counts.at_most) {
                let _ = writeln!(
                    text,
                    "szk_call_seconds_bucket{{operation=\"{operation}\",le=\"{bound:?}\"}} {count}"
                );
            }
            let _ = write!(
                text,
                "szk_call_seconds_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {0}\nszk_call_seconds_count{{operation=\"{operation}\"}} {0}\nszk_call_seconds_sum{{operation=\"{operation}\"}} {1}\n",
                counts.calls, counts.seconds
            );
        }
        text.push_str("# EOF\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn now() -> Now {
        Now {
            sessions: (3, 1),
            waiting: 2,
            memory: vec![("work".to_owned(), 1000)],
        }
    }

    #[test]
    fn calls_are_counted_by_outcome_and_time() {
        let metrics = Metrics::of(["session_list"].into_iter());
        metrics.count("session_list", "OK", Duration::from_millis(20));
        metrics.count("session_list", "TIMEOUT", Duration::from_secs(100));
        metrics.lost(7);
        let text = metrics.text(&now());
        for line in [
            "szk_sessions{status=\"open\"} 1",
            "szk_queue 2",
            "szk_browser_memory_bytes{session=\"work\"} 1000",
            "szk_events_lost_total 7",
            "szk_calls_total{operation=\"session_list\",code=\"OK\"} 1",
            "szk_calls_total{operation=\"session_list\",code=\"TIMEOUT\"} 1",
            "szk_call_seconds_bucket{operation=\"session_list\",le=\"0.01\"} 0",
            "szk_call_seconds_bucket{operation=\"session_list\",le=\"0.025\"} 1",
            // As OpenMetrics writes numbers.
            "szk_call_seconds_bucket{operation=\"session_list\",le=\"10.0\"} 1",
            "szk_call_seconds_bucket{operation=\"session_list\",le=\"+Inf\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }

    /// The names of metrics in a text, from their prefix.
    fn names(text: &str) -> BTreeSet<&str> {
        let in_name = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
        text.split(|byte| !in_name(byte))
            .filter(|word| word.starts_with("szk_"))
            .collect()
    }

    #[test]
    fn the_grafana_dashboard_names_only_metrics_that_exist() {
        let dashboard = include_str!("../../../deploy/grafana.json");
        let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
        let metrics = Metrics::of(["session_list"].into_iter());
        metrics.count("session_list", "OK", Duration::from_millis(20));
        metrics.lost(7);
        let text = metrics.text(&now());
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        let samples = samples.collect::<Vec<_>>().join("\n");
        let exist = names(&samples);
        let panels = dashboard["panels"].as_array().unwrap();
        for panel in panels {
            let targets = panel["targets"].as_array().unwrap();
            assert!(!targets.is_empty(), "{panel}");
            for target in targets {
                let used = names(target["expr"].as_str().unwrap());
                assert!(!used.is_empty(), "{target}");
                assert!(used.is_subset(&exist), "{used:?} of {exist:?}");
            }
        }
        let panels = dashboard["panels"].to_string();
        let all = names(&panels);
        assert!(exist.is_subset(&all), "{exist:?} of {all:?}");
    }
}
