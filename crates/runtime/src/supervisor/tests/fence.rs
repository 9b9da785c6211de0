//! A call's tab stays at its origin.

use super::*;

#[tokio::test]
async fn a_tab_and_its_popups_stay_at_their_origin_as_long_as_a_fence_stands() {
    let (supervisor, peer) = opened(|_| false).await;
    for (session, opener) in [("popup", Some("T-page")), ("other", None)] {
        let mut event = attached(session, "page", None);
        if let Some(opener) = opener {
            event["targetInfo"]["openerId"] = opener.into();
        }
        peer.event(None, "Target.attachedToTarget", event);
        let target = format!("T-{session}");
        within(supervisor.gate().acked(&target)).await.unwrap();
    }
    let tabs = supervisor.tabs();
    let mut tab = tabs.into_iter().find(|tab| tab.page.target_id == "T-page");
    let tab = tab.as_mut().unwrap();
    tab.page.url = "https://a.example/1".to_owned();
    let bounds = Bounds::open();
    let check = |target: &str, url: &str, expected: bool| {
        let fences = &supervisor.fences;
        let may_go = fences.allow(&bounds, &supervisor.targets, target, url);
        assert_eq!(may_go, expected, "{target} to {url}");
    };
    let (a, b, c, d) = (
        "https://a.example/2",
        "https://b.example/",
        "https://c.example/2",
        "https://d.example/",
    );
    check("T-page", b, true);

    let fence = supervisor.fence(tab, vec!["https://c.example/1".to_owned()]);
    check("T-page", a, true);
    check("T-page", "about:blank", true);
    check("T-page", c, true);
    check("T-page", b, false);
    check("T-page", "http://a.example/2", false);
    check("T-popup", a, true);
    check("T-popup", d, false);
    check("T-other", b, true);
    assert_eq!(fence.stopped(), [b, "http://a.example/2", d]);

    // Of two calls in a tab, each hears of what neither may do.
    let second = supervisor.fence(tab, vec![b.to_owned()]);
    check("T-page", b, true);
    check("T-page", d, false);
    assert_eq!(second.stopped(), [d]);
    assert_eq!(fence.stopped().len(), 4);
    drop(second);
    check("T-page", b, false);
    drop(fence);
    check("T-page", b, true);
    check("T-popup", d, true);

    let origins = [szk_config::OriginPattern::read("c.example").unwrap()];
    let within = supervisor.fence_within(tab, origins.into());
    let other = supervisor.fence(tab, vec![b.to_owned()]);
    check("T-page", c, true);
    check("T-page", a, false);
    check("T-page", b, false);
    check("T-popup", d, false);
    drop(other);
    within.linger(Duration::from_secs(3600));
    check("T-page", d, true);
    check("T-popup", d, false);
    check("T-popup", c, true);
}

#[tokio::test]
async fn a_popup_whose_first_document_is_stopped_closes() {
    let (supervisor, peer) = opened(|_| false).await;
    let mut tab = supervisor.tabs().remove(0);
    tab.page.url = "https://a.example/".to_owned();
    let _fence = supervisor.fence(&tab, Vec::new());
    for (session, url) in [("blank", ""), ("full", "https://a.example/2")] {
        let mut event = attached(session, "page", None);
        event["targetInfo"]["openerId"] = tab.page.target_id.as_str().into();
        event["targetInfo"]["url"] = url.into();
        peer.event(None, "Target.attachedToTarget", event);
        let target = format!("T-{session}");
        within(supervisor.gate().acked(&target)).await.unwrap();
    }
    for target in ["T-full", "T-blank"] {
        let paused = json!({
            "requestId": target, "frameId": target, "resourceType": "Document",
            "request": {"url": "https://b.example/"},
        });
        peer.event(None, "Fetch.requestPaused", paused);
    }
    within(peer.call("Fetch.fulfillRequest", 2)).await.unwrap();
    let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
    assert_eq!(closed.params, json!({"targetId": "T-blank"}));
}
