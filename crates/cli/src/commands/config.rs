//! `szk config`

use clap::{Args, Subcommand};
use serde_json::json;
use szk_tools::session::OpenInput;

use crate::command::{ByHand, Called};
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::explain;

/// Show settings and presets, and where each value comes from
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk config explain --profile work\n  szk config presets")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Explain(ExplainArgs),
    Presets(PresetsArgs),
}

/// Show every value in force, who set it, and what it overrode
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk config explain --profile work --preset desktop")]
struct ExplainArgs {
    /// As if opened with this preset
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// For this profile, with the identity saved in it
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    profile: Option<String>,
    /// Also show keys that nobody set
    #[arg(short, long)]
    all: bool,
}

/// List the presets, with what gives each one away
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk config presets --json")]
struct PresetsArgs {}

impl ByHand for ConfigArgs {
    const NAME: &'static str = "config";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        match self.action {
            Action::Explain(args) => args.run(context),
            Action::Presets(PresetsArgs {}) => {
                let presets = context.client.presets();
                let answer = json!({ "presets": presets });
                context.ui.answer(&answer, |_| explain::presets(&presets))?;
                Ok(Exit::OK)
            }
        }
    }
}

impl ExplainArgs {
    fn run(self, context: &Context) -> Outcome {
        let input = OpenInput {
            session: self.profile,
            preset: self.preset,
            ..OpenInput::default()
        };
        let rows = context.client.explain(&input)?;
        let answer = json!({ "settings": rows });
        context
            .ui
            .answer(&answer, |_| explain::table(&rows, self.all))?;
        Ok(Exit::OK)
    }
}
