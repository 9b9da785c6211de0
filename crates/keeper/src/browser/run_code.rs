//! `browser_run_code` in the page; what Playwright runs is in `run_file`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use szk_page::run_code::{self, CodeError, Where};
use szk_tools::browser::{RunCode, RunCodeInput, RunCodeOutput, Runner, World};
use szk_tools::{Code, Done, Failure, Response};

use super::{run_file, view};
use crate::context::Keeper;
use crate::failure;

/// A value longer than this, in bytes of JSON, is cut in the summary; `data` has it whole.
const SHOWN: usize = 20_000;

/// What is left of a call's time for saying that the code took all of it.
const ANSWER: Duration = Duration::from_secs(2);

pub(crate) async fn run_code(
    keeper: &Arc<Keeper>,
    input: RunCodeInput,
    limit: Duration,
) -> Result<Response, Failure> {
    let reads = input.reads == Some(true);
    if !reads && input.runner == Some(Runner::Playwright) {
        return run_file::run_code(keeper, &input, limit).await;
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = view::page(&running, &tab);
    let args = input.args.unwrap_or(Value::Null);
    let at = match input.world.unwrap_or_default() {
        World::Isolated => Where::OwnWorld,
        World::Main => Where::PageWorld,
    };
    let returned = match reads {
        true => {
            let limit = limit.saturating_sub(ANSWER);
            run_code::read(&page, &input.code, &args, limit).await
        }
        false => run_code::run(&keeper.worlds, &page, &input.code, &args, at).await,
    };
    let returned = returned.map_err(|error| not_returned(&error))?;
    let output = RunCodeOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        kind: returned.kind,
        value: returned.value,
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

fn not_returned(error: &CodeError) -> Failure {
    let failure = Failure::new(Code::ScriptFailed, error.to_string());
    match error {
        CodeError::Syntax { .. } => failure.hint(
            "give an expression, statements with `return`, or a function such as `async (args) => …`",
        ),
        CodeError::Thrown { .. } => failure
            .hint("the code threw; what it did before stays done")
            .effect(Done::Unknown),
        CodeError::Changes { .. } => failure.hint(
            "read with `querySelector`, properties and functions on arrays; the browser also stops `Map`, `closest`, `URL` and promises",
        ),
        CodeError::Endless(_) => failure.hint("read less at a time"),
        CodeError::TooLarge { .. } => failure
            .hint("the code did run: return less of it, a part at a time, or let `browser_run_file` write it to a file")
            .effect(Done::Done),
        CodeError::Unserializable(_) => failure
            .hint("return plain data: strings, numbers, arrays, objects without cycles")
            .effect(Done::Unknown),
        CodeError::Gone => failure
            .hint("run the rest of the code in the new document")
            .effect(Done::Unknown),
        // It may have run in part.
        CodeError::Call(error) => failure::cdp("the code did not end", error, Done::Unknown),
    }
}
