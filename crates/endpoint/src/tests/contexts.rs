//! What holds in a browser context that a client made for itself.

use serde_json::{Value, json};
use szk_cdp::testing::Script;
use szk_config::EndpointContexts;

use super::rig::{Client, Rig, Setup};
use crate::Rules;

/// What the profile's own pages are kept from.
const STRICT: [&str; 7] = [
    "Page.waitForDebugger",
    "Emulation.setEmulatedMedia",
    "Emulation.setFocusEmulationEnabled",
    "Emulation.setUserAgentOverride",
    "Network.setUserAgentOverride",
    "Security.setIgnoreCertificateErrors",
    "Runtime.enable",
];

fn say(id: i32, method: &str, session: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "sessionId": session, "params": params})
}

async fn with(contexts: EndpointContexts) -> Rig {
    let script = Script::new().answer(
        "Target.createBrowserContext",
        json!({"browserContextId": "C"}),
    );
    let rules = Some(Rules {
        contexts,
        ..Rules::default()
    });
    Rig::with(Setup {
        script,
        rules,
        ..Setup::default()
    })
    .await
}

/// A client with a context of its own, and its session with the page there.
async fn owner(rig: &Rig) -> (Client, String) {
    let mut client = rig.client().await;
    let made = json!({"id": 1, "method": "Target.createBrowserContext"});
    assert_eq!(client.call(made).await["result"]["browserContextId"], "C");
    let page = client.attach("page@C").await;
    (client, page)
}

/// How many of the strict methods a page hears.
async fn heard(rig: &Rig, client: &mut Client, page: &str) -> usize {
    let said = |rig: &Rig| {
        let calls = rig.browser.peer.calls();
        let strict = |call: &&szk_cdp::testing::Call| {
            call.session.as_deref() == Some(page) && STRICT.contains(&&*call.method)
        };
        calls.iter().filter(strict).count()
    };
    let before = said(rig);
    for method in STRICT {
        // The answer to one that the shield takes comes after its questions.
        client.send(say(2, method, page, json!({}))).await;
    }
    let last = json!({"expression": "1", "userGesture": true});
    client.send(say(3, "Runtime.evaluate", page, last)).await;
    while client.next().await["id"] != 3 {}
    said(rig) - before
}

#[tokio::test]
async fn a_context_is_its_makers() {
    let rig = with(EndpointContexts::Client).await;
    let (mut client, page) = owner(&rig).await;
    assert_eq!(heard(&rig, &mut client, &page).await, STRICT.len());
    let evaluated = rig.browser.call("Runtime.evaluate", 1).await;
    assert_eq!(evaluated.params["userGesture"], true);
    // Its page in the profile's context is the profile's.
    let other = client.attach("page").await;
    assert_eq!(heard(&rig, &mut client, &other).await, 0);
}

#[tokio::test]
async fn and_nobody_elses() {
    let rig = with(EndpointContexts::Client).await;
    let (_owner, _) = owner(&rig).await;
    let mut other = rig.client().await;
    let page = other.attach("page@C").await;
    assert_eq!(heard(&rig, &mut other, &page).await, 0);
}

#[tokio::test]
async fn or_as_strict_as_the_profile() {
    let rig = with(EndpointContexts::Profile).await;
    let (mut client, page) = owner(&rig).await;
    assert_eq!(heard(&rig, &mut client, &page).await, 0);
    let all = rig.browser.peer.calls();
    let mut evaluated = all.iter().filter(|call| call.method == "Runtime.evaluate");
    assert!(evaluated.all(|call| call.params.get("userGesture").is_none()));
    assert!(rig.browser.supervisor.yielded.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_profile_leaves_to_the_client_what_it_emulates() {
    let rig = with(EndpointContexts::Client).await;
    let (mut client, page) = owner(&rig).await;
    for method in [
        "Network.setUserAgentOverride",
        "Emulation.setLocaleOverride",
    ] {
        client.call(say(2, method, &page, json!({}))).await;
    }
    let left = || rig.browser.supervisor.yielded.lock().unwrap().clone();
    let expected = [
        "Emulation.setUserAgentOverride",
        "Emulation.setLocaleOverride",
    ];
    assert_eq!(left(), expected.map(|it| ("C".to_owned(), it)).into());
    let dispose = json!({"id": 3, "method": "Target.disposeBrowserContext", "params": {"browserContextId": "C"}});
    client.call(dispose).await;
    assert!(left().is_empty());
}

#[tokio::test]
async fn until_it_leaves() {
    let rig = with(EndpointContexts::Client).await;
    let (mut client, page) = owner(&rig).await;
    client
        .call(say(2, "Emulation.setLocaleOverride", &page, json!({})))
        .await;
    client.leave().await;
    rig.browser.call("Target.disposeBrowserContext", 1).await;
    assert!(rig.browser.supervisor.yielded.lock().unwrap().is_empty());
}
