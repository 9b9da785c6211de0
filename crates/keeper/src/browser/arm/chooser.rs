//! Who gets the file choosers of a tab: szk, or the person at the window.
//!
//! Chromium tells of a chooser only to a session that intercepts it, and then shows none. So szk
//! intercepts while an act goes on and while files are armed. In a window it stops after that, because
//! the person needs their choosers. Without a display the supervisor intercepts all of them from the start
//! (`Stealth::without_display`): Chromium would cancel each at once, faster than a person could, and pages
//! can tell.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use szk_cdp::{Done, Reply, SessionId};
use szk_page::event_log::{Entry, Kind, Prompt, Prompted, Query, What};
use szk_page::prompts::intercept_choosers;
use szk_runtime::launch::Mode;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::{ArmEvent, ArmInput};

use super::{answer, given};
use crate::context::Keeper;

/// How long a chooser may take to be answered or found to stay open.
const DECIDED: Duration = Duration::from_secs(3);

/// As long as this lives, the choosers of a tab come to szk.
pub(crate) struct Intercepting<'a> {
    keeper: &'a Keeper,
    running: &'a Running,
    tab: &'a Tab,
}

impl<'a> Intercepting<'a> {
    /// Begins without waiting: a page reads what an act asks it after this.
    pub(crate) fn begin(keeper: &'a Keeper, running: &'a Running, tab: &'a Tab) -> Self {
        if keeper.session.mode() == Mode::Window {
            drop(post(running, &tab.page.session, true));
        }
        Self {
            keeper,
            running,
            tab,
        }
    }
}

impl Drop for Intercepting<'_> {
    fn drop(&mut self) {
        let page = &self.tab.page;
        release(self.keeper, self.running, &page.target_id, &page.session);
    }
}

/// What became of a chooser that an act opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// It waits for files.
    Open,
    /// It got the armed files.
    Given,
    /// It was refused, as armed.
    Refused,
    /// Its document is gone.
    Gone,
}

/// Has the choosers of a tab come to szk, and waits until they do.
pub(super) async fn intercept(running: &Running, tab: &Tab) -> Result<(), Failure> {
    let mut replies = post(running, &tab.page.session, true);
    let page = replies.remove(0);
    // Err: a frame is gone, and its choosers with it.
    drop(join_all(replies).await);
    given(page).await
}

/// Armed files hold for a while; then the person in the window has their choosers again.
pub(super) fn release_after(keeper: &Arc<Keeper>, running: &Running, tab: &Tab, holds: Duration) {
    let (keeper, running, page) = (keeper.weak(), running.clone(), tab.page.clone());
    tokio::spawn(async move {
        tokio::time::sleep(holds).await;
        if let Some(keeper) = keeper.upgrade() {
            release(&keeper, &running, &page.target_id, &page.session);
        }
    });
}

/// Gives a chooser the armed files. One that cannot take them stays open, and the next answer says why.
pub(super) async fn give(
    keeper: &Arc<Keeper>,
    running: &Running,
    prompt: &Prompt,
    armed: &ArmInput,
) -> Result<(), Failure> {
    let given = answer::give(keeper, running, prompt, armed).await;
    if let Err(failure) = &given {
        keeper.event_log.hold(prompt.id);
        let tab = prompt.tab.as_deref().unwrap_or("a page");
        keeper.slots.expired(format!(
            "the file chooser of {tab} did not get the armed files: {}",
            failure.message
        ));
    }
    release(keeper, running, &prompt.target, &prompt.session);
    given
}

/// A field got files in another way: no chooser of this tab waits for any.
pub(crate) fn served(keeper: &Keeper, tab: &Tab) {
    if let Some(prompt) = super::pending(keeper, tab, ArmEvent::Chooser) {
        keeper.event_log.settled(prompt.id, true);
    }
}

/// Waits until it is known what became of a chooser that this tab opened since then.
pub(crate) async fn became(keeper: &Keeper, tab: &Tab, since: u64) -> Chosen {
    let mut changes = keeper.event_log.changes();
    let decided = async {
        loop {
            changes.borrow_and_update();
            if let Some(chosen) = look(keeper, tab, since) {
                return chosen;
            }
            if changes.changed().await.is_err() {
                return Chosen::Gone;
            }
        }
    };
    let decided = tokio::time::timeout(DECIDED, decided).await;
    decided.unwrap_or_else(|_| match super::pending(keeper, tab, ArmEvent::Chooser) {
        Some(_) => Chosen::Open,
        None => Chosen::Gone,
    })
}

fn look(keeper: &Keeper, tab: &Tab, since: u64) -> Option<Chosen> {
    let found = keeper.event_log.read(&Query {
        kind: Some(Kind::Dialogs),
        tab: Some(tab.id.clone()),
        since: Some(since),
        r#type: Some("filechooser".to_owned()),
        ..Query::default()
    });
    let Entry { id, what, .. } = found.entries.into_iter().max_by_key(|entry| entry.id)?;
    let What::Dialog(dialog) = what else {
        return None;
    };
    match dialog.accepted {
        Some(true) => return Some(Chosen::Given),
        Some(false) => return Some(Chosen::Refused),
        None => {}
    }
    let mut pending = keeper.event_log.pending().into_iter();
    let held = pending.any(|prompt| prompt.id == id && prompt.held);
    held.then_some(Chosen::Open)
}

/// Whether this prompt waits for an answer; a chooser that is getting armed files does not.
pub(crate) fn waits(prompt: &Prompt) -> bool {
    prompt.held || !matches!(prompt.what, Prompted::Chooser(_))
}

/// In a window the person has the choosers, unless an act goes on or files are armed. Without one they stay
/// ours, also after an upload, which ends its own interception.
fn release(keeper: &Keeper, running: &Running, target: &str, page: &SessionId) {
    if keeper.session.mode() == Mode::Headless {
        drop(post(running, page, true));
        return;
    }
    let ours =
        keeper.slots.holds(target, ArmEvent::Chooser) || keeper.slots.underway(target).is_some();
    if !ours {
        drop(post(running, page, false));
    }
}

/// Tells the page, and then its frames in other processes.
fn post(running: &Running, page: &SessionId, on: bool) -> Vec<Reply<Done>> {
    let supervisor = &running.supervisor;
    let below = supervisor.below(page).into_iter();
    let frames = below.filter(|target| target.kind == "iframe");
    let sessions = frames.map(|frame| frame.session);
    let sessions = std::iter::once(page.clone()).chain(sessions);
    sessions
        .map(|session| intercept_choosers(supervisor.connection(), &session, on))
        .collect()
}
