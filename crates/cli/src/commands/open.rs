//! `szk open`

use clap::Args;
use serde::Serialize;
use szk_tools::session::{
    Endpoint, EndpointInput, EndpointOutput, Open, OpenInput, OpenOutput, Started,
};

use super::foreground;
use super::launch::Launch;
use super::pick::Show;
use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::card::Card;
use crate::render::text::printable_lines;
use crate::{Host, complete};

/// Open a profile, or join it if it is open
///
/// The browser runs until Ctrl-C, which saves and closes it, or until `szk close`. If the profile is
/// already open, this joins it and returns at once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk open work https://example.com\n  szk open work ./page.html\n  szk open shop --preset desktop --detach\n  szk open work --clone --headless"
)]
pub(crate) struct OpenArgs {
    /// Profile: a-z, 0-9, `.`, `_`, `-`; created if new
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: String,
    /// Page to open: an address, or a local file
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Leave the browser running in the background and return
    #[arg(short, long, conflicts_with = "clone")]
    detach: bool,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    launch: Launch,
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

impl OpenArgs {
    pub(super) async fn run(self, global: &Global, host: Host) -> Outcome {
        // A foreground keeper counts this process as its client anyway.
        let context = Context::sharing(global, Presence::Visit)?;
        let mut input = self.launch.input(self.session, self.url)?;
        input.snapshot = self.show.snapshot;
        if self.detach {
            return join(&context, &input).await;
        }
        foreground::run(&context, &input, host).await
    }
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
        let page = seen.map(|seen| format!("\n{}", printable_lines(&seen.text)));
        card.render() + &page.unwrap_or_default()
    })
}
