//! `szk logs`

use std::path::Path;

use clap::{Arg, ArgAction};
use szk_client::EventLine;
use szk_tools::browser::Logs;

use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Form, Table, Terminal, Typed};
use crate::render;

/// Most entries to print on stdout as JSON lines.
const MOST: u32 = 1000;

impl Terminal for Logs {
    fn table() -> Table {
        Table::new(&[
            "szk logs --kind network --status 4xx",
            "szk logs --request 12",
            "szk logs --kind network --out session.har",
            "szk logs --follow",
        ])
        .about("Show what happened in the pages")
        .details(
            "Console messages, requests, errors, dialogs, downloads and acts; secrets are redacted. Finished \
             ones are also in `journal.jsonl` in the profile's `artifacts` folder.",
        )
        .form("capture", Form::Switch)
        .value("since", "CURSOR")
        .value("limit", "COUNT")
        .value("request", "ID")
        .help("path", "Write to this file instead: HAR for `.har`, otherwise JSON lines; `-` is stdout")
        .own(|command| {
            let others = [
                "tab", "kind", "capture", "text", "type", "status", "limit", "request", "path",
            ];
            let follow = Arg::new("follow").long("follow").short('f');
            command.arg(
                follow
                    .help("Show what happens from now on, or after event number `--since`, until the session closes: tabs, navigations, dialogs, downloads, logins, hand-offs, clients")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(others),
            )
        })
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
        if typed.flag("follow") {
            return follow(&typed, input.session.as_deref(), input.since).await;
        }
        if input.path.as_deref() != Some(Path::new("-")) {
            return typed.summary(&typed.call().await?);
        }
        input.path = None;
        input.limit.get_or_insert(MOST);
        for entry in typed.context.output::<Self>(&input).await?.entries {
            typed.context.ui.json(&entry)?;
        }
        Ok(Exit::OK)
    }
}

fn missed(count: u64) -> String {
    match count {
        1 => "1 event was missed".to_owned(),
        count => format!("{count} events were missed"),
    }
}

/// Ends with the session, or with Ctrl-C.
async fn follow(typed: &Typed<Logs>, session: Option<&str>, after: Option<u64>) -> Outcome {
    let ui = typed.context.ui;
    let mut events = typed.context.client.events(session, after).await?;
    while let Some(told) = events.next().await {
        match &told {
            told if ui.is_json() => ui.json(told)?,
            EventLine::Event(event) => ui.data(&render::events::line(event))?,
            EventLine::Missed(0) => {
                ui.warn("the session was opened again: earlier events are lost")
            }
            EventLine::Missed(count) => ui.warn(&missed(*count)),
        }
    }
    ui.talk(&format!("`{}` is closed", events.session()));
    Ok(Exit::OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_has_no_plural() {
        assert_eq!(missed(1), "1 event was missed");
        assert_eq!(missed(2), "2 events were missed");
    }
}
