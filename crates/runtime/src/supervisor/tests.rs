//! Nothing runs half protected: a target that refuses a vital command does not run, and the refusal is
//! reported with its name.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use szk_cdp::testing::{Answer, Call, Peer, Script};
use szk_config::{Geolocation, Identity};

use super::*;
use crate::stealth::{Engine, Kind};

mod cancelled;
mod contexts;
mod fence;
mod resuming;
mod unreachable;

const WORDS: &str = "no such thing";

/// Every part of an identity, and an init script.
fn stealth() -> Arc<Stealth> {
    let identity = Identity {
        user_agent: Some("Mozilla/5.0 (Linux; Android 10; K) Chrome/{major}.0.0.0 Mobile".into()),
        locale: Some("de-AT".into()),
        mobile: Some(true),
        touch: Some(true),
        geolocation: Some(Geolocation {
            latitude: 48.2,
            longitude: 16.4,
            accuracy: 50.0,
        }),
        ..Identity::default()
    };
    let engine = Engine {
        version: "156.0.1.2",
        brand: None,
    };
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("init.js");
    std::fs::write(&script, "globalThis.mark = 1").unwrap();
    Arc::new(Stealth::new(&identity, &engine, &[script]).unwrap())
}

fn attached(session: &str, kind: &str, subtype: Option<&str>) -> Value {
    let mut info = json!({"targetId": format!("T-{session}"), "type": kind, "title": "", "url": "",
        "attached": true, "canAccessOpener": false});
    if let Some(subtype) = subtype {
        info["subtype"] = subtype.into();
    }
    json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": true})
}

/// A browser with one tab and a page in it. `refuses` selects the calls that fail.
fn browser(refuses: impl Fn(&Call) -> bool + Send + 'static) -> Script {
    Script::new().answer_with(move |call| {
        if refuses(call) {
            return Some(Answer::error(-32000, WORDS));
        }
        let child = match (call.method.as_str(), call.session.as_deref()) {
            ("Target.setAutoAttach", None) => (None, "tab", "tab"),
            ("Target.setAutoAttach", Some("tab")) => (Some("tab"), "page", "page"),
            _ => return None,
        };
        let (parent, session, kind) = child;
        let event = attached(session, kind, None);
        Some(
            Answer::silence()
                .event(parent, "Target.attachedToTarget", event)
                .and(Answer::ok(json!({}))),
        )
    })
}

fn begin(script: Script) -> (StartingSupervisor, Peer) {
    let (connection, events, peer) = script.start();
    (
        Supervisor::begin(connection, events, stealth(), Bounds::open(), 1),
        peer,
    )
}

async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), what)
        .await
        .expect("it takes too long")
}

/// A supervisor of a browser that has accepted everything so far.
async fn opened(refuses: impl Fn(&Call) -> bool + Send + 'static) -> (Supervisor, Peer) {
    let (beginning, peer) = begin(browser(refuses));
    (within(beginning.done()).await.unwrap(), peer)
}

/// Methods of the vital commands for a kind of target; there is at least one.
fn vital(kind: Kind) -> BTreeSet<String> {
    let stealth = stealth();
    let vital = stealth.orders(kind).iter().filter(|order| order.vital);
    let methods: BTreeSet<_> = vital.map(|order| order.method().to_owned()).collect();
    assert!(!methods.is_empty(), "{kind:?}");
    methods
}

/// Whether a target was resumed before it was asked to close, in a state in which its scripts run.
fn ran_before_closing(peer: &Peer, session: &str) -> bool {
    let calls = peer.calls();
    let before: Vec<_> = calls
        .iter()
        .take_while(|call| call.method != "Target.closeTarget")
        .filter(|call| call.session.as_deref() == Some(session))
        .collect();
    let first = |method: &str| before.iter().position(|call| call.method == method);
    let mute = first("Emulation.setScriptExecutionDisabled");
    let let_go = first("Runtime.runIfWaitingForDebugger");
    let_go.is_some_and(|let_go| mute.is_none_or(|mute| mute > let_go))
}

#[tokio::test]
async fn a_session_does_not_open_if_any_vital_part_is_refused() {
    let mut parts: Vec<(String, Option<&str>, &str)> = vital(Kind::Page)
        .into_iter()
        .map(|method| (method, Some("page"), "a `page` refused"))
        .collect();
    assert_eq!(parts.len(), 5, "{parts:?}");
    parts.push((
        "Target.setAutoAttach".into(),
        Some("tab"),
        "a `tab` refused",
    ));
    parts.push(("Target.setAutoAttach".into(), None, "the browser refused"));
    parts.push((
        "Target.setDiscoverTargets".into(),
        None,
        "the browser refused",
    ));
    for (method, session, by) in parts {
        let refused = method.clone();
        let (beginning, peer) = begin(browser(move |call| {
            call.method == refused && call.session.as_deref() == session
        }));
        let Err(error) = within(beginning.done()).await else {
            panic!("{method}: it opened");
        };
        let error = error.to_string();
        for part in [&format!("`{method}`"), by, WORDS] {
            assert!(error.contains(part), "{method}: {error}");
        }
        // A page that was set up is protected, whatever else was refused.
        let ran = ran_before_closing(&peer, "page");
        assert!(
            !ran || method == "Target.setDiscoverTargets",
            "{method}: the page ran"
        );
    }
}

#[tokio::test]
async fn a_later_target_that_refuses_is_closed_before_it_runs_and_reported() {
    for (name, kind) in [
        ("page", Kind::Page),
        ("iframe", Kind::Frame),
        ("hologram", Kind::Page),
    ] {
        for method in vital(kind) {
            let refused = method.clone();
            let (supervisor, peer) = opened(move |call| {
                call.method == refused && call.session.as_deref() == Some("late")
            })
            .await;
            peer.event(
                None,
                "Target.attachedToTarget",
                attached("late", name, None),
            );
            let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
            assert_eq!(closed.params["targetId"], "T-late", "{name} {method}");
            assert!(
                !ran_before_closing(&peer, "late"),
                "{name} {method}: it ran"
            );
            let troubles = supervisor.troubles().borrow().clone();
            assert_eq!(troubles.len(), 1);
            let told = &troubles[0].reason;
            assert!(
                told.contains(&method) && told.contains(&format!("`{name}`")),
                "{told}"
            );
            assert_eq!(
                within(supervisor.gate().acked("T-late")).await,
                Err(szk_endpoint::NotReady)
            );
        }
    }
}

#[tokio::test]
async fn a_frame_or_worker_that_refuses_takes_its_page_along() {
    for (name, kind) in [
        ("iframe", Kind::Frame),
        ("worker", Kind::Worker),
        ("audio_worklet", Kind::Worklet),
    ] {
        for method in vital(kind) {
            let refused = method.clone();
            let (supervisor, peer) = opened(move |call| {
                call.method == refused && call.session.as_deref() == Some("late")
            })
            .await;
            peer.event(
                Some("page"),
                "Target.attachedToTarget",
                attached("frame", "iframe", None),
            );
            peer.event(
                Some("frame"),
                "Target.attachedToTarget",
                attached("late", name, None),
            );
            let closed = within(peer.call("Target.closeTarget", 1)).await.unwrap();
            assert_eq!(closed.params["targetId"], "T-page", "{name} {method}");
            let told = supervisor.troubles().borrow()[0].reason.clone();
            assert!(
                told.contains(&method) && told.contains(&format!("`{name}`")),
                "{told}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tab_that_chromium_forgets_to_close_is_asked_again() {
    let forgets = Script::new().nth(
        "Target.closeTarget",
        1,
        Answer::ok(json!({"success": true})),
    );
    let (beginning, peer) = begin(forgets.then(crate::testing::browser()));
    let supervisor = within(beginning.done()).await.unwrap();
    let tab = supervisor.tab("t1").unwrap();
    within(supervisor.close_tab(&tab)).await.unwrap();
    let asked = peer.methods();
    let closes = asked.iter().filter(|one| *one == "Target.closeTarget");
    assert_eq!(closes.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_tab_is_not_waited_for_when_its_browser_has_exited() {
    let never_attached = Answer::ok(json!({"targetId": "T"}));
    let script = Script::new().nth("Target.createTarget", 1, never_attached);
    let (beginning, _peer) = begin(script.then(crate::testing::browser()));
    let supervisor = within(beginning.done()).await.unwrap();
    let began = tokio::time::Instant::now();
    let exits = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        supervisor.connection().close();
    };
    let (opened, ()) = tokio::join!(supervisor.open_tab(), exits);
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("the browser has exited"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn commands_that_are_not_vital_may_be_refused() {
    let (supervisor, peer) = opened(|call| call.method == "Emulation.setLocaleOverride").await;
    assert!(ran_before_closing(&peer, "page"));
    assert!(supervisor.troubles().borrow().is_empty());
}

#[tokio::test]
async fn a_command_lost_in_a_change_of_process_is_sent_again() {
    let lost = Script::new().fail_nth(
        "Page.addScriptToEvaluateOnNewDocument",
        1,
        -32000,
        "Inspected target navigated or closed",
    );
    let (beginning, peer) = begin(lost.answer_with({
        let mut browser = Some(());
        move |call| {
            let (parent, session, kind) = match (call.method.as_str(), call.session.as_deref()) {
                ("Target.setAutoAttach", None) if browser.take().is_some() => (None, "tab", "tab"),
                ("Target.setAutoAttach", Some("tab")) => (Some("tab"), "page", "page"),
                _ => return None,
            };
            let event = attached(session, kind, None);
            let said = Answer::silence().event(parent, "Target.attachedToTarget", event);
            Some(said.and(Answer::ok(json!({}))))
        }
    }));
    within(beginning.done()).await.unwrap();
    let sent = peer.methods();
    let scripts = sent
        .iter()
        .filter(|method| *method == "Page.addScriptToEvaluateOnNewDocument");
    // The lost one, its repetition, and that of `config/stealth`.
    assert_eq!(scripts.count(), 3);
}

#[tokio::test]
async fn a_tab_stays_the_same_when_it_activates_a_prerendered_page() {
    let (supervisor, peer) = opened(|_| false).await;
    let before = supervisor.current_tab().unwrap();
    let event = attached("next", "page", Some("prerender"));
    peer.event(Some("tab"), "Target.attachedToTarget", event);
    within(supervisor.gate().acked("T-next")).await.unwrap();
    assert_eq!(supervisor.tabs().len(), 1, "nobody sees it yet");
    let mut changes = supervisor.changes();
    peer.detach(Some("tab"), "page");
    let info = attached("next", "page", None)["targetInfo"].clone();
    peer.event(
        None,
        "Target.targetInfoChanged",
        json!({"targetInfo": info}),
    );
    let shown = async {
        while supervisor
            .current_tab()
            .is_none_or(|tab| tab.page.target_id != "T-next")
        {
            changes.changed().await.unwrap();
        }
    };
    within(shown).await;
    assert_eq!(supervisor.current_tab().unwrap().id, before.id);
    peer.detach(None, "tab");
    within(changes.wait_for(|_| supervisor.tabs().is_empty()))
        .await
        .unwrap();
}

#[tokio::test]
async fn titles_are_queried() {
    let told = |title: &str, url: &str| {
        let mut info = attached("page", "page", None)["targetInfo"].clone();
        (info["title"], info["url"]) = (title.into(), url.into());
        info
    };
    let answer = json!({"targetInfos": [told("shop", "http://a/")]});
    let script = browser(|_| false).answer("Target.getTargets", answer);
    let (beginning, peer) = begin(script);
    let supervisor = within(beginning.done()).await.unwrap();
    let mut changes = supervisor.changes();
    let info = json!({"targetInfo": told("a", "http://a/")});
    peer.event(None, "Target.targetInfoChanged", info);
    let page = || supervisor.current_tab().unwrap().page;
    within(changes.wait_for(|_| page().url == "http://a/"))
        .await
        .unwrap();
    assert_eq!(page().title, "", "an address is no title");
    supervisor.ask_titles().await;
    assert_eq!(page().title, "shop");
    // It is navigating: the browser's report is about the previous page.
    let info = json!({"targetInfo": told("b", "http://b/")});
    peer.event(None, "Target.targetInfoChanged", info);
    within(changes.wait_for(|_| page().url == "http://b/"))
        .await
        .unwrap();
    supervisor.ask_titles().await;
    assert_eq!(page().title, "");
}

#[tokio::test]
async fn process_wide_settings_are_repeated_when_their_session_ends() {
    let (supervisor, peer) = opened(|_| false).await;
    let event = attached("popup", "page", None);
    peer.event(None, "Target.attachedToTarget", event);
    within(supervisor.gate().acked("T-popup")).await.unwrap();
    let before = peer.calls().len();
    peer.detach(Some("tab"), "page");
    let mut nth = 1;
    let renewed = async {
        while let Some(call) = peer.call("Emulation.setLocaleOverride", nth).await {
            let late = peer.calls().iter().position(|known| known.id == call.id) >= Some(before);
            if late {
                return call;
            }
            nth += 1;
        }
        panic!("the connection ended");
    };
    assert_eq!(within(renewed).await.session.as_deref(), Some("popup"));
}

#[tokio::test]
async fn a_frame_stuck_in_its_navigation_is_navigated_again() {
    for (method, gone, again) in [
        ("GET", false, true),
        ("POST", false, false),
        ("GET", true, false),
    ] {
        let (connection, events, peer) =
            browser(move |call| gone && call.method == "Target.getTargetInfo").start();
        let beginning = Supervisor::begin(connection, events, stealth(), Bounds::open(), 1);
        let supervisor = within(beginning.done()).await.unwrap();
        let request =
            json!({"url": "http://b/", "method": method, "headers": {"Referer": "http://a/"}});
        let sent =
            json!({"loaderId": "L", "frameId": "T-frame", "request": request, "type": "Document"});
        peer.event(Some("page"), "Network.requestWillBeSent", sent);
        let event = attached("frame", "iframe", None);
        peer.event(Some("page"), "Target.attachedToTarget", event);
        within(supervisor.gate().acked("T-frame")).await.unwrap();
        peer.detach(Some("page"), "frame");
        within(peer.call("Target.getTargetInfo", 1)).await.unwrap();
        // Whatever follows is written before this is answered.
        within(
            supervisor
                .connection()
                .call_raw(None, "Browser.getVersion", None),
        )
        .await
        .unwrap();
        if again {
            let call = within(peer.call("Page.navigate", 1)).await.unwrap();
            assert_eq!(call.session.as_deref(), Some("page"));
            let expected =
                json!({"frameId": "T-frame", "url": "http://b/", "referrer": "http://a/"});
            assert_eq!(call.params, expected);
        } else {
            assert!(
                !peer
                    .methods()
                    .iter()
                    .any(|method| method == "Page.navigate")
            );
        }
    }
}

/// One is below the page from the start, and one comes later: everything added there is removed.
#[tokio::test]
async fn scripts_of_replaced_overrides_are_removed_everywhere() {
    let add = "Page.addScriptToEvaluateOnNewDocument";
    let script = browser(|_| false).answer_with({
        let mut last = 0;
        move |call| {
            last += i32::from(call.method == add);
            (call.method == add).then(|| Answer::ok(json!({"identifier": last.to_string()})))
        }
    });
    let (beginning, peer) = begin(script);
    let supervisor = within(beginning.done()).await.unwrap();
    let frame = async |session: &str| {
        let event = attached(session, "iframe", None);
        peer.event(Some("page"), "Target.attachedToTarget", event);
        let gate = supervisor.gate();
        within(gate.acked(&format!("T-{session}"))).await.unwrap();
    };
    frame("old").await;
    let page = supervisor.current_tab().unwrap().page.session;
    let script = AddScriptToEvaluateOnNewDocumentParams::new("hear");
    let orders = vec![Request::of(&script)];
    within(supervisor.set_overrides(&page, "hear", orders))
        .await
        .unwrap();
    frame("late").await;
    let added = |wanted: &Value| {
        let calls = peer.calls();
        let added = calls.into_iter().filter(|call| call.method == add);
        let numbered = added.zip(1..);
        let ours = numbered.filter(|(call, _)| call.params == *wanted);
        let named = ours.map(|(call, number)| (call.session.unwrap(), number.to_string()));
        named.collect::<BTreeSet<_>>()
    };
    let added = added(&json!({"source": "hear"}));
    let sessions: Vec<&str> = added.iter().map(|(session, _)| &**session).collect();
    assert_eq!(sessions, ["late", "old", "page"]);
    within(supervisor.set_overrides(&page, "hear", Vec::new()))
        .await
        .unwrap();
    let mut removed = BTreeSet::new();
    for nth in 1..=3 {
        let call = within(peer.call("Page.removeScriptToEvaluateOnNewDocument", nth)).await;
        let call = call.unwrap();
        let script = call.params["identifier"].as_str().unwrap().to_owned();
        removed.insert((call.session.unwrap(), script));
    }
    assert_eq!(removed, added);
    frame("later").await;
    let hear = |call: &Call| call.params["source"] == "hear";
    assert_eq!(peer.calls().iter().filter(|call| hear(call)).count(), 3);
}
