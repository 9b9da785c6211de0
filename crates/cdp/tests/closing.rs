//! The end of a connection, whatever causes it, ends everything that waits for it.

use std::time::Duration;

use futures_util::FutureExt;
use serde_json::json;
use szk_cdp::testing::{Answer, Peer, Script};
use szk_cdp::{CallError, CloseReason, Connection, Inbound, SubscriptionError};

/// One of everything that waits, ended by `end`. Returns the reason.
async fn check(script: Script, end: impl FnOnce(&Connection, &Peer)) -> String {
    let (connection, mut events, peer) = script.answer("Test.never", Answer::silence()).start();
    let mut subscription = connection.subscribe();
    let (member, mut inbox) = connection.join(16);
    assert!(member.own("M"));
    let pending = connection.post_raw(None, "Test.never", None);
    member
        .send(1, Some("M".into()), "Test.never", None)
        .expect("it is open");
    peer.call("Test.never", 2).await.expect("both were sent");

    end(&connection, &peer);

    let Err(CallError::Closed { reason }) = pending.await else {
        panic!("the pending call did not end with the connection");
    };
    let late = connection.call_raw(None, "Test.late", None).await;
    assert!(matches!(late, Err(CallError::Closed { .. })));
    assert!(member.send(2, Some("M".into()), "Test.late", None).is_err());
    while events.recv().await.is_some() {}
    while !matches!(subscription.recv().await, Err(SubscriptionError::Closed)) {}
    assert!(inbox.recv().await.is_none());
    assert!(connection.join(1).1.recv().await.is_none());
    let after = connection.subscribe().recv().await;
    assert!(matches!(after, Err(SubscriptionError::Closed)));
    assert!(connection.is_closed());
    assert_eq!(connection.closed().await.to_string(), reason.to_string());
    assert_eq!(connection.pending(), 0);
    peer.ended().await;
    reason.to_string()
}

#[tokio::test]
async fn by_the_browser() {
    let reason = check(Script::new(), |_, peer| peer.close()).await;
    assert_eq!(reason, CloseReason::Ended.to_string());
}

#[tokio::test]
async fn by_the_browser_inside_a_message() {
    let reason = check(Script::new(), |_, peer| {
        peer.raw("{\"id\":1,\"resu");
        peer.close();
    });
    assert_eq!(reason.await, CloseReason::Ended.to_string());
}

#[tokio::test]
async fn by_us() {
    let reason = check(Script::new(), |connection, _| connection.close()).await;
    assert_eq!(reason, CloseReason::Asked.to_string());
}

#[tokio::test]
async fn by_a_message_that_is_too_large() {
    let script = Script::new().message_limit(100);
    let reason = check(script, |_, peer| peer.raw([b'x'; 101])).await;
    assert_eq!(reason, CloseReason::Oversized { limit: 100 }.to_string());
}

#[tokio::test]
async fn by_a_supervisor_that_is_too_slow() {
    let reason = check(Script::new().events_limit(2), |_, peer| {
        for n in 0..3 {
            peer.event(None, "Test.event", json!({ "n": n }));
        }
    });
    assert_eq!(reason.await, CloseReason::Overflow.to_string());
}

#[tokio::test]
async fn what_was_posted_before_closing_is_written() {
    let (connection, _events, peer) = Script::new().start();
    let reply = connection.post_raw(None, "Browser.close", None);
    connection.close();
    assert!(matches!(reply.await, Err(CallError::Closed { .. })));
    peer.ended().await;
    assert_eq!(peer.methods(), ["Browser.close"]);
}

#[tokio::test]
async fn dropping_the_last_handle_closes_the_pipe() {
    let (connection, mut events, peer) = Script::new().start();
    let (member, mut inbox) = connection.join(1);
    drop(connection);
    assert!(peer.call("Test.none", 1).now_or_never().is_none());
    drop(member);
    peer.ended().await;
    assert!(events.recv().await.is_none());
    assert!(inbox.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_does_not_read_cannot_hold_the_pipe_open() {
    let (ours, theirs) = tokio::io::duplex(16);
    let (reader, _messages) = tokio::io::duplex(16);
    let (connection, _events) = Connection::start(reader, ours);
    let reply = connection.post_raw(None, "Test.longerThanThePipe", None);
    connection.close();
    assert!(reply.await.is_err());
    // The other end sees what fitted, then the end of input.
    let mut theirs = theirs;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut read = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut theirs, &mut read)
        .await
        .unwrap();
    assert_eq!(read.len(), 16);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_ends_the_connection_even_if_nothing_else_does() {
    let (ours, theirs) = tokio::io::duplex(16);
    let (reader, _messages) = tokio::io::duplex(16);
    let (connection, _events) = Connection::start(reader, ours);
    drop(theirs);
    let reply = connection.post_raw(None, "Test.a", None);
    let Err(CallError::Closed { reason }) = reply.await else {
        panic!("the call did not end");
    };
    assert!(matches!(*reason, CloseReason::Write(_)), "{reason}");
}

#[tokio::test]
async fn the_last_messages_of_a_browser_that_exits_are_heard() {
    let bye = Answer::ok(json!({})).and(Answer::close());
    let (connection, _events, _peer) = Script::new().answer("Browser.close", bye).start();
    let (_member, mut inbox) = connection.join(4);
    connection
        .call_raw(None, "Browser.close", None)
        .await
        .unwrap();
    assert!(matches!(*connection.closed().await, CloseReason::Ended));
    assert!(!matches!(inbox.recv().await, Some(Inbound::Overflow)));
}
