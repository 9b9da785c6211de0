//! Dialogs that nothing is armed for.

use std::sync::Arc;
use std::time::Duration;

use szk_config::Dialogs;
use szk_page::act::Answering;
use szk_page::event_log::{Prompt, What};
use szk_page::input::Pace;
use szk_page::prompts::close_dialog;
use szk_runtime::session::Running;
use szk_tools::{Code, Failure};

use super::given;
use super::slots::Underway;
use crate::context::Keeper;

/// How long the browser may take to say that a dialog is closed.
const CLOSING: Duration = Duration::from_secs(1);
/// How long an alert stays: a person needs as long to see it.
const READING: Duration = Duration::from_millis(900);

/// Answers a dialog, or leaves it open for a caller or a person.
pub(super) async fn answer(
    keeper: &Arc<Keeper>,
    running: &Running,
    prompt: &Prompt,
    kind: &str,
    underway: Option<&Underway>,
) -> Result<(), Failure> {
    let seen = keeper.seen();
    let question = !matches!(kind, "alert" | "beforeunload");
    match underway {
        None if kind == "beforeunload" && keeper.slots.leaves(&prompt.target) => {}
        // A document that is left holds up the next one.
        None if keeper.slots.departs(&prompt.target) => {
            return by_itself(keeper, running, prompt, false).await.map(drop);
        }
        // A person sees it, and no act of ours opened it: the answer is theirs.
        None if seen && !question => {
            keeper.event_log.hold(prompt.id);
            return Ok(());
        }
        Some(act) if act.answering.alone && !(seen && question) => {
            if read(keeper, prompt, act.pace).await {
                return Ok(());
            }
            return close(running, prompt, kind, &act.answering).await;
        }
        _ if question && !(seen && underway.is_none()) => match configured(keeper) {
            Dialogs::Ask => return unless_answered(keeper, running, prompt, kind).await,
            Dialogs::Accept => return by_itself(keeper, running, prompt, true).await.map(drop),
            Dialogs::Dismiss => return by_itself(keeper, running, prompt, false).await.map(drop),
        },
        _ if question => return unless_answered(keeper, running, prompt, kind).await,
        _ => {}
    }
    accept(keeper, running, prompt, kind).await
}

/// How the configuration has all questions answered.
fn configured(keeper: &Keeper) -> Dialogs {
    keeper.session.resolved().settings.session.dialogs
}

/// Answers a dialog as a call says.
pub(super) async fn close(
    running: &Running,
    prompt: &Prompt,
    kind: &str,
    answering: &Answering,
) -> Result<(), Failure> {
    let accept = answering.accepts(kind);
    let text = answering.text.clone().filter(|_| accept);
    let connection = running.supervisor.connection();
    given(close_dialog(connection, prompt, accept, text)).await
}

/// Takes the time that a person needs to read a question, if this is a person's pace. Returns whether
/// somebody else answered it meanwhile.
pub(super) async fn read(keeper: &Keeper, prompt: &Prompt, pace: Pace) -> bool {
    pace == Pace::Human && closed_within(keeper, prompt, READING).await
}

/// Accepts what has but one answer, once it could have been read.
async fn accept(
    keeper: &Keeper,
    running: &Running,
    prompt: &Prompt,
    kind: &str,
) -> Result<(), Failure> {
    // The caller wants to leave the page.
    if kind != "beforeunload" && closed_within(keeper, prompt, READING).await {
        return Ok(());
    }
    by_itself(keeper, running, prompt, true).await.map(drop)
}

/// Holds a question open for a time: without an answer it would block its page for ever.
async fn unless_answered(
    keeper: &Keeper,
    running: &Running,
    prompt: &Prompt,
    kind: &str,
) -> Result<(), Failure> {
    let seconds = keeper.session.resolved().settings.session.dialog_seconds;
    keeper.event_log.hold(prompt.id);
    loop {
        if closed_within(keeper, prompt, Duration::from_secs(seconds)).await {
            return Ok(());
        }
        // It may have been handed over meanwhile.
        if !keeper.seen() {
            break;
        }
    }
    keeper.event_log.unanswered(prompt.id, true);
    if by_itself(keeper, running, prompt, false).await? {
        let tab = prompt.tab.as_deref().unwrap_or("a page");
        keeper.slots.expired(format!(
            "{tab} had a {kind} without an answer for {seconds} s: szk dismissed it"
        ));
    } else {
        keeper.event_log.unanswered(prompt.id, false);
    }
    Ok(())
}

/// Whether it is closed by then.
async fn closed_within(keeper: &Keeper, prompt: &Prompt, time: Duration) -> bool {
    let mut changes = keeper.event_log.changes();
    let closed = async {
        while is_open(keeper, prompt) {
            if changes.changed().await.is_err() {
                break;
            }
        }
    };
    tokio::time::timeout(time, closed).await.is_ok()
}

/// Answers a dialog without being told how; returns whether this answer was the first.
async fn by_itself(
    keeper: &Keeper,
    running: &Running,
    prompt: &Prompt,
    accept: bool,
) -> Result<bool, Failure> {
    let connection = running.supervisor.connection();
    match given(close_dialog(connection, prompt, accept, None)).await {
        Ok(()) => Ok(true),
        // Somebody was faster.
        Err(_) if is_closing(keeper, prompt).await => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Whether a dialog that could not be answered is closed: the browser says so just before or after.
pub(super) async fn is_closing(keeper: &Keeper, prompt: &Prompt) -> bool {
    closed_within(keeper, prompt, CLOSING).await
}

/// The failure of an answer to a dialog that was closed before it came.
pub(super) fn too_late(keeper: &Keeper, prompt: &Prompt, tab: &str) -> Failure {
    let known = keeper.event_log.entry(prompt.id).map(|entry| entry.what);
    let how = match known {
        Some(What::Dialog(one)) if one.unanswered => "szk dismissed it, as it had no answer",
        Some(What::Dialog(one)) if one.accepted == Some(true) => "it was accepted",
        Some(What::Dialog(one)) if one.accepted == Some(false) => "it was dismissed",
        _ => "it was closed",
    };
    let message = format!("{tab} shows no dialog any more: {how} before this answer came");
    Failure::new(Code::NotFound, message)
        .hint("see what it asked with `browser_logs`, `kind` dialogs")
}

fn is_open(keeper: &Keeper, prompt: &Prompt) -> bool {
    let pending = keeper.event_log.pending();
    pending.iter().any(|open| open.id == prompt.id)
}
