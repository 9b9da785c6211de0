//! `szk run-code`

use std::io::{ErrorKind, IsTerminal, Read};
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_tools::browser::{RunCode, RunCodeInput, RunCodeOutput, Runner, World};
use szk_tools::{Code, Done, Failure, Response};

use super::launch::absolute;
use super::pick::{Page, json, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Run JavaScript in the page
///
/// Prints the value: text as it is, everything else as JSON. The code runs in an isolated world, which
/// sees the DOM but not the page's variables. With `--runner playwright` it runs in Node, where
/// `page`, `context`, `browser` and `args` are Playwright's, and its output goes to stderr.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk run-code 'document.title'\n  szk run-code 'args => args.a + 1' --args '{\"a\": 1}'\n  szk run-code --file scrape.js\n  szk run-code --runner playwright 'async (page, args) => page.title()'"
)]
pub(crate) struct RunCodeArgs {
    #[command(flatten)]
    source: Source,
    /// JSON to pass to the function, or to read as `args`
    #[arg(long, value_name = "JSON", value_parser = json)]
    args: Option<Value>,
    /// The world to run in [default: isolated]
    #[arg(long, value_name = "WORLD", value_parser = word::<World>(&["isolated", "main"]))]
    world: Option<World>,
    /// What runs it [default: page]
    #[arg(long, value_name = "RUNNER", value_parser = word::<Runner>(&["page", "playwright"]))]
    runner: Option<Runner>,
    /// Folder whose Playwright to use [default: this one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,
    #[command(flatten)]
    page: Page,
}

/// The code: exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// An expression, statements with `return`, or a function; `-` reads stdin
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// File with the code
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
}

/// Longest code, in bytes.
const LONGEST: u64 = 16 << 20;
/// Longest answer to read from its file, in bytes.
const WHOLE: u64 = 256 << 20;

impl Source {
    fn read(self) -> Result<String, Failure> {
        let (name, read) = match (self.file, self.code) {
            (Some(file), _) => (file.display().to_string(), szk_files::text(&file, LONGEST)),
            (None, Some(code)) if code == "-" => {
                let mut text = String::new();
                let read = std::io::stdin().take(LONGEST).read_to_string(&mut text);
                (String::from("stdin"), read.map(|_| text))
            }
            (None, code) => return Ok(code.unwrap_or_default()),
        };
        read.map_err(|error| {
            let text = format!("cannot read `{name}`: {error}");
            match error.kind() {
                ErrorKind::NotFound => Failure::new(Code::NotFound, text),
                _ => Failure::invalid(text).hint("give a text file, or `-` for stdin"),
            }
        })
    }
}

impl RunCodeArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = RunCodeInput {
            session: self.page.session,
            tab: self.page.tab,
            code: self.source.read()?,
            args: self.args,
            world: self.world,
            runner: self.runner,
            dir: self.dir.as_deref().map(absolute).transpose()?,
            timeout_ms: self.page.timeout_ms,
        };
        let mut response = context.call::<RunCode>(&input).await?;
        made_whole(&mut response)?;
        told(context, &response.read::<RunCode>()?)
    }
}

/// An answer too large for an agent is in a file. A script wants all of it.
pub(super) fn made_whole(response: &mut Response) -> Result<(), Failure> {
    let Some(path) = response.whole() else {
        return Ok(());
    };
    let failed = |error: String| {
        Failure::new(
            Code::Storage,
            format!("the value is in `{}`: {error}", path.display()),
        )
        .effect(Done::Done)
    };
    let bytes = szk_files::read_own(path, WHOLE).map_err(|error| failed(error.to_string()))?;
    let mut whole: Value =
        serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
    response.data = whole["data"].take();
    Ok(())
}

/// The value is the answer; what was printed is talk.
pub(super) fn told(context: &Context, output: &RunCodeOutput) -> Outcome {
    if !output.output.is_empty() {
        context.ui.talk(&printable_lines(&output.output));
    }
    context.ui.answer(output, value)?;
    Ok(Exit::OK)
}

/// The value as scripts want it: text unquoted, nothing for `undefined`.
///
/// The caller asked for exactly this value, which may be binary text on its way to a file. A terminal
/// gets escapes in place of anything that could control it: the text may come from a page.
fn value(output: &RunCodeOutput) -> String {
    shown(output, std::io::stdout().is_terminal())
}

fn shown(output: &RunCodeOutput, terminal: bool) -> String {
    match &output.value {
        Value::String(text) if terminal => szk_text::escaped(text).into_owned(),
        Value::String(text) => text.clone(),
        Value::Null if output.kind == "undefined" => String::new(),
        value => szk_text::json(&format!("{value:#}")).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_steered_and_a_file_gets_the_text() {
        let output = |value: Value| RunCodeOutput {
            value,
            ..serde_json::from_value(serde_json::json!({
                "session": "work", "tab": "t1", "kind": "string", "value": null
            }))
            .unwrap()
        };
        let text = output(Value::from("a\u{9b}2J\u{202e}\nb"));
        assert_eq!(shown(&text, true), "a\\u{9b}2J\\u{202e}\nb");
        assert_eq!(shown(&text, false), "a\u{9b}2J\u{202e}\nb");
        let list = output(serde_json::json!(["\u{9b}"]));
        assert_eq!(shown(&list, false), "[\n  \"\\u009b\"\n]");
    }
}
