//! `szk init`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use serde_json::json;
use szk_tools::{Code, Failure};

use crate::command::{ByHand, Called};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::init::{self, Done, Step};
use crate::render::text::printable_lines;
use crate::ui::Ui;

/// Set up a project: settings, a Playwright test, .gitignore
///
/// The test runs in a szk profile. Never overwrites existing files; shows what differs instead.
/// Running it again is safe.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  szk init && npm install -D @playwright/test && szk run-test -s work"
)]
pub(crate) struct InitArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
    /// Only show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl ByHand for InitArgs {
    const NAME: &'static str = "init";

    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        let steps = init::scaffold(&self.dir, self.dry_run).map_err(|error| {
            let dir = self.dir.display();
            Failure::new(Code::Storage, format!("cannot prepare `{dir}`: {error}"))
        })?;
        let ui = Ui::new(global);
        ui.answer(&json!({ "dry_run": self.dry_run, "files": steps }), |_| {
            text(&steps)
        })?;
        if steps.iter().any(|step| step.done == Done::Differs) {
            ui.talk("files that differ are yours and were left alone; lines marked + are what szk would have written");
        }
        Ok(Exit::OK)
    }
}

fn text(steps: &[Step]) -> String {
    let one = |step: &Step| {
        let word = match step.done {
            Done::Created => "created ",
            Done::Extended => "extended",
            Done::Same => "same    ",
            Done::Differs => "differs ",
        };
        let mut text = format!("{word}  {}", step.path.display());
        for line in printable_lines(&step.lines).lines() {
            text.push_str(&format!("\n            {line}"));
        }
        text
    };
    steps.iter().map(one).collect::<Vec<_>>().join("\n")
}
