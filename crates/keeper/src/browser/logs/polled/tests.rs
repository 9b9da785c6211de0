//! What the browser is asked about the console, on a scripted browser. The clock is paused: it jumps when
//! everybody waits.

use serde_json::json;
use szk_cdp::testing::{Answer, Script};
use szk_tools::browser::LogsInput;
use tokio::time::{Instant, timeout};

use super::super::logs;
use super::EVERY;
use crate::browser::navigate;
use crate::testing::{PAGE, Scripted, TARGET, browser, loads};

const ROUND: [&str; 3] = [
    "Console.enable",
    "Runtime.discardConsoleEntries",
    "Console.disable",
];

async fn capturing(script: Script, input: &str) -> Scripted {
    let config = format!("[session]\ninput = {input:?}\n");
    let scripted = Scripted::configured(script, &config).await;
    capture(&scripted, true).await;
    scripted
}

async fn capture(scripted: &Scripted, capture: bool) {
    let input = LogsInput {
        capture: Some(capture),
        ..LogsInput::default()
    };
    logs(&scripted.keeper, &input).await.unwrap();
}

fn page() -> Script {
    browser(json!({"url": "http://a/", "title": "A"}))
}

/// The commands of the console so far.
fn asked(scripted: &Scripted) -> Vec<String> {
    let asked = scripted.peer.methods().into_iter();
    asked
        .filter(|method| method.starts_with("Console.") || method == ROUND[1])
        .collect()
}

fn rounds(scripted: &Scripted) -> usize {
    scripted.calls(ROUND[1]).len()
}

/// Waits for some rounds; whether a command came once more meanwhile.
async fn comes_again(scripted: &Scripted, command: &str) -> bool {
    let next = scripted.calls(command).len() + 1;
    let call = scripted.peer.call(command, next);
    timeout(EVERY * 20, call).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_fast_session_listens_to_the_console() {
    let scripted = capturing(page(), "fast").await;
    assert!(!comes_again(&scripted, ROUND[0]).await);
    assert_eq!(asked(&scripted), ["Console.enable"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_at_a_persons_pace_takes_messages_and_never_listens() {
    let scripted = capturing(page(), "human").await;
    scripted.peer.call(ROUND[2], 6).await.unwrap();
    let asked = asked(&scripted);
    assert_eq!(asked[0], "Console.disable");
    let (rounds, rest) = asked[1..].as_chunks::<3>();
    assert!(rounds.len() >= 5 && rest.is_empty(), "{asked:?}");
    for round in rounds {
        assert_eq!(round.each_ref().map(String::as_str), ROUND);
    }
}

#[tokio::test(start_paused = true)]
async fn messages_are_taken_before_a_document_is_left() {
    let scripted = capturing(page(), "human").await;
    let before = rounds(&scripted);
    scripted.peer.call(ROUND[1], before + 1).await.unwrap();
    let told = Instant::now();
    let params = json!({"frameId": TARGET, "loaderId": "next", "url": "http://a/b",
        "navigationType": "differentDocument"});
    scripted
        .peer
        .event(Some(PAGE), "Page.frameStartedNavigating", params);
    scripted.peer.call(ROUND[1], before + 2).await.unwrap();
    assert!(told.elapsed() < EVERY, "{:?}", told.elapsed());
}

#[tokio::test(start_paused = true)]
async fn messages_are_taken_before_szk_sends_the_page_elsewhere() {
    let script = page().answer("Page.navigate", loads(PAGE, "next"));
    let scripted = capturing(script, "human").await;
    let input = serde_json::from_value(json!({"url": "http://a/b"})).unwrap();
    let before = scripted.peer.methods().len();
    navigate(&scripted.keeper, &input).await.unwrap();
    let methods = scripted.peer.methods();
    let left = methods.iter().position(|method| method == "Page.navigate");
    let meanwhile = &methods[before..left.unwrap()];
    assert!(
        meanwhile.iter().any(|method| method == ROUND[1]),
        "{meanwhile:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_busy_page_is_asked_once() {
    let script = page().answer(ROUND[2], Answer::silence());
    let scripted = Scripted::configured(script, "[session]\ninput = \"human\"\n").await;
    let input = LogsInput {
        capture: Some(true),
        ..LogsInput::default()
    };
    // The first `disable` is what says that nobody listens; it waits for the page, too.
    let keeper = scripted.keeper.clone();
    let call = tokio::spawn(async move { logs(&keeper, &input).await.is_ok() });
    scripted.peer.call(ROUND[1], 1).await.unwrap();
    assert!(!comes_again(&scripted, ROUND[1]).await);
    call.abort();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_once_capture_ends() {
    let scripted = capturing(page(), "human").await;
    scripted.peer.call(ROUND[1], 2).await.unwrap();
    assert!(comes_again(&scripted, ROUND[1]).await);
    capture(&scripted, false).await;
    assert!(!comes_again(&scripted, ROUND[1]).await);
}
