//! `szk state`

use std::path::PathBuf;

use clap::builder::ValueHint;
use clap::{Args, Subcommand};
use szk_tools::session::{State, StateAction, StateInput, StateOutput};

use super::launch::absolute;
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable;

/// Export or import logins
///
/// Cookies, localStorage and IndexedDB in Playwright's storage-state format.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk state export work work.json\n  szk state import shop cookies.txt"
)]
pub(crate) struct StateArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Write the logins of a session to a file
///
/// The file holds secrets.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk state export work work.json --domain example.com")]
struct ExportArgs {
    /// Session [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// File to write [default: a new one in the profile's `artifacts` folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// Only this domain and its subdomains
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Also print the state itself on stdout; it holds secrets
    #[arg(long)]
    values: bool,
}

/// Put the logins of a file into a session
///
/// Reads Playwright's storage state, a JSON array of cookies, or Netscape's cookies.txt.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  szk state import shop cookies.txt",
    allow_missing_positional = true
)]
struct ImportArgs {
    /// Session [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// File to read
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    path: PathBuf,
    /// Only this domain and its subdomains
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
}

impl StateArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = match self.action {
            Action::Export(args) => StateInput {
                session: args.session,
                action: StateAction::Export,
                path: args.path.as_deref().map(absolute).transpose()?,
                values: args.values.then_some(true),
                domain: args.domain,
            },
            Action::Import(args) => StateInput {
                session: args.session,
                action: StateAction::Import,
                path: Some(absolute(&args.path)?),
                values: None,
                domain: args.domain,
            },
        };
        let response = context.call::<State>(&input).await?;
        let moved = response.read::<State>()?;
        let ui = context.ui;
        for warning in &moved.warnings {
            ui.warn(warning);
        }
        ui.answer(&moved, |moved| human(input.action, moved))?;
        ui.talk(&printable(&response.summary));
        Ok(Exit::OK)
    }
}

/// The state if it was asked for, else the file it went to. An import answers nothing but talk.
fn human(action: StateAction, moved: &StateOutput) -> String {
    match (action, &moved.state, &moved.path) {
        (StateAction::Export, Some(state), _) => format!("{state:#}"),
        (StateAction::Export, None, Some(path)) => path.display().to_string(),
        _ => String::new(),
    }
}
