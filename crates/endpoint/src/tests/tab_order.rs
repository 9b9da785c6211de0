//! However clients interleave: each hears its own, all of it, in the order of the wire.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::rig::{Client, Rig};

/// A command: on a session of the client (0 is its root) and how much it carries.
type Say = (usize, usize);

const CHILDREN: usize = 2;

async fn speak(mut client: Client, name: usize, says: Vec<Say>) -> (usize, Vec<Say>, Vec<Value>) {
    let mut sessions = vec![None];
    for _ in 0..CHILDREN {
        sessions.push(Some(client.attach("t").await));
    }
    for (id, (session, size)) in says.iter().enumerate() {
        let params = json!({"name": name, "nth": id, "bulk": "x".repeat(*size)});
        let mut command = json!({"id": id, "method": "Test.echo", "params": params});
        if let Some(session) = &sessions[*session] {
            command["sessionId"] = session.as_str().into();
        }
        client.send(command).await;
    }
    let mut heard = Vec::new();
    for _ in 0..says.len() * 2 {
        heard.push(client.next().await);
    }
    // Where it was said, for the comparison.
    let expected = sessions
        .iter()
        .map(|session| session.clone().map(Value::from))
        .collect::<Vec<_>>();
    for (nth, pair) in heard.chunks(2).enumerate() {
        for message in pair {
            assert_eq!(message.get("sessionId"), expected[says[nth].0].as_ref());
        }
    }
    (name, says, heard)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn clients_never_cross_and_keep_their_order(all in vec(vec((0..=CHILDREN, 0_usize..2000), 0..40), 1..5)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let rig = Rig::new().await;
            let mut speaking = tokio::task::JoinSet::new();
            for (name, says) in all.into_iter().enumerate() {
                speaking.spawn(speak(rig.client().await, name, says));
            }
            while let Some(spoken) = speaking.join_next().await {
                let (name, says, heard) = spoken.unwrap();
                for (nth, pair) in heard.chunks(2).enumerate() {
                    let said = json!({"name": name, "nth": nth, "bulk": "x".repeat(says[nth].1)});
                    assert_eq!(pair[0]["params"], said, "the event comes first");
                    assert_eq!((&pair[1]["id"], &pair[1]["result"]), (&json!(nth), &said));
                }
            }
        });
    }
}

#[tokio::test]
async fn a_target_that_ends_while_targets_are_sorted_was_announced_before() {
    let attach = "Target.setAutoAttach";
    let rig = Rig::scripted(Script::new().answer(attach, Answer::silence())).await;
    rig.browser.ordered(&["T-first", "T-second"]);
    let mut client = rig.client().await;
    client
        .send(json!({"id": 1, "method": attach, "params": {"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}}))
        .await;
    let call = rig.browser.call(attach, 1).await;
    let peer = &rig.browser.peer;
    peer.attach(Some("B1"), "ends", "page");
    peer.detach(Some("B1"), "ends");
    for session in ["second", "first"] {
        peer.attach(Some("B1"), session, "page");
    }
    peer.reply(&call, json!({}));
    let mut heard = Vec::new();
    for _ in 0..4 {
        let event = client.next().await;
        let of = event["params"]["sessionId"].as_str().expect("a session");
        heard.push(format!(
            "{} {of}",
            event["method"].as_str().expect("an event")
        ));
    }
    let expected = [
        "Target.attachedToTarget ends",
        "Target.detachedFromTarget ends",
        "Target.attachedToTarget first",
        "Target.attachedToTarget second",
    ];
    assert_eq!(heard, expected);
    assert_eq!(client.next().await["id"], 1);
}
