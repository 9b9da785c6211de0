//! `szk endpoint`

use clap::Args;
use szk_tools::session::{Endpoint, EndpointInput};

use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::endpoint;

/// Show how CDP tools join a session
///
/// Opens the session's shared DevTools endpoint: loopback only, with a token in the address. Through
/// it, Playwright, Puppeteer and other tools join the same live browser.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk endpoint work\n  eval \"$(szk endpoint work --env)\"\n  curl \"$(szk endpoint work --url)/json/version\"\n  szk endpoint work --plain-port\n  szk endpoint work --disconnect 2"
)]
pub(crate) struct EndpointArgs {
    /// Open session [default: the only open one]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Print addresses without the shield; pages can notice a program that uses them
    #[arg(long)]
    no_shield: bool,
    /// Open a port for Selenium, nodriver and other tools that only take host and port
    ///
    /// Needs no token: it admits only programs of your user. Linux only.
    #[arg(long)]
    plain_port: bool,
    /// Disconnect a client, by its number
    #[arg(long, value_name = "CLIENT")]
    disconnect: Option<u64>,
    #[command(flatten)]
    part: Part,
}

/// At most one part instead of everything.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Part {
    /// Print only environment lines, for a shell's `eval`
    #[arg(long)]
    env: bool,
    /// Print only the HTTP address
    #[arg(long)]
    url: bool,
    /// Print only the WebSocket address
    #[arg(long)]
    ws: bool,
}

impl EndpointArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = EndpointInput {
            session: self.session,
            no_shield: self.no_shield.then_some(true),
            plain_port: self.plain_port.then_some(true),
            disconnect: self.disconnect,
        };
        let found = context.output::<Endpoint>(&input).await?;
        context.ui.answer(&found, |found| {
            if self.part.env {
                endpoint::exports(&found.env)
            } else if self.part.url {
                found.http_url.clone()
            } else if self.part.ws {
                found.ws_url.clone()
            } else {
                endpoint::overview(found)
            }
        })?;
        Ok(Exit::OK)
    }
}
