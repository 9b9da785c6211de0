//! Addresses of pages that could not be loaded.

use super::*;

#[tokio::test]
async fn a_page_that_could_not_be_loaded_has_the_address_that_was_meant() {
    let (supervisor, peer) = opened(|_| false).await;
    let mut changes = supervisor.changes();
    let page = || supervisor.current_tab().unwrap().page;
    let says = |url: &str| {
        let mut info = attached("page", "page", None)["targetInfo"].clone();
        info["url"] = url.into();
        peer.event(
            None,
            "Target.targetInfoChanged",
            json!({"targetInfo": info}),
        );
    };
    let own = "chrome-error://chromewebdata/";
    let frame = |unreachable: Option<&str>| {
        let frame =
            json!({"id": "T-page", "loaderId": "L", "url": own, "unreachableUrl": unreachable});
        peer.event(Some("page"), "Page.frameNavigated", json!({"frame": frame}));
    };
    let reason = || {
        let tab = supervisor.current_tab().unwrap();
        supervisor.unreachable(&tab).and_then(|what| what.reason)
    };
    for (kind, text) in [
        ("Document", "net::ERR_TIMED_OUT"),
        ("Image", "net::ERR_FAILED"),
    ] {
        let failed = json!({"requestId": "L", "type": kind, "errorText": text});
        peer.event(Some("page"), "Network.loadingFailed", failed);
    }
    // Whichever of the two is told first.
    frame(Some("http://a/"));
    says(own);
    within(changes.wait_for(|_| page().url == "http://a/"))
        .await
        .unwrap();
    assert_eq!(reason().as_deref(), Some("net::ERR_TIMED_OUT"));
    frame(None);
    says(own);
    within(changes.wait_for(|_| page().url == own))
        .await
        .unwrap();
    // The status says why, and that is on the browser's own page.
    let empty = json!({"requestId": "L", "type": "Document", "errorText": "net::ERR_HTTP_RESPONSE_CODE_FAILURE"});
    peer.event(Some("page"), "Network.loadingFailed", empty);
    frame(Some("http://b/"));
    within(changes.wait_for(|_| page().url == "http://b/"))
        .await
        .unwrap();
    assert_eq!(reason(), None);
}
