//! `szk open`

use clap::{Arg, ArgAction};
use serde::Serialize;
use szk_tools::Failure;
use szk_tools::browser::Snapshot;
use szk_tools::session::{
    Endpoint, EndpointInput, EndpointOutput, Open, OpenInput, OpenOutput, Started,
};

use super::{foreground, launch};
use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::card::Card;
use crate::render::spoken::Speech;
use crate::render::text::printable_lines;

impl Terminal for Open {
    fn table() -> Table {
        let table = Table::new(&[
            "szk open work https://example.com",
            "szk open work ./page.html",
            "szk open shop --preset desktop --detach",
            "szk open work --clone --headless",
        ]);
        launch::how(table)
            .about("Open a profile, or join it if it is open")
            .details(
                "The browser runs until Ctrl-C, which saves and closes it, or until `szk close`. If the \
                 profile is already open, this joins it and returns at once.",
            )
            .positions(&["session", "url"])
            .arg("session", |arg| {
                arg.required(true)
                    .help("Profile: a-z, 0-9, `.`, `_`, `-`; created if new")
            })
            .arg("snapshot", |arg| arg.help_heading(None::<&str>))
            .help("url", "Page to open: an address, or a local file")
            .own(|command| {
                let detach = Arg::new("detach").long("detach").short('d');
                let detach = detach.action(ArgAction::SetTrue).conflicts_with("clone");
                let help = "Leave the browser running in the background and return";
                launch::window(command.arg(detach.help(help)))
            })
    }

    fn context(global: &Global) -> Result<Context, Failure> {
        // A foreground keeper counts this process as its client anyway.
        Context::sharing(global, Presence::Visit)
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let input = launch::windowed(typed.input()?, typed.flag("window"));
        if typed.flag("detach") {
            return join(&typed.context, &input).await;
        }
        foreground::run(&typed.context, &input, typed.host).await
    }
}

/// What `szk open --json` prints.
#[derive(Debug, Serialize)]
struct Opened<'a> {
    #[serde(flatten)]
    session: &'a OpenOutput,
    /// Left out if the endpoint could not be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<&'a EndpointOutput>,
}

/// Opens or joins through the client, then returns.
pub(super) async fn join(context: &Context, input: &OpenInput) -> Outcome {
    let session = context.output::<Open>(input).await?;
    let footer = match session.started {
        Started::Joined => "joined: it stays open when you leave",
        Started::Started => "runs in the background; `szk close` ends it",
    };
    show(context, &session, footer).await?;
    Ok(Exit::OK)
}

/// Opens the endpoint and shows the card. An endpoint that fails to open is no reason to lose the
/// browser.
pub(super) async fn show(
    context: &Context,
    session: &OpenOutput,
    footer: &str,
) -> Result<(), CliError> {
    let ui = context.ui;
    let ask = EndpointInput {
        session: Some(session.session.clone()),
        ..EndpointInput::default()
    };
    let endpoint = match context.output::<Endpoint>(&ask).await {
        Ok(endpoint) => Some(endpoint),
        Err(CliError::Failure(failure)) => {
            ui.warn(&format!("no endpoint: {}", failure.message));
            None
        }
        Err(other) => return Err(other),
    };
    for warning in &session.warnings {
        ui.warn(warning);
    }
    let endpoint = endpoint.as_ref();
    if ui.is_quiet() && !ui.is_json() {
        return Ok(());
    }
    ui.answer(&Opened { session, endpoint }, |_| {
        let card = Card {
            session,
            endpoint,
            footer,
        };
        let seen = session.snapshot.as_ref();
        let page = seen.map(|seen| {
            format!(
                "\n{}",
                Speech::running::<Snapshot>().answer(&printable_lines(&seen.text))
            )
        });
        card.render() + &page.unwrap_or_default()
    })
}
