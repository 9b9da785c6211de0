//! `szk close`

use clap::Args;
use serde::Serialize;
use szk_tools::session::{Close, CloseInput, CloseOutput, List, ListInput};
use szk_tools::{Code, Failure};

use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;

/// Save and close a session for all its clients
///
/// Returns when the browser is gone. The profile stays and can be opened again.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk close work\n  szk close work.clone-1a2b3c --keep-as shop\n  szk close --all"
)]
pub(crate) struct CloseArgs {
    /// Session [default: the only open one]
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Close every open session
    #[arg(short, long, conflicts_with_all = ["session", "keep_as", "save"])]
    all: bool,
    /// Discard the changes; only for a clone
    #[arg(id = "save", long = "no-save", action = clap::ArgAction::SetFalse)]
    save: bool,
    /// Keep a clone as a new profile of this name
    #[arg(long, value_name = "NAME")]
    keep_as: Option<String>,
    /// Time budget in milliseconds [default: 30000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

impl CloseArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        if self.all {
            return all(context, self.timeout_ms).await;
        }
        let input = CloseInput {
            session: self.session,
            save: (!self.save).then_some(false),
            keep_as: self.keep_as,
            timeout_ms: self.timeout_ms,
        };
        let closed = context.output::<Close>(&input).await?;
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
async fn all(context: &Context, timeout_ms: Option<u64>) -> Outcome {
    let only_open = ListInput {
        open_only: Some(true),
        ..ListInput::default()
    };
    let open = context.output::<List>(&only_open).await?.sessions;
    let mut all = All::default();
    for row in open {
        let input = CloseInput {
            session: Some(row.session.clone()),
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
