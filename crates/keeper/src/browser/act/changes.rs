//! What an act changed in the snapshot that the caller has.

use std::time::Duration;

use szk_page::act::Outcome;
use szk_page::snapshot::{Budget, Since};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use crate::browser::view;
use crate::context::Keeper;

/// More than this is asked for with `browser_snapshot`.
const LINES: usize = 40;
const BYTES: usize = 4_000;
/// Said once when all refs belong to documents that are gone.
const REPLACED: &str =
    "(the tab shows another document since the last snapshot: take a new `browser_snapshot`)";
/// A page that has not been read by then is not waited for: the act is done.
const PATIENCE: Duration = Duration::from_secs(5);

/// The lines of the last snapshot that came and went; nothing when there is none to compare with.
pub(super) async fn since(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    outcome: &Outcome,
) -> Option<String> {
    // All refs of a document that is gone are gone, and a page that is held up cannot be read.
    let left = outcome.navigation.as_ref().is_some_and(|navigation| {
        !navigation.in_frame && navigation.journey != szk_page::act::Journey::Within
    });
    let stands_still = outcome.late || outcome.open_dialog().is_some();
    if !outcome.happened() || left || outcome.closed || stands_still {
        return None;
    }
    let shared = keeper.views.of(running, tab);
    let budget = Budget {
        lines: LINES,
        bytes: BYTES,
    };
    let read = async {
        let mut known = shared.lock().await;
        known.since(&view::page(running, tab), budget).await
    };
    let changes = match tokio::time::timeout(PATIENCE, read).await.ok()?.ok()?? {
        Since::Shown(changes) => changes,
        Since::Replaced => return Some(REPLACED.to_owned()),
    };
    let (mut text, lines) = changes.cut(budget);
    if lines < changes.lines.len() {
        let left = changes.lines.len() - lines;
        text = format!("{text}\n({left} more lines: `browser_snapshot` with `diff`)");
    }
    (!text.is_empty()).then_some(text)
}
