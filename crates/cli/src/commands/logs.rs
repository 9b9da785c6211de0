//! `szk logs`

use std::path::Path;

use szk_tools::browser::Logs;

use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Form, Table, Terminal, Typed};

/// Most entries to print on stdout as JSON lines.
const MOST: u32 = 1000;

impl Terminal for Logs {
    fn table() -> Table {
        Table::new(&[
            "szk logs --kind network --status 4xx",
            "szk logs --request 12",
            "szk logs --kind network --out session.har",
        ])
        .about("Show what happened in the pages")
        .details(
            "Console messages, requests, errors, dialogs and downloads; secrets are redacted. Finished \
             ones are also in `journal.jsonl` in the profile's `artifacts` folder.",
        )
        .form("capture", Form::Switch)
        .value("since", "CURSOR")
        .value("limit", "COUNT")
        .value("request", "ID")
        .help("path", "Write to this file instead: HAR for `.har`, otherwise JSON lines; `-` is stdout")
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
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
