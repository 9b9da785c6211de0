//! What the settings of an endpoint forbid, keep and hide.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};
use szk_config::{EndpointIdentity, EndpointTabs};

use super::rig::{Client, Rig, Setup, within};
use crate::Rules;

async fn with(rules: Rules, script: Script) -> Rig {
    Rig::with(Setup {
        script,
        rules: Some(rules),
        ..Setup::default()
    })
    .await
}

fn say(id: i32, method: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "params": params})
}

const LOOKS: [&str; 6] = [
    "Emulation.somethingNew",
    "Emulation.setEmulatedMedia",
    "Emulation.clearDeviceMetricsOverride",
    "Network.setUserAgentOverride",
    "Security.setIgnoreCertificateErrors",
    "Page.setFontFamilies",
];

#[tokio::test]
async fn a_page_keeps_the_looks_of_its_profile() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    for method in LOOKS {
        assert_eq!(
            client.call(say(1, method, json!({}))).await["result"],
            json!({})
        );
        assert!(!rig.browser.heard(method), "{method}");
    }
    let clock = client
        .call(say(2, "Emulation.setVirtualTimePolicy", json!({})))
        .await;
    assert_eq!(clock["error"]["code"], -32000);
    client
        .call(say(3, "Emulation.setScriptExecutionDisabled", json!({})))
        .await;
    assert!(rig.browser.heard("Emulation.setScriptExecutionDisabled"));
    client
        .call(say(4, "Emulation.getScreenInfos", json!({})))
        .await;
    assert!(rig.browser.heard("Emulation.getScreenInfos"));
}

#[tokio::test]
async fn who_asks_for_other_looks_is_told_that_they_are_kept() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let page = rig.opens(&mut client, "t").await;
    rig.browser.written("t");
    let mut id = 0;
    let mut on_page = |method: &str, params: Value| {
        id += 1;
        json!({"id": id, "method": method, "params": params, "sessionId": page})
    };
    let media = |scheme: &str| json!({"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]});
    let here = json!({"latitude": 1, "longitude": 2, "accuracy": 3});
    // As Playwright begins with every page.
    let light = on_page("Emulation.setEmulatedMedia", media("light"));
    assert_eq!(client.call(light).await["result"], json!({}));
    client
        .call(on_page("Runtime.runIfWaitingForDebugger", json!({})))
        .await;
    for (method, params) in [
        ("Emulation.setEmulatedMedia", media("dark")),
        ("Emulation.setGeolocationOverride", here),
        (
            "Emulation.setTimezoneOverride",
            json!({"timezoneId": "Asia/Tokyo"}),
        ),
        ("Network.setUserAgentOverride", json!({"userAgent": "x"})),
    ] {
        let told = client.call(on_page(method, params)).await;
        let message = told["error"]["message"].as_str().unwrap();
        assert!(message.contains("keep the profile's identity"), "{message}");
    }
    // Taking back what was not given, and what drivers send without being asked.
    for (method, params) in [
        ("Emulation.setEmulatedMedia", media("")),
        ("Emulation.setTimezoneOverride", json!({"timezoneId": ""})),
        ("Emulation.setGeolocationOverride", json!({})),
        (
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        ),
        (
            "Emulation.setDeviceMetricsOverride",
            json!({"width": 800, "height": 600}),
        ),
    ] {
        let answer = client.call(on_page(method, params)).await;
        assert_eq!(answer["result"], json!({}), "{method}");
    }
    assert!(
        !rig.browser
            .peer
            .methods()
            .iter()
            .any(|it| it.starts_with("Emulation."))
    );
}

/// Programs that speak the protocol themselves resume nothing, since nothing is paused for them.
#[tokio::test]
async fn who_asks_without_a_drivers_set_up_is_told_so_too() {
    let rig = Rig::new().await;
    let zone = |id: i32, page: Option<&str>| {
        let mut said = say(
            id,
            "Emulation.setTimezoneOverride",
            json!({"timezoneId": "Asia/Tokyo"}),
        );
        if let Some(page) = page {
            said["sessionId"] = page.into();
        }
        said
    };
    let check = |told: Value| {
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("keep the profile's identity"), "{told}");
    };
    let mut client = rig.client().await;
    // It has attached by itself.
    let page = client.attach("t").await;
    check(client.call(zone(1, Some(&page))).await);
    // It was attached, and works in the page without more ado.
    let page = rig.opens(&mut client, "u").await;
    let before = client.call(zone(2, Some(&page))).await;
    assert_eq!(before["result"], json!({}));
    let mut work = say(3, "Runtime.evaluate", json!({"expression": "1"}));
    work["sessionId"] = page.as_str().into();
    client.call(work).await;
    check(client.call(zone(4, Some(&page))).await);
    // Its socket is the page's.
    check(rig.page("t").await.call(zone(5, None)).await);
}

#[tokio::test]
async fn or_takes_those_of_the_client() {
    let rules = Rules {
        identity: EndpointIdentity::Client,
        ..Rules::default()
    };
    let rig = with(rules, Script::new()).await;
    let mut client = rig.client().await;
    for method in LOOKS {
        client.call(say(1, method, json!({}))).await;
        assert!(rig.browser.heard(method), "{method}");
    }
}

#[tokio::test]
async fn downloads_stay_in_the_profile_and_the_client_gets_a_copy() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let wanted = tempfile::tempdir().unwrap();
    let params =
        json!({"behavior": "allowAndName", "downloadPath": wanted.path(), "eventsEnabled": true});
    client
        .call(say(1, "Browser.setDownloadBehavior", params))
        .await;
    let call = rig.browser.call("Browser.setDownloadBehavior", 1).await;
    assert_eq!(call.params["behavior"], "allowAndName");
    assert_eq!(call.params["eventsEnabled"], true);
    let own = std::path::PathBuf::from(call.params["downloadPath"].as_str().unwrap());
    std::fs::create_dir_all(&own).unwrap();
    let file = own.join("G");
    std::fs::write(&file, "the notes").unwrap();
    let begins = json!({"guid": "G", "suggestedFilename": "notes.txt"});
    rig.browser
        .peer
        .event(Some("B1"), "Browser.downloadWillBegin", begins);
    let done = json!({"guid": "G", "state": "completed", "filePath": file});
    rig.browser
        .peer
        .event(Some("B1"), "Browser.downloadProgress", done);
    assert_eq!(client.next().await["method"], "Browser.downloadWillBegin");
    let done = client.next().await;
    assert_eq!(done["method"], "Browser.downloadProgress");
    // The profile's file has its own name; the copy, the one that the client asked for.
    let kept = own.parent().unwrap().join("notes.txt");
    assert_eq!(done["params"]["filePath"], kept.display().to_string());
    for file in [kept, wanted.path().join("G")] {
        assert_eq!(std::fs::read(file).unwrap(), b"the notes");
    }
}

#[tokio::test]
async fn what_the_configuration_denies_is_refused() {
    let deny = ["Network.getCookies", "Storage", "Target.createTarget"];
    let rules = Rules {
        deny: deny.map(str::to_owned).into(),
        ..Rules::default()
    };
    let rig = with(rules, Script::new()).await;
    let mut client = rig.client().await;
    for method in [
        "Network.getCookies",
        "Storage.getCookies",
        "Target.createTarget",
    ] {
        let answer = client
            .call(say(1, method, json!({"url": "about:blank"})))
            .await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("endpoint.deny"), "{message}");
        assert!(!rig.browser.heard(method));
    }
    let new = rig
        .ask("PUT", &format!("/{}/json/new?about:blank", rig.token), &[])
        .await;
    assert_eq!(new.status, 403);
}

fn info(target: &str, opener: Option<&str>) -> Value {
    let mut info = json!({"targetId": target, "type": "page", "url": "", "title": ""});
    if let Some(opener) = opener {
        info["openerId"] = opener.into();
    }
    info
}

fn attached(session: &str, target: &str, opener: Option<&str>) -> Value {
    json!({"sessionId": session, "targetInfo": info(target, opener), "waitingForDebugger": false})
}

async fn own(script: Script) -> (Rig, Client) {
    let rules = Rules {
        tabs: EndpointTabs::Own,
        ..Rules::default()
    };
    let rig = with(rules, script).await;
    let client = rig.client().await;
    (rig, client)
}

#[tokio::test]
async fn a_tab_of_somebody_else_is_let_go_unseen() {
    let targets = json!({"targetInfos": [info("theirs", None)]});
    let (rig, mut client) = own(Script::new().answer("Target.getTargets", targets)).await;
    rig.browser.written("theirs");
    let peer = &rig.browser.peer;
    peer.event(
        Some("B1"),
        "Target.targetCreated",
        json!({"targetInfo": info("theirs", None)}),
    );
    peer.event(
        Some("B1"),
        "Target.attachedToTarget",
        attached("S", "theirs", None),
    );
    let detach = rig.browser.call("Target.detachFromTarget", 1).await;
    assert_eq!(detach.params, json!({"sessionId": "S"}));
    assert_eq!(
        client.call(say(1, "Target.getTargets", json!({}))).await["result"],
        json!({"targetInfos": []})
    );
    for method in [
        "Target.attachToTarget",
        "Target.closeTarget",
        "Target.activateTarget",
    ] {
        let params = json!({"targetId": "theirs", "flatten": true});
        assert_eq!(
            client.call(say(2, method, params)).await["error"]["code"],
            -32000,
            "{method}"
        );
    }
    assert_eq!(rig.get("/json/close/theirs").await.status, 404);
    assert_eq!(rig.get("/json/list").await.json(), json!([]));
}

#[tokio::test]
async fn a_tab_of_its_own_is_seen_in_order_and_so_is_what_it_opens() {
    let answer = Answer::silence()
        .event(
            Some("B1"),
            "Target.attachedToTarget",
            attached("P", "mine", None),
        )
        .and(json!({"targetId": "mine"}).into());
    let (rig, mut client) = own(Script::new().answer("Target.createTarget", answer)).await;
    rig.browser.acked("mine", "super");
    let first = client
        .call(say(1, "Target.createTarget", json!({"url": "about:blank"})))
        .await;
    assert_eq!(first["method"], "Target.attachedToTarget");
    assert_eq!(client.next().await["result"]["targetId"], "mine");
    let popup = attached("Q", "popup", Some("mine"));
    rig.browser
        .peer
        .event(Some("B1"), "Target.attachedToTarget", popup);
    assert_eq!(client.next().await["params"]["sessionId"], "Q");
}

#[tokio::test]
async fn a_client_can_be_sent_away() {
    let rig = Rig::new().await;
    let (mut one, mut two) = (rig.client().await, rig.client().await);
    let clients = rig.listener.clients();
    assert!(!rig.listener.disconnect(99));
    assert!(rig.listener.disconnect(clients[0].id));
    assert_eq!(one.ended().await, Some(1008));
    two.call(json!({"id": 1, "method": "Test.echo", "params": {}}))
        .await;
    within(rig.listener.client_count().wait_for(|count| *count == 1))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_client_is_named_by_what_it_asks_for_first() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    client
        .call(say(1, "Target.getBrowserContexts", json!({})))
        .await;
    assert_eq!(rig.listener.clients()[0].name, "Puppeteer");
}
