//! Dialogs that open while a call works on their page. The clock is paused: it jumps when everybody waits.

use serde_json::{Value, json};
use szk_cdp::testing::Answer;

use super::*;
use crate::testing::{Scripted, browser};

/// What a page is asked in its worlds.
const ASKED: &str = "Runtime.callFunctionOn";

/// How a call fails on a page that says nothing more, because it opens a dialog.
async fn interrupted(tool: &str, input: Value) -> Failure {
    let scripted = Scripted::on(browser(json!({})).answer(ASKED, Answer::silence())).await;
    let step = Call::decode(tool, input).unwrap();
    let asks = async {
        scripted.peer.call(ASKED, 1).await.unwrap();
        scripted.opens_dialog("confirm");
    };
    let (done, ()) = tokio::join!(call(&scripted.keeper, step, Found::Open, &|_| {}), asks);
    done.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_dialog_ends_what_waits_for_its_page() {
    let click = json!({"kind": "click", "selector": "#go"});
    for (tool, input, effect) in [
        ("browser_snapshot", json!({}), Done::None),
        ("browser_find", json!({"text": "Go"}), Done::None),
        ("browser_extract", json!({}), Done::None),
        ("browser_run_code", json!({"code": "1"}), Done::Unknown),
        ("browser_act", click, Done::None),
    ] {
        let failure = interrupted(tool, input).await;
        assert_eq!(failure.code, Code::SessionBusy, "{tool}: {failure}");
        assert_eq!(failure.effect, effect, "{tool}: {failure}");
        assert!(failure.message.contains("confirm"), "{tool}: {failure}");
        let hint = failure.hint.unwrap();
        assert!(hint.contains("browser_arm"), "{tool}: {hint}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_time_is_up_names_the_dialog_that_is_open() {
    let scripted = Scripted::on(browser(json!({}))).await;
    scripted.opens_dialog("confirm");
    scripted.open_dialog().await;
    let late = || Failure::new(Code::Timeout, "too late").hint("raise `timeout_ms`");
    let spec = |name| szk_tools::find(name).unwrap();
    let named = with_dialog(&scripted.keeper, spec("browser_act"), None, late());
    assert!(named.message.contains("sure?"), "{named}");
    assert!(named.hint.unwrap().contains("browser_arm"));
    let other = with_dialog(&scripted.keeper, spec("session_list"), None, late());
    assert_eq!(other.message, "too late");
}
