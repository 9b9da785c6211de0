//! What a client does in a browser context of its own.

use super::*;

#[tokio::test]
async fn the_supervisor_drops_an_emulation_that_a_client_sets_in_its_context() {
    let (supervisor, peer) = opened(|_| false).await;
    let come = |session: &str| {
        let mut event = attached(session, "page", None);
        event["targetInfo"]["browserContextId"] = "C".into();
        peer.event(None, "Target.attachedToTarget", event);
    };
    let ordered = |session: &str| -> Vec<String> {
        let calls = peer.calls();
        let own = calls
            .iter()
            .filter(|call| call.session.as_deref() == Some(session));
        let agents = own.filter(|call| call.method == "Emulation.setUserAgentOverride");
        agents
            .map(|call| call.params["userAgent"].as_str().unwrap().to_owned())
            .collect()
    };
    come("early");
    within(supervisor.gate().acked("T-early")).await.unwrap();
    supervisor.yield_emulation("C", "Emulation.setUserAgentOverride");
    // Repeating it changes nothing.
    supervisor.yield_emulation("C", "Emulation.setUserAgentOverride");
    come("late");
    within(supervisor.gate().acked("T-late")).await.unwrap();
    let early = ordered("early");
    assert!(
        early[0].contains("Android") && early[1].is_empty() && early.len() == 2,
        "{early:?}"
    );
    assert!(ordered("late").is_empty());
    let is_located = |call: &Call| {
        call.session.as_deref() == Some("late") && call.method == "Emulation.setLocaleOverride"
    };
    assert!(
        peer.calls().iter().any(is_located),
        "the rest is still ordered"
    );
    // The profile's own page keeps everything.
    assert_eq!(ordered("page").len(), 1);
    supervisor.context_disposed("C");
    come("next");
    within(supervisor.gate().acked("T-next")).await.unwrap();
    assert_eq!(ordered("next").len(), 1);
}

#[tokio::test]
async fn a_popup_in_a_clients_context_waits_for_the_client() {
    let (supervisor, peer) = opened(|_| false).await;
    supervisor.yield_popups("C");
    for (session, opener) in [("popup", Some("T-page")), ("opened", None)] {
        let mut event = attached(session, "page", None);
        event["targetInfo"]["browserContextId"] = "C".into();
        if let Some(opener) = opener {
            event["targetInfo"]["openerId"] = opener.into();
        }
        peer.event(None, "Target.attachedToTarget", event);
        let target = format!("T-{session}");
        within(supervisor.gate().acked(&target)).await.unwrap();
    }
    let let_go = |session: &str| {
        let calls = peer.calls();
        let own = calls
            .iter()
            .filter(|call| call.session.as_deref() == Some(session));
        own.filter(|call| call.method == "Runtime.runIfWaitingForDebugger")
            .count()
    };
    // It has all of its stealth by now.
    assert_eq!((let_go("popup"), let_go("opened")), (0, 1));
}
