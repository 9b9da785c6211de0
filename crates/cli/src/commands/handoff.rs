//! `szk handoff`

use szk_tools::Failure;
use szk_tools::session::{Handoff, HandoffInput, HandoffOutput, HandoffState};

use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::Outcome;
use crate::operation::{Form, Table, Terminal, Typed};
use crate::render::text::printable;

impl Terminal for Handoff {
    fn table() -> Table {
        Table::new(&[
            "szk handoff work --reason 'Please enter the code from your phone'",
            "szk handoff work --done",
        ])
        .about("Hand the browser to a person, and wait until they are done")
        .details(
            "Prints a link to a live view: whoever has it sees the page and controls it with mouse, \
             keyboard or touch, until they say that they are done. To use it from another machine, first \
             run: ssh -L PORT:127.0.0.1:PORT HOST",
        )
        .positions(&["session"])
        .form("wait", Form::No("no-wait"))
        .form("end", Form::Flags(&[("done", "done"), ("given_up", "give-up")]))
        .arg("reason", |arg| arg.short('r').value_name("TEXT"))
        .arg("wait", |arg| {
            arg.help("Print the link without waiting")
                .conflicts_with_all(["done", "given_up"])
        })
        .arg("done", |arg| {
            arg.conflicts_with("given_up")
                .help("Report success, for a person who used the browser's window")
        })
        .help("given_up", "Report that it could not be done")
    }

    fn context(global: &Global) -> Result<Context, Failure> {
        Context::new(global, Presence::Stay)
    }

    /// The link is shown while another call waits for the person.
    async fn run(typed: Typed<Self>) -> Outcome {
        let asked = typed.input()?;
        let context = &typed.context;
        let first = HandoffInput {
            wait: None,
            timeout_ms: None,
            ..asked.clone()
        };
        let mut told = context.output::<Self>(&first).await?;
        if told.state == HandoffState::Waiting && asked.wait != Some(false) {
            if let Some(url) = &told.url {
                context.ui.talk(&format!(
                    "open this link, or send it to whoever is taking over:\n\n  {url}\n"
                ));
            }
            let wait = HandoffInput {
                session: Some(told.session.clone()),
                wait: Some(true),
                timeout_ms: asked.timeout_ms,
                ..HandoffInput::default()
            };
            told = context.output::<Self>(&wait).await?;
        }
        typed.show(&told, text)
    }
}

fn text(told: &HandoffOutput) -> String {
    let with_note = |how: &str| match &told.note {
        Some(note) => format!("{how}: {}", printable(note)),
        None => how.to_owned(),
    };
    match told.state {
        HandoffState::Done => with_note("done"),
        HandoffState::GivenUp => with_note("given up"),
        HandoffState::Waiting => told.url.clone().unwrap_or_default(),
    }
}
