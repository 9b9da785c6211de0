//! Calls of the default owner; each of them ends.

use std::collections::HashSet;

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use szk_cdp::protocol::browser::GetVersionParams;
use szk_cdp::protocol::dom::GetFrameOwnerParams;
use szk_cdp::protocol::page;
use szk_cdp::testing::{Answer, Script};
use szk_cdp::{CallError, Done, Reply, Request, SessionId};

fn raw(json: serde_json::Value) -> Option<Box<RawValue>> {
    Some(to_raw_value(&json).expect("a value has a JSON form"))
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Version {
    product: String,
}

#[tokio::test]
async fn a_typed_call_is_answered_even_if_the_answer_is_from_the_future() {
    let answer = json!({"product": "Chrome/156", "userAgent": 7, "unheardOf": {}});
    let (connection, _events, peer) = Script::new().answer("Browser.getVersion", answer).start();
    let session = SessionId::from("S");
    let version: Version = connection
        .ask(Some(&session), &GetVersionParams {})
        .await
        .unwrap();
    assert_eq!(version.product, "Chrome/156");
    let call = &peer.calls()[0];
    assert_eq!(call.session.as_deref(), Some("S"));
    assert_eq!(call.params, json!({}));
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn the_nth_call_fails_with_the_words_of_the_browser() {
    let (connection, _events, _peer) = Script::new()
        .fail_nth("Page.enable", 2, -32000, "Not now")
        .start();
    let enable = || connection.post::<Done>(None, &page::EnableParams::default());
    enable().await.unwrap();
    match enable().await {
        Err(CallError::Remote { code, message, .. }) => {
            assert_eq!((code, message.as_str()), (-32000, "Not now"));
        }
        other => panic!("{other:?}"),
    }
    enable().await.unwrap();
}

#[tokio::test]
async fn an_answer_of_the_wrong_type_is_unreadable_and_names_its_method() {
    let (connection, _events, _peer) = Script::new()
        .answer("Browser.getVersion", json!("text"))
        .start();
    let error = connection
        .ask::<Version>(None, &GetVersionParams {})
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("`Browser.getVersion`"),
        "{error}"
    );
    assert!(matches!(error, CallError::Unreadable { .. }));
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
    node_id: Option<i64>,
}

#[tokio::test]
async fn a_callers_own_type_reads_only_the_fields_it_names() {
    let (connection, _events, peer) = Script::new()
        .nth(
            "DOM.getFrameOwner",
            1,
            Answer::ok(json!({"backendNodeId": 7, "nodeId": 1, "more": {}})),
        )
        .nth(
            "DOM.getFrameOwner",
            2,
            Answer::ok(json!({"backendNodeId": 7})),
        )
        .start();
    let session = SessionId::from("S");
    for node_id in [Some(1), None] {
        let params = GetFrameOwnerParams::new("F".to_owned());
        let owner: Owner = connection.ask(Some(&session), &params).await.unwrap();
        let expected = Owner {
            backend_node_id: 7,
            node_id,
        };
        assert_eq!(owner, expected);
    }
    let call = &peer.calls()[0];
    assert_eq!(call.session.as_deref(), Some("S"));
    assert_eq!(call.params, json!({"frameId": "F"}));
}

#[tokio::test]
async fn a_type_erased_command_is_written_like_a_typed_one() {
    let (connection, _events, peer) = Script::new().start();
    let typed = page::NavigateParams::new("about:blank");
    let request = Request::of(&typed);
    assert_eq!(request.method(), "Page.navigate");
    connection.tell(None, &typed);
    connection.post::<Done>(None, &request).await.unwrap();
    let [one, two] = peer.calls().try_into().unwrap();
    assert_eq!((one.method, one.params), (two.method, two.params));
}

#[tokio::test]
async fn a_thousand_calls_in_flight_keep_their_order_and_find_their_answers() {
    let echo = |call: &szk_cdp::testing::Call| Some(Answer::ok(call.params.clone()));
    let (connection, _events, peer) = Script::new().answer_with(echo).start();
    let replies: Vec<Reply<_>> = (0..1000)
        .map(|n| connection.post_raw(None, "Test.echo", raw(json!({"n": n}))))
        .collect();
    for (n, reply) in replies.into_iter().enumerate() {
        assert_eq!(reply.await.unwrap().get(), json!({"n": n}).to_string());
    }
    let calls = peer.calls();
    let ids: HashSet<_> = calls.iter().map(|call| call.id).collect();
    assert_eq!(ids.len(), 1000);
    assert!(ids.iter().all(|id| *id < 1 << 31));
    assert!(
        calls
            .iter()
            .enumerate()
            .all(|(n, call)| call.params["n"] == n)
    );
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn replies_may_come_in_any_order() {
    let (connection, _events, peer) = Script::new().answer("Test.a", Answer::silence()).start();
    let first = connection.post_raw(None, "Test.a", None);
    let second = connection.post_raw(None, "Test.a", None);
    let late = peer.call("Test.a", 1).await.unwrap();
    let early = peer.call("Test.a", 2).await.unwrap();
    peer.reply(&early, json!(2));
    assert_eq!(second.await.unwrap().get(), "2");
    peer.reply(&late, json!(1));
    assert_eq!(first.await.unwrap().get(), "1");
}

#[tokio::test]
async fn a_dropped_caller_leaves_nothing_behind() {
    let (connection, _events, peer) = Script::new()
        .answer("Test.never", Answer::silence())
        .start();
    let reply = connection.post_raw(None, "Test.never", None);
    assert_eq!(connection.pending(), 1);
    drop(reply);
    assert_eq!(connection.pending(), 0);
    let call = peer.call("Test.never", 1).await.unwrap();
    peer.reply(&call, json!({"late": true}));
    connection.call_raw(None, "Test.next", None).await.unwrap();

    let budget = std::time::Duration::from_millis(1);
    let call = connection.call_raw(None, "Test.never", None);
    assert!(tokio::time::timeout(budget, call).await.is_err());
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn garbage_is_skipped_and_a_garbled_answer_ends_its_call() {
    let garbage: [&[u8]; 5] = [b"", b"garbage", b"{\"id\":", b"[1,2]", b"\xff\xfe"];
    let (connection, _events, peer) = Script::new()
        .answer("Test.never", Answer::silence())
        .start();
    let reply = connection.post_raw(None, "Test.never", None);
    let id = peer.call("Test.never", 1).await.unwrap().id;
    for bytes in garbage {
        peer.raw([bytes, b"\0"].concat());
    }
    connection.call_raw(None, "Test.next", None).await.unwrap();
    peer.raw(format!("{{\"id\":{id},\"result\":\0"));
    match reply.await {
        Err(CallError::Unreadable { method, .. }) => assert_eq!(method, "Test.never"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_command_that_does_not_fit_the_queue_is_not_sent() {
    let (connection, _events, _peer) = Script::new().deaf().outgoing_limit(2).start();
    // The writer has not run yet, so both wait.
    let first = connection.post_raw(None, "Test.a", None);
    let second = connection.post_raw(None, "Test.a", None);
    let third = connection.post_raw(None, "Test.a", None);
    assert!(matches!(third.await, Err(CallError::NotSent)));
    assert_eq!(connection.pending(), 2);
    drop((first, second));
}

#[tokio::test]
async fn an_unknown_session_counts_as_gone() {
    let (connection, _events, _peer) = Script::new()
        .answer(
            "Test.a",
            Answer::error(-32001, "Session with given id not found."),
        )
        .start();
    let session = SessionId::from("S");
    let on_session = connection.call_raw(Some(&session), "Test.a", None).await;
    assert!(matches!(on_session, Err(CallError::SessionGone)));
    let on_root = connection.call_raw(None, "Test.a", None).await;
    assert!(matches!(on_root, Err(CallError::Remote { .. })));
}
