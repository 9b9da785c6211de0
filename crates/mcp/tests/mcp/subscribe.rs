//! What a client is told of what it subscribed to, in both ways of the protocol.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::{Peer, soon};

const TABS: &str = "szk://sessions/work/tabs";

fn event(what: Value) -> Value {
    let mut event = json!({"seq": 1, "at": "2026-11-23T00:00:00Z"});
    event
        .as_object_mut()
        .unwrap()
        .extend(what.as_object().unwrap().clone());
    json!({"event": event})
}

async fn until_followed(fake: &Arc<Fake>) {
    let mut following = fake.following.subscribe();
    soon(following.wait_for(|count| *count > 0)).await.unwrap();
}

/// What both ways tell, from an open session to its end.
async fn check(fake: &Arc<Fake>, peer: &mut Peer) {
    until_followed(fake).await;
    // Three changes that come together are told once, and what nobody asked for not at all.
    for tab in ["t1", "t2"] {
        let opened = json!({"event": "tab_opened", "tab": tab, "url": "about:blank"});
        fake.happens.send(event(opened)).unwrap();
    }
    let came = json!({"event": "client_came", "client": "x"});
    fake.happens.send(event(came)).unwrap();
    fake.happens.send(json!({"missed": 3})).unwrap();
    let note = peer.next().await;
    assert_eq!(note["method"], "notifications/resources/updated", "{note}");
    assert_eq!(note["params"]["uri"], TABS);
    // A session that closes changes the list.
    fake.open.store(false, Ordering::SeqCst);
    let note = peer.next().await;
    assert_eq!(
        note["method"], "notifications/resources/list_changed",
        "{note}"
    );
}

#[tokio::test]
async fn older_clients_subscribe_one_by_one() {
    let fake = Fake::new();
    fake.open.store(true, Ordering::SeqCst);
    let mut peer = Peer::start(&fake);
    let agreed = peer.initialize("2025-11-25").await;
    let resources = &agreed["result"]["capabilities"]["resources"];
    assert_eq!(*resources, json!({"subscribe": true, "listChanged": true}));
    peer.request(1, "resources/subscribe", json!({"uri": TABS}));
    assert_eq!(peer.next().await["result"], json!({}));
    check(&fake, &mut peer).await;
    peer.request(
        2,
        "resources/subscribe",
        json!({"uri": "szk://sessions/work/secrets"}),
    );
    assert_eq!(peer.next().await["error"]["code"], -32002);
    peer.request(3, "resources/unsubscribe", json!({"uri": TABS}));
    assert_eq!(peer.next().await["result"], json!({}));
    peer.lives().await;
}

#[tokio::test]
async fn newer_clients_listen() {
    let fake = Fake::new();
    fake.open.store(true, Ordering::SeqCst);
    let mut peer = Peer::start(&fake);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({"toolsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": [TABS, "szk://sessions/work/secrets"]});
    let params = json!({"notifications": wanted, "_meta": meta});
    peer.request(7, "subscriptions/listen", params);
    let told = peer.next().await;
    assert_eq!(
        told["method"], "notifications/subscriptions/acknowledged",
        "{told}"
    );
    let accepted = json!({"resourcesListChanged": true, "resourceSubscriptions": [TABS]});
    assert_eq!(told["params"]["notifications"], accepted);
    check(&fake, &mut peer).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    peer.send(&cancel);
    peer.request(8, "tools/list", json!({"_meta": meta}));
    assert_eq!(peer.next().await["id"], 8);
}

#[tokio::test]
async fn skills_are_listed_and_read() {
    let fake = Fake::new();
    let mut peer = Peer::start(&fake);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    peer.request(1, "skills/list", json!({"_meta": meta}));
    let list = peer.next().await;
    let skill = &list["result"]["skills"][0];
    assert_eq!(skill["frontmatter"]["name"], "szk", "{list}");
    assert!(list["result"]["ttlMs"].as_u64().unwrap() > 0);
    peer.request(2, "skills/get", json!({"uri": skill["uri"], "_meta": meta}));
    assert_eq!(peer.next().await["result"]["skill"], *skill);
    for (number, file) in (3..).zip(skill["resources"].as_array().unwrap()) {
        peer.request(
            number,
            "resources/read",
            json!({"uri": file["uri"], "_meta": meta}),
        );
        let read = peer.next().await;
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert_eq!(text.len() as u64, file["size"].as_u64().unwrap());
    }
    peer.request(
        99,
        "skills/get",
        json!({"uri": "skill://other/SKILL.md", "_meta": meta}),
    );
    assert_eq!(peer.next().await["error"]["code"], -32602);
}
