//! What an act, or a batch of them, changed since the caller was told last.

use std::time::Duration;

use szk_page::act::{Journey, Outcome};
use szk_page::document::{self, Expected};
use szk_page::snapshot::{Budget, Since};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ActInput, ActKind};

use crate::browser::view;
use crate::context::Keeper;

/// More than this is asked for with `browser_snapshot`.
const BUDGET: Budget = Budget {
    lines: 40,
    bytes: 4_000,
};
/// Said once when all refs belong to documents that are gone.
const REPLACED: &str =
    "(the tab shows another document since the last snapshot: take a new `browser_snapshot`)";
/// A page that has not been read by then is not waited for: the act is done.
const PATIENCE: Duration = Duration::from_secs(5);
/// Milliseconds to wait for late effects at most, and how much longer a busy page may take to say so.
const LATE: u32 = 400;
const SLOW: Duration = Duration::from_millis(400);
/// A wait that is worth telling, in milliseconds.
const WORTH: u32 = 60;

/// What is different after an act.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The lines that came and went; nothing when there is nothing to compare with.
    pub(crate) diff: Option<String>,
    /// How long was waited for them, if that is worth telling.
    pub(crate) waited: Option<String>,
}

/// Waits for late effects of an act, unless it is one of several, and says what changed.
pub(super) async fn since(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    input: &ActInput,
    outcome: &Outcome,
) -> Changed {
    // All refs of a document that is gone are gone, and a page that is held up cannot be read.
    let left = outcome
        .navigation
        .as_ref()
        .is_some_and(|navigation| !navigation.in_frame && navigation.journey != Journey::Within);
    let stands_still = outcome.late || outcome.open_dialog().is_some();
    let watched = {
        let shared = keeper.views.of(running, tab);
        let view = shared.lock().await;
        view.is_told()
    };
    if left || outcome.closed || stands_still || input.deferred || !watched {
        return Changed::default();
    }
    let waited = late(keeper, running, tab, input.kind, outcome).await;
    if waited.is_none() && !outcome.happened() {
        return Changed::default();
    }
    Changed {
        diff: told(keeper, running, tab, input.r#ref.as_deref()).await,
        waited: waited.filter(|waited| !waited.is_empty()),
    }
}

/// Waits for late effects of several acts, and says what changed since the caller was told last.
pub(crate) async fn settled(keeper: &Keeper, running: &Running, tab: &Tab) -> Option<String> {
    if crate::dialogs::open(&keeper.event_log, &tab.page.target_id).is_some() {
        return None;
    }
    let page = view::page(running, tab);
    let waits = document::late(&keeper.worlds, &page, Expected::Rest, LATE);
    let limit = Duration::from_millis(LATE.into()) + SLOW;
    // A page that does not answer is read as it is.
    drop(tokio::time::timeout(limit, waits).await);
    told(keeper, running, tab, None).await
}

/// The lines that changed in a tab since the caller was told last, those near a ref early.
pub(crate) async fn told(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    near: Option<&str>,
) -> Option<String> {
    let shared = keeper.views.of(running, tab);
    let read = async {
        let mut known = shared.lock().await;
        known.since(&view::page(running, tab), near, BUDGET).await
    };
    let (mut text, left) = match tokio::time::timeout(PATIENCE, read).await.ok()?.ok()?? {
        Since::Shown(text, left) => (text, left),
        Since::Replaced => return Some(REPLACED.to_owned()),
    };
    if left > 0 {
        text = format!("{text}\n({left} more lines: `browser_snapshot` with `diff`)");
    }
    (!text.is_empty()).then_some(text)
}

/// Whether anything came of an act beside the focus and the selection, which it moves by itself.
fn shows(outcome: &Outcome) -> bool {
    let rest = Outcome {
        focus: None,
        selection: None,
        ..outcome.clone()
    };
    rest.happened()
}

/// Waits for what comes late. Nothing if nothing changed; otherwise how long that took, if it is worth telling.
async fn late(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    kind: ActKind,
    outcome: &Outcome,
) -> Option<String> {
    let expected = match kind {
        ActKind::Wait | ActKind::Resize | ActKind::Scroll => return Some(String::new()),
        ActKind::Type | ActKind::Fill => Expected::Suggestions,
        ActKind::Focus => Expected::Hovered,
        ActKind::Hover if shows(outcome) => Expected::Hovered,
        _ if shows(outcome) => Expected::Rest,
        _ => Expected::Anything,
    };
    let page = view::page(running, tab);
    let waits = document::late(&keeper.worlds, &page, expected, LATE);
    // A page that does not answer is read as it is.
    let limit = Duration::from_millis(LATE.into()) + SLOW;
    let waited = tokio::time::timeout(limit, waits).await.ok()?.ok()?;
    match waited.why.as_str() {
        "nothing changed" => None,
        why if waited.ms >= WORTH => Some(format!("waited {} ms: {why}", waited.ms)),
        _ => Some(String::new()),
    }
}
