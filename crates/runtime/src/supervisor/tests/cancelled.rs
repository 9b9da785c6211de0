//! A call that is cancelled while it opens a tab leaves none behind.

use super::*;

/// A browser that answers no call for which this holds.
async fn silent(about: impl Fn(&Call) -> bool + Send + 'static) -> (Supervisor, Peer) {
    let silent = Script::new().answer_with(move |call| about(call).then(Answer::silence));
    let (beginning, peer) = begin(silent.then(crate::testing::browser()));
    (within(beginning.done()).await.unwrap(), peer)
}

#[tokio::test]
async fn a_tab_that_the_browser_reports_too_late_is_closed() {
    let (supervisor, peer) = silent(|call| call.method == "Target.createTarget").await;
    let create = tokio::select! {
        _ = supervisor.open_tab() => panic!("nobody answers"),
        create = within(peer.call("Target.createTarget", 1)) => create.unwrap(),
    };
    assert!(!peer.methods().iter().any(|one| one == "Target.closeTarget"));
    peer.reply(&create, json!({"targetId": "T-late"}));
    let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
    assert_eq!(closed.params["targetId"], "T-late");
}

#[tokio::test]
async fn a_tab_that_is_being_set_up_is_closed() {
    let (supervisor, peer) = silent(|call| call.session.as_deref() == Some("page2")).await;
    let set_up = async {
        while !peer
            .calls()
            .iter()
            .any(|call| call.session.as_deref() == Some("page2"))
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        opened = supervisor.open_tab() => panic!("nobody answers: {opened:?}"),
        () = within(set_up) => {}
    }
    let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
    assert_eq!(closed.params["targetId"], "T-page2");
}

#[tokio::test]
async fn a_tab_that_was_opened_stays() {
    let (beginning, peer) = begin(crate::testing::browser());
    let supervisor = within(beginning.done()).await.unwrap();
    let tab = within(supervisor.open_tab()).await.unwrap();
    assert_eq!(tab.page.target_id, "T-page2");
    // Answered after whatever was sent before.
    within(supervisor.as_ordered(&tab.page.session))
        .await
        .unwrap();
    assert!(!peer.methods().iter().any(|one| one == "Target.closeTarget"));
}
