//! A client that takes too long to attach leaves no session behind.

use std::sync::Arc;

use serde_json::json;
use szk_cdp::testing::{Answer, Call, Script};
use tokio_util::sync::CancellationToken;

use super::rig::Browser;
use crate::Scope;
use crate::limits::Limits;
use crate::listener::Live;
use crate::mux::attach;
use crate::windows::Windows;

/// Attaches to a browser that never answers `method`, until the time is up; returns that call.
async fn too_slow(browser: &Browser, method: &str) -> Call {
    browser.ordered(&["T"]);
    let live = Live {
        browser: browser.supervisor.clone(),
        windows: Arc::new(Windows::default()),
        ended: CancellationToken::new(),
    };
    let attached = attach(live, Scope::Browser, Limits::default()).await;
    assert!(attached.is_err());
    browser.peer.call(method, 1).await.unwrap()
}

async fn detached(browser: &Browser) -> String {
    let detach = browser.peer.call("Target.detachFromTarget", 1).await;
    detach.unwrap().params["sessionId"].to_string()
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_is_slow_after_the_attach() {
    let method = "Browser.getWindowForTarget";
    let browser = Browser::start(Script::new().answer(method, Answer::silence()));
    too_slow(&browser, method).await;
    assert_eq!(detached(&browser).await, "\"B1\"");
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_attaches_too_late() {
    let method = "Target.attachToBrowserTarget";
    let browser = Browser::start(Script::new().nth(method, 1, Answer::silence()));
    let call = too_slow(&browser, method).await;
    assert!(!browser.heard("Target.detachFromTarget"));
    browser.peer.reply(&call, json!({"sessionId": "late"}));
    assert_eq!(detached(&browser).await, "\"late\"");
}
