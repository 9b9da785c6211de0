//! `browser_run_code` in the page; what Playwright runs is in `run_file`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use szk_cdp::protocol::runtime::{EvaluateParams, TerminateExecutionParams};
use szk_cdp::world::{Evaluated, Exception, evaluate_in_page};
use szk_cdp::{CallError, Connection, SessionId};
use szk_tools::browser::{RunCode, RunCodeInput, RunCodeOutput, Runner, World};
use szk_tools::{Code, Done, Failure, Response};

use super::run_file;
use crate::context::Keeper;
use crate::failure;

/// A value longer than this, in bytes of JSON, is cut in the summary; `data` has it whole.
const SHOWN: usize = 20_000;
/// Longest value that is taken from a page, in characters.
const LARGEST: usize = 16 << 20;
/// What is thrown instead of a longer one, before its size.
const TOO_LARGE: &str = "szk: too large: ";
/// How long a page may take to show that it is not stuck.
const ALIVE: Duration = Duration::from_millis(250);

pub(crate) async fn run_code(
    keeper: &Arc<Keeper>,
    input: RunCodeInput,
    limit: Duration,
) -> Result<Response, Failure> {
    if input.runner == Some(Runner::Playwright) {
        return run_file::run_code(keeper, &input, limit).await;
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let connection = running.supervisor.connection();
    let args = input.args.unwrap_or(Value::Null);
    // Dropped without an answer (time is up, the caller went away): code that still runs is stopped.
    let mut guard = StopGuard {
        connection: connection.clone(),
        session: tab.page.session.clone(),
        armed: true,
    };
    let mut evaluated = Err(CallError::NotSent);
    // First as an expression or function; if that is not JavaScript, nothing ran, and it is tried as
    // statements.
    let world = input.world.unwrap_or_default();
    for function in [
        as_expression(&input.code, world),
        as_statements(&input.code, world),
    ] {
        evaluated = match world {
            World::Isolated => {
                keeper
                    .worlds
                    .call(connection, &tab, &function, std::slice::from_ref(&args))
                    .await
            }
            World::Main => in_main(connection, &tab.page.session, &function, &args).await,
        };
        if !evaluated.as_ref().is_ok_and(|evaluated| {
            evaluated
                .exception_details
                .as_ref()
                .is_some_and(is_syntax_error)
        }) {
            break;
        }
    }
    guard.armed = false;
    let evaluated = evaluated.map_err(|error| trouble(&error))?;
    if let Some(exception) = evaluated.exception_details {
        return Err(thrown(&exception));
    }
    let result = evaluated.result;
    let value = match (result.json(), &result.unserializable_value) {
        (Some(value), _) => value,
        (None, Some(text)) => Value::from(text.as_str()),
        (None, None) => Value::Null,
    };
    let output = RunCodeOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        kind: result.subtype.unwrap_or(result.r#type),
        value,
        output: String::new(),
    };
    Response::of::<RunCode>(shown_value(&output), &output)
}

/// The value as a summary shows it.
pub(super) fn shown_value(output: &RunCodeOutput) -> String {
    let mut summary = match &output.value {
        Value::String(text) => text.clone(),
        Value::Null if matches!(output.kind.as_str(), "undefined" | "function") => {
            output.kind.clone()
        }
        other => other.to_string(),
    };
    if summary.len() > SHOWN {
        let end = (0..=SHOWN)
            .rev()
            .find(|end| summary.is_char_boundary(*end))
            .unwrap_or(0);
        let rest = summary.len() - end;
        summary.truncate(end);
        summary.push_str(&format!("… ({rest} more bytes in `value`)"));
    }
    match &output.value {
        Value::String(_) => szk_text::fenced(&summary),
        _ => szk_text::json(&summary).into_owned(),
    }
}

/// `document.title`, `(args) => …`, `async function () { … }`.
fn as_expression(code: &str, world: World) -> String {
    let code = code.trim().trim_end_matches(';');
    let measured = measured(world);
    format!(
        "async function (args) {{ return ({measured})(await (async () => {{ const value = (\n{code}\n); return typeof value === 'function' ? value(args) : value; }})()); }}"
    )
}

/// `const x = 1; return x`.
fn as_statements(code: &str, world: World) -> String {
    let measured = measured(world);
    format!(
        "async function (args) {{ return ({measured})(await (async function (args) {{\n{code}\n}})(args)); }}"
    )
}

/// A function that lets a value through if it is not [`LARGEST`]: what is larger would be taken apart and
/// put together several times on its way. Objects are measured in our own world only, because a page could
/// have replaced `JSON.stringify`, and would notice.
fn measured(world: World) -> String {
    let object = match world {
        World::Isolated => {
            "try { size = JSON.stringify(value).length; } catch (error) { if (error instanceof RangeError) size = Infinity; }"
        }
        World::Main => "",
    };
    format!(
        "(value) => {{ let size = 0; if (typeof value === 'string') size = value.length; else if (typeof value === 'object' && value !== null) {{ {object} }} if (size > {LARGEST}) throw '{TOO_LARGE}' + size; return value; }}"
    )
}

/// The page's own world, without a context id: the stack then shows `<anonymous>` and nothing of ours.
async fn in_main(
    connection: &Connection,
    session: &SessionId,
    function: &str,
    args: &Value,
) -> Result<Evaluated, CallError> {
    // JSON is a subset of JavaScript since ES2019.
    evaluate_in_page(connection, session, format!("({function})({args})")).await
}

/// A syntax error of the text itself, before anything ran: it has no stack, which one thrown by
/// running code (`JSON.parse`) has.
fn is_syntax_error(exception: &Exception) -> bool {
    let class = exception
        .exception
        .as_ref()
        .and_then(|object| object.description.as_deref())
        .unwrap_or_default();
    exception.stack_trace.is_none() && class.starts_with("SyntaxError")
}

fn thrown(exception: &Exception) -> Failure {
    let object = exception.exception.as_ref();
    let size = object
        .and_then(|object| object.read::<String>().ok())
        .and_then(|text| text.strip_prefix(TOO_LARGE).map(str::to_owned));
    if let Some(size) = size {
        return Failure::new(
            Code::ScriptFailed,
            format!("the value is too large: {size} characters, the limit is {LARGEST}"),
        )
        .hint("the code did run: return smaller parts, or use `browser_run_file` to write the value to a file")
        .effect(Done::Done);
    }
    let described = object.and_then(|object| {
        object
            .description
            .clone()
            .or_else(|| object.json().map(|value| value.to_string()))
    });
    let text = described.unwrap_or_else(|| exception.text.clone());
    // The first line is the error; the rest is a stack of our wrapper's positions.
    let first = szk_text::line(text.lines().next().unwrap_or("it threw"), 2000);
    let syntax = is_syntax_error(exception);
    // Our wrapper adds one line before the code, and lines count from 0.
    let failure = Failure::new(
        Code::ScriptFailed,
        format!("{first} (line {})", exception.line_number.max(1)),
    );
    if syntax {
        failure.hint("give an expression, statements with `return`, or a function such as `async (args) => …`")
    } else {
        failure
            .hint("the code threw; its effects up to then remain")
            .effect(Done::Unknown)
    }
}

fn trouble(error: &CallError) -> Failure {
    if szk_page::is_world_gone(error) || matches!(error, CallError::SessionGone) {
        return Failure::new(
            Code::ScriptFailed,
            "the page navigated to another document while the code ran",
        )
        .hint("run the rest of the code in the new document")
        .effect(Done::Unknown);
    }
    if let CallError::Remote { message, .. } = error
        && (message.contains("reference chain") || message.contains("couldn't be"))
    {
        return Failure::new(
            Code::ScriptFailed,
            format!("cannot return the value: {message}"),
        )
        .hint("return plain data: strings, numbers, arrays, objects without cycles")
        .effect(Done::Unknown);
    }
    let doing = match error {
        CallError::Crashed => "the code did not finish",
        _ => "cannot run the code",
    };
    failure::cdp(doing, error, Done::Unknown)
}

/// Stops code that nobody waits for any more.
struct StopGuard {
    connection: Connection,
    session: SessionId,
    armed: bool,
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        let (connection, session) = (self.connection.clone(), self.session.clone());
        tokio::spawn(async move {
            // Termination would hit the page's own next script if nothing runs: only a page that is
            // stuck, and cannot answer, is stopped.
            let probe = EvaluateParams::new("0");
            let alive = connection.run(Some(&session), &probe);
            if tokio::time::timeout(ALIVE, alive).await.is_err() {
                let stop = TerminateExecutionParams::default();
                let stopped = connection.run(Some(&session), &stop).await;
                tracing::info!(stopped = stopped.is_ok(), "code that ran too long");
            }
        });
    }
}
