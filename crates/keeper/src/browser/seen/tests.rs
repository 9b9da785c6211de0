//! Snapshots in the answers of other operations, of pages that do not play along. The clock is paused: it
//! jumps when everybody waits.

use serde_json::json;
use szk_cdp::testing::{Answer, Script};
use tokio::time::Instant;

use super::*;
use crate::testing::{Scripted, browser};

/// The answer's part, and how long it took.
async fn of(script: Script) -> (AttachedSnapshot, Duration, Scripted) {
    let scripted = Scripted::on(script).await;
    let (running, tab) = scripted.keeper.tab(None).await.unwrap();
    let began = Instant::now();
    let mode = Some(SnapshotMode::default());
    let attached = seen(&scripted.keeper, &running, &tab, mode, Settling::LOADED).await;
    (attached, began.elapsed(), scripted)
}

#[tokio::test(start_paused = true)]
async fn a_page_that_cannot_be_read_is_no_failure() {
    let refused = Answer::error(-32000, "no worlds here");
    let script = browser(json!({})).answer("Page.createIsolatedWorld", refused);
    let (attached, _, _scripted) = of(script).await;
    assert!(attached.data.is_none());
    let lines = attached.lines;
    assert!(lines.starts_with("\n(no snapshot: "), "{lines}");
    assert!(lines.contains("no worlds here"), "{lines}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_answer_holds_the_answer_up_for_a_while_only() {
    let script = browser(json!({})).answer("Runtime.callFunctionOn", Answer::silence());
    let (attached, took, _scripted) = of(script).await;
    assert!(attached.data.is_none());
    assert!(attached.lines.contains("in time"), "{}", attached.lines);
    let limit = READING + PATIENCE + Duration::from_millis(Settling::LOADED.limit.into());
    assert_eq!(took, limit);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_when_no_snapshot_is_wanted() {
    let scripted = Scripted::on(browser(json!({}))).await;
    let (running, tab) = scripted.keeper.tab(None).await.unwrap();
    let attached = seen(&scripted.keeper, &running, &tab, None, Settling::ACTED).await;
    assert!(attached.data.is_none() && attached.lines.is_empty());
    assert!(scripted.calls("Runtime.callFunctionOn").is_empty());
}
