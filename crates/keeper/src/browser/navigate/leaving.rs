//! Leaving a page that shows a dialog.
//!
//! Chromium closes the dialog when a navigation begins. A script that opens the next one at once would
//! stop the navigation for good: nobody can answer a dialog of a page that is already being replaced, and
//! the next document waits for its end. Such a page is left for a blank one first: there is nothing to
//! wait for then, and when the next navigation begins, Chromium closes what is still open.
//!
//! A script may also begin to ask when the next document is on its way already. Then the tab is stuck, also
//! for every later navigation; a person would close it. The same happens when a script never pauses: Chromium
//! suppresses the dialogs of a page that is being replaced, and a loop around them only spins.

use std::time::Duration;

use szk_page::Page;
use szk_page::event_log::{Prompt, Prompted};
use szk_page::navigation::{leave_for_blank, stays_between};
use szk_page::prompts::close_dialog;
use szk_runtime::supervisor::Tab;

use crate::context::Keeper;
use crate::dialogs;

/// How soon a script that asks again and again does so.
const SOON: Duration = Duration::from_millis(150);

/// How long it takes to begin a navigation to a blank page.
const BLANK: Duration = Duration::from_millis(300);

/// How many looks in a row must find a tab between two documents before it counts as stuck, once its page
/// has shown dialogs.
const LOOKS_AFTER_DIALOGS: u32 = 2;

/// The same for a page that only computes. It may let go by itself, and a tab that is replaced loses its
/// history.
const LOOKS_AT_BUSY: u32 = 16;

/// Why a page cannot be left.
#[derive(Clone, Copy)]
pub(super) enum Stuck {
    /// It shows one dialog after the other.
    Dialogs,
    /// Its script never pauses.
    Busy,
}

impl Stuck {
    /// What the page does.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Dialogs => "one dialog after the other",
            Self::Busy => "a script that does not pause",
        }
    }
}

/// Ends once the document that is left keeps the next one from coming.
pub(super) async fn stuck(keeper: &Keeper, page: &Page) -> Stuck {
    let asks = async {
        shows_a_dialog(keeper, &page.frame).await;
        stays_between(page, LOOKS_AFTER_DIALOGS).await;
    };
    tokio::select! {
        () = asks => Stuck::Dialogs,
        () = stays_between(page, LOOKS_AT_BUSY) => Stuck::Busy,
    }
}

async fn shows_a_dialog(keeper: &Keeper, target: &str) {
    let mut changes = keeper.event_log.changes();
    loop {
        changes.borrow_and_update();
        let shown = dialogs::open(&keeper.event_log, target);
        if shown.is_some_and(|prompt| !asks_to_leave(&prompt)) {
            return;
        }
        if changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Closes the dialog that the page shows. A page that opens another one at once is left.
pub(super) async fn close_dialogs(keeper: &Keeper, page: &Page, tab: &Tab) {
    let target = &tab.page.target_id;
    let shown = dialogs::open(&keeper.event_log, target);
    let Some(prompt) = shown.filter(|prompt| !asks_to_leave(prompt)) else {
        return;
    };
    // Not waited for: another answer may have been faster.
    drop(close_dialog(&page.connection, &prompt, false, None));
    if opens_another(keeper, target, prompt.id).await {
        tracing::info!(
            tab = tab.id,
            "the page opens one dialog after the other; leaving it"
        );
        // The answer says that it has begun, which is enough; a page like this may never give one.
        let _ = tokio::time::timeout(BLANK, leave_for_blank(page)).await;
    }
}

/// Whether a dialog follows this one soon.
async fn opens_another(keeper: &Keeper, target: &str, before: u64) -> bool {
    let mut changes = keeper.event_log.changes();
    let opens = async {
        loop {
            changes.borrow_and_update();
            let open = dialogs::open(&keeper.event_log, target);
            if open.is_some_and(|prompt| prompt.id != before) {
                return;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::time::timeout(SOON, opens).await.is_ok()
}

/// Whether it asks what the navigation answers itself.
fn asks_to_leave(prompt: &Prompt) -> bool {
    matches!(&prompt.what, Prompted::Dialog { r#type, .. } if r#type == "beforeunload")
}
