//! `szk inspect`

use clap::Args;
use jiff::Timestamp;
use szk_tools::session::{List, ListInput};

use crate::command::{ByHand, Called};
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::inspect;

/// Show what a profile holds: sites, counts and expiry, never values
///
/// Cookies, localStorage, sessionStorage and IndexedDB by site, as of the last save, which for an open
/// session is seconds ago. Starts no browser. Does not count service workers and caches.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk inspect work\n  szk inspect work --json")]
pub(crate) struct InspectArgs {
    /// Profile [default: the only open one, else `default`]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
}

impl ByHand for InspectArgs {
    const NAME: &'static str = "inspect";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        let session = match self.session {
            Some(name) => name,
            None => context.client.usual_session().await?,
        };
        let input = ListInput {
            session: Some(session),
            ..ListInput::default()
        };
        let list = context.output::<List>(&input).await?;
        for row in &list.sessions {
            let ui = context.ui;
            ui.answer(row, |row| inspect::text(row, Timestamp::now()))?;
            if let Some(note) = &row.note {
                ui.warn(&format!("`{}`: {note}", row.session));
            }
        }
        Ok(Exit::OK)
    }
}
