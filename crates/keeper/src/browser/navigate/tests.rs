//! Navigations of a scripted browser: what comes of them, and pages that cannot be left.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};
use szk_tools::browser::History;

use super::*;
use crate::testing::{PAGE, Scripted, TARGET, browser, loads};

const NAVIGATE: &str = "Page.navigate";
const HISTORY: &str = "Page.getNavigationHistory";
const ABORTED: &str = "net::ERR_ABORTED";

fn ready() -> Script {
    browser(json!({"url": "http://a/", "title": "A", "status": 200}))
}

fn stuck() -> Answer {
    Answer::error(-32000, "Not attached to an active page")
}

fn to(url: &str) -> NavigateInput {
    NavigateInput {
        url: Some(url.to_owned()),
        ..NavigateInput::default()
    }
}

fn back() -> NavigateInput {
    NavigateInput {
        history: Some(History::Back),
        ..NavigateInput::default()
    }
}

/// What an answer to `Page.navigate` makes of a call.
async fn answered(answer: impl Into<Answer>) -> Result<Response, Failure> {
    let scripted = Scripted::on(ready().answer(NAVIGATE, answer)).await;
    navigate(&scripted.keeper, &to("http://a/")).await
}

fn read(response: &Response) -> NavigateOutput {
    response.read::<Navigate>().unwrap()
}

#[tokio::test]
async fn a_document_is_answered_with_its_address_title_and_status() {
    let response = answered(loads(PAGE, "L")).await.unwrap();
    let output = read(&response);
    assert_eq!(
        (output.url.as_str(), output.status),
        ("http://a/", Some(200))
    );
    assert!(output.loaded);
    assert_eq!(
        response.summary,
        "t1 is at http://a/ (status 200)\ntitle: A"
    );
}

#[tokio::test]
async fn a_document_without_a_title_is_answered_without_a_line_for_it() {
    let untitled = browser(json!({"url": "http://a/", "title": "", "status": 200}));
    let scripted = Scripted::on(untitled.answer(NAVIGATE, loads(PAGE, "L"))).await;
    let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    assert_eq!(response.summary, "t1 is at http://a/ (status 200)");
}

/// A document that a server sent, of this media type.
fn sent(mime: &str) -> Answer {
    let response = json!({"status": 203, "mimeType": mime});
    let response =
        json!({"requestId": "L", "frameId": TARGET, "type": "Document", "response": response});
    Answer::silence()
        .event(Some(PAGE), "Network.responseReceived", response)
        .and(loads(PAGE, "L"))
}

/// Both know all of a document that a server sent: the one that is busy with painting it is not waited for.
#[tokio::test(start_paused = true)]
async fn neither_a_busy_page_nor_a_busy_browser_holds_the_answer_up() {
    let told = json!({"targetInfo": {"targetId": TARGET, "type": "page", "url": "http://a/#b", "title": "B"}});
    for (busy, url, title) in [
        ("Page.createIsolatedWorld", "http://a/#b", "B"),
        ("Target.getTargetInfo", "http://a/", "A"),
    ] {
        // The status is what the server sent, whatever the page takes it for.
        let page = json!({"url": "http://a/", "title": "A", "status": 200});
        let script = browser(page)
            .answer(NAVIGATE, sent("text/html"))
            .answer("Target.getTargetInfo", told.clone())
            .answer(busy, Answer::silence());
        let scripted = Scripted::on(script).await;
        let began = tokio::time::Instant::now();
        let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
        let output = read(&response);
        assert_eq!(
            (output.url.as_str(), output.title.as_str(), output.status),
            (url, title, Some(203)),
            "{busy}"
        );
        assert!(began.elapsed().is_zero(), "{busy}: {:?}", began.elapsed());
    }
}

/// Chromium shows it in a page of its own, which has another title or none.
#[tokio::test]
async fn the_browser_says_the_title_of_what_is_no_html() {
    let told = json!({"targetInfo": {"targetId": TARGET, "type": "page", "url": "http://a/", "title": "a.pdf"}});
    let script = ready()
        .answer(NAVIGATE, sent("application/pdf"))
        .answer("Target.getTargetInfo", told);
    let scripted = Scripted::on(script).await;
    let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    assert_eq!(read(&response).title, "a.pdf");
}

/// The status belongs to the document that came, and the page has gone on to another one.
#[tokio::test]
async fn a_status_is_not_told_of_another_document() {
    for (url, title) in [("http://a/next", "Next"), ("", "A")] {
        let told =
            json!({"targetInfo": {"targetId": TARGET, "type": "page", "url": url, "title": title}});
        let script = browser(json!({"url": "http://a/next", "title": "Next", "status": 404}))
            .answer(NAVIGATE, sent("application/pdf"))
            .answer("Target.getTargetInfo", told);
        let scripted = Scripted::on(script).await;
        let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
        let output = read(&response);
        assert_eq!(
            (output.url.as_str(), output.status),
            ("http://a/next", Some(404)),
            "{url}"
        );
    }
}

/// It is just being replaced by the next one.
#[tokio::test(start_paused = true)]
async fn a_document_that_goes_while_it_is_read_is_read_again() {
    let gone = || Answer::error(-32000, "Cannot find context with specified id");
    let mut reads = 0;
    let again = Script::new().answer_with(move |call| {
        reads += usize::from(call.method == "Runtime.callFunctionOn");
        (call.method == "Runtime.callFunctionOn" && reads <= 4).then(gone)
    });
    let script = again
        .then(ready())
        .answer(NAVIGATE, json!({"frameId": TARGET}));
    let scripted = Scripted::on(script).await;
    let response = navigate(&scripted.keeper, &to("http://a/#b"))
        .await
        .unwrap();
    assert_eq!(read(&response).title, "A");
}

#[tokio::test]
async fn nothing_is_loaded_within_a_document_or_by_a_download() {
    for (answer, how) in [
        (json!({"frameId": TARGET}), "in the same document"),
        (
            json!({"isDownload": true, "errorText": ABORTED}),
            "download",
        ),
    ] {
        let response = answered(answer).await.unwrap();
        let output = read(&response);
        assert_eq!((output.loaded, output.status), (false, None), "{how}");
        assert!(response.summary.contains(how), "{}", response.summary);
    }
}

#[tokio::test]
async fn a_load_that_fails_is_a_failure_with_the_browser_s_reason() {
    let failed = async |text: &str| {
        let answer = json!({"loaderId": "L", "errorText": text});
        answered(answer).await.unwrap_err()
    };
    let refused = failed("net::ERR_CONNECTION_REFUSED").await;
    assert_eq!(
        (refused.code, refused.effect),
        (Code::NavigationFailed, Done::Done)
    );
    assert!(refused.retryable);
    let name = failed("net::ERR_NAME_NOT_RESOLVED").await;
    assert!(!name.retryable && name.message.contains("ERR_NAME_NOT_RESOLVED"));
    // Blocked by the policy, which the browser enforces.
    let blocked = failed("net::ERR_BLOCKED_BY_CLIENT").await;
    assert_eq!(blocked.code, Code::PolicyDenied);
}

// The clock is paused: it jumps when everybody waits.
#[tokio::test(start_paused = true)]
async fn a_navigation_that_was_lost_begins_once_more() {
    let lost = || Answer::ok(json!({"errorText": ABORTED}));
    // Each attempt asks twice, because it may have joined a navigation to the same address.
    let script = ready().nth(NAVIGATE, 1, lost()).nth(NAVIGATE, 2, lost());
    let scripted = Scripted::on(script.answer(NAVIGATE, loads(PAGE, "L"))).await;
    let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    assert!(read(&response).loaded);
    let scripted = Scripted::on(ready().answer(NAVIGATE, lost())).await;
    let failure = navigate(&scripted.keeper, &to("http://a/"))
        .await
        .unwrap_err();
    assert!(failure.retryable, "{failure}");
    assert_eq!(scripted.calls(NAVIGATE).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_document_is_not_asked_again() {
    let empty = json!({"type": "Document", "response": {"status": 204}});
    let answer = Answer::silence()
        .event(Some(PAGE), "Network.responseReceived", empty)
        .and(Answer::ok(json!({"errorText": ABORTED})));
    let failure = answered(answer).await.unwrap_err();
    assert_eq!(failure.code, Code::NavigationFailed);
    assert!(!failure.retryable, "{failure}");
}

#[tokio::test]
async fn an_address_outside_the_policy_is_refused_before_the_tab_moves() {
    let config = "[policy]\nallowed_origins = [\"https://a.test\"]\n";
    let scripted = Scripted::configured(ready(), config).await;
    let failure = navigate(&scripted.keeper, &to("https://b.test/")).await;
    assert_eq!(failure.unwrap_err().code, Code::PolicyDenied);
    assert!(scripted.calls(NAVIGATE).is_empty());
}

#[tokio::test]
async fn a_tab_that_closes_while_it_loads_is_not_found() {
    let params = json!({"sessionId": PAGE, "targetId": TARGET});
    let gone = Answer::ok(json!({"loaderId": "L"}));
    let failure = answered(gone.event(Some("tab"), "Target.detachedFromTarget", params)).await;
    let failure = failure.unwrap_err();
    assert_eq!(
        (failure.code, failure.effect),
        (Code::NotFound, Done::Unknown)
    );
}

#[tokio::test]
async fn a_call_that_is_given_up_stops_its_navigation() {
    let scripted = Scripted::on(ready().answer(NAVIGATE, Answer::silence())).await;
    let input = to("http://a/");
    tokio::select! {
        _ = navigate(&scripted.keeper, &input) => panic!("it ended"),
        _ = scripted.peer.call(NAVIGATE, 1) => {}
    }
    assert!(scripted.peer.call("Page.stopLoading", 1).await.is_some());
}

#[tokio::test]
async fn a_history_that_ends_is_not_found() {
    let list = json!({"currentIndex": 0, "entries": [{"id": 10}]});
    let scripted = Scripted::on(ready().answer(HISTORY, list)).await;
    let failure = navigate(&scripted.keeper, &back()).await.unwrap_err();
    assert_eq!((failure.code, failure.effect), (Code::NotFound, Done::None));
    assert!(failure.message.contains("before"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_script_never_pauses_is_replaced_under_the_same_id() {
    let script = ready().answer(HISTORY, stuck()).answer_with(|call| {
        let navigates = call.method == NAVIGATE;
        navigates.then(|| match call.session.as_deref() {
            Some("page2") => loads("page2", "L"),
            _ => Answer::silence(),
        })
    });
    let scripted = Scripted::on(script).await;
    let response = navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    assert_eq!(read(&response).tab, "t1");
    assert!(
        response.summary.contains("in a new tab"),
        "{}",
        response.summary
    );
    let closed = scripted.calls("Target.closeTarget");
    assert!(closed.contains(&json!({"targetId": TARGET})), "{closed:?}");
    // The tab is replaced only after it was found stuck many times.
    assert!(scripted.calls(HISTORY).len() >= 16);
}

#[tokio::test(start_paused = true)]
async fn a_busy_page_keeps_its_tab_when_it_lets_go_in_time() {
    let mut looks = 0;
    let script = ready()
        .answer(NAVIGATE, Answer::silence())
        .answer_with(move |call| {
            looks += usize::from(call.method == HISTORY);
            (call.method == HISTORY && looks != 10).then(stuck)
        });
    let scripted = Scripted::on(script).await;
    let input = to("http://a/");
    let navigating = navigate(&scripted.keeper, &input);
    let replaced = scripted.peer.call("Target.createTarget", 1);
    tokio::select! {
        _ = navigating => panic!("it ended"),
        _ = replaced => {}
    }
    assert_eq!(scripted.calls(HISTORY).len(), 26, "sixteen in a row");
}

#[tokio::test(start_paused = true)]
async fn the_history_of_a_stuck_page_is_not_thrown_away() {
    let list = json!({"currentIndex": 1, "entries": [{"id": 10}, {"id": 11}]});
    let script = ready()
        .nth(HISTORY, 1, Answer::ok(list))
        .answer(HISTORY, stuck());
    let scripted = Scripted::on(script).await;
    let failure = navigate(&scripted.keeper, &back()).await.unwrap_err();
    assert_eq!(
        (failure.code, failure.effect),
        (Code::SessionBusy, Done::Unknown)
    );
    assert!(scripted.calls("Target.createTarget").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_dialog_of_the_page_that_is_left_is_dismissed_first() {
    let scripted = Scripted::on(ready().answer(NAVIGATE, loads(PAGE, "L"))).await;
    scripted.opens_dialog("confirm");
    scripted.open_dialog().await;
    navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    let methods = scripted.peer.methods();
    let first = |method: &str| methods.iter().position(|one| one == method);
    assert!(first("Page.handleJavaScriptDialog") < first(NAVIGATE));
    let closed = scripted.calls("Page.handleJavaScriptDialog");
    assert_eq!(closed, [json!({"accept": false})]);
    assert_eq!(scripted.calls(NAVIGATE).len(), 1, "straight there");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_opens_dialog_after_dialog_is_left_for_a_blank_one_first() {
    let opening = json!({"url": "http://a/", "message": "again?", "type": "alert"});
    let mut dismissed = 0;
    // Before the other handlers: the first dialog is followed by another one.
    let again = Script::new().answer_with(move |call| {
        let closes = call.method == "Page.handleJavaScriptDialog";
        dismissed += usize::from(closes);
        (closes && dismissed == 1).then(|| {
            Answer::ok(json!({}))
                .event(
                    Some(PAGE),
                    "Page.javascriptDialogClosed",
                    json!({"result": false}),
                )
                .event(Some(PAGE), "Page.javascriptDialogOpening", opening.clone())
        })
    });
    let script = again.then(ready()).answer(NAVIGATE, loads(PAGE, "L"));
    let scripted = Scripted::on(script).await;
    scripted.opens_dialog("alert");
    scripted.open_dialog().await;
    navigate(&scripted.keeper, &to("http://a/")).await.unwrap();
    let urls: Vec<Value> = scripted.calls(NAVIGATE);
    let urls: Vec<&Value> = urls.iter().map(|params| &params["url"]).collect();
    assert_eq!(urls, ["about:blank", "http://a/"]);
}
