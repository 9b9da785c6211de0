//! Windows and the order of targets.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::rig::{Rig, within};

fn say(id: i32, method: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "params": params})
}

fn bounds(width: i64) -> Value {
    json!({"left": 70, "top": 50, "width": width, "height": 940, "windowState": "normal"})
}

/// A browser whose windows are 1480 wide.
async fn rig() -> Rig {
    let script = Script::new()
        .answer(
            "Browser.getWindowForTarget",
            json!({"windowId": 1, "bounds": bounds(1480)}),
        )
        .answer("Browser.getWindowBounds", json!({"bounds": bounds(1480)}))
        .answer("Browser.setContentsSize", json!({}))
        .answer("Page.createIsolatedWorld", json!({"executionContextId": 1}))
        .answer(
            "Runtime.callFunctionOn",
            json!({"result": {"value": "true"}}),
        )
        .answer("Target.createTarget", json!({"targetId": "T"}));
    let rig = Rig::scripted(script).await;
    rig.browser.ordered(&["t"]);
    rig
}

#[tokio::test]
async fn a_page_of_a_client_has_a_window_of_the_profiles_size() {
    let rig = rig().await;
    let mut client = rig.client().await;
    client
        .call(say(1, "Target.createTarget", json!({"url": "about:blank"})))
        .await;
    let create = rig.browser.call("Target.createTarget", 1).await;
    let usual = json!({"url": "about:blank", "newWindow": true, "left": 70, "top": 50, "width": 1480, "height": 940});
    assert_eq!(create.params, usual);
    // In a context of its own, and where the client wants a certain window or none, it is the client's affair.
    for params in [
        json!({"url": "about:blank", "browserContextId": "C"}),
        json!({"url": "about:blank", "newWindow": true, "width": 500}),
        json!({"url": "about:blank", "hidden": true}),
    ] {
        client
            .call(say(2, "Target.createTarget", params.clone()))
            .await;
        let nth = rig.browser.peer.methods();
        let nth = nth
            .iter()
            .filter(|method| *method == "Target.createTarget")
            .count();
        assert_eq!(
            rig.browser.call("Target.createTarget", nth).await.params,
            params
        );
    }
}

#[tokio::test]
async fn a_window_gets_its_bounds_back_when_the_last_who_changed_it_leaves() {
    let rig = rig().await;
    let (mut first, mut second) = (rig.client().await, rig.client().await);
    let wanted = json!({"windowId": 1, "bounds": {"width": 900, "height": 700}});
    first
        .call(say(1, "Browser.setWindowBounds", wanted.clone()))
        .await;
    second.call(say(1, "Browser.setWindowBounds", wanted)).await;
    first.leave().await;
    within(rig.listener.client_count().wait_for(|count| *count == 1))
        .await
        .unwrap();
    second.call(say(2, "Browser.getVersion", json!({}))).await;
    second.leave().await;
    let back = rig.browser.call("Browser.setWindowBounds", 3).await;
    assert_eq!(back.session, None, "the endpoint's own");
    assert_eq!(back.params, json!({"windowId": 1, "bounds": bounds(1480)}));
}

#[tokio::test]
async fn a_window_is_made_for_a_viewport() {
    let rig = rig().await;
    let mut client = rig.client().await;
    let page = rig.opens(&mut client, "t").await;
    rig.browser.written("t");
    rig.browser.acked("t", "S");
    let of_page = |id: i32, method: &str, params: Value| {
        let mut said = say(id, method, params);
        said["sessionId"] = json!(page);
        said
    };
    let metrics = |id: i32, width: i64, height: i64| {
        let params = json!({"width": width, "height": height});
        of_page(id, "Emulation.setDeviceMetricsOverride", params)
    };
    // What a driver says when it begins with a page is nobody's wish, nor is Puppeteer's own size.
    assert_eq!(client.call(metrics(1, 400, 300)).await["result"], json!({}));
    client
        .call(of_page(2, "Runtime.runIfWaitingForDebugger", json!({})))
        .await;
    assert_eq!(client.call(metrics(3, 800, 600)).await["result"], json!({}));
    assert_eq!(client.call(metrics(4, 400, 300)).await["result"], json!({}));
    let set = rig.browser.call("Browser.setContentsSize", 1).await;
    let inner = json!({"windowId": 1, "width": 400, "height": 300});
    assert_eq!((set.session, set.params), (None, inner));
    let phone = json!({"width": 400, "height": 300, "mobile": true});
    let refused = client
        .call(of_page(5, "Emulation.setDeviceMetricsOverride", phone))
        .await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("keep the profile's identity"), "{refused}");
    let heard = rig.browser.peer.methods();
    let sized = heard.iter().filter(|it| *it == "Browser.setContentsSize");
    assert_eq!(sized.count(), 1);
    client.leave().await;
    let back = rig.browser.call("Browser.setWindowBounds", 1).await;
    assert_eq!(back.params, json!({"windowId": 1, "bounds": bounds(1480)}));
}

#[tokio::test]
async fn targets_are_told_of_in_the_order_of_tabs() {
    let info = |id: &str| json!({"targetId": id, "type": "page", "url": "about:blank"});
    let attached = |id: &str| json!({"sessionId": format!("S-{id}"), "targetInfo": info(id), "waitingForDebugger": false});
    let said = |method| {
        ["a", "x", "b"]
            .iter()
            .fold(Answer::silence(), |answer, id| {
                let told = match method {
                    "Target.targetCreated" => json!({"targetInfo": info(id)}),
                    _ => attached(id),
                };
                answer.event(Some("B1"), method, told)
            })
    };
    let script = Script::new()
        .answer(
            "Target.getTargets",
            json!({"targetInfos": [info("a"), info("x"), info("b")]}),
        )
        .answer(
            "Target.setAutoAttach",
            said("Target.attachedToTarget").and(json!({}).into()),
        )
        .answer(
            "Target.setDiscoverTargets",
            said("Target.targetCreated").and(json!({}).into()),
        );
    let rig = Rig::scripted(script).await;
    // The second tab is the current one; `x` is in none.
    rig.browser.ordered(&["b", "tab-of-b", "a", "tab-of-a"]);
    let mut client = rig.client().await;
    let all = client.call(say(1, "Target.getTargets", json!({}))).await;
    let ids = |infos: &Value| -> Vec<String> {
        let infos = infos.as_array().unwrap().iter();
        infos
            .map(|info| info["targetId"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&all["result"]["targetInfos"]), ["b", "a", "x"]);
    for (id, method, params) in [
        (2, "Target.setDiscoverTargets", json!({"discover": true})),
        (
            3,
            "Target.setAutoAttach",
            json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}),
        ),
    ] {
        client.send(say(id, method, params)).await;
        let mut told = Vec::new();
        for _ in 0..3 {
            let event = client.next().await;
            told.push(
                event["params"]["targetInfo"]["targetId"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
        assert_eq!(told, ["b", "a", "x"], "{method}");
        assert_eq!(client.next().await["id"], id);
    }
    let list = rig.get("/json/list").await.json();
    let listed: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].clone())
        .collect();
    assert_eq!(listed, ["b", "a", "x"]);
}
