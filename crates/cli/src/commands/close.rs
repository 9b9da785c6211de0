//! `szk close`

use clap::Args;
use szk_tools::session::{Close, CloseInput};

use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;

/// Save and close a session, for all its clients
///
/// Returns when the browser is gone. The profile stays and can be opened again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk close work\n  szk close work.clone-1a2b3c --keep-as shop")]
pub(crate) struct CloseArgs {
    /// Session [default: the only open one]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Drop the changes; only for a clone
    #[arg(id = "save", long = "no-save", action = clap::ArgAction::SetFalse)]
    save: bool,
    /// Only for a clone: it stays, as a new profile of this name
    #[arg(long, value_name = "NAME")]
    keep_as: Option<String>,
    /// Time budget in milliseconds [default: 30000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

impl CloseArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = CloseInput {
            session: self.session,
            save: (!self.save).then_some(false),
            keep_as: self.keep_as,
            timeout_ms: self.timeout_ms,
        };
        let closed = context.output::<Close>(&input).await?;
        for warning in &closed.warnings {
            context.ui.warn(warning);
        }
        if context.ui.is_json() {
            context.ui.json(&closed)?;
        }
        let how = if closed.saved {
            "saved and closed"
        } else {
            "closed without saving"
        };
        let now = match &closed.kept_as {
            Some(name) => format!("; it is the profile `{name}` now"),
            None => String::new(),
        };
        context.ui.talk(&format!("{how} `{}`{now}", closed.session));
        Ok(Exit::OK)
    }
}
