//! `szk batch`

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{Batch, BatchInput, BatchStep};
use szk_tools::{Code, Failure};

use super::pick::Page;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Longest list of steps, in bytes.
const LONGEST: u64 = 16 << 20;

/// Run several page operations in one call
///
/// The steps are a JSON list of `{"tool": "browser_…", "input": {…}}`. Stops at the first error, and
/// after a step that took the tab to another document.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk batch steps.json\n  generate-steps | szk batch -")]
pub(crate) struct BatchArgs {
    /// File with the steps; `-` is stdin
    #[arg(id = "steps", value_name = "FILE", value_hint = ValueHint::FilePath)]
    steps: PathBuf,
    /// Continue after a navigation that no `browser_navigate` asked for
    #[arg(long)]
    through_navigation: bool,
    #[command(flatten)]
    page: Page,
}

impl BatchArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = BatchInput {
            session: self.page.session,
            tab: self.page.tab,
            steps: read(&self.steps)?,
            through_navigation: self.through_navigation.then_some(true),
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Batch>(&input).await?;
        let failed = response
            .read::<Batch>()?
            .steps
            .into_iter()
            .find_map(|step| step.error);
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        let good = if response.unmet {
            Exit::UNMET
        } else {
            Exit::OK
        };
        Ok(failed.map_or(good, |failure| Exit::of_code(failure.code)))
    }
}

fn read(path: &Path) -> Result<Vec<BatchStep>, Failure> {
    let read = if path == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().take(LONGEST).read_to_string(&mut text);
        read.map(|_| text)
    } else {
        szk_files::text(path, LONGEST)
    };
    let text = read.map_err(|error| {
        let text = format!("cannot read `{}`: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound => Failure::new(Code::NotFound, text),
            _ => Failure::invalid(text).hint("give a text file, or `-` for stdin"),
        }
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::invalid(format!("`{}` is no list of steps: {error}", path.display())).hint(
            "write `[{\"tool\": \"browser_navigate\", \"input\": {\"url\": \"example.com\"}}]`",
        )
    })
}
