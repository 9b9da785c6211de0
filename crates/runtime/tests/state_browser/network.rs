//! Restoring contacts no server.

use std::time::{Duration, Instant};

use serde_json::json;
use szk_runtime::state::{self, CaptureOptions, OriginState, Truth};
use szk_runtime::stealth::Stealth;
use szk_runtime::supervisor::Supervisor;

use crate::support::{Browser, Server, ask, origin, stored, texts};

fn with_item(place: &str) -> OriginState {
    origin(
        place,
        json!([{"name": "login", "value": place}]),
        json!([{"name": "db", "version": 2, "stores": [
        {"name": "s", "keyPath": "id", "autoIncrement": true, "records": [{"value": {"id": 7, "v": "x"}}], "indexes": [{"name": "v", "keyPath": "v", "multiEntry": false, "unique": false}]}]}]),
    )
}

const LOGIN: &str = r#"(async () => {
    const db = await new Promise((done) => { const request = indexedDB.open("db"); request.onsuccess = () => done(request.result); });
    const record = await new Promise((done) => { const request = db.transaction("s").objectStore("s").index("v").get("x"); request.onsuccess = () => done(request.result); });
    return [localStorage.login, db.version, record.id];
})()"#;

#[tokio::test]
async fn restoring_opens_no_connection() {
    let server = Server::start(&[]).await;
    let origins = ["http", "https"].map(|scheme| format!("{scheme}://127.0.0.1:{}", server.port));
    let mut states: Vec<_> = origins.iter().map(|place| with_item(place)).collect();
    // Also `localhost`, which has to be resolved, and more origins than are written in parallel.
    states.push(with_item(&format!("http://localhost:{}", server.port)));
    states.extend((0..5).map(|number| with_item(&format!("https://dead{number}.invalid"))));
    let browser = Browser::start().await;
    let start = Instant::now();
    let warnings = state::restore_origins(
        browser.connection(),
        &stored(states.clone()),
        Truth::Nothing,
    )
    .await;
    assert_eq!(texts(&warnings), [""; 0]);
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "dead origins take no time: {:?}",
        start.elapsed()
    );
    assert_eq!(server.seen(), (0, vec![]));

    let places: Vec<String> = states.iter().map(|state| state.origin.clone()).collect();
    let (captured, warnings) =
        state::capture_closed_origins(browser.connection(), &places, &CaptureOptions::default())
            .await;
    assert_eq!((captured.len(), texts(&warnings)), (8, vec![]));
    assert_eq!(server.seen(), (0, vec![]));

    let page = browser.page().await;
    page.open(&server.origin()).await;
    assert_eq!(
        page.run::<serde_json::Value>(LOGIN).await,
        json!([server.origin(), 2, 7])
    );
    browser.end().await;
}

#[tokio::test]
async fn restoring_does_not_involve_service_workers() {
    const WORKER: &str = "addEventListener('install', () => skipWaiting()); addEventListener('fetch', (event) => event.respondWith(fetch('/by-worker')));";
    // Without an icon, which could be requested at any time.
    const PAGE: &str = "<link rel=icon href='data:,'>";
    let server = Server::start(&[("/", PAGE), ("/by-worker", PAGE), ("/worker.js", WORKER)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    page.open(&server.origin()).await;
    page.run::<serde_json::Value>("navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 1)").await;
    page.open(&format!("{}/controlled", server.origin())).await;
    let before = server.seen();
    assert!(
        before.1.contains(&"/by-worker".to_owned()),
        "the worker is at work: {before:?}"
    );
    let warnings = state::restore_origins(
        browser.connection(),
        &stored([with_item(&server.origin())]),
        Truth::Nothing,
    )
    .await;
    assert_eq!(texts(&warnings), [""; 0]);
    assert_eq!(server.seen(), before);
    page.comes_to(LOGIN, json!([server.origin(), 2, 7])).await;
    browser.end().await;
}

#[tokio::test]
async fn hidden_tabs_work_beside_the_supervisor_and_close() {
    let mut browser = Browser::start().await;
    let events = browser.events.take().unwrap();
    let connection = browser.connection().clone();
    let supervisor = Supervisor::begin(
        connection,
        events,
        Stealth::default().into(),
        szk_config::Bounds::open(),
        1,
    );
    let supervisor = supervisor.done().await.unwrap();
    let states: Vec<_> = (0..6)
        .map(|number| with_item(&format!("https://dead{number}.invalid")))
        .collect();
    let warnings = state::restore_origins(
        browser.connection(),
        &stored(states.clone()),
        Truth::Nothing,
    )
    .await;
    assert_eq!(texts(&warnings), [""; 0]);
    assert_eq!(supervisor.tabs().len(), 1, "a hidden tab is no tab");
    // Closing is requested but not awaited; these commands are answered after it.
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let targets = ask(
            browser.connection(),
            None,
            "Target.getTargets",
            json!({"filter": [{}]}),
        )
        .await;
        let left = targets["targetInfos"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|target| target["url"].as_str().unwrap().contains(".invalid"))
            .count();
        if left == 0 {
            break;
        }
        assert!(Instant::now() < deadline, "{targets}");
        tokio::task::yield_now().await;
    }
    browser.end().await;
}

#[tokio::test]
async fn an_origin_that_is_not_a_website_is_a_warning() {
    let browser = Browser::start().await;
    let states = [
        "file://",
        "chrome://settings",
        "null",
        "https://x.invalid/path",
    ]
    .map(with_item);
    let warnings = state::restore_origins(
        browser.connection(),
        &stored(states.clone()),
        Truth::Nothing,
    )
    .await;
    let mut warnings = texts(&warnings);
    warnings.sort();
    assert_eq!(warnings.len(), 4);
    assert_eq!(
        warnings[0],
        "chrome://settings: not the origin of a website"
    );
    browser.end().await;
}
