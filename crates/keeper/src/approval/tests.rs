//! What is asked, and for what an answer is good, on a scripted browser. The clock is paused.

use serde_json::{Value, json};
use szk_tools::{Code, Done};
use szk_wire::{Client, Found};

use super::*;
use crate::handle;
use crate::testing::{PAGE, Scripted, TARGET, browser};

mod kinds;

const POLICY: &str = "[policy]\napprove = [\"code\"]\napprove_seconds = 60\n";

/// How often the browser was told to run something of the caller's.
fn ran(scripted: &Scripted) -> usize {
    let calls = scripted.peer.calls().into_iter();
    let ours = calls.filter(|call| call.params.to_string().contains("document.secretThing"));
    ours.count()
}

async fn run(scripted: &Scripted, approver: Approver, code: &str) -> Result<Value, Failure> {
    let call = Call::decode("browser_run_code", json!({"code": code})).unwrap();
    let keeper = scripted.keeper.for_client(Client::named("a"), approver);
    let answer = handle::call(&keeper, call, Found::Open, &|_| {}).await;
    answer.map(|response| response.data)
}

async fn asked(scripted: &Scripted, code: &str) -> Approver {
    let failure = run(scripted, Approver::Person, code).await.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
    assert_eq!(failure.effect, Done::None);
    assert!(failure.message.contains(code), "{failure}");
    Approver::Agreed(failure.approval.unwrap().token)
}

async fn refused(scripted: &Scripted, approver: Approver, code: &str) {
    let before = ran(scripted);
    let failure = run(scripted, approver, code).await.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
    assert_eq!(failure.approval, None);
    assert_eq!(ran(scripted), before, "it ran");
}

#[tokio::test(start_paused = true)]
async fn an_approved_call_runs_once() {
    let code = "document.secretThing";
    let scripted = Scripted::configured(browser(json!({})), POLICY).await;
    refused(&scripted, Approver::Nobody, code).await;
    refused(&scripted, Approver::Agreed("0".repeat(64)), code).await;
    let agreed = asked(&scripted, code).await;
    assert_eq!(ran(&scripted), 0);
    // Whatever comes of it in a scripted page, it got there.
    let done = run(&scripted, agreed.clone(), code).await;
    assert!(
        done.is_ok() || done.is_err_and(|failure| failure.code != Code::NeedsApproval),
        "an approved call is refused"
    );
    assert!(ran(&scripted) > 0);
    refused(&scripted, agreed, code).await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_good_for_nothing_else() {
    let code = "document.secretThing";
    let scripted = Scripted::configured(browser(json!({})), POLICY).await;
    let agreed = asked(&scripted, code).await;
    refused(&scripted, agreed.clone(), "document.secretThing + 1").await;
    // And it is used up.
    refused(&scripted, agreed, code).await;

    // Another page in the same tab.
    let agreed = asked(&scripted, code).await;
    let before = scripted.keeper.peek(None).unwrap().1.page.url;
    let info = json!({"targetId": TARGET, "type": "page", "title": "", "url": "http://elsewhere/", "attached": true,
        "canAccessOpener": false});
    let changed = json!({"targetInfo": info});
    scripted
        .peer
        .event(None, "Target.targetInfoChanged", changed);
    let frame = json!({"id": TARGET, "loaderId": "L2", "url": "http://elsewhere/"});
    let params = json!({"frame": frame, "type": "Navigation"});
    scripted
        .peer
        .event(Some(PAGE), "Page.frameNavigated", params);
    while scripted.keeper.peek(None).unwrap().1.page.url == before {
        tokio::task::yield_now().await;
    }
    refused(&scripted, agreed, code).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_is_a_no() {
    let code = "document.secretThing";
    let scripted = Scripted::configured(browser(json!({})), POLICY).await;
    let agreed = asked(&scripted, code).await;
    tokio::time::advance(Duration::from_secs(61)).await;
    refused(&scripted, agreed, code).await;
}

#[tokio::test(start_paused = true)]
async fn a_step_of_a_batch_asks_nobody() {
    let scripted = Scripted::configured(browser(json!({})), POLICY).await;
    let steps = json!([{"tool": "browser_run_code", "input": {"code": "document.secretThing"}}]);
    let call = Call::decode("browser_batch", json!({"steps": steps})).unwrap();
    let keeper = scripted
        .keeper
        .for_client(Client::named("a"), Approver::Person);
    let failure = handle::call(&keeper, call, Found::Open, &|_| {}).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
    assert_eq!(failure.approval, None);
    assert_eq!(ran(&scripted), 0);
}

#[test]
fn what_needs_an_approval_is_known_before_it_starts() {
    let check = |name: &str, input: Value, expected: &[&str]| {
        let call = Call::decode(name, input.clone()).unwrap();
        let found: Vec<_> = words::steps(&call, "https://a.example/", &szk_config::Bounds::open())
            .iter()
            .map(|step| step.kind.word())
            .collect();
        assert_eq!(found, expected, "{name} {input}");
    };
    check("browser_run_code", json!({"code": "1"}), &["code"]);
    check("browser_run_file", json!({"path": "/f"}), &["code"]);
    check("browser_run_test", json!({}), &["code"]);
    check("session_run_test", json!({}), &["code"]);
    check(
        "browser_navigate",
        json!({"url": " JavaScript:alert(1)"}),
        &["code"],
    );
    check("browser_navigate", json!({"url": "a.example/b"}), &[]);
    check(
        "browser_navigate",
        json!({"url": "http://a.example"}),
        &["origin"],
    );
    check("session_open", json!({"url": "b.example"}), &["origin"]);
    check(
        "workflow_scrape",
        json!({"urls": ["https://a.example", "https://b.example"]}),
        &["origin"],
    );
    check("workflow_crawl", json!({"url": "b.example"}), &["origin"]);
    check("session_close", json!({}), &["close"]);
    check("browser_tabs", json!({"action": "close"}), &["close"]);
    check("browser_tabs", json!({"action": "focus"}), &[]);
    check(
        "browser_tabs",
        json!({"action": "open", "url": "javascript:1"}),
        &["code"],
    );
    check(
        "workflow_login",
        json!({"url": "javascript:1"}),
        &["login", "submit", "code"],
    );
    check("workflow_login", json!({}), &["login", "submit"]);
    check(
        "browser_act",
        json!({"kind": "upload", "paths": ["/f"]}),
        &["upload"],
    );
    check("browser_act", json!({"kind": "click"}), &[]);
    check(
        "browser_arm",
        json!({"event": "chooser", "paths": ["/f"]}),
        &["upload"],
    );
    check(
        "workflow_fill_form",
        json!({"fields": [{"field": "a", "paths": ["/f"]}]}),
        &["upload"],
    );
    check(
        "workflow_fill_form",
        json!({"fields": [{"field": "a", "value": "b"}], "submit": true}),
        &["submit"],
    );
}

#[test]
fn a_file_that_changes_is_another_call() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.js");
    let call = || Call::decode("browser_run_file", json!({"path": file})).unwrap();
    std::fs::write(&file, "1").unwrap();
    let before = digest("work", None, &call()).unwrap();
    assert_eq!(digest("work", None, &call()).unwrap(), before);
    assert_ne!(digest("other", None, &call()).unwrap(), before);
    assert_ne!(
        digest("work", Some(("t1", "http://a/")), &call()).unwrap(),
        before
    );
    std::fs::write(&file, "12").unwrap();
    assert_ne!(digest("work", None, &call()).unwrap(), before);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_started_opens_without_a_page_that_nobody_can_approve() {
    let policy = "[policy]\napprove = [\"origin\"]\n";
    let document = json!({"url": "about:blank", "title": "", "status": 200});
    let scripted = Scripted::configured(browser(document), policy).await;
    let open = async |found, approver| {
        let input = json!({"session": scripted.keeper.session.name(), "url": "http://elsewhere/"});
        let call = Call::decode("session_open", input).unwrap();
        let client = Client::named("a");
        let keeper = scripted.keeper.for_client(client, approver);
        handle::call(&keeper, call, found, &|_| {}).await
    };
    // Whatever the person answers, the browser runs by then.
    let asked = open(Found::Closed, Approver::Person).await.unwrap_err();
    assert_eq!(asked.effect, Done::Done, "{asked}");
    assert!(asked.approval.is_some(), "{asked}");
    assert!(
        asked.message.contains("is open without the page"),
        "{asked}"
    );
    let asked = open(Found::Open, Approver::Person).await.unwrap_err();
    assert_eq!(asked.effect, Done::None, "{asked}");
    let opened = open(Found::Nowhere, Approver::Nobody).await.unwrap();
    let said = opened.data["warnings"].to_string();
    assert!(said.contains("did not go to the page"), "{said}");
    assert!(said.contains("elsewhere"), "{said}");
    // Where nothing was started, nothing is done.
    let failure = open(Found::Open, Approver::Nobody).await.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
    assert_eq!(failure.effect, Done::None);
    assert!(scripted.calls("Page.navigate").is_empty());
}
