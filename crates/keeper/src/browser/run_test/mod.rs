//! `browser_run_test`: the project's own Playwright, with our reporter, joined to the session.

mod events;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use szk_tools::browser::{RunTest, RunTestOutput, Tests};
use szk_tools::{Code, Done, Failure, Image, Progress, Response};
use tempfile::TempDir;

use super::run_file::{missing_playwright, storage, with_printed};
use crate::context::Keeper;
use crate::program::{self, Ended, Program, ProgramSpec};
use events::TestProgress;

const START: &str = include_str!("../../program/scripts/test.cjs");
const REPORTER: &str = include_str!("../../program/scripts/reporter.cjs");
/// How often to read the reporter's events, for progress.
const LOOK: Duration = Duration::from_millis(200);
/// Reports of earlier runs that are kept.
const REPORTS: usize = 20;

/// A run that came to its end.
pub(crate) struct Tested {
    pub(crate) output: RunTestOutput,
    pub(crate) summary: String,
    pub(crate) images: Vec<Image>,
    pub(crate) files: Vec<PathBuf>,
}

/// Runs them and answers.
pub(crate) async fn run_test(
    keeper: &Arc<Keeper>,
    tests: &Tests,
    limit: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let tested = test(keeper, tests, limit, progress).await?;
    let mut response = Response::of::<RunTest>(tested.summary, &tested.output)?;
    response.unmet = !tested.output.ok;
    response.images = tested.images;
    response.files = tested.files;
    Ok(response)
}

/// Runs them. What kept them from running, or from ending, is a failure; a test that fails is not.
pub(crate) async fn test(
    keeper: &Arc<Keeper>,
    tests: &Tests,
    limit: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Tested, Failure> {
    let dir = tests.dir.clone().unwrap_or_else(|| PathBuf::from("/"));
    let node = program::node()?;
    let env = environment(tests)?;
    // There must be a page before a program looks for one.
    keeper.tab_as_it_is(None).await?;
    let scripts = tempfile::Builder::new()
        .prefix("szk-test-")
        .tempdir()
        .map_err(|error| storage(&std::env::temp_dir(), &error))?;
    let report = folder(keeper)?;
    let missing = scripts.path().join("missing");
    let order = ProgramSpec {
        program: node,
        args: arguments(tests, &dir, &scripts, &report)?,
        dir: dir.clone(),
        env: env
            .into_iter()
            .chain([("SZK_TEST_REPORT".to_owned(), report.display().to_string())])
            .collect(),
        limit,
    };
    let began = Instant::now();
    let program = Program::start(keeper, order).await?;
    let printed = program.output().clone();
    let events = report.join("events.jsonl");
    let mut joined = false;
    let ended = tokio::select! {
        ended = program.end(keeper) => ended?,
        // Ends nothing: tells how far it is for as long as it runs.
        () = watch(keeper, &events, &mut joined, progress) => return Err(Failure::internal("watching tests ended")),
    };
    if missing.exists() {
        return Err(missing_playwright(&dir, None));
    }
    let told = TestProgress::read(&events);
    tell(&told, progress);
    let mut output = report::output(
        keeper.session.name().to_string(),
        &told,
        began.elapsed(),
        joined,
        printed.text(),
        &report,
    );
    let good = matches!(&ended, Ended::Itself(status) if status.success());
    output.ok = good && told.over && output.failed == 0;
    write(&report, &output)?;
    let status = match ended {
        Ended::TimeUp => return Err(hung(&told, &output, limit)),
        Ended::Itself(status) => status,
    };
    match told.total {
        None => Err(not_begun(&told, &output, status)),
        Some(0) => Err(nothing_found(&told, tests, &dir)),
        Some(_) => Ok(Tested {
            summary: report::summary(&output),
            images: report::pictures(&output),
            files: report::files(&output),
            output,
        }),
    }
}

/// Tells of each test, and sees whether a program joins the session.
async fn watch(
    keeper: &Keeper,
    events: &Path,
    joined: &mut bool,
    progress: &(dyn Fn(Progress) + Send + Sync),
) {
    let mut visitors = keeper.visitors.subscribe();
    let mut here = *visitors.borrow_and_update();
    let mut known = 0;
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            changed = visitors.changed() => {
                if changed.is_err() {
                    return std::future::pending().await;
                }
                let now = *visitors.borrow_and_update();
                *joined |= now > here;
                here = now;
            }
            _ = look.tick() => {
                let length = events.metadata().map_or(0, |meta| meta.len());
                if length > known {
                    known = length;
                    tell(&TestProgress::read(events), progress);
                }
            }
        }
    }
}

fn tell(told: &TestProgress, progress: &(dyn Fn(Progress) + Send + Sync)) {
    if let Some(last) = told.rows().last() {
        progress(Progress {
            message: format!("{}: {}", report::word(last.outcome), last.title),
            done: u32::try_from(told.rows().count()).unwrap_or(u32::MAX),
            total: told.total.unwrap_or_default(),
            ..Progress::default()
        });
    }
}

/// A new folder for this run, in the artifacts of the profile; a clone's would be gone with it.
fn folder(keeper: &Keeper) -> Result<PathBuf, Failure> {
    let meta = keeper.session.meta();
    let profile = keeper.session.profile();
    let original = meta
        .clone_of
        .filter(|_| meta.ephemeral)
        .map(|name| profile.store().profile(&name))
        .filter(|original| original.exists());
    let artifacts = original.as_ref().unwrap_or(profile).artifacts_dir();
    let failed = |error: std::io::Error| storage(&artifacts, &error);
    std::fs::create_dir_all(&artifacts).map_err(failed)?;
    forget_old(&artifacts);
    let now = jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string();
    let folder = tempfile::Builder::new()
        .prefix(&format!("test-{now}-"))
        .tempdir_in(&artifacts)
        .map_err(failed)?;
    Ok(folder.keep())
}

/// Names begin with the time, so that the first ones are the oldest.
fn forget_old(artifacts: &Path) {
    let entries = std::fs::read_dir(artifacts).into_iter().flatten().flatten();
    let mut reports: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("test-"))
        .map(|entry| entry.path())
        .collect();
    reports.sort();
    for old in reports.iter().rev().skip(REPORTS - 1) {
        if let Err(error) = std::fs::remove_dir_all(old) {
            tracing::warn!(%error, "an old report stays");
        }
    }
}

fn arguments(
    tests: &Tests,
    dir: &Path,
    scripts: &TempDir,
    report: &Path,
) -> Result<Vec<OsString>, Failure> {
    let at = |name: &str| scripts.path().join(name);
    for (name, text) in [("test.cjs", START), ("reporter.cjs", REPORTER)] {
        std::fs::write(at(name), text).map_err(|error| storage(&at(name), &error))?;
    }
    let mut args: Vec<OsString> = vec![at("test.cjs").into(), at("missing").into()];
    let mut option = |name: &str, value: OsString| {
        let mut text = OsString::from(format!("--{name}="));
        text.push(value);
        args.push(text);
    };
    option("reporter", at("reporter.cjs").into());
    option("output", report.join("results").into());
    if let Some(config) = &tests.config {
        let config = dir.join(config);
        if !config.exists() {
            return Err(Failure::new(
                Code::NotFound,
                format!("there is no `{}`", config.display()),
            )
            .hint("write a configuration for Playwright with `szk init`"));
        }
        option("config", config.into());
    }
    if let Some(grep) = &tests.grep {
        option("grep", grep.into());
    }
    if let Some(project) = &tests.project {
        option("project", project.into());
    }
    if let Some(workers) = tests.workers {
        option("workers", workers.max(1).to_string().into());
    }
    for file in tests.files.iter().flatten() {
        if file.starts_with('-') {
            return Err(Failure::invalid(format!("`{file}` is not a file")));
        }
        args.push(file.into());
    }
    Ok(args)
}

/// `user` becomes `TEST_USER`: nothing else of the environment can be set.
fn environment(tests: &Tests) -> Result<Vec<(String, String)>, Failure> {
    let one = |(name, value): (&String, &Value)| {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(good) {
            return Err(
                Failure::invalid(format!("`params`: `{name}` is not a valid name"))
                    .about(["params"])
                    .hint("names consist of letters, digits and `_`"),
            );
        }
        let name = name.to_ascii_uppercase();
        let name = match name.starts_with("TEST_") {
            true => name,
            false => format!("TEST_{name}"),
        };
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match value.contains('\0') {
            true => Err(Failure::invalid(format!(
                "`params`: the value of `{name}` contains a NUL"
            ))
            .about(["params"])),
            false => Ok((name, value)),
        }
    };
    tests.params.iter().flatten().map(one).collect()
}

fn write(report: &Path, output: &RunTestOutput) -> Result<(), Failure> {
    let path = report.join("report.json");
    let text = serde_json::to_vec_pretty(output)
        .map_err(|error| Failure::internal(format!("cannot write the report: {error}")))?;
    std::fs::write(&path, text).map_err(|error| storage(&path, &error))
}

fn hung(told: &TestProgress, output: &RunTestOutput, limit: Duration) -> Failure {
    let mut message = format!(
        "the tests did not finish within {} ms and were killed",
        limit.as_millis()
    );
    let interrupted = output.tests.iter().filter_map(|row| {
        let cut = row.outcome == szk_tools::browser::TestOutcome::Interrupted;
        cut.then(|| format!("{} ({})", row.title, row.location))
    });
    let mut running: Vec<String> = interrupted.collect();
    running.extend(told.running().into_iter().map(str::to_owned));
    match (told.total, running.is_empty()) {
        (None, _) => message.push_str("; Playwright had not started the first one"),
        (_, true) => message.push_str("; no test was running"),
        (_, false) => message.push_str(&format!("; running was {}", running.join(", "))),
    }
    message.push_str(&format!(
        "\n{}\nreport: {}",
        report::counts(output),
        output.report.display()
    ));
    let failure = Failure::new(Code::Timeout, message)
        .hint("raise `timeout_ms`, or choose fewer tests with `files` or `grep`")
        .retryable()
        .effect(Done::Unknown);
    with_printed(failure, &output.output)
}

fn not_begun(
    told: &TestProgress,
    output: &RunTestOutput,
    status: std::process::ExitStatus,
) -> Failure {
    let errors: Vec<&str> = told.errors.iter().map(|error| &*error.message).collect();
    let mut message = format!("Playwright exited before the first test ({status})");
    if !errors.is_empty() {
        message.push_str(&format!(": {}", errors.join("; ")));
    }
    let failure = Failure::new(Code::ScriptFailed, message)
        .hint("fix the error it reports; often it is the configuration or a missing package");
    with_printed(failure, &output.output)
}

fn nothing_found(told: &TestProgress, tests: &Tests, dir: &Path) -> Failure {
    let own = |message: &str| {
        !message.starts_with("No tests found") && !message.starts_with("Error: No tests found")
    };
    let errors: Vec<String> = told
        .errors
        .iter()
        .filter(|error| own(&error.message))
        .map(|error| match &error.location {
            Some(location) => format!("{} (at {location})", error.message),
            None => error.message.clone(),
        })
        .collect();
    if !errors.is_empty() {
        return Failure::new(
            Code::ScriptFailed,
            format!("cannot load the tests: {}", errors.join("; ")),
        )
        .hint("fix the file");
    }
    let chosen = [
        tests
            .files
            .as_ref()
            .map(|files| format!("files {}", files.join(", "))),
        tests.grep.as_ref().map(|grep| format!("grep `{grep}`")),
        tests
            .project
            .as_ref()
            .map(|project| format!("project `{project}`")),
    ];
    let chosen: Vec<String> = chosen.into_iter().flatten().collect();
    let chosen = match chosen.is_empty() {
        true => String::new(),
        false => format!(" that fit {}", chosen.join(", ")),
    };
    Failure::new(
        Code::NotFound,
        format!("no tests{chosen} were found in `{}`", dir.display()),
    )
    .hint(
        "write an example with `szk init`, or check `testDir` and `testMatch` in the configuration",
    )
}
