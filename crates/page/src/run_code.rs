//! Running a caller's JavaScript in a page.

use std::time::Duration;

use serde_json::Value;
use szk_cdp::CallError;
use szk_cdp::protocol::runtime::{EvaluateParams, TerminateExecutionParams};
use szk_cdp::world::{Evaluated, Exception, RemoteObject, evaluate_in_page};

use crate::{Page, Worlds, is_world_gone};

/// Longest value that is taken from a page, in characters.
pub const LARGEST: usize = 16 << 20;
/// Thrown in place of a longer one, followed by its size.
const TOO_LARGE: &str = "szk: too large: ";
/// How long a page may take to show that it is not stuck.
const ALIVE: Duration = Duration::from_millis(250);

/// Where code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In our own world, which sees the DOM and which the page cannot see.
    OwnWorld,
    /// Among the page's own scripts.
    PageWorld,
}

/// What code returned.
#[derive(Debug, PartialEq)]
pub struct Returned {
    /// `string`, `array`, `null`, … as `typeof` and CDP name it.
    pub kind: String,
    /// The value as JSON. Numbers that JSON lacks are text: `NaN`, `-0`, `1n`.
    pub value: Value,
}

/// Code did not return a value.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// It is not JavaScript; nothing ran.
    #[error("{text} (line {line})")]
    Syntax {
        /// Chromium's message.
        text: String,
        /// The line of the caller's code.
        line: u32,
    },
    /// It threw.
    #[error("{text} (line {line})")]
    Thrown {
        /// The first line of what was thrown, with its class.
        text: String,
        /// The line of the caller's code.
        line: u32,
    },
    /// It was to read only.
    #[error("line {line} would change or send something, and this code may only read")]
    Changes {
        /// The line of the caller's code.
        line: u32,
    },
    /// It did not end in time, and was stopped.
    #[error("it did not end within {} seconds", .0.as_secs())]
    Endless(Duration),
    /// Its value is longer than [`LARGEST`]; the code ran to its end.
    #[error("the value is too large: {size} characters, and {LARGEST} are the limit")]
    TooLarge {
        /// Characters of the value, or `Infinity`.
        size: String,
    },
    /// Its value has no form in JSON.
    #[error("the value cannot be returned: {0}")]
    Unserializable(String),
    /// The page went to another document while it ran.
    #[error("the page went to another document while the code ran")]
    Gone,
    /// The page did not run it, or crashed.
    #[error(transparent)]
    Call(CallError),
}

/// Runs an expression, statements with `return`, or a function, which gets `args`. If this future is
/// dropped while the code runs, the code is stopped.
///
/// # Errors
/// [`CodeError`].
pub async fn run(
    worlds: &Worlds,
    page: &Page,
    code: &str,
    args: &Value,
    at: Where,
) -> Result<Returned, CodeError> {
    let mut guard = StopGuard {
        page: page.clone(),
        armed: true,
    };
    // First as an expression or a function. If that does not parse, nothing ran: then as statements.
    let mut answer = evaluate(worlds, page, &as_expression(code, at), args, at).await;
    let unparsed = |answer: &Evaluated| {
        answer
            .exception_details
            .as_ref()
            .is_some_and(is_syntax_error)
    };
    if answer.as_ref().is_ok_and(unparsed) {
        answer = evaluate(worlds, page, &as_statements(code, at), args, at).await;
    }
    guard.armed = false;
    let answer = answer.map_err(failed)?;
    match answer.exception_details {
        Some(exception) => Err(thrown(&exception)),
        None => Ok(returned(answer.result)),
    }
}

/// Runs code as [`run`] does, which only reads: what would change or send anything throws before it does,
/// and so does what waits.
///
/// # Errors
/// [`CodeError`].
pub async fn read(
    page: &Page,
    code: &str,
    args: &Value,
    limit: Duration,
) -> Result<Returned, CodeError> {
    let measured = measured(Where::OwnWorld);
    let value = code.trim().trim_end_matches(';');
    let expression = format!(
        "({measured})(((args) => {{ const value = (\n{value}\n); return typeof value === 'function' ? value(args) : value; }})({args}))"
    );
    let mut answer = Worlds::look(page, &expression, limit).await;
    let unparsed = |answer: &Evaluated| {
        let exception = answer.exception_details.as_ref();
        exception.is_some_and(is_syntax_error)
    };
    if answer.as_ref().is_ok_and(unparsed) {
        let statements = format!("({measured})((function (args) {{\n{code}\n}})({args}))");
        answer = Worlds::look(page, &statements, limit).await;
    }
    let answer = answer.map_err(|error| match error {
        CallError::Remote { message, .. } if message.contains("terminated") => {
            CodeError::Endless(limit)
        }
        error => failed(error),
    })?;
    match answer.exception_details {
        Some(exception) => Err(match thrown(&exception) {
            CodeError::Thrown { text, line } if text.contains("Possible side-effect") => {
                CodeError::Changes { line }
            }
            error => error,
        }),
        None => Ok(returned(answer.result)),
    }
}

async fn evaluate(
    worlds: &Worlds,
    page: &Page,
    function: &str,
    args: &Value,
    at: Where,
) -> Result<Evaluated, CallError> {
    match at {
        Where::OwnWorld => {
            worlds
                .call_code(page, function, std::slice::from_ref(args))
                .await
        }
        Where::PageWorld => {
            // JSON is a subset of JavaScript since ES2019.
            let call = format!("({function})({args})");
            evaluate_in_page(&page.connection, &page.session, call).await
        }
    }
}

/// `document.title`, `(args) => …`, `async function () { … }`.
fn as_expression(code: &str, at: Where) -> String {
    let code = code.trim().trim_end_matches(';');
    let (measured, plain) = (measured(at), plain(at));
    format!(
        "async function (args) {{ return ({measured})(({plain})(await (async () => {{ const value = (\n{code}\n); return typeof value === 'function' ? value(args) : value; }})())); }}"
    )
}

/// `const x = 1; return x`.
fn as_statements(code: &str, at: Where) -> String {
    let (measured, plain) = (measured(at), plain(at));
    format!(
        "async function (args) {{ return ({measured})(({plain})(await (async function (args) {{\n{code}\n}})(args))); }}"
    )
}

/// A function that returns a value as people expect it in JSON. It is on one line, as lines of errors are counted
/// from the first one of the caller's code. Code that only reads does without: what it calls could change something.
fn plain(at: Where) -> String {
    let script = match at {
        Where::OwnWorld => include_str!("run_code/plain.js"),
        Where::PageWorld => include_str!("run_code/plain_in_page.js"),
    };
    let lines = script.lines().map(str::trim);
    let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    code.join(" ")
}

/// A function that returns a value unless it is longer than [`LARGEST`], because a value is parsed and
/// written several times on its way out. Objects are measured in our own world only: a page could have
/// replaced `JSON.stringify`, and would notice.
fn measured(at: Where) -> String {
    let object = match at {
        Where::OwnWorld => {
            "try { size = JSON.stringify(value).length; } catch (error) { if (error instanceof RangeError) size = Infinity; }"
        }
        Where::PageWorld => "",
    };
    format!(
        "(value) => {{ let size = 0; if (typeof value === 'string') size = value.length; else if (typeof value === 'object' && value !== null) {{ {object} }} if (size > {LARGEST}) throw '{TOO_LARGE}' + size; return value; }}"
    )
}

/// A syntax error of the code itself, before anything ran: it has no stack, unlike one thrown by running
/// code (`JSON.parse`).
fn is_syntax_error(exception: &Exception) -> bool {
    let description = exception
        .exception
        .as_ref()
        .and_then(|object| object.description.as_deref());
    exception.stack_trace.is_none()
        && description.is_some_and(|text| text.starts_with("SyntaxError"))
}

fn returned(result: RemoteObject) -> Returned {
    let value = match (result.json(), &result.unserializable_value) {
        (Some(value), _) => value,
        (None, Some(text)) => Value::from(text.as_str()),
        (None, None) => Value::Null,
    };
    Returned {
        kind: result.subtype.unwrap_or(result.r#type),
        value,
    }
}

fn thrown(exception: &Exception) -> CodeError {
    let object = exception.exception.as_ref();
    let text = object.and_then(|object| object.read::<String>().ok());
    if let Some(size) = text.and_then(|text| text.strip_prefix(TOO_LARGE).map(str::to_owned)) {
        return CodeError::TooLarge { size };
    }
    let described = object.and_then(|object| {
        let value = || object.json().map(|value| value.to_string());
        object.description.clone().or_else(value)
    });
    let described = described.unwrap_or_else(|| exception.text.clone());
    // The first line is the error; the rest is a stack with positions in our wrapper.
    let text = szk_text::line(described.lines().next().unwrap_or("it threw"), 2000);
    // Our wrapper adds one line before the code, and Chromium counts from 0.
    let line = exception.line_number.max(1);
    match is_syntax_error(exception) {
        true => CodeError::Syntax { text, line },
        false => CodeError::Thrown { text, line },
    }
}

fn failed(error: CallError) -> CodeError {
    match error {
        CallError::SessionGone => CodeError::Gone,
        error if is_world_gone(&error) => CodeError::Gone,
        CallError::Remote { message, .. }
            if message.contains("reference chain") || message.contains("couldn't be") =>
        {
            CodeError::Unserializable(message)
        }
        error => CodeError::Call(error),
    }
}

/// Stops code that no caller waits for any more.
struct StopGuard {
    page: Page,
    armed: bool,
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        if self.armed {
            tokio::spawn(stop_if_stuck(self.page.clone()));
        }
    }
}

/// Terminates what runs in a page that does not answer. In one that does, the termination would hit the
/// page's own next script.
async fn stop_if_stuck(page: Page) {
    let session = Some(&page.session);
    let probe = EvaluateParams::new("0");
    let alive = page.connection.run(session, &probe);
    if tokio::time::timeout(ALIVE, alive).await.is_err() {
        let stop = TerminateExecutionParams::default();
        let stopped = page.connection.run(session, &stop).await;
        tracing::info!(stopped = stopped.is_ok(), "code that ran too long");
    }
}

#[cfg(test)]
mod tests;
