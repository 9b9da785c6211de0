//! Answering what pages ask.

use std::path::Path;
use std::sync::Arc;

use szk_config::{Action, NeedsApproval};
use szk_page::event_log::{Prompt, Prompted, What};
use szk_page::prompts::files::{self, NotGiven};
use szk_page::prompts::{cancel_download, close_dialog};
use szk_runtime::session::Running;
use szk_tools::browser::{ArmEvent, ArmInput};
use szk_tools::{Code, Done, Failure};
use tokio::sync::broadcast::error::RecvError;

use super::{chooser, dialog, given};
use crate::context::Keeper;
use crate::failure;

/// Answers prompts until the session ends.
pub(crate) async fn answer_prompts(keeper: Arc<Keeper>) {
    let mut prompts = keeper.event_log.prompts();
    let session = keeper.session.clone();
    let keeper = {
        let weak = keeper.weak();
        drop(keeper);
        weak
    };
    loop {
        let prompt = tokio::select! {
            prompt = prompts.recv() => prompt,
            _ = session.closed() => return,
        };
        match (prompt, keeper.upgrade()) {
            (Ok(prompt), Some(keeper)) => {
                // Each for itself: one page must not wait for another one's answer.
                tokio::spawn(async move {
                    if let Err(failure) = answer(&keeper, &prompt).await {
                        tracing::warn!(?prompt, %failure, "cannot answer a prompt");
                    }
                });
            }
            (Err(RecvError::Lagged(_)), Some(_)) => {}
            (Err(RecvError::Closed), _) | (_, None) => return,
        }
    }
}

async fn answer(keeper: &Arc<Keeper>, prompt: &Prompt) -> Result<(), Failure> {
    let event = match prompt.what {
        Prompted::Dialog { .. } => ArmEvent::Dialog,
        Prompted::Chooser(_) => ArmEvent::Chooser,
        Prompted::Download { .. } => ArmEvent::Download,
    };
    let running = keeper.session.running().await;
    let running = running.map_err(|error| failure::session(&error))?;
    if running.supervisor.is_clients(&prompt.target) {
        // A program that has joined made the page for itself, and answers what it asks.
        keeper.event_log.hold(prompt.id);
        return Ok(());
    }
    let underway = keeper.slots.underway(&prompt.target);
    let pace = underway
        .as_ref()
        .map_or(keeper.acting.pace(), |act| act.pace);
    match (&prompt.what, &underway) {
        // The act gives it files itself.
        (Prompted::Chooser(_), Some(act)) if act.uploads => {
            keeper.event_log.settled(prompt.id, true);
            return Ok(());
        }
        // What a call says of its own dialogs is said last.
        (Prompted::Dialog { r#type, .. }, Some(act)) if act.answering.accept.is_some() => {
            if dialog::read(keeper, prompt, pace).await {
                return Ok(());
            }
            return dialog::close(&running, prompt, r#type, &act.answering).await;
        }
        _ => {}
    }
    if let Prompted::Download { guid, name } = &prompt.what
        && !may_download(keeper, &running, &prompt.target, name)
    {
        return stop(keeper, &running, prompt.id, guid, name).await;
    }
    if let Some(armed) = keeper.slots.take(&prompt.target, event) {
        if !matches!(prompt.what, Prompted::Download { .. })
            && dialog::read(keeper, prompt, pace).await
        {
            return Ok(());
        }
        return match prompt.what {
            Prompted::Chooser(_) => chooser::give(keeper, &running, prompt, &armed).await,
            Prompted::Dialog { .. } => give(keeper, &running, prompt, &armed).await,
            Prompted::Download { .. } => {
                let given = give(keeper, &running, prompt, &armed).await;
                // Nobody waits for this: the next answer says what became of it.
                given.inspect_err(|failure| keeper.slots.expired(failure.message.clone()))
            }
        };
    }
    match &prompt.what {
        Prompted::Dialog { r#type, .. } => {
            dialog::answer(keeper, &running, prompt, r#type, underway.as_ref()).await
        }
        // It stays open until a call or a person gives it files.
        Prompted::Chooser(_) => {
            keeper.event_log.hold(prompt.id);
            Ok(())
        }
        // It goes on by itself.
        Prompted::Download { .. } => Ok(()),
    }
}

/// Whether a tab may download a file: what a call brings about needs a person's approval, and so does what
/// begins while nobody looks.
fn may_download(keeper: &Keeper, running: &Running, target: &str, name: &str) -> bool {
    if !keeper.bounds().asks(NeedsApproval::Download) {
        return true;
    }
    let targets = running.supervisor.targets();
    let page = targets.iter().find(|page| page.target_id == target);
    let opener = page.and_then(|page| page.opener.as_deref());
    let permits = &keeper.permits;
    let by_call = permits
        .allow(target, name)
        .or_else(|| permits.allow(opener?, name));
    by_call.unwrap_or_else(|| keeper.seen())
}

/// Keeps a download from being there, and says why.
async fn stop(
    keeper: &Keeper,
    running: &Running,
    id: u64,
    guid: &str,
    name: &str,
) -> Result<(), Failure> {
    refuse(keeper, running, id, guid, name).await?;
    let name = szk_text::quoted(name, 200);
    keeper.slots.expired(format!(
        "the download {name} was stopped: `[policy] approve` has `download`"
    ));
    Ok(())
}

/// Cancels a download, or removes its file if it was faster than we are; returns whether it was.
async fn refuse(
    keeper: &Keeper,
    running: &Running,
    id: u64,
    guid: &str,
    name: &str,
) -> Result<bool, Failure> {
    let cancelled = cancel_download(running.supervisor.connection(), guid).await;
    let Some(file) = ended(keeper, id).await else {
        return Ok(false);
    };
    let path = file.clone();
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_file(path)).await;
    tracing::info!(?removed, ?cancelled, "removed a download");
    match removed {
        Ok(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => {
            let name = szk_text::quoted(name, 200);
            let message = format!(
                "the refused download {name} is still at `{file}`, and cannot be removed: {error}"
            );
            Err(Failure::new(Code::Storage, message).effect(Done::Done))
        }
        _ => {
            keeper.event_log.withdrawn(id);
            Ok(true)
        }
    }
}

/// Waits for the end of a download; its file, if it is complete.
async fn ended(keeper: &Keeper, id: u64) -> Option<String> {
    let mut changes = keeper.event_log.changes();
    loop {
        changes.borrow_and_update();
        match keeper.event_log.entry(id).map(|entry| entry.what) {
            Some(What::Download(download)) if download.state == "completed" => {
                return download.path;
            }
            Some(What::Download(download)) if download.state == "in_progress" => {}
            _ => return None,
        }
        changes.changed().await.ok()?;
    }
}

/// Gives an answer to a prompt.
pub(super) async fn give(
    keeper: &Arc<Keeper>,
    running: &Running,
    prompt: &Prompt,
    armed: &ArmInput,
) -> Result<(), Failure> {
    let connection = running.supervisor.connection();
    let accept = armed.accept.unwrap_or(true);
    match &prompt.what {
        Prompted::Dialog { .. } => {
            let text = armed.text.clone();
            given(close_dialog(connection, prompt, accept, text)).await
        }
        Prompted::Chooser(chooser) => {
            let paths = armed.paths.as_deref().unwrap_or_default();
            if accept {
                if paths.len() > 1 && !chooser.multiple {
                    return Err(Failure::invalid("this file chooser takes one file"));
                }
                let chosen = files::give(connection, &chooser.field, paths).await;
                chosen.map_err(not_given)?;
            }
            keeper.event_log.settled(prompt.id, accept);
            Ok(())
        }
        Prompted::Download { guid, name } if !accept => {
            if refuse(keeper, running, prompt.id, guid, name).await? {
                let name = szk_text::quoted(name, 200);
                keeper.slots.expired(format!(
                    "the refused download {name} was complete before it could be cancelled: its file was removed"
                ));
            }
            Ok(())
        }
        Prompted::Download { .. } => match &armed.path {
            Some(path) => save_as(keeper, prompt.id, path).await,
            None => Ok(()),
        },
    }
}

/// Why a file chooser did not get its files.
fn not_given(error: NotGiven) -> Failure {
    match error {
        NotGiven::Call(error) => failure::cdp("it was not answered", &error, Done::Unknown),
        NotGiven::Lost(_) => {
            Failure::new(Code::NotActionable, format!("its field {error}")).effect(Done::Unknown)
        }
        NotGiven::Files | NotGiven::Folder(_) => Failure::invalid(format!("its field {error}")),
    }
}

/// Waits for the whole file and puts it where it was asked for, or beside what is there already.
async fn save_as(keeper: &Keeper, id: u64, path: &Path) -> Result<(), Failure> {
    let Some(from) = ended(keeper, id).await else {
        return Ok(());
    };
    let unsaved = |why: String| {
        let shown = path.display();
        format!("the download is at `{from}`, because `{shown}` cannot be written: {why}")
    };
    // Links in the path may lead elsewhere by now.
    if let Err(denied) = keeper.bounds().check(Action::Write(path)) {
        let mut failure = szk_wire::failure::policy(&denied);
        failure.message = unsaved(failure.message);
        return Err(failure);
    }
    let (file, to) = (from.clone(), path.to_owned());
    let moved =
        tokio::task::spawn_blocking(move || szk_store::save_download_as(file.as_ref(), &to)).await;
    match moved {
        Ok(Ok(place)) => {
            let is_there = place.display().to_string();
            if place != path {
                let shown = path.display();
                keeper.slots.expired(format!(
                    "the download is at `{is_there}`, because there was a `{shown}` already"
                ));
            }
            keeper.event_log.moved(id, is_there);
            Ok(())
        }
        Ok(Err(error)) => Err(Failure::new(Code::Storage, unsaved(error.to_string()))),
        Err(error) => Err(Failure::internal(error.to_string())),
    }
}
