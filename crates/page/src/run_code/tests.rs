//! Code in a scripted page.

use serde_json::json;
use szk_cdp::testing::{Answer, Peer, Script};

use super::*;
use crate::testing;

async fn run_on(script: Script, at: Where) -> (Result<Returned, CodeError>, Peer) {
    let (page, peer) = testing::page(script);
    let result = run(&Worlds::default(), &page, "x", &json!(null), at).await;
    (result, peer)
}

/// What becomes of an answer to the code in our own world.
async fn of(answer: impl Into<Answer>) -> Result<Returned, CodeError> {
    let script = testing::pages().answer("Runtime.callFunctionOn", answer);
    run_on(script, Where::OwnWorld).await.0
}

fn exception(description: &str, stack: bool) -> Value {
    let mut details = json!({"text": "Uncaught", "lineNumber": 2,
        "exception": {"type": "object", "description": description}});
    if stack {
        details["stackTrace"] = json!({"callFrames": []});
    }
    json!({"result": {"type": "object"}, "exceptionDetails": details})
}

#[tokio::test]
async fn values_come_as_json_and_numbers_that_json_lacks_as_text() {
    let kind = |result: Value| of(json!({"result": result}));
    let array = kind(json!({"type": "object", "subtype": "array", "value": [1]})).await;
    let array = array.unwrap();
    assert_eq!((array.kind.as_str(), array.value), ("array", json!([1])));
    let nan = kind(json!({"type": "number", "unserializableValue": "NaN"})).await;
    assert_eq!(nan.unwrap().value, json!("NaN"));
    let nothing = kind(json!({"type": "undefined"})).await.unwrap();
    assert_eq!(
        (nothing.kind.as_str(), nothing.value),
        ("undefined", json!(null))
    );
}

#[tokio::test]
async fn code_that_is_no_expression_is_tried_as_statements_and_runs_once() {
    let script = testing::says(&json!(5)).nth(
        "Runtime.callFunctionOn",
        1,
        Answer::ok(exception("SyntaxError: Unexpected token", false)),
    );
    let (result, peer) = run_on(script, Where::OwnWorld).await;
    assert_eq!(result.unwrap().value, json!(5));
    assert!(peer.call("Runtime.callFunctionOn", 2).await.is_some());
    // One that was thrown by running code is no reason to run it again.
    let script = testing::pages().answer(
        "Runtime.callFunctionOn",
        exception("SyntaxError: in JSON", true),
    );
    let (result, peer) = run_on(script, Where::OwnWorld).await;
    assert!(
        matches!(result, Err(CodeError::Thrown { line: 2, .. })),
        "{result:?}"
    );
    let calls = peer.methods();
    let runs = calls.iter().filter(|one| *one == "Runtime.callFunctionOn");
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn failures_are_told_apart() {
    let syntax = of(exception("SyntaxError: x\n    at <anonymous>", false)).await;
    assert!(
        matches!(&syntax, Err(CodeError::Syntax { text, .. }) if text == "SyntaxError: x"),
        "{syntax:?}"
    );
    let large =
        json!({"result": {}, "exceptionDetails": {"exception": {"value": "szk: too large: 9"}}});
    let large = of(large).await;
    assert!(
        matches!(&large, Err(CodeError::TooLarge { size }) if size == "9"),
        "{large:?}"
    );
    let gone = of(Answer::error(-32000, "Execution context was destroyed.")).await;
    assert!(matches!(gone, Err(CodeError::Gone)), "{gone:?}");
    let chain = of(Answer::error(-32000, "Object reference chain is too long")).await;
    assert!(
        matches!(chain, Err(CodeError::Unserializable(_))),
        "{chain:?}"
    );
}

#[tokio::test]
async fn the_page_s_world_sees_no_number_of_ours() {
    let script = Script::new().answer("Runtime.evaluate", json!({"result": {"value": 1}}));
    let (_, peer) = run_on(script, Where::PageWorld).await;
    let calls = peer.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].params.get("contextId").is_none());
    let code = calls[0].params["expression"].as_str().unwrap();
    assert!(!code.contains("stringify"), "a page may have replaced it");
}

#[test]
fn code_begins_on_the_second_line() {
    for at in [Where::OwnWorld, Where::PageWorld] {
        for written in [as_expression("x", at), as_statements("x", at)] {
            assert_eq!(written.lines().nth(1), Some("x"), "{written}");
            assert!(!written.contains("//"), "{written}");
        }
    }
}

/// Whether code that was given up is stopped, in a page that still answers or does not.
async fn stopped(alive: bool) -> bool {
    let script = testing::pages().answer("Runtime.callFunctionOn", Answer::silence());
    let script = match alive {
        true => script,
        // The first evaluation makes the world, the second one is the probe.
        false => script.nth("Runtime.evaluate", 2, Answer::silence()),
    };
    let (page, peer) = testing::page(script);
    let worlds = Worlds::default();
    tokio::select! {
        _ = run(&worlds, &page, "x", &json!(null), Where::OwnWorld) => panic!("it ended"),
        _ = peer.call("Runtime.callFunctionOn", 1) => {}
    }
    let stop = peer.call("Runtime.terminateExecution", 1);
    tokio::time::timeout(2 * ALIVE, stop).await.is_ok()
}

// The clock is paused: it jumps when everybody waits.
#[tokio::test(start_paused = true)]
async fn only_code_that_still_runs_is_stopped() {
    assert!(!stopped(true).await);
    assert!(stopped(false).await);
}

#[tokio::test]
async fn code_that_reads_is_stopped_before_it_changes_anything() {
    let limit = Duration::from_secs(3);
    let of = async |answer: Answer| {
        let script = testing::pages().answer("Runtime.evaluate", answer);
        let (page, peer) = testing::page(script);
        let result = read(&page, "x", &json!(null), limit).await;
        let call = peer.call("Runtime.evaluate", 1).await.unwrap();
        assert_eq!(call.params["throwOnSideEffect"], true);
        assert_eq!(call.params["timeout"], 3000.0);
        assert!(call.params["contextId"].is_number(), "{}", call.params);
        result
    };
    let seven = json!({"result": {"type": "number", "value": 7}});
    assert_eq!(of(Answer::ok(seven)).await.unwrap().value, json!(7));
    let effect = "EvalError: Possible side-effect in debug-evaluate";
    let changes = of(Answer::ok(exception(effect, true))).await;
    assert!(
        matches!(changes, Err(CodeError::Changes { .. })),
        "{changes:?}"
    );
    let endless = of(Answer::error(-32000, "Execution was terminated")).await;
    assert!(matches!(endless, Err(CodeError::Endless(_))), "{endless:?}");
}
