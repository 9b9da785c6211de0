//! Services that do not stay while what they keep is restored.

use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Script};

use super::*;
use crate::session::Session;
use crate::testing;

/// A process in place of one of Chromium's.
struct Service(Child);

impl Service {
    fn start() -> Self {
        Self(Command::new("sleep").arg("1000").spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Chromium's answer while it runs.
    fn runs(&self, keeps: Keeps) -> Value {
        let kind = match keeps {
            Keeps::Cookies => "network.mojom.NetworkService",
            Keeps::LocalStorage => "storage.mojom.StorageService",
        };
        json!({"processInfo": [{"type": kind, "id": self.pid()}]})
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A test may have ended it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const FIND: &str = "SystemInfo.getProcessInfo";

fn cookie() -> Value {
    json!({"name": "a", "value": "1", "domain": "a.test", "path": "/"})
}

/// That cookie is all there is to restore.
fn found(cookies: Truth) -> SavedState {
    SavedState {
        state: StorageState {
            cookies: vec![serde_json::from_value(cookie()).unwrap()],
            ..StorageState::default()
        },
        cookies,
        storage: Truth::Nothing,
        changed: BTreeMap::new(),
    }
}

fn has(cookies: &[Value]) -> Answer {
    Answer::ok(json!({"cookies": cookies}))
}

fn times_set(methods: &[String]) -> usize {
    let set = methods
        .iter()
        .filter(|method| *method == "Storage.setCookies");
    set.count()
}

#[tokio::test]
async fn cookies_are_restored_again_if_the_network_service_dies_meanwhile() {
    let (mut first, second) = (Service::start(), Service::start());
    let pid = second.pid();
    let script = Script::new()
        .nth(FIND, 1, Answer::ok(first.runs(Keeps::Cookies)))
        .answer(FIND, second.runs(Keeps::Cookies))
        .answer("Storage.getCookies", has(&[]))
        .answer_with(move |call| {
            let is_first = call.method == "Storage.setCookies" && first.lives();
            is_first.then(|| {
                first.kill();
                Answer::silence()
            })
        });
    let (connection, _events, peer) = script.start();
    let found = found(Truth::Nothing);
    let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!(set.lost, 1);
    assert_eq!(network.map(|network| network.pid()), Some(pid));
    assert_eq!(times_set(&peer.methods()), 2);
}

/// The first one is still exiting when the second one answers.
#[tokio::test]
async fn cookies_are_restored_again_if_another_network_service_answers() {
    let (first, second) = (Service::start(), Service::start());
    let mut old = cookie();
    old["value"] = json!("old");
    let script = Script::new()
        .nth(FIND, 1, Answer::ok(first.runs(Keeps::Cookies)))
        .answer(FIND, second.runs(Keeps::Cookies))
        .nth("Storage.getCookies", 4, has(&[cookie()]))
        .answer("Storage.getCookies", has(&[old]));
    let (connection, _events, peer) = script.start();
    let found = found(Truth::Reading);
    let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!(set.now[0].value, "1");
    assert_eq!(network.map(|network| network.pid()), Some(second.pid()));
    assert_eq!(times_set(&peer.methods()), 2);
}

/// The first one died once it had taken them, before we saw it. Chromium may still list it.
#[tokio::test]
async fn cookies_are_restored_again_if_nobody_saw_which_service_took_them() {
    for is_still_listed in [false, true] {
        let (mut first, second) = (Service::start(), Service::start());
        first.kill();
        let after = if is_still_listed { &first } else { &second };
        let none = json!({"processInfo": []});
        let script = Script::new()
            .nth(FIND, 1, Answer::ok(none))
            .nth(FIND, 2, Answer::ok(after.runs(Keeps::Cookies)))
            .answer(FIND, second.runs(Keeps::Cookies))
            .nth("Storage.getCookies", 2, has(&[cookie()]))
            .nth("Storage.getCookies", 4, has(&[cookie()]))
            .answer("Storage.getCookies", has(&[]));
        let (connection, _events, peer) = script.start();
        let found = found(Truth::Nothing);
        let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
        assert_eq!((set.lost, set.restored), (1, 1));
        assert_eq!(network.map(|network| network.pid()), Some(second.pid()));
        assert_eq!(times_set(&peer.methods()), 2);
    }
}

/// A service that is no process of its own.
#[tokio::test]
async fn cookies_are_restored_where_no_process_keeps_them() {
    let script = Script::new()
        .answer(FIND, json!({"processInfo": []}))
        .nth("Storage.getCookies", 1, has(&[]))
        .answer("Storage.getCookies", has(&[cookie()]));
    let (connection, _events, peer) = script.start();
    let found = found(Truth::Nothing);
    let (set, network) = set_found_cookies(&connection, &found, None).await.unwrap();
    assert_eq!((set.now.len(), network), (1, None));
    assert!(times_set(&peer.methods()) >= 1);
}

/// Chromium starts it only for that work, and may start another one before the work is done.
#[tokio::test]
async fn a_service_is_met_while_there_is_work_for_it() {
    let (first, second) = (Service::start(), Service::start());
    let keeps = Keeps::LocalStorage;
    let script = Script::new()
        .nth(FIND, 1, Answer::ok(json!({"processInfo": []})))
        .nth(FIND, 2, Answer::ok(first.runs(keeps)))
        .answer(FIND, second.runs(keeps));
    let (connection, _events, peer) = script.start();
    let work = async {
        peer.call(FIND, 2).await;
        // Answered after the one that was asked before it.
        let now = Helper::find(&connection, keeps).await.unwrap();
        now.unwrap().pid()
    };
    let (now, met) = meeting(&connection, keeps, None, work).await;
    assert_eq!(now, second.pid());
    assert_eq!(met.map(|met| met.pid()), Some(first.pid()));
}

/// It was not known when the cookies were restored, and dies before anyone looks for it again.
#[tokio::test]
async fn cookies_that_are_lost_again_are_back_before_pages_load() {
    let services = Arc::new(Mutex::new(vec![Service::start(), Service::start()]));
    let jar = Arc::new(Mutex::new(Vec::new()));
    let script = {
        let (services, jar) = (Arc::clone(&services), Arc::clone(&jar));
        let mut asked = 0;
        Script::new().answer_with(move |call| match call.method.as_str() {
            FIND => {
                asked += 1;
                let runs = || services.lock().unwrap()[0].runs(Keeps::Cookies);
                Some(Answer::ok(if asked == 1 {
                    json!({"processInfo": []})
                } else {
                    runs()
                }))
            }
            "Storage.getCookies" => Some(has(&jar.lock().unwrap())),
            "Storage.setCookies" => {
                let set = call.params["cookies"].as_array().cloned();
                jar.lock().unwrap().extend(set.unwrap_or_default());
                Some(Answer::ok(json!({})))
            }
            _ => None,
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let opened = Session::scripted(folder.path(), script.then(testing::browser())).await;
    let (session, _peer) = opened.unwrap();
    let saver = &session.inner.saver;
    let running = session.inner.running.borrow().clone().unwrap();
    saver.known().found = Some(found(Truth::Nothing));
    let left = saver.restore_cookies(&running.supervisor).await;
    assert_eq!(jar.lock().unwrap().len(), 1);
    services.lock().unwrap().remove(0).kill();
    jar.lock().unwrap().clear();
    let bounds = &session.inner.plan.bounds;
    let told = saver.restore_rest(left, &running, RestoreTabs::Never, bounds);
    let told = told.await;
    assert_eq!(jar.lock().unwrap().len(), 1);
    assert!(told[0].contains("1 lost cookie is restored"), "{told:?}");
}
