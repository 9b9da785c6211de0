//! `szk run-file`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_tools::browser::{RunFile, RunFileInput};

use super::launch::absolute;
use super::pick::Page;
use super::pick::json;
use super::run_code::{made_whole, told};
use crate::context::Context;
use crate::error::Outcome;

/// Run a function from a file with Playwright
///
/// The function gets `(page, args)`: the tab, and the value of `--args`. Prints its result: text as it
/// is, everything else as JSON; the file's own output goes to stderr. Uses the project's own
/// Playwright, joined to the session.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk run-file scrape.mjs --args '{\"pages\": 3}'\n  szk run-file tools.py --export login -s work"
)]
pub(crate) struct RunFileArgs {
    /// A .js, .mjs, .cjs, .ts, .mts or .py file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: PathBuf,
    /// Exported function [default: the default export; `main` in Python]
    #[arg(long, value_name = "NAME")]
    export: Option<String>,
    /// JSON to pass to the function
    #[arg(long, value_name = "JSON", value_parser = json)]
    args: Option<Value>,
    #[command(flatten)]
    page: Page,
}

impl RunFileArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = RunFileInput {
            session: self.page.session,
            tab: self.page.tab,
            path: absolute(&self.path)?,
            export: self.export,
            args: self.args,
            timeout_ms: self.page.timeout_ms,
        };
        let mut response = context.call::<RunFile>(&input).await?;
        made_whole(&mut response)?;
        told(context, &response.read::<RunFile>()?)
    }
}
