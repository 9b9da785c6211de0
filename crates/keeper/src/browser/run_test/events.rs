//! What our reporter tells while Playwright's tests run: a line of JSON for each thing that happens.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use szk_tools::browser::{TestAttachment, TestError, TestOutcome, TestRow};

use crate::program::plain;

/// Longest account of a run that is read, in bytes.
const LONGEST: u64 = 256 << 20;
/// Longest text of an attachment to include in the answer, in bytes.
const SHORT: u64 = 4_000;
/// Longest message of an error, in characters.
const MESSAGE: usize = 3_000;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    Begin { total: u32 },
    TestBegin(Test),
    TestEnd(TestEnd),
    Error(Error),
    End {},
}

#[derive(Deserialize)]
struct Test {
    id: String,
    title: String,
    project: String,
    location: String,
    retry: u32,
}

#[derive(Deserialize)]
struct TestEnd {
    #[serde(flatten)]
    test: Test,
    outcome: String,
    status: String,
    duration_ms: u64,
    errors: Vec<Error>,
    attachments: Vec<Attachment>,
}

#[derive(Deserialize)]
struct Error {
    message: String,
    location: Option<String>,
}

#[derive(Deserialize)]
struct Attachment {
    name: String,
    mime: String,
    path: Option<PathBuf>,
}

/// What the reporter has written so far.
#[derive(Default)]
pub(super) struct TestProgress {
    /// How many tests were chosen; nothing before that is known.
    pub(super) total: Option<u32>,
    /// Tests with an id, in the order of their last ends.
    ended: Vec<(String, TestRow)>,
    /// Tests that began and did not end.
    running: Vec<(String, String)>,
    /// Errors outside of tests.
    pub(super) errors: Vec<TestError>,
    /// Whether Playwright came to its end.
    pub(super) over: bool,
}

impl TestProgress {
    /// Everything in the file so far. A last line without its end is not there yet.
    pub(super) fn read(events: &Path) -> Self {
        let text = szk_files::text(events, LONGEST).unwrap_or_default();
        let mut told = Self::default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines() {
            match serde_json::from_str(line) {
                Ok(event) => told.take(event),
                Err(error) => tracing::warn!(%error, "cannot read a line of the reporter"),
            }
        }
        told
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Begin { total } => self.total = Some(total),
            Event::TestBegin(test) => {
                let shown = format!("{} ({})", test.title, test.location);
                self.running.push((test.id, shown));
            }
            Event::TestEnd(end) => {
                self.running.retain(|(id, _)| *id != end.test.id);
                // A repeated test counts once, as it ended last.
                self.ended.retain(|(id, _)| *id != end.test.id);
                let id = end.test.id.clone();
                self.ended.push((id, row(end)));
            }
            Event::Error(error) => self.errors.push(self::error(error)),
            Event::End {} => self.over = true,
        }
    }

    /// What is being run now.
    pub(super) fn running(&self) -> Vec<&str> {
        self.running.iter().map(|(_, title)| &**title).collect()
    }

    /// Tests that ended.
    pub(super) fn rows(&self) -> impl Iterator<Item = &TestRow> {
        self.ended.iter().map(|(_, row)| row)
    }
}

fn row(end: TestEnd) -> TestRow {
    let outcome = match (end.outcome.as_str(), end.status.as_str()) {
        ("skipped", "interrupted") | (_, "interrupted") => TestOutcome::Interrupted,
        ("skipped", _) => TestOutcome::Skipped,
        ("expected", _) => TestOutcome::Passed,
        ("flaky", _) => TestOutcome::Flaky,
        (_, "timedOut") => TestOutcome::TimedOut,
        _ => TestOutcome::Failed,
    };
    TestRow {
        title: end.test.title,
        project: end.test.project,
        location: end.test.location,
        outcome,
        duration_ms: end.duration_ms,
        retries: end.test.retry,
        errors: end.errors.into_iter().map(error).collect(),
        attachments: end.attachments.into_iter().map(attachment).collect(),
    }
}

fn error(error: Error) -> TestError {
    let text = plain(&error.message);
    TestError {
        message: text.trim().chars().take(MESSAGE).collect(),
        location: error.location,
    }
}

fn attachment(attachment: Attachment) -> TestAttachment {
    let textual = attachment.mime.starts_with("text/") || attachment.mime == "application/json";
    let short = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.len() <= SHORT);
    let path = attachment.path.filter(|path| path.is_file());
    let text = path
        .as_ref()
        .filter(|path| textual && short(path))
        .and_then(|path| szk_files::text(path, SHORT).ok());
    TestAttachment {
        name: attachment.name,
        mime: attachment.mime,
        path,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> TestProgress {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("events.jsonl");
        std::fs::write(&file, lines.join("\n")).unwrap();
        TestProgress::read(&file)
    }

    const BEGIN: &str =
        r#"{"test_begin":{"id":"1","title":"a › b","project":"","location":"x.js:1:2","retry":0}}"#;

    fn end(retry: u32, outcome: &str, status: &str) -> String {
        format!(
            r#"{{"test_end":{{"id":"1","title":"a › b","project":"","location":"x.js:1:2","retry":{retry},"outcome":"{outcome}","status":"{status}","duration_ms":5,"errors":[],"attachments":[]}}}}"#
        )
    }

    #[test]
    fn a_repeated_test_counts_once() {
        let (first, second) = (end(0, "unexpected", "failed"), end(1, "flaky", "passed"));
        let told = told(&[BEGIN, &first, BEGIN, &second, ""]);
        let rows: Vec<_> = told.rows().collect();
        assert_eq!(
            (rows.len(), rows[0].outcome, rows[0].retries),
            (1, TestOutcome::Flaky, 1)
        );
        assert!(told.running().is_empty());
    }

    #[test]
    fn what_began_and_did_not_end_is_running_and_half_a_line_is_nothing() {
        let told = told(&[r#"{"begin":{"total":2}}"#, BEGIN, r#"{"test_end":{"id"#]);
        assert_eq!(told.total, Some(2));
        assert_eq!(told.running(), ["a › b (x.js:1:2)"]);
        assert!(!told.over);
    }

    #[test]
    fn outcomes_are_told_apart() {
        let check = |outcome: &str, status: &str, expected| {
            let told = told(&[&end(0, outcome, status), ""]);
            assert_eq!(told.rows().next().unwrap().outcome, expected);
        };
        check("expected", "passed", TestOutcome::Passed);
        check("expected", "failed", TestOutcome::Passed);
        check("unexpected", "failed", TestOutcome::Failed);
        check("unexpected", "passed", TestOutcome::Failed);
        check("unexpected", "timedOut", TestOutcome::TimedOut);
        check("skipped", "skipped", TestOutcome::Skipped);
        check("skipped", "interrupted", TestOutcome::Interrupted);
    }
}
