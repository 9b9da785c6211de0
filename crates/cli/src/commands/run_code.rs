//! `szk run-code`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::builder::ValueHint;
use clap::{Arg, ArgGroup, value_parser};
use serde_json::Value;
use szk_tools::browser::{RunCode, RunCodeOutput};
use szk_tools::{Code, Done, Failure, Response};

use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::text::printable_lines;

/// Longest answer to read from its file, in bytes.
const WHOLE: u64 = 256 << 20;

impl Terminal for RunCode {
    fn table() -> Table {
        Table::new(&[
            "szk run-code 'document.title'",
            "szk run-code 'args => args.a + 1' --args '{\"a\": 1}'",
            "szk run-code --file scrape.js",
            "szk run-code --runner playwright 'async (page, args) => page.title()'",
        ])
        .details(
            "Prints the value: text as it is, everything else as JSON. The code runs in an isolated \
             world, which sees the DOM but not the page's variables. With `--runner playwright` it runs \
             in Node, where `page`, `context`, `browser` and `args` are Playwright's, and its output goes \
             to stderr.",
        )
        .positions(&["code"])
        .arg("code", |arg| {
            arg.required(false)
                .allow_hyphen_values(true)
                .help("An expression, statements with `return`, or a function; `-` reads stdin")
        })
        .help("args", "JSON to pass to the function, or to read as `args`")
        .help("world", "The world to run in [default: isolated]")
        .help("runner", "What runs it [default: page]")
        .help("dir", "Folder whose Playwright to use [default: this one]")
        .own(|command| {
            let file = Arg::new("file").long("file").short('f').value_name("FILE");
            let file = file.value_parser(value_parser!(PathBuf));
            let file = file.value_hint(ValueHint::FilePath);
            let source = ArgGroup::new("source").args(["code", "file"]);
            command
                .arg(file.help("File with the code"))
                .group(source.required(true))
        })
    }

    async fn run(mut typed: Typed<Self>) -> Outcome {
        if let Some(file) = typed.value::<PathBuf>("file") {
            typed.set("code", Typed::<Self>::text(&file)?)?;
        } else if typed.value::<String>("code").as_deref() == Some("-") {
            typed.set("code", Typed::<Self>::text(Path::new("-"))?)?;
        }
        let mut response = typed.call().await?;
        made_whole(&mut response)?;
        told(&typed.context, &response.read::<Self>()?)
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
