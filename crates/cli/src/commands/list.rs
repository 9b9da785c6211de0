//! `szk list`

use clap::Args;
use jiff::Timestamp;
use szk_tools::session::{List, ListInput};

use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::sessions;

/// List open and stored profiles
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk list\n  szk ps --open --json")]
pub(crate) struct ListArgs {
    /// Only this profile; `szk inspect` shows what it holds
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Only open sessions
    #[arg(id = "open_only", long = "open")]
    open_only: bool,
}

impl ListArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = ListInput {
            session: self.session,
            open_only: self.open_only.then_some(true),
        };
        let list = context.output::<List>(&input).await?;
        let ui = context.ui;
        ui.answer(&list, |list| sessions::table(list, Timestamp::now()))?;
        for note in sessions::notes(&list) {
            ui.warn(&note);
        }
        if list.sessions.is_empty() {
            let what = if self.open_only {
                "is open"
            } else {
                "is stored"
            };
            ui.talk(&format!("nothing {what} in `{}`", list.store));
            ui.talk("  hint: `szk open work` opens a profile, creating it if it is new");
        }
        Ok(Exit::OK)
    }
}
