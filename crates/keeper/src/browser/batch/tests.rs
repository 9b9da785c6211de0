//! Batches in a scripted browser: when they go on, and when they stop.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};
use szk_tools::Code;

use super::*;
use crate::testing::{Scripted, browser, loads};

fn tree(loader: &str) -> Answer {
    Answer::ok(
        json!({"frameTree": {"frame": {"id": "T-page", "loaderId": loader, "url": "http://a/"}}}),
    )
}

fn ready() -> Script {
    let document = json!({"url": "http://a/", "title": "A", "status": 200});
    browser(document)
        .answer("Page.navigate", loads("page", "L"))
        .answer("Page.getFrameTree", tree("L"))
}

fn steps(steps: &Value) -> BatchInput {
    serde_json::from_value(json!({"steps": steps})).unwrap()
}

async fn run(script: Script, input: BatchInput) -> Result<(Response, BatchOutput), Failure> {
    let scripted = Scripted::on(script).await;
    let response = batch(&scripted.keeper, input, &|_| {}).await?;
    let output = response.read::<Batch>().unwrap();
    Ok((response, output))
}

fn code(code: &str) -> Value {
    json!({"tool": "browser_run_code", "input": {"code": code}})
}

#[tokio::test]
async fn steps_are_carried_out_in_order_and_reported_one_by_one() {
    let scripted = Scripted::on(ready()).await;
    let told = std::sync::Mutex::new(Vec::new());
    let tell = |progress: Progress| told.lock().unwrap().push((progress.done, progress.total));
    let input = steps(&json!([code("1"), code("2")]));
    let response = batch(&scripted.keeper, input, &tell).await.unwrap();
    let output = response.read::<Batch>().unwrap();
    assert_eq!((output.steps.len(), output.stopped), (2, None));
    assert!(!response.unmet);
    assert_eq!(*told.lock().unwrap(), [(0, 2), (1, 2)]);
}

/// A page that is in another document after the first step.
fn leaves() -> Script {
    ready().nth("Page.getFrameTree", 1, tree("before"))
}

#[tokio::test]
async fn a_step_that_leaves_the_document_stops_the_others() {
    let input = steps(&json!([code("1"), code("2")]));
    let (response, output) = run(leaves(), input).await.unwrap();
    assert_eq!(output.steps.len(), 1);
    let why = output.stopped.unwrap();
    assert!(why.contains("another document"), "{why}");
    // It is not a success, and not a failure: something was done.
    assert!(response.unmet);
    assert!(response.summary.contains("1 step was not run"));
}

#[tokio::test]
async fn leaving_the_document_is_fine_where_it_is_meant() {
    let mut input = steps(&json!([code("1"), code("2")]));
    input.through_navigation = Some(true);
    let (_, output) = run(leaves(), input).await.unwrap();
    assert_eq!((output.steps.len(), output.stopped), (2, None));
    let navigate = json!({"tool": "browser_navigate", "input": {"url": "http://a/"}});
    let (_, output) = run(leaves(), steps(&json!([navigate, code("2")])))
        .await
        .unwrap();
    assert_eq!((output.steps.len(), output.stopped), (2, None));
}

fn throws() -> Script {
    let thrown = json!({"result": {}, "exceptionDetails": {"text": "Uncaught", "stackTrace": {},
        "exception": {"description": "Error: no"}}});
    ready().nth("Runtime.callFunctionOn", 2, Answer::ok(thrown))
}

#[tokio::test]
async fn a_step_that_fails_ends_the_batch_and_keeps_what_was_done() {
    let input = steps(&json!([code("1"), code("2"), code("3")]));
    let (response, output) = run(throws(), input).await.unwrap();
    assert!(response.unmet);
    assert_eq!(output.stopped.as_deref(), Some("step 2 failed"));
    assert!(output.steps[0].error.is_none());
    let error = output.steps[1].error.as_ref().unwrap();
    assert_eq!(error.code, Code::ScriptFailed);
    // When nothing was done before it, the failure is the call's.
    let script = ready().answer("Runtime.callFunctionOn", Answer::error(-32000, "no"));
    let failure = run(script, steps(&json!([code("1"), code("2")]))).await;
    assert!(failure.is_err());
}

#[tokio::test]
async fn a_repeat_that_fails_keeps_what_the_first_times_did() {
    let mut step = code("1");
    step["repeat"] = json!(3);
    let (response, output) = run(throws(), steps(&json!([step]))).await.unwrap();
    assert!(response.unmet);
    assert_eq!(output.steps[0].times, Some(2));
    assert!(output.steps[0].data.is_some() && output.steps[0].error.is_some());
}

#[tokio::test]
async fn steps_are_named_and_repeated_within_a_limit() {
    let step =
        json!({"tool": "browser_run_code", "input": {"code": "1"}, "name": "count", "repeat": 3});
    let (response, output) = run(ready(), steps(&json!([step]))).await.unwrap();
    assert_eq!(output.steps[0].times, Some(3));
    assert_eq!(output.steps[0].name.as_deref(), Some("count"));
    assert_eq!(response.summary.matches("1. count: ").count(), 4);
    // What is never shown ends the batch.
    let mut until = step.clone();
    until["until_text"] = json!("done");
    let (response, output) = run(ready(), steps(&json!([until, code("2")])))
        .await
        .unwrap();
    assert!(response.unmet && output.steps.len() == 1);
    let why = output.stopped.unwrap();
    assert!(
        why.contains("does not show \"done\" after step 1 was run 3 times"),
        "{why}"
    );
    // And a condition that is not met skips only its step.
    let mut asks = step;
    asks["if_text"] = json!("sale");
    let (response, output) = run(ready(), steps(&json!([asks, code("2")])))
        .await
        .unwrap();
    assert_eq!((output.steps.len(), output.steps[0].times), (2, Some(0)));
    assert!(
        response
            .summary
            .contains("1. count: skipped, as the page does not show \"sale\"")
    );
}

#[tokio::test]
async fn nothing_is_done_when_a_step_is_not_understood() {
    let scripted = Scripted::on(ready()).await;
    for wrong in [
        json!([]),
        json!([code("1"), {"tool": "session_close", "input": {}}]),
        json!([code("1"), {"tool": "browser_batch", "input": {"steps": []}}]),
        json!([code("1"), {"tool": "browser_run_code", "input": {"cod": "1"}}]),
        json!([{"tool": "browser_run_code", "input": {"code": "1", "session": "other"}}]),
        json!([{"tool": "browser_run_code", "input": {"code": "1"}, "repeat": 51}]),
        json!([{"tool": "browser_run_code", "input": {"code": "1"}, "repeat": 0}]),
    ] {
        let failure = batch(&scripted.keeper, steps(&wrong), &|_| {}).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.effect, Done::None, "{failure}");
    }
    assert!(scripted.calls("Runtime.callFunctionOn").is_empty());
}

#[tokio::test]
async fn conditions_on_empty_texts_are_refused() {
    let scripted = Scripted::on(ready()).await;
    for field in ["if_text", "unless_text", "until_text"] {
        for text in ["", " "] {
            let mut asks = code("2");
            asks[field] = json!(text);
            let input = steps(&json!([code("1"), asks]));
            let failure = batch(&scripted.keeper, input, &|_| {}).await;
            let failure = failure.unwrap_err();
            assert_eq!(
                (failure.code, failure.effect),
                (Code::InvalidInput, Done::None),
                "{failure}"
            );
            let step = failure.step.map(NonZeroU32::get);
            assert_eq!(step, Some(2), "{failure}");
            assert!(failure.fields.iter().any(|one| one == field), "{failure}");
        }
    }
    assert!(scripted.calls("Runtime.callFunctionOn").is_empty());
}
