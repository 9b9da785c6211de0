//! What the keeper knows of each tab's page, and failures of its refs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use szk_page::Page;
use szk_page::snapshot::{ReadError, Scope, Stale, View};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Done, Failure};
use tokio::sync::OwnedMutexGuard;

use crate::failure;

/// Views of tabs; one caller at a time works with a view, and tabs do not wait for each other.
#[derive(Default)]
pub(crate) struct Views {
    // A std mutex: nothing awaits under it.
    tabs: Mutex<HashMap<String, Kept>>,
}

/// What is kept of one tab.
#[derive(Default)]
struct Kept {
    view: Shared,
    /// Locked while the rest of the page is read after a snapshot.
    rest: Arc<tokio::sync::Mutex<()>>,
}

/// The view of one tab.
pub(crate) type Shared = Arc<tokio::sync::Mutex<View>>;

/// Views kept before those of closed tabs are dropped.
const KEPT: usize = 64;
/// How long reading the rest of a page may take after its snapshot: the next call waits for it.
const REST: Duration = Duration::from_secs(5);

impl Views {
    /// The view of a tab.
    pub(crate) fn of(&self, running: &Running, tab: &Tab) -> Shared {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        if tabs.len() >= KEPT && !tabs.contains_key(&tab.id) {
            let open = running.supervisor.tabs();
            tabs.retain(|id, _| open.iter().any(|tab| tab.id == *id));
        }
        Arc::clone(&tabs.entry(tab.id.clone()).or_default().view)
    }

    /// Reads what a snapshot has left out, in the background. The next call on the tab first waits for this in
    /// [`Views::settled`]; otherwise the reading would include what that call changes, and not report it.
    pub(crate) fn read_rest(&self, tab: &str, page: Page, mut view: OwnedMutexGuard<View>) {
        if !view.has_rest() {
            return;
        }
        let rest = self.rest(tab).and_then(|rest| rest.try_lock_owned().ok());
        tokio::spawn(async move {
            let _ = tokio::time::timeout(REST, view.read_rest(&page)).await;
            drop((view, rest));
        });
    }

    /// Waits until the rest of the page is read, or the scripts have been started in its new document.
    pub(crate) async fn settled(&self, tab: &Tab) {
        if let Some(rest) = self.rest(&tab.id) {
            drop(rest.lock().await);
        }
    }

    /// As long as this lives, the next call on a tab waits in [`Views::settled`]. `None` if it does already.
    pub(crate) fn hold(&self, tab: &Tab) -> Option<OwnedMutexGuard<()>> {
        self.rest(&tab.id)?.try_lock_owned().ok()
    }

    fn rest(&self, tab: &str) -> Option<Arc<tokio::sync::Mutex<()>>> {
        let tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        tabs.get(tab).map(|kept| Arc::clone(&kept.rest))
    }
}

/// A tab's page, with its frames in other processes.
pub(crate) fn page(running: &Running, tab: &Tab) -> Page {
    let supervisor = running.supervisor.clone();
    Page::new(
        supervisor.connection().clone(),
        tab.page.session.clone(),
        tab.page.target_id.clone(),
        move |frame| supervisor.page_session(frame),
    )
}

/// A part of the page: what looks like a ref is one.
pub(crate) fn scope(given: &str) -> Scope {
    let name = given
        .trim()
        .trim_start_matches('@')
        .trim_start_matches("ref=");
    let digits = name.strip_prefix('e').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Scope::Ref(given.to_owned())
    } else {
        Scope::Selector(given.to_owned())
    }
}

/// Text of the page in quotes, on one line.
pub(crate) fn quoted(text: &str) -> String {
    szk_text::quoted(text, 100)
}

/// The page could not be read.
pub(crate) fn unread(error: &ReadError) -> Failure {
    let text = error.to_string();
    match error {
        ReadError::Call(error) if szk_page::is_gone(error) => {
            Failure::new(Code::SessionBusy, "the page was replaced while it was read")
                .hint("read it again")
                .retryable()
        }
        ReadError::Call(error) => failure::cdp("cannot read the page", error, Done::None),
        ReadError::Script(_) => Failure::internal(text),
        ReadError::Stale(error) => stale(error),
        ReadError::Selector(_) => Failure::invalid(text)
            .hint("give a ref such as `e5`, a CSS selector, or an XPath such as `//nav`"),
        ReadError::Nothing(_) => {
            Failure::new(Code::NotFound, text).hint("see what is there with `browser_snapshot`")
        }
        ReadError::Many { candidates, .. } => {
            let text = match candidates[..] {
                [] => text,
                _ => format!("{text}: {}", candidates.join(", ")),
            };
            Failure::new(Code::Ambiguous, text)
                .hint("make the selector match one element, or give a ref")
        }
        ReadError::Cursor(_) => Failure::new(Code::NotFound, text).hint(
            "only the last snapshot of a tab can be continued: take it again without `cursor`",
        ),
    }
}

/// A ref does not stand for what it stood for.
pub(crate) fn stale(error: &Stale) -> Failure {
    let text = error.to_string();
    match error {
        Stale::Unknown(_) => {
            Failure::new(Code::NotFound, text).hint("get refs with `browser_snapshot`")
        }
        Stale::Gone { .. } | Stale::Changed { .. } => Failure::new(Code::RefStale, text)
            .hint("take a new `browser_snapshot`, or look for it with `browser_find`"),
        Stale::Call(error) => failure::cdp("cannot inspect the ref", error, Done::None),
    }
}
