//! Dialogs of pages: a dialog blocks its page.

use std::time::Duration;

use szk_page::event_log::{Chooser, EventLog, Prompt, Prompted};
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Failure};

/// How long a dialog that closes by itself may take.
const CLOSING: Duration = Duration::from_secs(2);

/// The open dialog of this page.
pub(crate) fn open(event_log: &EventLog, target: &str) -> Option<Prompt> {
    let mut pending = event_log.pending().into_iter();
    pending.find(|prompt| prompt.target == target && matches!(prompt.what, Prompted::Dialog { .. }))
}

/// Waits until this page shows a dialog that stays open.
pub(crate) async fn held(event_log: &EventLog, target: &str) {
    another_held(event_log, target, None).await;
}

/// Waits until this page shows another dialog that stays open.
pub(crate) async fn another_held(event_log: &EventLog, target: &str, known: Option<u64>) {
    let mut changes = event_log.changes();
    loop {
        changes.borrow_and_update();
        let open = open(event_log, target);
        if open.is_some_and(|prompt| prompt.held && Some(prompt.id) != known) {
            return;
        }
        if changes.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Does work on a page. `None` if a dialog that stays open blocks the page before that is done: its timers
/// open dialogs at any moment, and a page that is blocked answers nothing.
pub(crate) async fn unless_held<T>(
    event_log: &EventLog,
    target: &str,
    work: impl Future<Output = T>,
) -> Option<T> {
    // Calls are in one another, and each would be on the stack a second time here.
    let work = Box::pin(work);
    tokio::select! {
        biased;
        done = work => Some(done),
        () = held(event_log, target) => None,
    }
}

/// The same for work that can fail: the dialog is the failure, if one comes.
pub(crate) async fn unblocked<T>(
    event_log: &EventLog,
    tab: &Tab,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let done = unless_held(event_log, &tab.page.target_id, work).await;
    done.unwrap_or_else(|| Err(blocked(event_log, tab)))
}

/// The failure for a tab whose page a dialog has just blocked.
pub(crate) fn blocked(event_log: &EventLog, tab: &Tab) -> Failure {
    match open(event_log, &tab.page.target_id) {
        Some(prompt) => busy(&prompt, &tab.id),
        // It has been answered since.
        None => Failure::new(
            Code::SessionBusy,
            format!("{} showed a dialog, which is closed now", tab.id),
        )
        .hint("repeat the call")
        .retryable(),
    }
}

/// Waits until this page shows no dialog, unless one stays open.
pub(crate) async fn none(event_log: &EventLog, target: &str, tab: &str) -> Result<(), Failure> {
    let mut changes = event_log.changes();
    let closed = async {
        loop {
            changes.borrow_and_update();
            if open(event_log, target).is_none_or(|prompt| prompt.held) {
                return;
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    };
    // Err: it stays open, and is reported.
    let _ = tokio::time::timeout(CLOSING, closed).await;
    match open(event_log, target) {
        None => Ok(()),
        Some(prompt) => Err(busy(&prompt, tab)),
    }
}

/// Describes a dialog; quotes its text, which comes from the page.
pub(crate) fn named(kind: &str, message: &str) -> String {
    format!("a dialog ({kind}): {}", szk_text::quoted(message, 300))
}

/// Describes a file chooser.
pub(crate) fn chooser(one: &Chooser) -> String {
    let count = if one.multiple {
        "several files"
    } else {
        "one file"
    };
    format!("a file chooser ({count})")
}

/// The failure for a page that is blocked by this. Calling again does not help: someone must answer it.
pub(crate) fn busy(prompt: &Prompt, tab: &str) -> Failure {
    let what = match &prompt.what {
        Prompted::Dialog {
            r#type, message, ..
        } => named(r#type, message),
        Prompted::Chooser(one) => chooser(one),
        Prompted::Download { .. } => "a download".to_owned(),
    };
    Failure::new(Code::SessionBusy, format!("{tab} shows {what}"))
        .hint("answer it with `browser_arm`, `event` dialog")
}
