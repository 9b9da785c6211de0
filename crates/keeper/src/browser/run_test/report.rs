//! What a run of tests comes to: numbers, words and pictures.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use szk_tools::Image;
use szk_tools::browser::{RunTestOutput, TestOutcome, TestRow};

use super::events::TestProgress;

/// Pictures that go into an answer at most.
const PICTURES: usize = 4;
/// Longest picture that does, in bytes.
const PICTURE: u64 = 500_000;
/// Characters of an error in the summary.
const SHOWN: usize = 600;

/// The numbers and rows of a run.
pub(super) fn output(
    session: String,
    told: &TestProgress,
    took: Duration,
    joined: bool,
    printed: String,
    report: &Path,
) -> RunTestOutput {
    let tests: Vec<TestRow> = told.rows().cloned().collect();
    let count = |wanted: &[TestOutcome]| {
        let found = tests.iter().filter(|row| wanted.contains(&row.outcome));
        u32::try_from(found.count()).unwrap_or(u32::MAX)
    };
    use TestOutcome::{Failed, Flaky, Interrupted, Passed, Skipped, TimedOut};
    let all = u32::try_from(tests.len()).unwrap_or(u32::MAX);
    let total = told.total.unwrap_or(all);
    RunTestOutput {
        session,
        ok: false,
        total,
        passed: count(&[Passed]),
        failed: count(&[Failed, TimedOut, Interrupted]),
        flaky: count(&[Flaky]),
        skipped: count(&[Skipped]),
        not_run: total.saturating_sub(all),
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        joined,
        tests,
        errors: told.errors.clone(),
        output: printed,
        report: report.to_owned(),
    }
}

/// The numbers, what is not as it should be, and where the rest is.
pub(super) fn summary(output: &RunTestOutput) -> String {
    let mut text = counts(output);
    for row in &output.tests {
        let project = match row.project.is_empty() {
            true => String::new(),
            false => format!("[{}] ", row.project),
        };
        text.push_str(&format!(
            "\n- {}: {project}{} ({})",
            word(row.outcome),
            szk_text::line(&row.title, SHOWN),
            szk_text::line(&row.location, SHOWN)
        ));
        for error in &row.errors {
            text.push_str(&format!(
                "\n    {}",
                shown(&error.message, error.location.as_deref())
            ));
        }
        for attachment in &row.attachments {
            let where_it_is = match (&attachment.text, &attachment.path) {
                (Some(content), _) if content.len() <= SHOWN => indented(content.trim_end()),
                (_, Some(path)) => path.display().to_string(),
                (_, None) => "is missing".to_owned(),
            };
            text.push_str(&format!(
                "\n    attached {}: {where_it_is}",
                szk_text::quoted(&attachment.name, 100)
            ));
        }
    }
    for error in &output.errors {
        text.push_str(&format!(
            "\nerror: {}",
            shown(&error.message, error.location.as_deref())
        ));
    }
    if !output.joined && output.total > output.skipped {
        text.push_str("\nnote: no test joined this session; the tests used their own browser. `szk init` writes the fixture that joins it (tests/szk.mjs)");
    }
    if !output.output.is_empty() {
        text.push_str(&format!("\nprinted:\n{}", szk_text::fenced(&output.output)));
    }
    text.push_str(&format!("\nreport: {}", output.report.display()));
    text
}

/// The name of an outcome; bad ones in capitals.
pub(super) fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "FAILED",
        TestOutcome::TimedOut => "TIMED OUT",
        TestOutcome::Flaky => "flaky",
        TestOutcome::Skipped => "skipped",
        TestOutcome::Interrupted => "interrupted",
    }
}

/// `2 passed, 1 failed of 4 tests in 2.1 s`
pub(super) fn counts(output: &RunTestOutput) -> String {
    let parts: Vec<String> = [
        (output.passed, "passed"),
        (output.failed, "failed"),
        (output.flaky, "flaky"),
        (output.skipped, "skipped"),
        (output.not_run, "not run"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    let seconds = Duration::from_millis(output.duration_ms).as_secs_f64();
    let noun = if output.total == 1 { "test" } else { "tests" };
    format!(
        "{} of {} {noun} in {seconds:.1} s",
        parts.join(", "),
        output.total
    )
}

fn shown(message: &str, location: Option<&str>) -> String {
    let mut text: String = message.chars().take(SHOWN).collect();
    if text.len() < message.len() {
        text.push('…');
    }
    let text = indented(&text);
    match location {
        Some(location) => format!("{text} (at {location})"),
        None => text,
    }
}

/// Several lines below what they belong to.
fn indented(text: &str) -> String {
    szk_text::visible(text).replace('\n', "\n    ")
}

/// Small pictures that tests attached, those of failed tests first.
pub(super) fn pictures(output: &RunTestOutput) -> Vec<Image> {
    let bad = |row: &&TestRow| row.outcome != TestOutcome::Passed;
    let good = |row: &&TestRow| row.outcome == TestOutcome::Passed;
    let rows = output.tests.iter();
    let attachments = rows
        .clone()
        .filter(bad)
        .chain(rows.filter(good))
        .flat_map(|row| &row.attachments);
    let pictures = attachments.filter_map(|attachment| {
        let mime = ["image/png", "image/jpeg", "image/webp"]
            .iter()
            .find(|mime| **mime == attachment.mime)?;
        let path = attachment.path.as_ref()?;
        let bytes = szk_files::read(path, PICTURE).ok()?;
        Some(Image {
            mime: (*mime).to_owned(),
            base64: BASE64_STANDARD.encode(bytes),
        })
    });
    pictures.take(PICTURES).collect()
}

/// Files that tests attached.
pub(super) fn files(output: &RunTestOutput) -> Vec<PathBuf> {
    let attachments = output.tests.iter().flat_map(|row| &row.attachments);
    attachments
        .filter_map(|attachment| attachment.path.clone())
        .collect()
}
