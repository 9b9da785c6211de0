//! Owners beside the supervisor.

use std::time::Duration;

use serde_json::json;
use szk_cdp::testing::{Answer, Peer, Script};
use szk_cdp::{Connection, Inbound, Inbox, SendError, SessionId, raw};

fn start() -> (Connection, szk_cdp::Events, Peer) {
    Script::new()
        .answer("Test.never", Answer::silence())
        .answer("Target.attachToTarget", json!({"sessionId": "attached"}))
        .start()
}

fn id(session: &str) -> Option<SessionId> {
    Some(session.into())
}

/// The next message in short form. The deadline only turns a hang into a failure.
async fn next(inbox: &mut Inbox) -> String {
    let on = |session: &Option<SessionId>| {
        session
            .as_ref()
            .map_or("root".to_owned(), SessionId::to_string)
    };
    let message = tokio::time::timeout(Duration::from_secs(10), inbox.recv());
    match message.await.expect("a message in time") {
        Some(Inbound::Reply {
            id,
            session,
            result: Ok(result),
        }) => format!("{id} {} {result}", on(&session)),
        Some(Inbound::Reply {
            id,
            session,
            result: Err(error),
        }) => format!("{id} {} failed {}", on(&session), error.code),
        Some(Inbound::Event(event)) => format!("{} {}", on(&event.session), event.method),
        Some(Inbound::Overflow) => "overflow".to_owned(),
        None => "end".to_owned(),
    }
}

/// Returns once the reader has seen everything that the peer sent before.
async fn settle(connection: &Connection) {
    connection
        .call_raw(None, "Test.settle", None)
        .await
        .expect("the peer answers");
}

#[tokio::test]
async fn replies_and_events_keep_their_order_on_the_wire() {
    let busy = Answer::silence()
        .event(Some("own"), "Test.before", json!({}))
        .and(Answer::ok(json!({})))
        .event(Some("own"), "Test.after", json!({}));
    let (connection, _events, _peer) = Script::new().answer("Test.busy", busy).start();
    let (member, mut inbox) = connection.join(1000);
    assert!(member.own("own"));
    for n in 0..100 {
        member.send(n, id("own"), "Test.busy", None).unwrap();
    }
    for n in 0..100 {
        assert_eq!(next(&mut inbox).await, "own Test.before");
        assert_eq!(next(&mut inbox).await, format!("{n} own {{}}"));
        assert_eq!(next(&mut inbox).await, "own Test.after");
    }
}

#[tokio::test]
async fn two_members_and_the_supervisor_may_use_the_same_ids() {
    let (connection, _events, peer) = start();
    let (one, mut inbox_one) = connection.join(8);
    let (two, mut inbox_two) = connection.join(8);
    assert!(one.own("1") && two.own("2"));
    one.send(u64::MAX, id("1"), "Test.a", None).unwrap();
    two.send(u64::MAX, id("2"), "Test.a", None).unwrap();
    settle(&connection).await;
    let max = u64::MAX;
    assert_eq!(next(&mut inbox_one).await, format!("{max} 1 {{}}"));
    assert_eq!(next(&mut inbox_two).await, format!("{max} 2 {{}}"));
    let ids: Vec<_> = peer.calls().iter().map(|call| call.id).collect();
    assert_eq!(ids, [1, 2, 3]);
}

#[tokio::test]
async fn what_is_attached_on_a_session_belongs_to_its_owner() {
    let (connection, mut events, peer) = start();
    let (member, mut inbox) = connection.join(16);
    assert!(member.own("own"));
    peer.attach(Some("own"), "page", "page");
    peer.attach(Some("page"), "frame", "iframe");
    peer.event(Some("frame"), "Test.event", json!({}));
    assert_eq!(next(&mut inbox).await, "own Target.attachedToTarget");
    assert_eq!(next(&mut inbox).await, "page Target.attachedToTarget");
    assert_eq!(next(&mut inbox).await, "frame Test.event");
    member.send(1, id("frame"), "Test.a", None).unwrap();
    assert_eq!(next(&mut inbox).await, "1 frame {}");

    // By the reply alone, before the next message.
    member
        .send(2, id("own"), "Target.attachToTarget", None)
        .unwrap();
    peer.call("Target.attachToTarget", 1).await.unwrap();
    peer.event(Some("attached"), "Test.event", json!({}));
    assert_eq!(next(&mut inbox).await, r#"2 own {"sessionId":"attached"}"#);
    assert_eq!(next(&mut inbox).await, "attached Test.event");
    assert!(member.owns(&"attached".into()));
    assert!(events.try_recv().is_none(), "the supervisor heard of it");
}

#[tokio::test]
async fn a_session_of_another_owner_is_refused() {
    let (connection, _events, peer) = start();
    let (one, _inbox_one) = connection.join(8);
    let (two, _inbox_two) = connection.join(8);
    assert!(one.own("1"));
    assert!(!two.own("1"));
    peer.attach(None, "ours", "page");
    settle(&connection).await;
    for session in [None, id("1"), id("ours"), id("unheard")] {
        let sent = two.send(1, session.clone(), "Test.a", None);
        assert_eq!(sent, Err(SendError::NotYours), "{session:?}");
    }
    assert_eq!(peer.methods(), ["Test.settle"]);
    // The supervisor may hand over a session that it attached for a member.
    assert!(two.own("ours"));
    two.send(1, id("ours"), "Test.a", None).unwrap();
}

#[tokio::test]
async fn what_was_open_on_a_session_is_answered_after_its_end() {
    let (connection, _events, peer) = start();
    let (member, mut inbox) = connection.join(8);
    assert!(member.own("own"));
    peer.attach(Some("own"), "page", "page");
    assert_eq!(next(&mut inbox).await, "own Target.attachedToTarget");
    for n in [7, 8] {
        member.send(n, id("page"), "Test.never", None).unwrap();
    }
    // Of the target alone nothing follows.
    peer.event(
        None,
        "Target.targetDestroyed",
        json!({"targetId": "T-page"}),
    );
    peer.detach(Some("own"), "page");
    assert_eq!(next(&mut inbox).await, "own Target.detachedFromTarget");
    assert_eq!(next(&mut inbox).await, "7 page failed -32001");
    assert_eq!(next(&mut inbox).await, "8 page failed -32001");
    let late = member.send(9, id("page"), "Test.a", None);
    assert_eq!(late, Err(SendError::NotYours));
}

#[tokio::test]
async fn a_member_that_does_not_read_dies_alone() {
    let (connection, _events, peer) = start();
    let (slow, mut slow_inbox) = connection.join(4);
    let (other, mut other_inbox) = connection.join(4);
    assert!(slow.own("slow") && other.own("other"));
    slow.send(1, id("slow"), "Test.never", None).unwrap();
    for _ in 0..10 {
        peer.event(Some("slow"), "Test.event", json!({}));
    }
    peer.event(Some("other"), "Test.event", json!({}));
    settle(&connection).await;
    assert_eq!(next(&mut slow_inbox).await, "overflow");
    assert_eq!(next(&mut slow_inbox).await, "end");
    let sent = slow.send(2, id("slow"), "Test.a", None);
    assert_eq!(sent, Err(SendError::Closed));
    assert!(!slow.own("slow"));
    assert_eq!(connection.pending(), 0);
    assert_eq!(next(&mut other_inbox).await, "other Test.event");
    other.send(1, id("other"), "Test.a", None).unwrap();
    assert_eq!(next(&mut other_inbox).await, "1 other {}");
}

#[tokio::test]
async fn when_a_member_leaves_its_calls_are_forgotten_and_its_events_discarded() {
    let (connection, mut events, peer) = start();
    let (member, mut inbox) = connection.join(4);
    assert!(member.own("own"));
    member.send(1, id("own"), "Test.never", None).unwrap();
    assert_eq!(connection.pending(), 1);
    drop(member);
    assert_eq!(connection.pending(), 0);
    assert_eq!(next(&mut inbox).await, "end");
    peer.event(Some("own"), "Test.event", json!({}));
    peer.attach(Some("own"), "page", "page");
    peer.event(Some("page"), "Test.event", json!({}));
    settle(&connection).await;
    assert!(events.try_recv().is_none());
    let (heir, mut heirs_inbox) = connection.join(4);
    assert!(heir.own("own"), "it is nobody's");
    peer.event(Some("page"), "Test.event", json!({}));
    assert_eq!(next(&mut heirs_inbox).await, "page Test.event");
    peer.detach(None, "own");
    settle(&connection).await;
    assert_eq!(
        events.recv().await.unwrap().method,
        "Target.detachedFromTarget"
    );
}

#[tokio::test]
async fn a_garbled_answer_is_an_error_for_the_member() {
    let (connection, _events, peer) = start();
    let (member, mut inbox) = connection.join(4);
    assert!(member.own("own"));
    member.send(5, id("own"), "Test.never", None).unwrap();
    let wire = peer.call("Test.never", 1).await.unwrap().id;
    peer.raw(format!("{{\"id\":{wire},\"result\":oops}}\0"));
    assert_eq!(next(&mut inbox).await, "5 own failed -32603");
}

#[tokio::test]
async fn a_full_outgoing_queue_is_reported() {
    let (connection, _events, _peer) = Script::new().deaf().outgoing_limit(1).start();
    let (member, _inbox) = connection.join(4);
    assert!(member.own("own"));
    member.send(1, id("own"), "Test.a", None).unwrap();
    let sent = member.send(2, id("own"), "Test.a", None);
    assert_eq!(sent, Err(SendError::Full));
}

#[tokio::test]
async fn input_of_every_sender_comes_in_the_milliseconds_of_one_clock() {
    let (connection, _events, peer) = Script::new().start();
    let (member, _inbox) = connection.join(16);
    assert!(member.own("M"));
    for id in 0..3 {
        let params = raw(&json!({"type": "mouseMoved", "x": id, "y": 0}));
        let own = Some(SessionId::from("S"));
        drop(connection.post_raw(own.as_ref(), "Input.dispatchMouseEvent", Some(params)));
        let params = raw(&json!({"type": "keyUp", "timestamp": 7.25}));
        member
            .send(id, Some("M".into()), "Input.dispatchKeyEvent", Some(params))
            .expect("it is open");
    }
    peer.call("Input.dispatchKeyEvent", 3).await;
    let times: Vec<f64> = peer
        .calls()
        .iter()
        .map(|call| call.params["timestamp"].as_f64().expect("a time"))
        .collect();
    assert_eq!(times.len(), 6);
    for pair in times.windows(2) {
        let gap = (pair[1] - pair[0]) * 1000.0;
        assert!(gap > -0.01 && (gap - gap.round()).abs() < 0.01, "{times:?}");
    }
}
