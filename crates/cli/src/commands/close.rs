//! `szk close`

use clap::{Arg, ArgAction};
use serde::Serialize;
use szk_tools::session::{Close, CloseInput, CloseOutput, List, ListInput};
use szk_tools::{Code, Failure};

use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Form, Table, Terminal, Typed};

impl Terminal for Close {
    fn table() -> Table {
        Table::new(&[
            "szk close work",
            "szk close work.clone-1a2b3c --keep-as shop",
            "szk close --all",
        ])
        .about("Save and close a session for all its clients")
        .details("Returns when the browser is gone. The profile stays and can be opened again.")
        .positions(&["session"])
        .form("save", Form::No("no-save"))
        .help("save", "Discard the changes; only for a clone")
        .help("force", "Close it although other clients are using it")
        .value("keep_as", "NAME")
        .own(|command| {
            let all = Arg::new("all").long("all").short('a');
            let others = ["session", "keep_as", "save"];
            command.arg(
                all.help("Close every open session")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(others),
            )
        })
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let context = &typed.context;
        if typed.flag("all") {
            let input = typed.input()?;
            return all(context, input.force, input.timeout_ms).await;
        }
        let closed = typed.output().await?;
        if context.ui.is_json() {
            context.ui.json(&closed)?;
        }
        tell(context, &closed);
        Ok(Exit::OK)
    }
}

/// What `szk close --all --json` prints.
#[derive(Debug, Default, Serialize)]
struct All {
    /// What it closed.
    closed: Vec<CloseOutput>,
    /// What it could not close, and why.
    failed: Vec<Failed>,
}

#[derive(Debug, Serialize)]
struct Failed {
    session: String,
    error: Failure,
}

/// Closes them one by one. One that fails to close does not keep the others open.
async fn all(context: &Context, force: Option<bool>, timeout_ms: Option<u64>) -> Outcome {
    let only_open = ListInput {
        open_only: Some(true),
        ..ListInput::default()
    };
    let open = context.output::<List>(&only_open).await?.sessions;
    let mut all = All::default();
    for row in open {
        let input = CloseInput {
            session: Some(row.session.clone()),
            force,
            timeout_ms,
            ..CloseInput::default()
        };
        let closed = match context.call::<Close>(&input).await {
            Ok(response) => response.read::<Close>(),
            Err(failure) => Err(failure),
        };
        match closed {
            Ok(closed) => {
                tell(context, &closed);
                all.closed.push(closed);
            }
            // Another client closed it meanwhile, which is what we were asked to do.
            Err(failure) if failure.code == Code::SessionNotFound => {}
            Err(error) => all.failed.push(Failed {
                session: row.session,
                error,
            }),
        }
    }
    let ui = context.ui;
    if ui.is_json() {
        ui.json(&all)?;
    } else if all.closed.is_empty() && all.failed.is_empty() {
        ui.talk("no session is open");
    }
    for failed in &all.failed {
        ui.warn(&format!(
            "`{}` is still open: {}",
            failed.session, failed.error.message
        ));
    }
    let worst = all.failed.first();
    Ok(worst.map_or(Exit::OK, |failed| Exit::of_code(failed.error.code)))
}

fn tell(context: &Context, closed: &CloseOutput) {
    for warning in &closed.warnings {
        context.ui.warn(warning);
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
}
