//! `szk man`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;

use crate::args;
use crate::command::{ByHand, Called};
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::ui::Ui;

/// Write the man pages to a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder, created if necessary
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
}

impl ByHand for ManArgs {
    const NAME: &'static str = "man";

    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        let shown = self.dir.display().to_string();
        let failed = |error| CliError::write(&format!("`{shown}`"), &error);
        std::fs::create_dir_all(&self.dir).map_err(failed)?;
        clap_mangen::generate_to(args::command(), &self.dir).map_err(failed)?;
        Ui::new(global).talk(&format!("wrote the manual pages into {shown}"));
        Ok(Exit::OK)
    }
}
