//! `szk completions`

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap_complete::env::Shells;
use szk_tools::Failure;

use crate::command::{ByHand, Called};
use crate::complete::VARIABLE;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::ui::Ui;

/// Print the completion script for a shell
///
/// The script asks szk itself, so it completes profile names too.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  echo 'source <(szk completions bash)' >> ~/.bashrc\n  echo 'source <(szk completions zsh)' >> ~/.zshrc\n  szk completions fish > ~/.config/fish/completions/szk.fish"
)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(
        value_name = "SHELL",
        value_parser = PossibleValuesParser::new(["bash", "elvish", "fish", "powershell", "zsh"])
    )]
    shell: String,
}

impl ByHand for CompletionsArgs {
    const NAME: &'static str = "completions";

    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell).ok_or_else(|| {
            Failure::invalid(format!("no completion for the shell `{}`", self.shell))
        })?;
        let mut script = Vec::new();
        shell
            .write_registration(VARIABLE, "szk", "szk", "szk", &mut script)
            .map_err(|error| CliError::write("memory", &error))?;
        Ui::new(global).bytes(&script)?;
        Ok(Exit::OK)
    }
}
