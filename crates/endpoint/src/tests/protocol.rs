//! What a client's messages look like on the pipe, and the browser's to the client.

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::rig::{Client, Rig, Setup, within};
use crate::limits::Limits;

fn echo(id: i32, what: &str) -> Value {
    json!({"id": id, "method": "Test.echo", "params": {"what": what}})
}

#[tokio::test]
async fn the_root_of_a_client_is_a_session_of_its_own() {
    let rig = Rig::new().await;
    let (mut one, mut two) = (rig.client().await, rig.client().await);
    for (client, session) in [(&mut one, "B1"), (&mut two, "B2")] {
        let event = client.call(echo(1, session)).await;
        assert_eq!(
            event,
            json!({"method": "Test.said", "params": {"what": session}})
        );
        assert_eq!(
            client.next().await,
            json!({"id": 1, "result": {"what": session}})
        );
    }
    let calls = rig
        .browser
        .peer
        .calls()
        .into_iter()
        .filter(|call| call.method == "Test.echo");
    let sessions: Vec<_> = calls.map(|call| call.session.unwrap()).collect();
    assert_eq!(sessions, ["B1", "B2"]);
}

#[tokio::test]
async fn child_sessions_keep_their_ids() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    assert_eq!(client.attach("t").await, "P1");
    let mut command = echo(2, "x");
    command["sessionId"] = "P1".into();
    assert_eq!(client.call(command).await["sessionId"], "P1");
    assert_eq!(
        client.next().await,
        json!({"id": 2, "result": {"what": "x"}, "sessionId": "P1"})
    );
    // Those of children, too, and the empty name is the root.
    rig.browser.peer.attach(Some("P1"), "C1", "iframe");
    assert_eq!(client.next().await["params"]["sessionId"], "C1");
    let mut command = echo(3, "y");
    command["sessionId"] = "C1".into();
    assert_eq!(client.call(command).await["sessionId"], "C1");
    client.next().await;
    let mut command = echo(4, "z");
    command["sessionId"] = "".into();
    assert_eq!(
        client.call(command).await,
        json!({"method": "Test.said", "params": {"what": "z"}})
    );
}

#[tokio::test]
async fn a_client_hears_of_a_sessions_end_before_its_commands_fail() {
    let rig = Rig::scripted(Script::new().answer("Test.slow", Answer::silence())).await;
    let mut client = rig.client().await;
    let page = client.attach("t").await;
    client
        .send(json!({"id": 2, "method": "Test.slow", "sessionId": page}))
        .await;
    rig.browser.call("Test.slow", 1).await;
    rig.browser.peer.detach(Some("B1"), &page);
    assert_eq!(client.next().await["method"], "Target.detachedFromTarget");
    assert_eq!(client.next().await["error"]["code"], -32001);
}

#[tokio::test]
async fn ids_come_back_as_they_were_even_twice() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    for id in [0, -7, i32::MIN, i32::MAX, 5, 5] {
        client.call(echo(id, "x")).await;
        assert_eq!(client.next().await["id"], id);
    }
    client
        .say(r#"{"id":3.0,"method":"Test.echo","params":{}}"#)
        .await;
    client.next().await;
    assert_eq!(client.next().await["id"], 3);
}

#[tokio::test]
async fn parameters_and_results_pass_as_they_were_written() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    // Not what a parser and a writer would make of it.
    client.say(r#"{"params":{"b":1.0,"a":12345678901234567890123,"\u0061":[ ]},"method":"Test\u002eecho","id":1}"#).await;
    let call = rig.browser.call("Test.echo", 1).await;
    assert_eq!(call.params["a"], json!([]));
    assert_eq!(client.next().await["method"], "Test.said");
}

#[tokio::test]
async fn a_session_of_somebody_else_is_unknown() {
    let rig = Rig::new().await;
    let (mut one, mut two) = (rig.client().await, rig.client().await);
    let page = one.attach("t").await;
    rig.browser.peer.attach(None, "supervisors", "page");
    for session in [&*page, "B1", "B2", "supervisors", "never heard of"] {
        let mut command = echo(9, "x");
        command["sessionId"] = session.into();
        let error = json!({"id": 9, "error": {"code": -32001, "message": "Session with given id not found."}});
        assert_eq!(two.call(command).await, error, "{session}");
    }
    assert!(!rig.browser.heard("Test.echo"));
}

#[tokio::test]
async fn errors_of_the_browser_pass_unchanged() {
    let script = Script::new().answer("No.such", Answer::error(-32601, "'No.such' wasn't found"));
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    let error = json!({"id": 1, "error": {"code": -32601, "message": "'No.such' wasn't found"}});
    assert_eq!(
        client.call(json!({"id": 1, "method": "No.such"})).await,
        error
    );
}

#[tokio::test]
async fn what_is_no_command_is_answered_as_chromium_does_and_the_socket_lives() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let deep = format!(
        r#"{{"id":1,"method":"A.b","params":{{"a":{}{}}}}}"#,
        "[".repeat(300),
        "]".repeat(300)
    );
    for (text, id, code) in [
        ("garbage", None, -32700),
        ("", None, -32700),
        ("{", None, -32700),
        (r#"{"id":1,"method":"A.b"} x"#, None, -32700),
        ("[]", None, -32600),
        ("5", None, -32600),
        ("{}", None, -32600),
        (r#"{"id":"a","method":"A.b"}"#, None, -32600),
        (r#"{"id":1.5,"method":"A.b"}"#, None, -32600),
        (r#"{"id":3000000000,"method":"A.b"}"#, None, -32600),
        (r#"{"id":null,"method":"A.b"}"#, None, -32600),
        (r#"{"id":1}"#, Some(1), -32600),
        (r#"{"method":5,"id":1}"#, Some(1), -32600),
        (r#"{"id":1,"method":"A.b","sessionId":5}"#, Some(1), -32600),
        (r#"{"id":1,"method":"A.b","params":5}"#, Some(1), -32600),
        (r#"{"id":1,"method":"A.b","extra":5}"#, Some(1), -32600),
        (r#"{"id":1,"id":2,"method":"A.b"}"#, Some(1), -32700),
        (&deep, Some(1), -32700),
    ] {
        client.say(text).await;
        let answer = client.next().await;
        assert_eq!(answer["error"]["code"], code, "{text}");
        assert_eq!(
            answer.get("id").cloned(),
            id.map(|id: i32| json!(id)),
            "{text}"
        );
    }
    assert!(!rig.browser.heard("A.b"));
    // Chromium passes over a list, which nodriver sends where there are no parameters.
    for params in [json!(null), json!([]), json!(["x"])] {
        let said = json!({"id": 1, "method": "A.b", "params": params});
        assert_eq!(client.call(said).await["id"], 1);
        assert_eq!(rig.browser.call("A.b", 1).await.params, Value::Null);
    }
}

#[tokio::test]
async fn a_message_that_is_too_big_closes_the_socket_with_its_reason() {
    let limits = Limits {
        incoming: 1000,
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let (mut big, mut other) = (rig.client().await, rig.client().await);
    // Larger than what the sockets of the system hold. All of it is taken, so that the client comes
    // to hear the reason instead of a reset in the middle of its message.
    big.say(&"x".repeat(8 << 20)).await;
    assert_eq!(big.ended().await, Some(1009));
    other.call(echo(1, "fine")).await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_dropped_alone() {
    let limits = Limits {
        outgoing_bytes: 1 << 20,
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let slow = rig.client().await;
    let mut other = rig.client().await;
    let bulk = json!({"bulk": "x".repeat(1 << 20)});
    for _ in 0..48 {
        rig.browser
            .peer
            .event(Some("B1"), "Test.bulk", bulk.clone());
    }
    within(rig.listener.client_count().wait_for(|count| *count == 1))
        .await
        .unwrap();
    other.call(echo(1, "fine")).await;
    drop(slow);
}

#[tokio::test]
async fn a_client_that_asks_without_end_is_listened_to_as_answers_come() {
    let script = Script::new().answer("Test.slow", Answer::silence());
    let limits = Limits {
        in_flight: 2,
        ..Limits::default()
    };
    let rig = Rig::with(Setup {
        script,
        limits,
        ..Setup::default()
    })
    .await;
    let mut client = rig.client().await;
    for id in 1..=3 {
        client.send(json!({"id": id, "method": "Test.slow"})).await;
    }
    let first = rig.browser.call("Test.slow", 1).await;
    rig.browser.call("Test.slow", 2).await;
    assert!(rig.browser.peer.calls().len() < 4);
    rig.browser.peer.reply(&first, json!({}));
    rig.browser.call("Test.slow", 3).await;
    assert_eq!(client.next().await["id"], 1);
}

#[tokio::test]
async fn a_client_of_a_page_has_the_page_as_its_root() {
    let rig = Rig::new().await;
    let mut client = rig.page("t").await;
    let attach = rig.browser.call("Target.attachToTarget", 1).await;
    assert_eq!(attach.session.as_deref(), Some("B1"));
    let event = client.call(echo(1, "x")).await;
    assert_eq!(
        event,
        json!({"method": "Test.said", "params": {"what": "x"}})
    );
    assert_eq!(
        rig.browser.call("Test.echo", 1).await.session.as_deref(),
        Some("P1")
    );
    assert_eq!(client.next().await["id"], 1);
    // Neither by its name, nor the browser session above it.
    for session in ["P1", "B1"] {
        let mut command = echo(2, "x");
        command["sessionId"] = session.into();
        assert_eq!(
            client.call(command).await["error"]["code"],
            -32001,
            "{session}"
        );
    }
    rig.browser.peer.event(Some("B1"), "Test.above", json!({}));
    rig.browser.peer.event(Some("P1"), "Test.own", json!({}));
    assert_eq!(client.next().await["method"], "Test.own");
}

#[tokio::test]
async fn binary_frames_are_read_as_text() {
    let rig = Rig::new().await;
    let mut client: Client = rig.client().await;
    client.say_binary(echo(1, "x").to_string().as_bytes()).await;
    client.next().await;
    client.say_binary(&[0xff, 0xfe]).await;
    client.next().await;
    assert_eq!(client.next().await["error"]["code"], -32700);
}
