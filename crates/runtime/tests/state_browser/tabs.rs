//! A restored tab has its sessionStorage before its first script.

use serde_json::{Value, json};
use szk_runtime::state::{self, SessionStorage};

use crate::support::{Browser, Page, Server, ask};

const PAGE: &str = r#"<script>window.first = JSON.stringify({ ...sessionStorage }); sessionStorage.clear()</script>"#;
const FRAMED: &str = r#"<script>window.first = JSON.stringify({ ...sessionStorage })</script><iframe src="/"></iframe>"#;

fn area(origin: &str) -> SessionStorage {
    serde_json::from_value(
        json!({"tab": 0, "origin": origin, "items": [{"name": "step", "value": "3 \"</script>"}]}),
    )
    .unwrap()
}

async fn first(page: &Page) -> Value {
    serde_json::from_str(&page.run::<String>("window.first").await).unwrap()
}

#[tokio::test]
async fn session_storage_is_refilled_once_before_the_first_script() {
    let server = Server::start(&[("/", PAGE)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    let refill =
        state::refill_session_storage(&page.connection, &page.session, &[&area(&server.origin())])
            .await
            .unwrap();
    page.open(&server.origin()).await;
    refill.remove().await;
    assert_eq!(first(&page).await, json!({"step": "3 \"</script>"}));
    // The page has cleared it, and it does not come back.
    page.open(&format!("{}/?again", server.origin())).await;
    page.open(&server.origin()).await;
    assert_eq!(first(&page).await, json!({}));
    browser.end().await;
}

#[tokio::test]
async fn session_storage_is_refilled_after_a_detour_to_another_origin() {
    let server = Server::start(&[("/", PAGE), ("/framed", FRAMED)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    let elsewhere = format!("http://localhost:{}", server.port);
    let refill =
        state::refill_session_storage(&page.connection, &page.session, &[&area(&server.origin())])
            .await
            .unwrap();
    page.open(&elsewhere).await;
    refill.remove().await;
    assert_eq!(first(&page).await, json!({}));
    page.open(&format!("{}/framed", server.origin())).await;
    assert_eq!(first(&page).await, json!({"step": "3 \"</script>"}));
    browser.end().await;
}

#[tokio::test]
async fn only_first_party_storage_is_captured() {
    let server = Server::start(&[]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    assert!(
        state::capture_origin(&page.connection, &page.session, &page.target)
            .await
            .unwrap()
            .is_none(),
        "a blank page"
    );
    page.open(&server.origin()).await;
    let mut events = browser.connection().subscribe();
    ask(
        &page.connection,
        Some(&page.session),
        "Target.setAutoAttach",
        json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}),
    )
    .await;
    let frames = format!(
        "(async () => {{ for (const url of ['/', 'http://localhost:{}/']) {{ const frame = document.createElement('iframe'); frame.src = url;
        const loaded = new Promise((done) => {{ frame.onload = done; }}); document.body.append(frame); await loaded; }} return 1; }})()",
        server.port
    );
    page.run::<Value>(&frames).await;
    let tree = ask(
        &page.connection,
        Some(&page.session),
        "Page.getFrameTree",
        json!({}),
    )
    .await;
    let same_site = tree["frameTree"]["childFrames"][0]["frame"]["id"]
        .as_str()
        .unwrap();
    let captured = state::capture_origin(&page.connection, &page.session, same_site)
        .await
        .unwrap();
    assert_eq!(captured.unwrap().state.origin, server.origin());
    // The other site's frame has a process, a session and a partition of its own.
    let attached: Value = loop {
        let event = events.recv().await.unwrap();
        let params: Value = serde_json::from_str(event.params.get()).unwrap();
        if event.method == "Target.attachedToTarget" && params["targetInfo"]["type"] == "iframe" {
            break params;
        }
    };
    let session = attached["sessionId"].as_str().unwrap().into();
    let frame = attached["targetInfo"]["targetId"].as_str().unwrap();
    assert!(
        state::capture_origin(&page.connection, &session, frame)
            .await
            .unwrap()
            .is_none()
    );
    browser.end().await;
}
