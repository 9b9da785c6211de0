//! Clients, browsers and doors come and go.

use std::sync::Arc;

use serde_json::json;
use szk_cdp::testing::{Answer, Script};
use tokio::net::TcpStream;

use super::rig::{Browser, Client, Rig, within};
use crate::Scope;

#[tokio::test]
async fn a_client_that_leaves_takes_its_session_and_contexts_along() {
    let script = Script::new().answer(
        "Target.createBrowserContext",
        json!({"browserContextId": "C"}),
    );
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    client
        .call(json!({"id": 1, "method": "Target.createBrowserContext"}))
        .await;
    client.leave().await;
    let detach = rig.browser.call("Target.detachFromTarget", 1).await;
    assert_eq!(
        (detach.session, detach.params),
        (None, json!({"sessionId": "B1"}))
    );
    let dispose = rig.browser.call("Target.disposeBrowserContext", 1).await;
    assert_eq!(
        (dispose.session, dispose.params),
        (None, json!({"browserContextId": "C"}))
    );
}

#[tokio::test]
async fn a_client_that_is_cut_off_leaves_nothing_behind_either() {
    let rig = Rig::new().await;
    let client = rig.client().await;
    drop(client);
    assert_eq!(
        rig.browser.call("Target.detachFromTarget", 1).await.params["sessionId"],
        "B1"
    );
    within(rig.listener.client_count().wait_for(|count| *count == 0))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_context_that_was_being_made_goes_too() {
    let script = Script::new().answer("Target.createBrowserContext", Answer::silence());
    let rig = Rig::scripted(script).await;
    let mut client = rig.client().await;
    client
        .send(json!({"id": 1, "method": "Target.createBrowserContext"}))
        .await;
    let create = rig.browser.call("Target.createBrowserContext", 1).await;
    client.leave().await;
    assert!(!rig.browser.heard("Target.detachFromTarget"));
    rig.browser
        .peer
        .reply(&create, json!({"browserContextId": "late"}));
    let dispose = rig.browser.call("Target.disposeBrowserContext", 1).await;
    assert_eq!(dispose.params["browserContextId"], "late");
}

#[tokio::test]
async fn the_endpoint_knows_who_is_connected() {
    let rig = Rig::new().await;
    let mut count = rig.listener.client_count();
    let agent = [("user-agent", "Probe/1")];
    let browser = Client::connect_with(&rig.listener.ws_url(), &agent)
        .await
        .unwrap();
    let _page = rig.page("t").await;
    let clients = rig.listener.clients();
    let seen: Vec<_> = clients
        .iter()
        .map(|client| (client.id, client.scope.clone(), client.agent.as_deref()))
        .collect();
    let scope = Scope::Page {
        target_id: "t".into(),
    };
    assert_eq!(
        seen,
        [(1, Scope::Browser, Some("Probe/1")), (2, scope, None)]
    );
    assert_eq!(*count.borrow_and_update(), 2);
    browser.leave().await;
    within(count.wait_for(|count| *count == 1)).await.unwrap();
}

#[tokio::test]
async fn a_client_of_a_page_ends_with_it() {
    let rig = Rig::new().await;
    let mut client = rig.page("t").await;
    rig.browser.peer.event(
        Some("P1"),
        "Inspector.detached",
        json!({"reason": "target_closed"}),
    );
    rig.browser.peer.detach(Some("B1"), "P1");
    assert_eq!(client.next().await["method"], "Inspector.detached");
    assert_eq!(client.ended().await, Some(1000));
}

#[tokio::test]
async fn a_browser_that_goes_is_told_and_the_next_one_is_served_at_the_same_address() {
    let rig = Rig::new().await;
    let (url, mut client) = (rig.listener.ws_url(), rig.client().await);
    rig.browser.peer.close();
    assert_eq!(client.ended().await, Some(1012));
    within(rig.listener.client_count().wait_for(|count| *count == 0))
        .await
        .unwrap();
    assert_eq!(rig.get("/json/version").await.status, 503);
    assert_eq!(Client::connect(&url).await.unwrap_err(), 503);
    let next = Browser::start(Script::new());
    rig.listener.attach(next.supervisor.clone());
    assert_eq!(rig.get("/json/version").await.status, 200);
    let mut client = Client::connect(&url).await.unwrap();
    client
        .call(json!({"id": 1, "method": "Test.echo", "params": {}}))
        .await;
    assert!(next.heard("Test.echo"));
}

#[tokio::test]
async fn clients_of_a_replaced_browser_are_told_at_once() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let next = Browser::start(Script::new());
    rig.listener.attach(next.supervisor.clone());
    assert_eq!(client.ended().await, Some(1012));
    // The end of the old one says nothing about the new one.
    rig.browser.peer.close();
    within(rig.browser.stage_closed()).await;
    assert_eq!(rig.get("/json/version").await.status, 200);
    rig.listener.detach();
    assert_eq!(rig.get("/json/version").await.status, 503);
    // Nothing here keeps its pipe open.
    within(async {
        while Arc::strong_count(&next.supervisor) > 1 {
            tokio::task::yield_now().await
        }
    })
    .await;
}

#[tokio::test]
async fn an_endpoint_that_closes_says_so_and_frees_its_port() {
    let rig = Rig::new().await;
    let mut client = rig.client().await;
    let (address, Rig { listener, .. }) = (rig.listener.address(), rig);
    let (code, ()) = tokio::join!(client.ended(), listener.close());
    assert_eq!(code, Some(1001));
    assert!(TcpStream::connect(address).await.is_err());
}
