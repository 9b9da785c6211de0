//! A browser on a profile of its own, and a server that counts its visitors.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use szk_cdp::{Connection, Events, SessionId};
use szk_config::Identity;
use szk_runtime::find::{self, Places};
use szk_runtime::launch::{self, Chromium, Mode, Plan};
use szk_runtime::state::{self, OriginState, OriginStorage, StorageState, Warning};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard};

/// Browsers are large: one test at a time.
static ONE: AsyncMutex<()> = AsyncMutex::const_new(());

/// A running Chromium.
pub(crate) struct Browser {
    pub(crate) chromium: Chromium,
    pub(crate) events: Option<Events>,
    profile: Option<TempDir>,
    _one: Option<MutexGuard<'static, ()>>,
}

impl Browser {
    pub(crate) async fn start() -> Self {
        let one = ONE.lock().await;
        let profile = tempfile::tempdir().unwrap();
        let (chromium, events) = launch(profile.path()).await;
        Self {
            chromium,
            events: Some(events),
            profile: Some(profile),
            _one: Some(one),
        }
    }

    /// Ends it in order, and starts another one on a new profile.
    pub(crate) async fn on_a_new_profile(mut self) -> Self {
        self.chromium.end().await;
        let profile = tempfile::tempdir().unwrap();
        let (chromium, events) = launch(profile.path()).await;
        Self {
            chromium,
            events: Some(events),
            profile: Some(profile),
            _one: self._one.take(),
        }
    }

    /// Ends it in order, and starts it again on the same profile.
    pub(crate) async fn again(mut self) -> Self {
        self.chromium.end().await;
        let profile = self.profile.take().unwrap();
        let (chromium, events) = launch(profile.path()).await;
        Self {
            chromium,
            events: Some(events),
            profile: Some(profile),
            _one: self._one.take(),
        }
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.chromium.connection()
    }

    pub(crate) async fn page(&self) -> Page {
        let connection = self.connection().clone();
        let created = ask(
            &connection,
            None,
            "Target.createTarget",
            json!({"url": "about:blank"}),
        )
        .await;
        let target = created["targetId"].as_str().unwrap().to_owned();
        let attached = ask(
            &connection,
            None,
            "Target.attachToTarget",
            json!({"targetId": target, "flatten": true}),
        )
        .await;
        let session = SessionId::from(attached["sessionId"].as_str().unwrap());
        Page {
            connection,
            session,
            target,
        }
    }

    /// Ends everything, as at the end of a test.
    pub(crate) async fn end(self) {
        self.chromium.end().await;
    }
}

async fn launch(profile: &Path) -> (Chromium, Events) {
    let plan = Plan {
        bounds: szk_config::Bounds::open(),
        binary: find::find(None, &Places::of_this_machine()).unwrap().path,
        user_data_dir: profile.to_owned(),
        mode: Mode::Headless,
        xvfb: false,
        identity: Identity::default(),
        extensions: Vec::new(),
        user_agent: None,
        extra_args: Vec::new(),
        root: launch::is_root(),
        gpu: launch::has_gpu(),
    };
    Chromium::start(&plan).await.unwrap()
}

/// Sends a command and returns its result.
pub(crate) async fn ask(
    connection: &Connection,
    session: Option<&SessionId>,
    method: &str,
    params: Value,
) -> Value {
    let params = serde_json::value::to_raw_value(&params).unwrap();
    let answer = connection.call_raw(session, method, Some(params)).await;
    serde_json::from_str(
        answer
            .unwrap_or_else(|error| panic!("{method}: {error}"))
            .get(),
    )
    .unwrap()
}

/// A tab.
pub(crate) struct Page {
    pub(crate) connection: Connection,
    pub(crate) session: SessionId,
    pub(crate) target: String,
}

impl Page {
    /// Navigates and waits until the page is loaded.
    pub(crate) async fn open(&self, url: &str) {
        let navigated = ask(
            &self.connection,
            Some(&self.session),
            "Page.navigate",
            json!({"url": url}),
        )
        .await;
        assert_eq!(navigated.get("errorText"), None, "{url}");
        self.run::<Value>("new Promise((done) => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))").await;
    }

    /// Runs a script as the page would.
    pub(crate) async fn run<T: DeserializeOwned>(&self, expression: &str) -> T {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let returned = ask(
            &self.connection,
            Some(&self.session),
            "Runtime.evaluate",
            params,
        )
        .await;
        assert_eq!(returned.get("exceptionDetails"), None, "{expression}");
        serde_json::from_value(returned["result"].get("value").cloned().unwrap_or_default())
            .unwrap()
    }

    /// Waits until a script returns this. An open page learns a little later what others write to its
    /// localStorage; its own world has no event to wait for.
    pub(crate) async fn comes_to(&self, expression: &str, expected: Value) {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let seen: Value = self.run(expression).await;
            if seen == expected {
                return;
            }
            assert!(Instant::now() < deadline, "{seen} is not {expected}");
        }
    }

    pub(crate) async fn capture(&self) -> OriginStorage {
        // The frame of a page has the id of its target.
        state::capture_origin(&self.connection, &self.session, &self.target)
            .await
            .unwrap()
            .unwrap()
    }
}

/// An HTTP server on a port of its own.
pub(crate) struct Server {
    pub(crate) port: u16,
    accepted: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers a path with a text, which is JavaScript if the path says so, and anything else with an
    /// empty page.
    pub(crate) async fn start(pages: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (accepted, asked) = (
            Arc::<AtomicUsize>::default(),
            Arc::<Mutex<Vec<String>>>::default(),
        );
        let (count, paths) = (Arc::clone(&accepted), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let paths = Arc::clone(&paths);
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    let mut some = [0; 4096];
                    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                        match socket.read(&mut some).await {
                            Ok(read) if read > 0 => head.extend_from_slice(&some[..read]),
                            _ => return,
                        }
                    }
                    let head = String::from_utf8_lossy(&head).into_owned();
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    let body = pages
                        .iter()
                        .find(|(known, _)| *known == path)
                        .map_or("", |(_, body)| body);
                    paths.lock().unwrap().push(path.clone());
                    let kind = if path.ends_with(".js") {
                        "text/javascript"
                    } else {
                        "text/html"
                    };
                    let answer = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: {kind}; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    let _ = socket.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self {
            port,
            accepted,
            asked,
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The number of connections, and the requests.
    pub(crate) fn seen(&self) -> (usize, Vec<String>) {
        (
            self.accepted.load(Ordering::SeqCst),
            self.asked.lock().unwrap().clone(),
        )
    }
}

/// An origin with these entries and databases, as JSON.
pub(crate) fn origin(origin: &str, items: Value, databases: Value) -> OriginState {
    let text =
        json!({"origins": [{"origin": origin, "localStorage": items, "indexedDB": databases}]})
            .to_string();
    saved(&text).origins.remove(0)
}

/// A state, parsed from its text.
pub(crate) fn saved(text: &str) -> StorageState {
    let loaded = state::load(text.as_bytes()).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.state
}

pub(crate) fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// A state with only the storage of these origins.
pub(crate) fn stored(origins: impl Into<Vec<OriginState>>) -> StorageState {
    StorageState {
        origins: origins.into(),
        ..StorageState::default()
    }
}
