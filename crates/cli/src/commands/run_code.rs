//! `szk run-code`

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_tools::browser::{RunCode, RunCodeInput, RunCodeOutput, World};
use szk_tools::{Code, Failure};

use super::pick::{Page, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;

/// Run JavaScript in the page
///
/// Prints the value: text as it is, everything else as JSON. The code runs in a world of its own
/// beside the page, which sees the DOM but not the page's variables.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk run-code 'document.title'\n  szk run-code 'args => args.a + 1' --args '{\"a\": 1}'\n  szk run-code --file scrape.js"
)]
pub(crate) struct RunCodeArgs {
    #[command(flatten)]
    source: Source,
    /// JSON given to the function, or readable as `args`
    #[arg(long, value_name = "JSON", value_parser = json)]
    args: Option<Value>,
    /// The world to run in [default: isolated]
    #[arg(long, value_name = "WORLD", value_parser = word::<World>(&["isolated", "main"]))]
    world: Option<World>,
    #[command(flatten)]
    page: Page,
}

/// Where the code is: exactly one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// An expression, statements with `return`, or a function; `-` reads stdin
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// File that holds the code
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
}

impl Source {
    fn read(self) -> Result<String, Failure> {
        let (name, read) = match (self.file, self.code) {
            (Some(file), _) => (file.display().to_string(), std::fs::read_to_string(&file)),
            (None, Some(code)) if code == "-" => {
                let mut text = String::new();
                let read = std::io::stdin().lock().read_to_string(&mut text);
                (String::from("stdin"), read.map(|_| text))
            }
            (None, code) => return Ok(code.unwrap_or_default()),
        };
        read.map_err(|error| Failure::new(Code::NotFound, format!("cannot read `{name}`: {error}")))
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
            timeout_ms: self.page.timeout_ms,
        };
        let output = context.output::<RunCode>(&input).await?;
        context.ui.answer(&output, value)?;
        Ok(Exit::OK)
    }
}

/// What scripts want of it: text unquoted, nothing for `undefined`.
///
/// The caller asked for this very value, so it is not made safe for terminals: it may be binary
/// text on its way into a file.
fn value(output: &RunCodeOutput) -> String {
    match &output.value {
        Value::String(text) => text.clone(),
        Value::Null if output.kind == "undefined" => String::new(),
        value => format!("{value:#}"),
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}
