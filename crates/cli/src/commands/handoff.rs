//! `szk handoff`

use clap::Args;
use szk_tools::session::{Handoff, HandoffEnd, HandoffInput, HandoffState};

use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable;

/// Hand the browser to a person, and wait until they are done
///
/// Prints a link to a live view: whoever has it sees the page and controls it with mouse, keyboard or
/// touch, until they say that they are done. To use it from another machine, first run: ssh -L
/// PORT:127.0.0.1:PORT HOST
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk handoff work --reason 'Please enter the code from your phone'\n  szk handoff work --done"
)]
pub(crate) struct HandoffArgs {
    /// Open session [default: the only open one]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// What the person should do
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
    /// Tab id such as `t3` [default: the tab used last]
    #[arg(short = 't', long, value_name = "TAB")]
    tab: Option<String>,
    /// Print the link without waiting
    #[arg(id = "wait", long = "no-wait", action = clap::ArgAction::SetFalse, conflicts_with_all = ["end", "give_up"])]
    wait: bool,
    /// Report success, for a person who used the browser's window
    #[arg(id = "end", long = "done", conflicts_with = "give_up")]
    done: bool,
    /// Report that it could not be done
    #[arg(long)]
    give_up: bool,
    /// How long to wait, in milliseconds [default: 600000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

impl HandoffArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let end = match (self.done, self.give_up) {
            (true, _) => Some(HandoffEnd::Done),
            (_, true) => Some(HandoffEnd::GivenUp),
            _ => None,
        };
        let first = HandoffInput {
            session: self.session.clone(),
            tab: self.tab,
            reason: self.reason,
            end,
            ..HandoffInput::default()
        };
        let mut told = context.output::<Handoff>(&first).await?;
        if told.state == HandoffState::Waiting && self.wait {
            if let Some(url) = &told.url {
                context.ui.talk(&format!(
                    "open this link, or give it to whoever shall take over:\n\n  {url}\n"
                ));
            }
            let wait = HandoffInput {
                session: Some(told.session.clone()),
                wait: Some(true),
                timeout_ms: self.timeout_ms,
                ..HandoffInput::default()
            };
            told = context.output::<Handoff>(&wait).await?;
        }
        context.ui.answer(&told, |told| match told.state {
            HandoffState::Done => told.note.as_ref().map_or_else(
                || "done".to_owned(),
                |note| format!("done: {}", printable(note)),
            ),
            HandoffState::GivenUp => told.note.as_ref().map_or_else(
                || "given up".to_owned(),
                |note| format!("given up: {}", printable(note)),
            ),
            HandoffState::Waiting => told.url.clone().unwrap_or_default(),
        })?;
        Ok(Exit::OK)
    }
}
