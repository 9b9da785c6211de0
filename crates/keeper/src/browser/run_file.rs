//! `browser_run_file`, and `browser_run_code` with Playwright: a program joined to the session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_tools::browser::{RunCodeInput, RunCodeOutput, RunFile, RunFileInput};
use szk_tools::{Code, Done, Failure, Operation, Response};

use super::run_code::shown_value;
use crate::context::Keeper;
use crate::program::{self, Ended, Program, ProgramSpec};

const NODE: &str = include_str!("../program/scripts/runner.mjs");
const PYTHON: &str = include_str!("../program/scripts/runner.py");
/// Longest answer of a program that is read, in bytes.
const LONGEST: u64 = 64 << 20;
/// How much of what was printed a failure repeats.
const REPEATED: usize = 2_000;

/// What the program gets through a file, because it may hold secrets.
#[derive(Serialize)]
struct Job<'a> {
    code: Option<&'a str>,
    path: Option<&'a Path>,
    export: Option<&'a str>,
    args: &'a Value,
    dir: &'a Path,
    /// The tab that is `page`, by the number CDP knows it by, and by ours for messages.
    target: &'a str,
    tab: &'a str,
    /// Where it answers.
    result: &'a Path,
}

/// What it answers: one of these.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Value {
        value: Value,
        kind: String,
    },
    Threw {
        error: String,
        line: Option<u32>,
        syntax: bool,
    },
    NotPlain {
        not_plain: String,
    },
    NoExport {
        no_export: String,
        functions: Vec<String>,
    },
    Missing {
        #[serde(rename = "missing")]
        _what: String,
        python: Option<PathBuf>,
    },
}

/// Code of a call.
pub(crate) async fn run_code(
    keeper: &Arc<Keeper>,
    input: &RunCodeInput,
    limit: Duration,
) -> Result<Response, Failure> {
    if input.world.is_some() {
        return Err(Failure::invalid(
            "`world` is for code in the page, not for `runner` playwright",
        )
        .about(["world", "runner"]));
    }
    let dir = input.dir.clone().unwrap_or_else(|| PathBuf::from("/"));
    let what = What {
        code: Some(&input.code),
        path: None,
        export: None,
        args: input.args.as_ref().unwrap_or(&Value::Null),
        dir: &dir,
    };
    let output = run(keeper, input.tab.as_deref(), &what, limit).await?;
    told::<szk_tools::browser::RunCode>(&output)
}

/// A function of a file.
pub(crate) async fn run_file(
    keeper: &Arc<Keeper>,
    input: &RunFileInput,
    limit: Duration,
) -> Result<Response, Failure> {
    let path = std::fs::canonicalize(&input.path).map_err(|error| {
        Failure::new(
            Code::NotFound,
            format!("cannot read `{}`: {error}", input.path.display()),
        )
    })?;
    // A FIFO would keep the program waiting, and a device would feed it for ever.
    if let Err(error) = szk_files::open(&path, szk_files::Links::Followed) {
        return Err(Failure::invalid(format!(
            "cannot read `{}`: {error}",
            input.path.display()
        )));
    }
    let dir = path.parent().unwrap_or(Path::new("/"));
    let what = What {
        code: None,
        path: Some(&path),
        export: input.export.as_deref(),
        args: input.args.as_ref().unwrap_or(&Value::Null),
        dir,
    };
    let output = run(keeper, input.tab.as_deref(), &what, limit).await?;
    told::<RunFile>(&output)
}

fn told<O: Operation<Output = RunCodeOutput>>(output: &RunCodeOutput) -> Result<Response, Failure> {
    let mut summary = shown_value(output);
    if !output.output.is_empty() {
        summary.push_str(&format!("\n\nprinted:\n{}", output.output));
    }
    Response::of::<O>(summary, output)
}

/// What is run.
struct What<'a> {
    code: Option<&'a str>,
    path: Option<&'a Path>,
    export: Option<&'a str>,
    args: &'a Value,
    dir: &'a Path,
}

async fn run(
    keeper: &Arc<Keeper>,
    tab: Option<&str>,
    what: &What<'_>,
    limit: Duration,
) -> Result<RunCodeOutput, Failure> {
    let (program, name, script) = interpreter(what)?;
    let (_, tab) = keeper.tab(tab).await?;
    let folder = tempfile::Builder::new()
        .prefix("szk-run-")
        .tempdir()
        .map_err(|error| storage(&std::env::temp_dir(), &error))?;
    let at = |name: &str| folder.path().join(name);
    let result = at("result.json");
    let job = Job {
        code: what.code,
        path: what.path,
        export: what.export,
        args: what.args,
        dir: what.dir,
        target: &tab.page.target_id,
        tab: &tab.id,
        result: &result,
    };
    let job = serde_json::to_vec(&job)
        .map_err(|error| Failure::internal(format!("cannot write the job: {error}")))?;
    for (name, bytes) in [(name, script.as_bytes()), ("job.json", &job)] {
        std::fs::write(at(name), bytes).map_err(|error| storage(&at(name), &error))?;
    }
    let order = ProgramSpec {
        program,
        args: vec![at(name).into(), at("job.json").into()],
        dir: what.dir.to_owned(),
        env: Vec::new(),
        limit,
    };
    let program = Program::start(keeper, order).await?;
    let printed = program.output().clone();
    let ended = program.end(keeper).await?;
    let read = szk_files::read_own(&result, LONGEST);
    if read.as_ref().is_err_and(szk_files::is_unusable) {
        return Err(Failure::new(
            Code::ScriptFailed,
            format!("the value is larger than {} MiB", LONGEST >> 20),
        )
        .hint("the program did run: return less, or write it to a file and return its path")
        .effect(Done::Done));
    }
    let answer = read
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let failure = match (answer, ended) {
        (Some(Answer::Value { value, kind }), _) => {
            return Ok(RunCodeOutput {
                session: keeper.session.name().to_string(),
                tab: tab.id,
                value,
                kind,
                output: printed.text(),
            });
        }
        (Some(answer), _) => refused(answer, what),
        (None, Ended::TimeUp) => time_up(limit),
        (None, Ended::Itself(status)) => Failure::new(
            Code::ScriptFailed,
            format!("the program exited without a result ({status})"),
        )
        .hint("return from the function instead of exiting the process")
        .effect(Done::Unknown),
    };
    Err(with_printed(failure, &printed.text()))
}

/// What runs it, and our part of the program.
fn interpreter(what: &What<'_>) -> Result<(PathBuf, &'static str, &'static str), Failure> {
    let ending = match what.path {
        None => "mjs",
        Some(path) => path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default(),
    };
    match ending {
        "js" | "mjs" | "cjs" | "ts" | "mts" => Ok((program::node()?, "runner.mjs", NODE)),
        "py" => Ok((program::python(what.dir)?, "runner.py", PYTHON)),
        other => Err(
            Failure::invalid(format!("cannot run files ending in `.{other}`"))
                .hint("give a .js, .mjs, .cjs, .ts, .mts or .py file"),
        ),
    }
}

fn refused(answer: Answer, what: &What<'_>) -> Failure {
    match answer {
        Answer::Value { .. } => Failure::internal("a value is not a failure"),
        Answer::Threw {
            error,
            line,
            syntax,
        } => {
            let place = line.map_or(String::new(), |line| format!(" (line {line})"));
            let text = program::plain(&error);
            let failure = Failure::new(Code::ScriptFailed, format!("{}{place}", text.trim_end()));
            match syntax && what.code.is_some() {
                true => failure.hint("give an expression, statements with `return`, or a function such as `async (page, args) => …`"),
                false => failure.hint("the code threw; its effects up to then remain").effect(Done::Unknown),
            }
        }
        Answer::NotPlain { not_plain } => Failure::new(
            Code::ScriptFailed,
            format!("cannot return the value: {not_plain}"),
        )
        .hint("return plain data: strings, numbers, arrays, objects without cycles")
        .effect(Done::Unknown),
        Answer::NoExport {
            no_export,
            functions,
        } => {
            let failure = Failure::new(
                Code::NotFound,
                format!("the file has no function `{no_export}`"),
            );
            match functions.is_empty() {
                true => failure.hint("export a function: `export default async (page, args) => …`"),
                false => failure.hint(format!("its functions: {}", functions.join(", "))),
            }
        }
        Answer::Missing { python, .. } => missing_playwright(what.dir, python.as_deref()),
    }
}

/// What is missing, with the command that brings it.
pub(super) fn missing_playwright(dir: &Path, python: Option<&Path>) -> Failure {
    let place = dir.display();
    match python {
        Some(python) => Failure::new(
            Code::NotFound,
            format!("Playwright is not installed for `{}`", python.display()),
        )
        .hint(format!(
            "install it: `{} -m pip install playwright`",
            python.display()
        )),
        None => Failure::new(
            Code::NotFound,
            format!("Playwright is not installed for `{place}`"),
        )
        .hint(format!(
            "install it: `npm install --prefix '{place}' --save-dev @playwright/test`; it needs no browsers of its own"
        )),
    }
}

fn time_up(limit: Duration) -> Failure {
    Failure::new(
        Code::Timeout,
        format!(
            "the program did not finish within {} ms and was killed",
            limit.as_millis()
        ),
    )
    .hint("raise `timeout_ms`, or look at the page with `browser_screenshot`")
    .retryable()
    .effect(Done::Unknown)
}

/// The end of what was printed belongs to a failure.
pub(super) fn with_printed(mut failure: Failure, printed: &str) -> Failure {
    if !printed.is_empty() {
        let from = printed.len().saturating_sub(REPEATED);
        let from = (from..=printed.len())
            .find(|at| printed.is_char_boundary(*at))
            .unwrap_or(printed.len());
        failure
            .message
            .push_str(&format!("\nprinted:\n{}", &printed[from..]));
    }
    failure
}

pub(super) fn storage(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        Code::Storage,
        format!("cannot write `{}`: {error}", path.display()),
    )
}
