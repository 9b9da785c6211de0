//! Sessions of the default owner: their events, and what ends with them.

use serde_json::json;
use szk_cdp::testing::{Answer, Peer, Script};
use szk_cdp::{CallError, Connection, Event, SessionId, SubscriptionError};

fn start() -> (Connection, szk_cdp::Events, Peer) {
    Script::new()
        .answer("Test.never", Answer::silence())
        .start()
}

/// Returns once the reader has seen everything that the peer sent before.
async fn settle(connection: &Connection) {
    connection
        .call_raw(None, "Test.settle", None)
        .await
        .expect("the peer answers");
}

fn name(event: &Event) -> String {
    let session = event.session.as_ref().map_or("root", SessionId::as_str);
    format!("{session} {}", event.method)
}

#[tokio::test]
async fn detaching_ends_the_calls_on_the_session_and_below() {
    let (connection, _events, peer) = start();
    peer.attach(None, "page", "page");
    peer.attach(Some("page"), "frame", "iframe");
    peer.attach(None, "other", "page");
    settle(&connection).await;
    let [page, frame, other] = ["page", "frame", "other"].map(SessionId::from);
    let never = |session| connection.post_raw(Some(session), "Test.never", None);
    let ended = [never(&page), never(&frame)];
    let kept = never(&other);
    peer.detach(None, "page");
    for reply in ended {
        assert!(matches!(reply.await, Err(CallError::SessionGone)));
    }
    assert_eq!(connection.pending(), 1);

    let before = peer.calls().len();
    assert!(matches!(never(&frame).await, Err(CallError::SessionGone)));
    settle(&connection).await;
    assert_eq!(peer.calls().len(), before + 1, "the late call was written");
    drop(kept);
}

#[tokio::test]
async fn a_destroyed_target_ends_the_calls_on_its_sessions() {
    let (connection, _events, peer) = start();
    peer.attach(None, "page", "page");
    settle(&connection).await;
    let reply = connection.post_raw(Some(&"page".into()), "Test.never", None);
    peer.event(
        None,
        "Target.targetDestroyed",
        json!({"targetId": "T-page"}),
    );
    assert!(matches!(reply.await, Err(CallError::SessionGone)));
}

#[tokio::test]
async fn the_supervisor_and_subscribers_hear_root_and_all_below_in_order() {
    let (connection, mut events, peer) = start();
    let mut subscription = connection.subscribe();
    peer.attach(None, "page", "page");
    peer.event(
        Some("page"),
        "Page.loadEventFired",
        json!({"timestamp": 1.5}),
    );
    peer.event(
        Some("stranger"),
        "Page.loadEventFired",
        json!({"timestamp": 1}),
    );
    peer.event(None, "Target.targetCrashed", json!({}));
    let expected = [
        "root Target.attachedToTarget",
        "page Page.loadEventFired",
        "root Target.targetCrashed",
    ];
    for expected in expected {
        assert_eq!(name(&events.recv().await.unwrap()), expected);
        assert_eq!(name(&subscription.recv().await.unwrap()), expected);
    }
    assert!(events.try_recv().is_none());
    assert_eq!(subscription.try_recv().unwrap().map(|_| ()), None);
}

#[tokio::test]
async fn a_slow_subscriber_is_told_what_it_missed() {
    let (connection, _events, peer) = start();
    let mut subscription = connection.subscribe();
    for n in 0..8200 {
        peer.event(None, "Test.event", json!({ "n": n }));
    }
    settle(&connection).await;
    let missed = subscription.recv().await.unwrap_err();
    assert_eq!(missed, SubscriptionError::Lagged(8));
    let next = subscription.recv().await.unwrap();
    assert_eq!(next.read::<serde_json::Value>().unwrap(), json!({"n": 8}));
}

#[tokio::test]
async fn subscribing_is_optional() {
    let (connection, events, peer) = start();
    drop(events);
    peer.event(None, "Test.event", json!({}));
    settle(&connection).await;
}

#[tokio::test]
async fn an_attachment_without_a_session_is_ignored() {
    let (connection, mut events, peer) = start();
    for method in ["attachedToTarget", "detachedFromTarget", "targetDestroyed"] {
        peer.event(None, &format!("Target.{method}"), json!({}));
        assert_eq!(
            events.recv().await.map(|event| event.session.clone()),
            Some(None)
        );
    }
    peer.event(Some(""), "Test.event", json!({}));
    settle(&connection).await;
    assert!(events.try_recv().is_none());
}

#[tokio::test]
async fn a_dead_renderer_ends_the_calls_of_those_who_do_not_wait_for_another_one() {
    let (waiting, _events, peer) = start();
    let connection = waiting.ending_with_renderer();
    peer.attach(None, "page", "page");
    peer.attach(None, "other", "page");
    settle(&connection).await;
    let [page, other] = ["page", "other"].map(SessionId::from);
    let ended = connection.post_raw(Some(&page), "Test.never", None);
    let kept = [
        waiting.post_raw(Some(&page), "Test.never", None),
        connection.post_raw(Some(&other), "Test.never", None),
    ];
    peer.event(None, "Target.targetCrashed", json!({"targetId": "T-page"}));
    assert!(matches!(ended.await, Err(CallError::Crashed)));
    let late = connection.call_raw(Some(&page), "Test.never", None).await;
    assert!(matches!(late, Err(CallError::Crashed)));
    assert_eq!(connection.pending(), 2);
    drop(kept);
    for (method, survives) in [
        ("Network.enable", false),
        ("Network.getCookies", true),
        ("Fetch.enable", true),
    ] {
        let answer = connection.call_raw(Some(&page), method, None).await;
        assert_eq!(answer.is_ok(), survives, "{method}");
    }

    // Commands that lead to a new renderer are sent, and those that follow.
    let navigated = connection.call_raw(Some(&page), "Page.navigate", None);
    assert!(navigated.await.is_ok());
    assert!(
        connection
            .call_raw(Some(&page), "Test.ok", None)
            .await
            .is_ok()
    );
    let event = json!({"targetId": "T-page"});
    peer.event(None, "Target.targetCrashed", event);
    peer.event(
        Some("page"),
        "Inspector.targetReloadedAfterCrash",
        json!({}),
    );
    settle(&connection).await;
    assert!(
        connection
            .call_raw(Some(&page), "Test.ok", None)
            .await
            .is_ok()
    );
}
