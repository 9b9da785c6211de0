//! Cookies whose network service does not stay.

use std::process::{Child, Command};
use std::sync::Mutex;

use serde_json::json;
use szk_cdp::testing::{Answer, Script};

use super::*;

#[tokio::test]
async fn cookies_are_restored_again_if_the_network_service_dies_meanwhile() {
    let service: Child = Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = service.id();
    let service = Mutex::new(Some(service));
    let script = Script::new()
        .answer(
            "SystemInfo.getProcessInfo",
            json!({"processInfo": [{"type": "network.mojom.NetworkService", "id": pid}]}),
        )
        .answer("Storage.getCookies", json!({"cookies": []}))
        .answer_with(move |call| {
            if call.method != "Storage.setCookies" {
                return None;
            }
            let mut service = service.lock().unwrap().take()?;
            service.kill().unwrap();
            service.wait().unwrap();
            Some(Answer::silence())
        });
    let (connection, _events, peer) = script.start();
    let cookie = json!({"name": "a", "value": "1", "domain": "a.test"});
    let found = SavedState {
        state: StorageState {
            cookies: vec![serde_json::from_value(cookie).unwrap()],
            ..StorageState::default()
        },
        cookies: Truth::Nothing,
        storage: Truth::Nothing,
        changed: BTreeMap::new(),
    };
    let (set, _) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!(set.lost, 1);
    let sent = peer.methods();
    let sent = sent.iter().filter(|sent| *sent == "Storage.setCookies");
    assert_eq!(sent.count(), 2);
}

/// The first one is still exiting when the second one answers.
#[tokio::test]
async fn cookies_are_restored_again_if_another_network_service_answers() {
    let sleeps = || Command::new("sleep").arg("1000").spawn().unwrap();
    let (mut first, mut second) = (sleeps(), sleeps());
    let runs = |service: &Child| {
        let service = json!({"type": "network.mojom.NetworkService", "id": service.id()});
        Answer::ok(json!({"processInfo": [service]}))
    };
    let cookie = json!({"name": "a", "value": "new", "domain": "a.test"});
    let has = |value: &str| {
        let mut cookie = cookie.clone();
        cookie["value"] = json!(value);
        cookie["path"] = json!("/");
        Answer::ok(json!({"cookies": [cookie]}))
    };
    let script = Script::new()
        .nth("SystemInfo.getProcessInfo", 1, runs(&first))
        .answer("SystemInfo.getProcessInfo", runs(&second))
        .nth("Storage.getCookies", 4, has("new"))
        .answer("Storage.getCookies", has("old"));
    let (connection, _events, peer) = script.start();
    let found = SavedState {
        state: StorageState {
            cookies: vec![serde_json::from_value(cookie.clone()).unwrap()],
            ..StorageState::default()
        },
        cookies: Truth::Reading,
        storage: Truth::Nothing,
        changed: BTreeMap::new(),
    };
    let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!(set.now[0].value, "new");
    assert_eq!(network.map(|network| network.pid()), Some(second.id()));
    let sent = peer.methods();
    let sent = sent.iter().filter(|sent| *sent == "Storage.setCookies");
    assert_eq!(sent.count(), 2);
    for service in [&mut first, &mut second] {
        service.kill().unwrap();
        service.wait().unwrap();
    }
}

/// Nobody saw the first one, which died once it had taken them.
#[tokio::test]
async fn cookies_are_restored_again_if_nobody_saw_which_service_took_them() {
    let mut service = Command::new("sleep").arg("1000").spawn().unwrap();
    let runs = json!([{"type": "network.mojom.NetworkService", "id": service.id()}]);
    let cookie = json!({"name": "a", "value": "1", "domain": "a.test", "path": "/"});
    let has_it = json!({"cookies": [cookie]});
    let script = Script::new()
        .nth(
            "SystemInfo.getProcessInfo",
            1,
            Answer::ok(json!({"processInfo": []})),
        )
        .answer("SystemInfo.getProcessInfo", json!({"processInfo": runs}))
        .nth("Storage.getCookies", 2, Answer::ok(has_it.clone()))
        .nth("Storage.getCookies", 4, Answer::ok(has_it))
        .answer("Storage.getCookies", json!({"cookies": []}));
    let (connection, _events, peer) = script.start();
    let found = SavedState {
        state: StorageState {
            cookies: vec![serde_json::from_value(cookie).unwrap()],
            ..StorageState::default()
        },
        cookies: Truth::Nothing,
        storage: Truth::Nothing,
        changed: BTreeMap::new(),
    };
    let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!((set.lost, set.restored), (1, 1));
    assert_eq!(network.map(|network| network.pid()), Some(service.id()));
    let sent = peer.methods();
    let sent = sent.iter().filter(|sent| *sent == "Storage.setCookies");
    assert_eq!(sent.count(), 2);
    service.kill().unwrap();
    service.wait().unwrap();
}

/// Chromium starts it only for that work, and may start another one before the work is done.
#[tokio::test]
async fn a_service_is_met_while_there_is_work_for_it() {
    let mut sleeps = [(); 2].map(|()| Command::new("sleep").arg("1000").spawn().unwrap());
    let runs = |service: &Child| {
        let service = json!({"type": "storage.mojom.StorageService", "id": service.id()});
        json!({"processInfo": [service]})
    };
    let script = Script::new()
        .nth(
            "SystemInfo.getProcessInfo",
            1,
            Answer::ok(json!({"processInfo": []})),
        )
        .nth("SystemInfo.getProcessInfo", 2, Answer::ok(runs(&sleeps[0])))
        .answer("SystemInfo.getProcessInfo", runs(&sleeps[1]));
    let (connection, _events, peer) = script.start();
    let work = async {
        peer.call("SystemInfo.getProcessInfo", 2).await;
        // Answered after the one that was asked before it.
        let now = Helper::find(&connection, Keeps::LocalStorage)
            .await
            .unwrap();
        now.unwrap().pid()
    };
    let (now, met) = meeting(&connection, Keeps::LocalStorage, None, work).await;
    assert_eq!(
        (now, met.map(|met| met.pid())),
        (sleeps[1].id(), Some(sleeps[0].id()))
    );
    for service in &mut sleeps {
        service.kill().unwrap();
        service.wait().unwrap();
    }
}
