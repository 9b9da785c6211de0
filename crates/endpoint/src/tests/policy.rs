//! What becomes of the messages that a shared browser cannot just obey.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::rig::{Client, Rig, Setup};
use crate::limits::Limits;

fn command(id: i32, method: &str, session: Option<&str>, params: Value) -> Value {
    let mut command = json!({"id": id, "method": method, "params": params});
    if let Some(session) = session {
        command["sessionId"] = session.into();
    }
    command
}

#[tokio::test]
async fn closing_the_browser_closes_only_the_clients_socket() {
    let rig = Rig::new().await;
    let (mut one, mut two) = (rig.client().await, rig.client().await);
    assert_eq!(
        one.call(json!({"id": 1, "method": "Browser.close"})).await,
        json!({"id": 1, "result": {}})
    );
    assert_eq!(one.ended().await, Some(1000));
    two.call(command(1, "Test.echo", None, json!({}))).await;
    assert!(!rig.browser.heard("Browser.close"));
}

#[tokio::test]
async fn what_would_harm_the_others_is_refused_with_a_reason() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    for (method, params) in [
        ("Browser.crash", json!({})),
        ("Browser.crashGpuProcess", json!({})),
        ("Target.exposeDevToolsProtocol", json!({"targetId": "t"})),
        ("Target.setRemoteLocations", json!({"locations": []})),
        (
            "Target.sendMessageToTarget",
            json!({"message": "{\"id\":1,\"method\":\"Browser.close\"}"}),
        ),
        ("Target.attachToTarget", json!({"targetId": "t"})),
        (
            "Target.setAutoAttach",
            json!({"autoAttach": true, "waitForDebuggerOnStart": true}),
        ),
        (
            "Target.disposeBrowserContext",
            json!({"browserContextId": "theirs"}),
        ),
        ("Emulation.addScreen", json!({"left": 1920})),
        ("Emulation.updateScreen", json!({"screenId": "1"})),
        ("Emulation.removeScreen", json!({"screenId": "1"})),
        ("Emulation.setPrimaryScreen", json!({"screenId": "1"})),
        ("Page.waitForDebugger", json!({})),
        ("Page.setWebLifecycleState", json!({"state": "frozen"})),
        ("Input.setIgnoreInputEvents", json!({"ignore": true})),
    ] {
        for session in [None, Some(&*page)] {
            let before = rig.browser.peer.calls().len();
            let answer = client
                .call(command(2, method, session, params.clone()))
                .await;
            assert_eq!(answer["error"]["code"], -32000, "{method}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(
                message.starts_with(&format!("`{method}` is refused")),
                "{message}"
            );
            assert_eq!(answer.get("sessionId").and_then(Value::as_str), session);
            assert_eq!(rig.browser.peer.calls().len(), before, "{method}");
        }
    }
    // Off needs no sessions.
    let off = command(
        3,
        "Target.setAutoAttach",
        Some(&page),
        json!({"autoAttach": false, "waitForDebuggerOnStart": false}),
    );
    assert_eq!(client.call(off).await["result"], json!({}));
    // The opposite of what would stop a page.
    for (method, params) in [
        ("Page.setWebLifecycleState", json!({"state": "active"})),
        ("Input.setIgnoreInputEvents", json!({"ignore": false})),
    ] {
        client.call(command(4, method, None, params)).await;
        assert!(rig.browser.heard(method), "{method}");
    }
}

#[tokio::test]
async fn a_context_is_disposed_of_by_the_client_that_made_it() {
    let script = Script::new().answer(
        "Target.createBrowserContext",
        json!({"browserContextId": "C"}),
    );
    let rig = Rig::scripted(script).await;
    let (mut one, mut two) = (rig.client().await, rig.client().await);
    let made = one
        .call(json!({"id": 1, "method": "Target.createBrowserContext"}))
        .await;
    assert_eq!(made["result"]["browserContextId"], "C");
    let dispose = command(
        2,
        "Target.disposeBrowserContext",
        None,
        json!({"browserContextId": "C"}),
    );
    assert_eq!(two.call(dispose.clone()).await["error"]["code"], -32000);
    assert_eq!(one.call(dispose).await["result"], json!({}));
    assert_eq!(
        rig.browser
            .call("Target.disposeBrowserContext", 1)
            .await
            .session
            .as_deref(),
        Some("B1")
    );
}

#[tokio::test]
async fn a_target_is_let_run_only_after_the_supervisor_wrote() {
    let rig = Rig::new().await;
    let (mut client, mut other) = (rig.client().await, rig.client().await);
    let page = client.attach("paused").await;
    client
        .send(command(
            1,
            "Runtime.runIfWaitingForDebugger",
            Some(&page),
            json!({}),
        ))
        .await;
    client
        .send(command(2, "Test.behind", None, json!({})))
        .await;
    // A whole turn of another client later, neither has reached the browser. Its own events come.
    other.call(command(1, "Test.echo", None, json!({}))).await;
    rig.browser
        .peer
        .event(Some(&page), "Test.meanwhile", json!({}));
    assert_eq!(client.next().await["method"], "Test.meanwhile");
    assert!(!rig.browser.heard("Runtime.runIfWaitingForDebugger"));
    assert!(!rig.browser.heard("Test.behind"));
    rig.browser.written("paused");
    assert_eq!(client.next().await["id"], 1);
    assert_eq!(client.next().await["id"], 2);
    let order = rig.browser.peer.methods();
    let at = |method: &str| order.iter().position(|heard| heard == method);
    assert!(at("Runtime.runIfWaitingForDebugger") < at("Test.behind"));
}

#[tokio::test]
async fn a_popup_that_runs_already_is_not_resumed_again() {
    let rig = Rig::new().await;
    let (mut client, mut other) = (rig.client().await, rig.client().await);
    rig.browser.popup("paused");
    let resume = |session: &str| {
        let method = "Runtime.runIfWaitingForDebugger";
        command(1, method, Some(session), json!({}))
    };
    let (first, second) = (client.attach("paused").await, other.attach("paused").await);
    rig.browser.written("paused");
    assert_eq!(client.call(resume(&first)).await["result"], json!({}));
    assert_eq!(other.call(resume(&second)).await["result"], json!({}));
    // It would resume the next popup of that process instead.
    let heard = rig.browser.peer.methods();
    let resumes = heard.iter().filter(|method| method.ends_with("Debugger"));
    assert_eq!(resumes.count(), 1, "{heard:?}");
}

/// Playwright ignores the events that come during its setup.
#[tokio::test]
async fn a_popup_that_may_have_loaded_during_the_setup_repeats_its_lifecycle() {
    let rig = Rig::new().await;
    let (mut client, mut other) = (rig.client().await, rig.client().await);
    rig.browser.popup("paused");
    rig.browser.written("paused");
    let enable = "Page.setLifecycleEventsEnabled";
    let mut pages = Vec::new();
    for one in [&mut client, &mut other] {
        let page = one.attach("paused").await;
        let enabled = command(1, enable, Some(&page), json!({"enabled": true}));
        one.call(enabled).await;
        let resume = "Runtime.runIfWaitingForDebugger";
        one.call(command(2, resume, Some(&page), json!({}))).await;
        pages.push(page);
    }
    // Once for each client's own command, and once for the client that came second.
    let again = rig.browser.call(enable, 3).await;
    assert_eq!(again.session.as_deref(), Some(&*pages[1]));
    assert_eq!(again.params, json!({"enabled": true}));
}

#[tokio::test]
async fn a_page_navigates_only_after_its_stealth_was_acknowledged() {
    let rig = Rig::new().await;
    let (mut client, mut other) = (rig.client().await, rig.client().await);
    let page = client.attach("t").await;
    client
        .send(command(
            1,
            "Page.navigate",
            Some(&page),
            json!({"url": "http://a.test/"}),
        ))
        .await;
    other.call(command(1, "Test.echo", None, json!({}))).await;
    rig.browser.written("t");
    assert!(!rig.browser.heard("Page.navigate"));
    rig.browser.acked("t", "super");
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn a_page_that_the_client_keeps_paused_is_not_waited_for() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let page = client.attach("paused").await;
    // The gate would let it go only after its limit of five seconds.
    let asked = Instant::now();
    let navigate = command(1, "Page.navigate", Some(&page), json!({}));
    assert_eq!(client.call(navigate).await["id"], 1);
    assert!(asked.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_the_supervisor_does_not_set_up_is_not_waited_for() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let tab = client.attach("tab").await;
    let resume = command(1, "Runtime.runIfWaitingForDebugger", Some(&tab), json!({}));
    // The gate knows nothing of a tab, and would let it go only after its limit of two seconds.
    let asked = Instant::now();
    assert_eq!(client.call(resume).await["id"], 1);
    assert!(asked.elapsed() < Duration::from_secs(2));
    assert_eq!(
        client
            .call(command(
                2,
                "Runtime.runIfWaitingForDebugger",
                None,
                json!({})
            ))
            .await["id"],
        2
    );
}

/// A client whose page is being created as `T`, from these parameters.
async fn creating(params: Value) -> (Rig, Client) {
    let rig =
        Rig::scripted(Script::new().answer("Target.createTarget", json!({"targetId": "T"}))).await;
    let mut client = rig.client().await;
    client
        .send(command(1, "Target.createTarget", None, params))
        .await;
    rig.browser.call("Target.createTarget", 1).await;
    (rig, client)
}

#[tokio::test]
async fn a_new_page_gets_its_stealth_before_its_url() {
    let (rig, mut client) =
        creating(json!({"url": "http://a.test/", "browserContextId": "C", "background": true}))
            .await;
    let create = rig.browser.call("Target.createTarget", 1).await;
    assert_eq!(create.session.as_deref(), Some("B1"));
    assert_eq!(
        create.params,
        json!({"url": "about:blank", "browserContextId": "C", "background": true})
    );
    // Everything else of this client goes on.
    client.call(command(2, "Test.echo", None, json!({}))).await;
    assert_eq!(client.next().await["id"], 2);
    assert!(!rig.browser.heard("Page.navigate"));
    rig.browser.acked("T", "super");
    assert_eq!(
        client.next().await,
        json!({"id": 1, "result": {"targetId": "T"}})
    );
    let navigate = rig.browser.call("Page.navigate", 1).await;
    assert_eq!(navigate.session.as_deref(), Some("super"));
    assert_eq!(navigate.params, json!({"url": "http://a.test/"}));
}

#[tokio::test]
async fn a_blank_page_is_there_at_once_and_nothing_happens_in_it_before_its_stealth() {
    let (rig, mut client) = creating(json!({"url": "about:blank"})).await;
    assert_eq!(client.next().await["id"], 1);
    let page = client.attach("T").await;
    let on_page = |id, method: &str| command(id, method, Some(&page), json!({}));
    // What only tells passes.
    let enabled = client.call(on_page(2, "Network.enable")).await;
    assert_eq!((&enabled["id"], enabled.get("error")), (&json!(2), None));
    // What runs something waits, and keeps its place.
    client.send(on_page(3, "Runtime.evaluate")).await;
    client.send(on_page(4, "Test.echo")).await;
    rig.browser.peer.event(Some("B1"), "Test.first", json!({}));
    assert_eq!(client.next().await["method"], "Test.first");
    assert!(!rig.browser.heard("Runtime.evaluate"));
    rig.browser.acked("T", "super");
    assert_eq!(client.next().await["id"], 3);
    assert_eq!(client.next().await["method"], "Test.said");
    assert_eq!(client.next().await["id"], 4);
    assert!(!rig.browser.heard("Page.navigate"));
}

#[tokio::test]
async fn a_page_that_goes_somewhere_waits_under_its_own_policy() {
    let (rig, mut client) = creating(json!({"url": "about:blank"})).await;
    assert_eq!(client.next().await["id"], 1);
    let page = client.attach("T").await;
    let params = json!({"url": "http://a.test/"});
    client
        .send(command(2, "Page.navigate", Some(&page), params.clone()))
        .await;
    rig.browser.peer.event(Some("B1"), "Test.first", json!({}));
    assert_eq!(client.next().await["method"], "Test.first");
    assert!(!rig.browser.heard("Page.navigate"));
    rig.browser.acked("T", "super");
    assert_eq!(client.next().await["id"], 2);
    let navigate = rig.browser.call("Page.navigate", 1).await;
    assert_eq!(navigate.session.as_deref(), Some(&*page));
    assert_eq!(navigate.params, params);
}

#[tokio::test]
async fn a_new_page_without_stealth_is_closed_and_said_to_have_failed() {
    let (rig, mut client) = creating(json!({"url": "http://a.test/"})).await;
    rig.browser.gone("T");
    assert_eq!(client.next().await["error"]["code"], -32000);
    let close = rig.browser.call("Target.closeTarget", 1).await;
    assert_eq!(
        (close.session, &close.params["targetId"]),
        (None, &json!("T"))
    );
}

#[tokio::test]
async fn a_page_that_cannot_be_created_is_chromiums_to_explain() {
    let script = Script::new().answer(
        "Target.createTarget",
        Answer::error(-32602, "Invalid parameters"),
    );
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    for params in [
        json!({}),
        json!({"url": 5}),
        json!({"url": "http://a.test/", "browserContextId": "none"}),
    ] {
        let answer = client
            .call(command(1, "Target.createTarget", None, params))
            .await;
        assert_eq!(answer["error"]["message"], "Invalid parameters");
    }
}

/// What the browser is asked for a client's picture of a page that is hidden, or not.
async fn picture(hidden: &str) -> Vec<String> {
    let returned = json!({"result": {"type": "string", "value": hidden}});
    let script = Script::new()
        .answer("Page.createIsolatedWorld", json!({"executionContextId": 5}))
        .answer("Runtime.callFunctionOn", returned);
    let rig = Rig::scripted(script).await;
    rig.browser.acked("t", "super");
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    let taken = command(1, "Page.captureScreenshot", Some(&page), json!({}));
    assert_eq!(client.call(taken).await["id"], 1);
    let mut asked = rig.browser.peer.methods();
    asked.retain(|method| method.starts_with("Page.bring") || method.starts_with("Page.capture"));
    asked
}

#[tokio::test]
async fn a_page_comes_to_the_front_for_its_picture() {
    let [bring, capture] = ["Page.bringToFront", "Page.captureScreenshot"];
    assert_eq!(picture("true").await, [bring, capture]);
    assert_eq!(picture("false").await, [capture]);
}

#[tokio::test]
async fn the_events_of_a_new_page_come_before_the_reply_about_it() {
    let info = json!({"targetId": "T", "type": "page"});
    let attached = json!({"sessionId": "P", "targetInfo": info, "waitingForDebugger": false});
    let answer = Answer::silence()
        .event(Some("B1"), "Target.attachedToTarget", attached)
        .and(json!({"targetId": "T"}).into());
    let rig = Rig::scripted(Script::new().answer("Target.createTarget", answer)).await;
    rig.browser.acked("T", "super");
    let mut client = rig.client().await;
    let first = client
        .call(command(
            1,
            "Target.createTarget",
            None,
            json!({"url": "http://a.test/"}),
        ))
        .await;
    assert_eq!(first["method"], "Target.attachedToTarget");
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn a_target_left_paused_is_resumed_on_the_clients_behalf() {
    let limits = Limits {
        paused: Duration::from_millis(50),
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let mut client = rig.client().await;
    let page = client.attach("paused").await;
    let resume = rig.browser.call("Runtime.runIfWaitingForDebugger", 1).await;
    assert_eq!(resume.session.as_deref(), Some(&*page));
    // Its answer is nobody's.
    assert_eq!(
        client.call(command(7, "Test.echo", None, json!({}))).await["method"],
        "Test.said"
    );
}

#[tokio::test]
async fn a_target_that_the_client_resumed_or_left_is_not_resumed_again() {
    // Long enough for one command on a busy machine.
    let limits = Limits {
        paused: Duration::from_secs(1),
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let mut client = rig.client().await;
    rig.browser.written("paused1");
    let page = client.attach("paused1").await;
    let resume = command(1, "Runtime.runIfWaitingForDebugger", Some(&page), json!({}));
    assert_eq!(client.call(resume).await["id"], 1);
    let page = client.attach("paused2").await;
    rig.browser.peer.detach(Some("B1"), &page);
    assert_eq!(client.next().await["method"], "Target.detachedFromTarget");
    // The third is the last to be overdue, and the second to be resumed.
    let page = client.attach("paused3").await;
    let resume = rig.browser.call("Runtime.runIfWaitingForDebugger", 2).await;
    assert_eq!(resume.session, Some(page));
}
