//! What a shielded client hears, and what the browser hears of it.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::rig::{Client, Rig, Setup};
use crate::Rules;

/// A page with one frame `F` of its own process in it. Context 1 is the page's, 2 the frame's; worlds
/// are 10 and on.
fn page() -> Script {
    let mut worlds = 9;
    let tree = json!({"frameTree": {
        "frame": {"id": "t", "url": "http://a.test/", "securityOrigin": "http://a.test"},
        "childFrames": [{"frame": {"id": "F", "parentId": "t", "securityOrigin": "http://a.test"}}],
    }});
    Script::new()
        .answer("Page.getFrameTree", tree)
        .answer(
            "Runtime.evaluate",
            json!({"result": {"type": "object", "objectId": "-5.1.7"}}),
        )
        .answer(
            "DOM.getFrameOwner",
            json!({"backendNodeId": 3, "nodeId": 0}),
        )
        .answer(
            "DOM.describeNode",
            json!({"node": {"contentDocument": {"backendNodeId": 4}}}),
        )
        .answer(
            "DOM.resolveNode",
            json!({"object": {"type": "object", "objectId": "-5.2.9"}}),
        )
        .answer(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({"identifier": "1"}),
        )
        .answer_with(move |call| {
            (call.method == "Page.createIsolatedWorld").then(|| {
                worlds += 1;
                Answer::ok(json!({"executionContextId": worlds}))
            })
        })
}

fn on(session: &str, id: i32, method: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "params": params, "sessionId": session})
}

/// Everything up to the answer with this id: the events, by method, with their parameters.
async fn until(client: &mut Client, id: i32) -> Vec<(String, Value)> {
    let mut heard = Vec::new();
    loop {
        let message = client.next().await;
        if message["id"] == id {
            assert_eq!(message.get("error"), None, "{message}");
            return heard;
        }
        if let Some(method) = message["method"].as_str() {
            heard.push((method.to_owned(), message["params"].clone()));
        }
    }
}

/// A client that enabled `Runtime` on the page, and what it heard.
async fn enabled(script: Script) -> (Rig, Client, String, Vec<(String, Value)>) {
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client.send(on(&page, 1, "Runtime.enable", json!({}))).await;
    let heard = until(&mut client, 1).await;
    (rig, client, page, heard)
}

fn contexts(heard: &[(String, Value)]) -> Vec<(i64, &str, bool)> {
    let created = heard
        .iter()
        .filter(|(method, _)| method == "Runtime.executionContextCreated");
    created
        .map(|(_, params)| {
            let context = &params["context"];
            let data = &context["auxData"];
            (
                context["id"].as_i64().unwrap(),
                data["frameId"].as_str().unwrap(),
                data["isDefault"].as_bool().unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn contexts_are_announced_and_nothing_is_enabled() {
    let (rig, _client, _, heard) = enabled(page()).await;
    assert_eq!(contexts(&heard), [(1, "t", true), (2, "F", true)]);
    assert!(!rig.browser.heard("Runtime.enable"));
    // Events that the client did not ask for do not come.
    assert!(
        heard
            .iter()
            .all(|(method, _)| method.starts_with("Runtime.")),
        "{heard:?}"
    );
}

#[tokio::test]
async fn nothing_waits_for_the_documents_of_a_popup_that_is_held() {
    const ADD: &str = "Page.addScriptToEvaluateOnNewDocument";
    let rig = Rig::scripted(page()).await;
    let mut client = rig.client().await;
    let popup = client.attach("paused-popup").await;
    client
        .send(on(&popup, 1, "Runtime.enable", json!({})))
        .await;
    until(&mut client, 1).await;
    assert!(!rig.browser.heard(ADD));
    let resume = "Runtime.runIfWaitingForDebugger";
    client.send(on(&popup, 2, resume, json!({}))).await;
    rig.browser.written("paused-popup");
    until(&mut client, 2).await;
    rig.browser.call(ADD, 2).await;
    let said = rig.browser.peer.methods();
    let place = |method: &str| said.iter().position(|said| said == method);
    assert!(place(resume) < place(ADD), "{said:?}");
    // Once, however often it is let go.
    client.send(on(&popup, 3, resume, json!({}))).await;
    client.send(on(&popup, 4, "Test.echo", json!({}))).await;
    until(&mut client, 4).await;
    let added = rig.browser.peer.methods();
    assert_eq!(added.iter().filter(|said| *said == ADD).count(), 2);
}

#[tokio::test]
async fn a_popup_that_is_held_is_asked_for_no_contexts() {
    for url in [":", ""] {
        let frame = |url: &str| json!({"frame": {"id": "paused-popup", "url": url}});
        let script = page().answer("Page.getFrameTree", json!({"frameTree": frame(url)}));
        let rig = Rig::scripted(script).await;
        let mut client = rig.client().await;
        let popup = client.attach("paused-popup").await;
        client
            .send(on(&popup, 1, "Runtime.enable", json!({})))
            .await;
        assert_eq!(until(&mut client, 1).await, []);
        client.send(on(&popup, 2, "Test.echo", json!({}))).await;
        until(&mut client, 2).await;
        assert!(!rig.browser.heard("Runtime.evaluate"), "{url:?}");
        let peer = &rig.browser.peer;
        peer.event(Some(&popup), "Page.frameNavigated", frame("http://a.test/"));
        until_created(&mut client, "paused-popup").await;
    }
}

#[tokio::test]
async fn a_new_document_clears_before_and_creates_after() {
    let (rig, mut client, page, _) = enabled(page()).await;
    client.send(on(&page, 2, "Page.enable", json!({}))).await;
    until(&mut client, 2).await;
    let frame =
        json!({"frame": {"id": "t", "url": "http://b.test/", "securityOrigin": "http://b.test"}});
    rig.browser
        .peer
        .event(Some(&page), "Page.frameNavigated", frame);
    let next = client.next().await;
    assert_eq!(next["method"], "Runtime.executionContextsCleared");
    assert_eq!(next["sessionId"], page.as_str());
    assert_eq!(client.next().await["method"], "Page.frameNavigated");
    let created = client.next().await;
    assert_eq!(created["method"], "Runtime.executionContextCreated");
    assert_eq!(created["params"]["context"]["origin"], "http://b.test");
}

/// How often the browser was asked for the contexts of frame `G`, once it has handled all before.
async fn asked_for_g(rig: &Rig, client: &mut Client, page: &str, id: i32) -> usize {
    client.send(on(page, id, "Test.echo", json!({}))).await;
    until(client, id).await;
    let calls = rig.browser.peer.calls();
    let of_g = calls.iter().filter(|call| call.params["frameId"] == "G");
    of_g.count()
}

#[tokio::test]
async fn a_frame_is_asked_for_its_contexts_in_the_document_that_it_is_for() {
    let (rig, mut client, page, _) = enabled(page()).await;
    let event = |method: &str, params: Value| rig.browser.peer.event(Some(&page), method, params);
    let attached = json!({"frameId": "G", "parentFrameId": "t"});
    let lifecycle = |name: &str| json!({"frameId": "G", "loaderId": "", "name": name});
    let navigated = json!({"frame": {"id": "G", "parentId": "t", "url": "http://a.test/g"}});
    let gone = json!({"frameId": "G", "reason": "remove"});
    // Chromium runs no script in it either until it navigates.
    event("Page.frameAttached", attached.clone());
    event("Page.lifecycleEvent", lifecycle("init"));
    event("Page.frameStartedLoading", json!({"frameId": "G"}));
    assert_eq!(asked_for_g(&rig, &mut client, &page, 2).await, 0);
    event("Page.frameNavigated", navigated);
    event("Page.lifecycleEvent", lifecycle("load"));
    event("Page.frameStoppedLoading", json!({"frameId": "G"}));
    let client = &mut client;
    until_created(client, "G").await;
    let per_document = asked_for_g(&rig, client, &page, 3).await;
    assert!(per_document > 0);
    // It stays in its first document: an answer without content, and a script as its address.
    let ends = [
        ("Page.frameStoppedLoading", json!({"frameId": "G"})),
        ("Page.lifecycleEvent", lifecycle("load")),
    ];
    for (times, (method, params)) in (2..).zip(ends) {
        event("Page.frameDetached", gone.clone());
        event("Page.frameAttached", attached.clone());
        event(method, params);
        until_created(client, "G").await;
        let asked = asked_for_g(&rig, client, &page, 10 + times).await;
        assert_eq!(asked, usize::try_from(times).unwrap() * per_document);
    }
}

#[tokio::test]
async fn a_frame_that_begins_while_the_tree_is_asked_for_is_not_asked_either() {
    let rig = Rig::scripted(page().answer("Page.getFrameTree", Answer::silence())).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client.send(on(&page, 1, "Runtime.enable", json!({}))).await;
    let call = rig.browser.call("Page.getFrameTree", 1).await;
    let attached = json!({"frameId": "G", "parentFrameId": "t"});
    let peer = &rig.browser.peer;
    peer.event(Some(&page), "Page.frameAttached", attached);
    let frame = |id: &str, url: &str| json!({"frame": {"id": id, "parentId": "t", "url": url}});
    let mut tree = frame("t", "http://a.test/");
    tree["childFrames"] = json!([frame("G", ""), frame("F", "")]);
    peer.reply(&call, json!({"frameTree": tree}));
    let heard = until(&mut client, 1).await;
    assert_eq!(contexts(&heard), [(1, "t", true), (2, "F", true)]);
    peer.event(Some(&page), "Page.frameNavigated", frame("G", "x:"));
    until_created(&mut client, "G").await;
}

/// Waits until a context of this frame is announced.
async fn until_created(client: &mut Client, frame: &str) {
    loop {
        let message = client.next().await;
        let context = &message["params"]["context"];
        if message["method"] == "Runtime.executionContextCreated"
            && context["auxData"]["frameId"] == frame
        {
            return;
        }
    }
}

#[tokio::test]
async fn an_answer_about_a_document_that_is_gone_is_not_told() {
    // The second question about the page is answered only when the third was asked.
    let script = page().nth("Runtime.evaluate", 1, Answer::silence());
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client.send(on(&page, 1, "Runtime.enable", json!({}))).await;
    let first = rig.browser.call("Runtime.evaluate", 1).await;
    let frame =
        json!({"frame": {"id": "t", "url": "http://b.test/", "securityOrigin": "http://b.test"}});
    rig.browser
        .peer
        .event(Some(&page), "Page.frameNavigated", frame);
    let stale = json!({"result": {"type": "object", "objectId": "-5.77.1"}});
    rig.browser.peer.reply(&first, stale);
    let heard = until(&mut client, 1).await;
    let told = contexts(&heard);
    assert!(!told.iter().any(|(id, ..)| *id == 77), "{told:?}");
}

#[tokio::test]
async fn worlds_of_the_client_are_announced_in_each_new_document() {
    let (rig, mut client, page, _) = enabled(page()).await;
    let script = json!({"source": "", "worldName": "w"});
    client
        .send(on(
            &page,
            2,
            "Page.addScriptToEvaluateOnNewDocument",
            script,
        ))
        .await;
    until(&mut client, 2).await;
    let world = json!({"frameId": "t", "worldName": "w"});
    client
        .send(on(&page, 3, "Page.createIsolatedWorld", world))
        .await;
    let heard = until(&mut client, 3).await;
    let (method, params) = &heard[0];
    assert_eq!(
        method, "Runtime.executionContextCreated",
        "before the answer"
    );
    assert_eq!(params["context"]["name"], "w");
    let frame =
        json!({"frame": {"id": "t", "url": "http://b.test/", "securityOrigin": "http://b.test"}});
    rig.browser
        .peer
        .event(Some(&page), "Page.frameNavigated", frame);
    client.send(on(&page, 4, "Test.echo", json!({}))).await;
    let mut names = Vec::new();
    while names.len() < 2 {
        let message = client.next().await;
        if message["method"] == "Runtime.executionContextCreated" {
            names.push(
                message["params"]["context"]["name"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
    }
    assert_eq!(names, ["", "w"]);
}

#[tokio::test]
async fn a_binding_is_put_into_each_new_context_and_early_calls_are_kept() {
    let script = page().answer_with(|call| {
        let expression = call.params["expression"].as_str().unwrap_or_default();
        let kept = call.method == "Runtime.evaluate" && expression.contains("kept");
        kept.then(|| Answer::ok(json!({"result": {"value": ["early"]}})))
    });
    let (rig, mut client, page, _) = enabled(script).await;
    client
        .send(on(&page, 2, "Runtime.addBinding", json!({"name": "call"})))
        .await;
    until(&mut client, 2).await;
    let frame =
        json!({"frame": {"id": "t", "url": "http://b.test/", "securityOrigin": "http://b.test"}});
    rig.browser
        .peer
        .event(Some(&page), "Page.frameNavigated", frame);
    loop {
        let message = client.next().await;
        if message["method"] == "Runtime.bindingCalled" {
            let params = json!({"name": "call", "payload": "early", "executionContextId": 1});
            assert_eq!(message["params"], params);
            break;
        }
    }
    let calls = rig.browser.peer.calls();
    let bound = calls
        .iter()
        .filter(|call| call.method == "Runtime.addBinding");
    assert!(
        bound
            .into_iter()
            .any(|call| call.params == json!({"name": "call", "executionContextId": 1}))
    );
}

#[tokio::test]
async fn the_console_is_told_as_text() {
    let (rig, mut client, page, _) = enabled(page()).await;
    let message = json!({"source": "console-api", "level": "warning", "text": "a 5", "url": "http://a.test/", "line": 3, "column": 2});
    rig.browser.peer.event(
        Some(&page),
        "Console.messageAdded",
        json!({"message": message}),
    );
    let told = client.next().await;
    assert_eq!(told["method"], "Runtime.consoleAPICalled");
    assert_eq!(told["params"]["type"], "warning");
    assert_eq!(
        told["params"]["args"],
        json!([{"type": "string", "value": "a 5"}])
    );
    assert_eq!(told["params"]["executionContextId"], 1);
    assert_eq!(
        told["params"]["stackTrace"]["callFrames"][0]["lineNumber"],
        2
    );
    // One that enabled `Console` itself hears both.
    client.send(on(&page, 2, "Console.enable", json!({}))).await;
    until(&mut client, 2).await;
    rig.browser.peer.event(
        Some(&page),
        "Console.messageAdded",
        json!({"message": message}),
    );
    assert_eq!(client.next().await["method"], "Console.messageAdded");
    assert_eq!(client.next().await["method"], "Runtime.consoleAPICalled");
}

#[tokio::test]
async fn a_worker_has_one_context() {
    let rig = Rig::scripted(page()).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    rig.browser.peer.attach(Some(&page), "W", "worker");
    client.next().await;
    client.send(on("W", 1, "Runtime.enable", json!({}))).await;
    let heard = until(&mut client, 1).await;
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(heard[0].1["context"]["id"], 1);
    assert!(!rig.browser.heard("Runtime.enable"));
}

#[tokio::test]
async fn who_waits_for_a_page_that_goes_away_is_answered() {
    let rig = Rig::scripted(page().answer("Page.getFrameTree", Answer::silence())).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client.send(on(&page, 1, "Runtime.enable", json!({}))).await;
    rig.browser.call("Page.getFrameTree", 1).await;
    rig.browser.peer.detach(Some("B1"), &page);
    until(&mut client, 1).await;
}

#[tokio::test]
async fn drivers_do_not_sign_their_scripts() {
    let (rig, mut client, page, heard) = enabled(page()).await;
    let unique = heard[0].1["context"]["uniqueId"].clone();
    let params = json!({"expression": "1\n//# sourceURL=pptr:x", "uniqueContextId": unique});
    client.send(on(&page, 2, "Runtime.evaluate", params)).await;
    until(&mut client, 2).await;
    let calls = rig.browser.peer.calls();
    let last = calls
        .iter()
        .rfind(|call| call.method == "Runtime.evaluate")
        .unwrap();
    assert_eq!(last.params, json!({"expression": "1", "contextId": 1}));
}

#[tokio::test]
async fn without_the_shield_it_is_as_it_was() {
    let rules = Rules {
        shield: false,
        ..Rules::default()
    };
    let rig = Rig::with(Setup {
        rules: Some(rules),
        ..Setup::default()
    })
    .await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client.call(on(&page, 1, "Runtime.enable", json!({}))).await;
    assert!(rig.browser.heard("Runtime.enable"));
    assert!(!rig.browser.heard("Console.enable"));
}

#[tokio::test]
async fn one_client_can_do_without() {
    let rig = Rig::new().await;
    let (http, ws) = rig.listener.unshielded_urls();
    assert!(http.ends_with("/no-shield"), "{http}");
    let version = rig.get("/no-shield/json/version").await.json();
    assert_eq!(version["webSocketDebuggerUrl"], ws.as_str());
    let mut open = Client::connect(&ws).await.unwrap();
    let page = open.attach("t").await;
    open.call(on(&page, 1, "Runtime.enable", json!({}))).await;
    assert!(rig.browser.heard("Runtime.enable"));
    assert!(!rig.listener.clients()[0].shield);
}
