//! `szk endpoint`

use clap::{Arg, ArgAction, ArgGroup, Command};
use szk_tools::session::Endpoint;

use crate::error::Outcome;
use crate::operation::{Table, Terminal, Typed};
use crate::render::endpoint;

impl Terminal for Endpoint {
    fn table() -> Table {
        Table::new(&[
            "szk endpoint work",
            "eval \"$(szk endpoint work --env)\"",
            "curl \"$(szk endpoint work --url)/json/version\"",
            "szk endpoint work --plain-port",
            "szk endpoint work --disconnect 2",
        ])
        .about("Show how CDP tools join a session")
        .details(
            "Opens the session's shared DevTools endpoint: loopback only, with a token in the address. \
             Through it, Playwright, Puppeteer and other tools join the same live browser.",
        )
        .positions(&["session"])
        .value("disconnect", "CLIENT")
        .own(parts)
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let found = typed.output().await?;
        typed.show(&found, |found| {
            if typed.flag("env") {
                endpoint::exports(&found.env)
            } else if typed.flag("url") {
                found.http_url.clone()
            } else if typed.flag("ws") {
                found.ws_url.clone()
            } else {
                endpoint::overview(found)
            }
        })
    }
}

/// At most one part instead of everything.
fn parts(command: Command) -> Command {
    let part = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name);
        arg.help(help).action(ArgAction::SetTrue)
    };
    command
        .args([
            part("env", "Print only environment lines, for a shell's `eval`"),
            part("url", "Print only the HTTP address"),
            part("ws", "Print only the WebSocket address"),
        ])
        .group(ArgGroup::new("part").args(["env", "url", "ws"]))
}
