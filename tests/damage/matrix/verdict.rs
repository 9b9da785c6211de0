//! What a row lost, and whether that is allowed.

use std::fmt::{Display, Formatter};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lists::Cell;
use super::site::Written;

/// Kinds that are written again and again, and whether scripts write them.
const COUNTED: [(&str, bool); 14] = [
    ("session", true),
    ("persistent", true),
    ("http", false),
    ("strict", true),
    ("secure", true),
    ("host", true),
    ("partitioned", true),
    ("embedded", false),
    ("local", true),
    ("tab", true),
    ("indexed", true),
    ("blob", true),
    ("cache", true),
    ("opfs", true),
];

/// Kinds that are created once and must be there, in addition to those.
const MADE: [&str; 2] = ["key", "worker"];

/// A row's result.
pub(super) struct Verdict {
    pub(super) cell: Cell,
    /// The target did not exist at that moment, so nothing was tried.
    pub(super) absent: bool,
    /// The signal killed it.
    pub(super) died: bool,
    /// Seconds of the page's work that are lost, by kind; `None` means all of it.
    lost: Vec<(&'static str, Option<f64>)>,
    /// Kinds that lost data that had been there for long.
    base: Vec<&'static str>,
    /// Anything else that was wrong.
    pub(super) troubles: Vec<String>,
    /// Calls that failed and could be retried.
    pub(super) retried: Vec<String>,
    /// When each stage ended: the steady work counted from the row's start, the rest from the blow.
    stages: Vec<(&'static str, Duration)>,
    /// How long the row took.
    pub(super) took: Duration,
    /// How many seconds may be lost.
    pub(super) mark: f64,
}

impl Verdict {
    pub(super) fn new(cell: Cell) -> Self {
        Self {
            cell,
            absent: false,
            died: false,
            lost: Vec::new(),
            base: Vec::new(),
            troubles: Vec::new(),
            retried: Vec::new(),
            stages: Vec::new(),
            took: Duration::ZERO,
            mark: 0.0,
        }
    }

    /// Records the end of a stage.
    pub(super) fn stage(&mut self, name: &'static str, since: Instant) {
        self.stages.push((name, since.elapsed()));
    }

    /// Compares what the page found with what it had written.
    pub(super) fn compare(&mut self, written: Written, found: &Value) {
        for (kind, script) in COUNTED {
            let until = if script {
                written.scripts
            } else {
                written.others
            };
            let value = found["counters"][kind]
                .as_str()
                .and_then(|text| text.parse().ok());
            let lost = value.map(|value: u64| until.saturating_sub(value) as f64 / 1000.0);
            // What was never written cannot be lost.
            if until > 0 {
                self.lost.push((kind, lost));
            }
        }
        let all = COUNTED.iter().map(|(kind, _)| *kind).chain(MADE);
        self.base = all.filter(|kind| found["base"][kind] != "base").collect();
    }

    /// Whether every promise was kept.
    pub(super) fn holds(&self) -> bool {
        let in_time = |lost: &Option<f64>| lost.is_some_and(|seconds| seconds <= self.mark);
        self.base.is_empty()
            && self.troubles.is_empty()
            && self.lost.iter().all(|(_, lost)| in_time(lost))
    }

    /// The most that some kinds lost.
    fn worst(&self, kinds: &[&str]) -> String {
        let of = self.lost.iter().filter(|(kind, _)| kinds.contains(kind));
        let worst = of
            .map(|(_, lost)| lost.unwrap_or(f64::INFINITY))
            .fold(0.0, f64::max);
        match worst {
            worst if worst.is_infinite() => "all".into(),
            worst => format!("{worst:.1}"),
        }
    }
}

/// Columns of the table: cookies by where Chromium keeps them, storage by kind.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("memory", &["session", "http", "secure", "partitioned"]),
    ("disk", &["persistent", "strict", "host", "embedded"]),
    ("local", &["local"]),
    ("tab", &["tab"]),
    ("idb", &["indexed"]),
    ("blob", &["blob"]),
    ("cache", &["cache"]),
    ("opfs", &["opfs"]),
];

/// The head of the table.
pub(super) fn head() -> String {
    let columns: String = COLUMNS
        .iter()
        .map(|(name, _)| format!("{name:>7}"))
        .collect();
    format!(
        "{:7} {:14} {:10} {:6}{columns}   row  base",
        "signal", "target", "moment", ""
    )
}

impl Display for Verdict {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let fate = match (self.absent, self.died) {
            (true, _) => "absent",
            (_, true) => "died",
            _ => "lives",
        };
        write!(out, "{} {fate:6}", self.cell)?;
        for (_, kinds) in COLUMNS {
            write!(out, "{:>7}", self.worst(kinds))?;
        }
        let base = if self.base.is_empty() {
            "whole".into()
        } else {
            format!("LOST {}", self.base.join(", "))
        };
        write!(out, " {:4.0}s  {base}", self.took.as_secs_f64())?;
        let stages = self
            .stages
            .iter()
            .map(|(name, took)| format!("{name} {:.1}", took.as_secs_f64()));
        let stages: Vec<String> = stages.collect();
        write!(out, " (mark {:.1}; {})", self.mark, stages.join(", "))?;
        for again in &self.retried {
            write!(out, "\n    again: {again}")?;
        }
        for trouble in &self.troubles {
            write!(out, "\n    ! {trouble}")?;
        }
        Ok(())
    }
}
