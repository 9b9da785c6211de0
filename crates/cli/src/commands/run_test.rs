//! `szk run-test` and `szk test`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_tools::Response;
use szk_tools::browser::{RunTest, RunTestInput, Tests};
use szk_tools::session::{Afterwards, RunTestIn, RunTestInInput};

use super::launch::absolute;
use super::pick::word;
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Run a project's Playwright tests on a session
///
/// Opens the profile in the background or joins it, and leaves it open. `szk init` writes the fixture
/// through which tests join. Ctrl-C ends the tests and everything they started. Exits with 1 if a test
/// fails.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk run-test\n  szk run-test tests/cart.spec.mjs -s shop --grep checkout --param user=ada"
)]
pub(crate) struct RunTestArgs {
    #[command(flatten)]
    which: Which,
    /// Session [default: the only open one, else `default`]
    #[arg(short = 's', long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
}

/// Run Playwright tests on a profile or a clone of it, then close it
///
/// Opens the profile first, and closes it again if it was closed before. Ctrl-C ends the tests, and
/// the session as `--then` says. Exits with 1 if a test fails.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk test work\n  szk test work tests/cart.spec.mjs --clone --url https://shop.example"
)]
pub(crate) struct TestArgs {
    /// Profile [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    #[command(flatten)]
    which: Which,
    /// Test in an ephemeral copy
    #[arg(long)]
    clone: bool,
    /// Go here first
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Afterwards: save and close, keep it open, or destroy the clone [default: destroy a clone, keep
    /// what was open, otherwise save]
    #[arg(long, value_name = "WHAT", value_parser = word::<Afterwards>(&["save", "keep", "destroy"]))]
    then: Option<Afterwards>,
}

/// Which tests, and how.
#[derive(Debug, Args)]
struct Which {
    /// Test files, `file:line`, or parts of their names [default: all]
    #[arg(value_name = "FILES", value_hint = ValueHint::FilePath)]
    files: Vec<String>,
    /// Only tests whose title matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    grep: Option<String>,
    /// Only this project of the configuration
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Playwright's configuration [default: the one in the folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Folder of the project [default: this one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,
    /// Test parameter: `user=ada` sets TEST_USER in the environment; can be repeated
    #[arg(id = "params", long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    params: Vec<(String, String)>,
    /// Tests to run at the same time [default: from the configuration]
    #[arg(long, value_name = "COUNT")]
    workers: Option<u32>,
    /// Time budget in milliseconds [default: 300000]; kills what is still running
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

impl Which {
    fn tests(self) -> Result<Tests, szk_tools::Failure> {
        let params: BTreeMap<String, Value> = self
            .params
            .into_iter()
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        Ok(Tests {
            dir: self.dir.as_deref().map(absolute).transpose()?,
            files: Some(self.files).filter(|files| !files.is_empty()),
            grep: self.grep,
            project: self.project,
            config: self.config,
            params: Some(params).filter(|params| !params.is_empty()),
            workers: self.workers,
            timeout_ms: self.timeout_ms,
        })
    }
}

impl RunTestArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = RunTestInput {
            session: self.session,
            tests: self.which.tests()?,
        };
        told(context, context.call::<RunTest>(&input).await?)
    }
}

impl TestArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = RunTestInInput {
            session: self.session,
            clone: self.clone.then_some(true),
            url: self.url,
            then: self.then,
            tests: self.which.tests()?,
        };
        told(context, context.call::<RunTestIn>(&input).await?)
    }
}

fn told(context: &Context, response: Response) -> Outcome {
    context
        .ui
        .answer(&response.data, |_| printable_lines(&response.summary))?;
    Ok(match response.unmet {
        true => Exit::UNMET,
        false => Exit::OK,
    })
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "write it as NAME=VALUE".to_owned())
}
