//! `szk open` as the keeper itself: this process owns the browser until Ctrl-C.

use std::sync::Arc;

use szk_client::{Start, StartPermit};
use szk_tools::session::{Close, CloseInput, Open, OpenInput, OpenOutput, Started};
use szk_tools::{Code, Failure, Progress};
use tokio::sync::oneshot;

use super::open;
use crate::Host;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::spoken::Speech;

/// Runs the keeper here, with a client beside it that shows the card. If the profile is open, or
/// another process opens it first, joins that instead.
pub(super) async fn run(context: &Context, input: &OpenInput, host: Host) -> Outcome {
    let start = context.client.start_for(input)?;
    let Some(permit) = context.client.start_permit(&start).await? else {
        return open::join(context, input).await;
    };
    match keep(context, input, start, permit, host).await {
        Ok(session) => {
            context.ui.talk(&if input.clone == Some(true) {
                format!("closed `{session}`; a copy that was not kept is gone")
            } else {
                format!("saved and closed `{session}`")
            });
            Ok(Exit::OK)
        }
        Err(CliError::Failure(failure)) if is_taken(&failure) && input.clone.is_none() => {
            open::join(context, input).await
        }
        Err(error) => Err(error),
    }
}

/// Runs the keeper until the profile is closed; returns the session's name.
async fn keep(
    context: &Context,
    input: &OpenInput,
    start: Start,
    permit: StartPermit,
    host: Host,
) -> Result<String, CliError> {
    let session = start.session.clone();
    let (tell, told) = oneshot::channel();
    let on_ready = Box::new(move |ready| {
        // The receiver is gone only if this command is already exiting.
        let _ = tell.send(ready);
    });
    let line = Arc::new(context.ui.progress());
    line.say(&format!("starting {session}"));
    let shown = Arc::clone(&line);
    let ui = context.ui;
    let on_progress = Box::new(move |progress: Progress| {
        // Without steps it is not progress but news: the browser died, or is back.
        if progress.total == 0 {
            ui.talk(&progress.message);
        } else {
            shown.report(&progress);
        }
    });
    let mut keeper = (host.keeper_foreground)(start, on_progress, on_ready);
    let greeting = async {
        let ready = told.await;
        line.clear();
        drop(permit);
        match ready {
            Ok(ready) => ready?,
            // The keeper exited without a message; its own result, which comes next, says why.
            Err(_) => std::future::pending().await,
        }
        greet(context, input, &session).await
    };
    tokio::select! {
        // Completes with the browser: closed, interrupted, or never started.
        ended = &mut keeper => ended?,
        // Completes when the card is shown, or with what prevented it.
        greeted = greeting => match greeted {
            // Do not close the browser because no one reads its card (`szk open work | head -1`).
            Ok(()) | Err(CliError::BrokenPipe) => keeper.await?,
            Err(error) => {
                // It exits because we tell it to; what came before is what matters.
                let (_, _) = tokio::join!(close(context, &session), keeper);
                return Err(error);
            }
        },
    }
    Ok(session)
}

/// Joins the keeper in this process, as any client would.
async fn greet(context: &Context, input: &OpenInput, session: &str) -> Result<(), CliError> {
    let mut ask = input.clone();
    ask.session = Some(session.to_owned());
    // The start made the copy; now it is a session like any other.
    ask.clone = None;
    let opened = match context.output::<Open>(&ask).await {
        // A person who mistyped an address wants to correct it in the window.
        Err(CliError::Failure(failure)) if failure.code == Code::NavigationFailed => {
            context.ui.failure(&failure, &Speech::default());
            ask.url = None;
            context.output::<Open>(&ask).await?
        }
        other => other?,
    };
    let opened = OpenOutput {
        started: Started::Started,
        ..opened
    };
    let footer = match opened.clone_of {
        Some(_) => "Ctrl-C closes and deletes this copy",
        None => "Ctrl-C saves and closes",
    };
    open::show(context, &opened, footer).await
}

/// Closes the session after a failed greeting. A keeper that never came up cannot be asked, which is
/// just as well.
async fn close(context: &Context, session: &str) {
    let input = CloseInput {
        session: Some(session.to_owned()),
        ..CloseInput::default()
    };
    if let Err(CliError::Failure(failure)) = context.output::<Close>(&input).await
        && failure.code != Code::SessionNotFound
    {
        context.ui.failure(&failure, &Speech::default());
    }
}

fn is_taken(failure: &Failure) -> bool {
    matches!(failure.code, Code::ProfileLocked | Code::SessionBusy)
}
