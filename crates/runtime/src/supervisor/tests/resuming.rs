//! Which targets are resumed, and which are replaced instead.

use super::*;

#[tokio::test]
async fn a_first_page_whose_renderer_dies_during_setup_is_replaced() {
    let script = Script::new().answer_with(|call| {
        let comes = |parent: Option<&str>, session: &str, kind: &str| {
            let event = attached(session, kind, None);
            Answer::silence().event(parent, "Target.attachedToTarget", event)
        };
        let done = |answer: Answer, result: Value| Some(answer.and(Answer::ok(result)));
        match (call.method.as_str(), call.session.as_deref()) {
            ("Target.setAutoAttach", None) => done(comes(None, "tab", "tab"), json!({})),
            ("Target.setAutoAttach", Some("tab")) => {
                done(comes(Some("tab"), "page", "page"), json!({}))
            }
            ("Target.createTarget", None) => {
                done(comes(None, "another", "tab"), json!({"targetId": "T-new"}))
            }
            ("Target.setAutoAttach", Some("another")) => {
                done(comes(Some("another"), "new", "page"), json!({}))
            }
            // It dies before it can answer.
            (_, Some("page")) => Some(Answer::silence()),
            _ => None,
        }
    });
    let (beginning, peer) = begin(script);
    let opening = tokio::spawn(beginning.done());
    within(peer.call("Page.enable", 1)).await.unwrap();
    peer.event(None, "Target.targetCrashed", json!({"targetId": "T-page"}));
    let supervisor = within(opening).await.unwrap().unwrap();
    let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
    assert_eq!(closed.params["targetId"], "T-page");
    assert!(!ran_before_closing(&peer, "page"));
    assert!(
        supervisor
            .tabs()
            .iter()
            .any(|tab| tab.page.target_id == "T-new")
    );
}

#[tokio::test]
async fn a_new_tab_whose_renderer_dies_during_setup_is_replaced() {
    let mut created = 0;
    let script = browser(|_| false).answer_with(move |call| {
        let comes = |parent: Option<&str>, session: &str, kind: &str| {
            let event = attached(session, kind, None);
            Answer::silence().event(parent, "Target.attachedToTarget", event)
        };
        let done = |answer: Answer, result: Value| Some(answer.and(Answer::ok(result)));
        match (call.method.as_str(), call.session.as_deref()) {
            ("Target.createTarget", None) => {
                created += 1;
                let tab = comes(None, &format!("tab-{created}"), "tab");
                done(tab, json!({"targetId": format!("T-{created}")}))
            }
            ("Target.setAutoAttach", Some(tab @ ("tab-1" | "tab-2"))) => {
                done(comes(Some(tab), &tab[4..], "page"), json!({}))
            }
            (_, Some("1")) => Some(Answer::silence()),
            _ => None,
        }
    });
    let (beginning, peer) = begin(script);
    let supervisor = within(beginning.done()).await.unwrap();
    let opening = tokio::spawn(async move { supervisor.open_tab().await });
    within(peer.call("Target.createTarget", 1)).await.unwrap();
    while !peer
        .calls()
        .iter()
        .any(|call| call.session.as_deref() == Some("1"))
    {
        tokio::task::yield_now().await;
    }
    peer.event(None, "Target.targetCrashed", json!({"targetId": "T-1"}));
    let tab = within(opening).await.unwrap().unwrap();
    assert_eq!(tab.page.target_id, "T-2");
    let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
    assert_eq!(closed.params["targetId"], "T-1");
}

/// A popup that its opener can reach is in the opener's process; any other has its own process.
#[tokio::test]
async fn one_session_resumes_only_popups_that_reach_their_opener() {
    let (supervisor, peer) = opened(|_| false).await;
    for (session, reaches) in [("popup", true), ("noopener", false)] {
        let mut event = attached(session, "page", None);
        event["targetInfo"]["openerId"] = "T-page".into();
        event["targetInfo"]["canAccessOpener"] = reaches.into();
        peer.event(None, "Target.attachedToTarget", event);
        let target = format!("T-{session}");
        within(supervisor.gate().acked(&target)).await.unwrap();
        let claims = supervisor.gate().claims_resume(&target);
        assert_eq!(claims, !reaches, "szk has resumed {session} already");
        let calls = peer.calls();
        let mut own = calls
            .iter()
            .filter(|call| call.session.as_deref() == Some(session));
        assert!(own.any(|call| call.method == "Runtime.runIfWaitingForDebugger"));
    }
}
