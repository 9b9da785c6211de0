//! Dialogs of pages: a dialog blocks its page.

use std::time::Duration;

use szk_page::event_log::{Chooser, EventLog, Prompt, Prompted};
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
