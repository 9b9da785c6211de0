//! A listener in front of a scripted browser, and clients that speak to it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Call, Peer, Script};
use szk_cdp::{Connection, Events, SessionId};
use szk_config::EndpointAuth;
use szk_store::{DownloadFolder, Name, Store, Token};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::limits::Limits;
use crate::{Gate, Progress};
use crate::{Listener, ListenerOptions, Rules, SupervisedBrowser};

/// Nothing that a test waits for takes longer.
const DEADLINE: Duration = Duration::from_secs(10);

/// A browser as the listener sees it.
pub(super) struct FakeSupervisor {
    connection: Connection,
    gate: Gate,
    pages: Mutex<HashMap<String, SessionId>>,
    /// What is left to clients in browser contexts of their own.
    pub(super) yielded: Mutex<HashSet<(String, &'static str)>>,
    order: Mutex<Vec<String>>,
}

impl SupervisedBrowser for FakeSupervisor {
    fn connection(&self) -> Connection {
        self.connection.clone()
    }

    fn gate(&self) -> Gate {
        self.gate.clone()
    }

    fn page_session(&self, target_id: &str) -> Option<SessionId> {
        self.pages.lock().unwrap().get(target_id).cloned()
    }

    fn tab_order(&self) -> Vec<String> {
        self.order.lock().unwrap().clone()
    }

    fn tab_target(&self, page: &str) -> Option<String> {
        Some(format!("tab-of-{page}"))
    }

    fn yield_emulation(&self, context: &str, emulation: &'static str) {
        let mut yielded = self.yielded.lock().unwrap();
        yielded.insert((context.to_owned(), emulation));
    }

    fn yield_popups(&self, context: &str) {
        self.yield_emulation(context, "popups");
    }

    fn context_created(&self, _context: &str) {}

    fn context_disposed(&self, context: &str) {
        self.yielded.lock().unwrap().retain(|(of, _)| of != context);
    }

    fn storage_cleared(&self) {}
}

/// One scripted browser.
pub(super) struct Browser {
    pub(super) peer: Peer,
    pub(super) supervisor: Arc<FakeSupervisor>,
    // Dropping it would only mean that nobody listens.
    _events: Events,
}

impl Browser {
    /// Attaches like Chromium: clients get the sessions B1, B2…, targets P1, P2… The target
    /// `missing` does not exist; those that start with `paused` wait for the debugger, and
    /// those that end with `popup` have an opener, and `x@C` is in the browser context `C`. `Test.echo`
    /// says its parameters in an event, then in its reply.
    pub(super) fn start(script: Script) -> Self {
        let (mut browsers, mut pages) = (0, 0);
        let (connection, events, peer) = script
            .answer_with(move |call| match &*call.method {
                "Target.attachToBrowserTarget" => {
                    browsers += 1;
                    Some(attached(call, &format!("B{browsers}"), "browser"))
                }
                "Target.attachToTarget" if call.params["targetId"] == "missing" => {
                    Some(Answer::error(-32602, "No target with given id found"))
                }
                "Target.attachToTarget" => {
                    pages += 1;
                    Some(attached(
                        call,
                        &format!("P{pages}"),
                        call.params["targetId"].as_str()?,
                    ))
                }
                "Test.echo" => {
                    let said = Answer::silence().event(
                        call.session.as_deref(),
                        "Test.said",
                        call.params.clone(),
                    );
                    Some(said.and(Answer::ok(call.params.clone())))
                }
                _ => None,
            })
            .start();
        let supervisor = FakeSupervisor {
            connection,
            gate: Gate::default(),
            pages: Mutex::default(),
            yielded: Mutex::default(),
            order: Mutex::default(),
        };
        supervisor.gate.let_in();
        Self {
            peer,
            supervisor: Arc::new(supervisor),
            _events: events,
        }
    }

    /// The supervisor has seen that a target is a popup.
    pub(super) fn popup(&self, target: &str) {
        self.supervisor.gate.add_popup(target);
    }

    /// The supervisor's commands for a target are on the pipe.
    pub(super) fn written(&self, target: &str) {
        self.supervisor.gate.mark(target, Progress::Written);
    }

    /// They are answered, in the supervisor's session with the page.
    pub(super) fn acked(&self, target: &str, session: &str) {
        self.supervisor
            .pages
            .lock()
            .unwrap()
            .insert(target.to_owned(), session.into());
        self.supervisor.gate.mark(target, Progress::Acked);
    }

    /// The order of tabs.
    pub(super) fn ordered(&self, targets: &[&str]) {
        let targets = targets.iter().map(|target| (*target).to_owned());
        *self.supervisor.order.lock().unwrap() = targets.collect();
    }

    /// The target went away.
    pub(super) fn gone(&self, target: &str) {
        self.supervisor.gate.mark(target, Progress::Gone);
    }

    /// Waits for the nth call of a method.
    pub(super) async fn call(&self, method: &str, nth: usize) -> Call {
        within(self.peer.call(method, nth))
            .await
            .expect("the browser ended")
    }

    /// Waits until its end was noticed.
    pub(super) async fn stage_closed(&self) {
        self.supervisor.connection.closed().await;
    }

    /// Whether it heard this method.
    pub(super) fn heard(&self, method: &str) -> bool {
        self.peer.methods().iter().any(|heard| heard == method)
    }
}

fn attached(call: &Call, session: &str, target: &str) -> Answer {
    let kind = if target == "tab" { "tab" } else { "page" };
    let context = target.split_once('@').map_or("", |(_, context)| context);
    let params = json!({
        "sessionId": session,
        "targetInfo": {"targetId": target, "type": kind, "canAccessOpener": target.ends_with("popup"), "browserContextId": context},
        "waitingForDebugger": target.starts_with("paused"),
    });
    Answer::silence()
        .event(call.session.as_deref(), "Target.attachedToTarget", params)
        .and(Answer::ok(json!({"sessionId": session})))
}

/// A listener with a browser behind it.
pub(super) struct Rig {
    pub(super) listener: Listener,
    pub(super) browser: Browser,
    pub(super) token: String,
    _store: TempDir,
}

/// What differs from an ordinary listener.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) script: Script,
    pub(super) limits: Limits,
    pub(super) auth: EndpointAuth,
    pub(super) allowed_origins: Vec<String>,
    /// The default rules of a listener, not those of the scripted tests of the multiplexer.
    pub(super) rules: Option<Rules>,
    pub(super) max_clients: Option<usize>,
}

impl Rig {
    pub(super) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(super) async fn scripted(script: Script) -> Self {
        Self::with(Setup {
            script,
            ..Setup::default()
        })
        .await
    }

    pub(super) async fn with(setup: Setup) -> Self {
        let Setup {
            script,
            limits,
            auth,
            allowed_origins,
            rules,
            max_clients,
        } = setup;
        let store = tempfile::tempdir().unwrap();
        let token = token(&store);
        let name = Name::parse("work").unwrap();
        let revealed = token.reveal().to_owned();
        let options = ListenerOptions {
            name,
            store_path: store.path().into(),
            token,
            auth,
            allowed_origins,
            max_clients: max_clients.unwrap_or(64),
            rules: rules.unwrap_or_default(),
            downloads: DownloadFolder::of(store.path().join("downloads")),
        };
        let browser = Browser::start(script);
        let supervisor: Arc<dyn SupervisedBrowser> = browser.supervisor.clone();
        let listener = Listener::open_with(options, limits, supervisor)
            .await
            .unwrap();
        Self {
            listener,
            browser,
            token: revealed,
            _store: store,
        }
    }

    /// A client of the whole browser.
    pub(super) async fn client(&self) -> Client {
        Client::connect(&self.listener.ws_url()).await.unwrap()
    }

    /// A client of one target.
    pub(super) async fn page(&self, target: &str) -> Client {
        Client::connect(&self.page_url(target)).await.unwrap()
    }

    pub(super) fn page_url(&self, target: &str) -> String {
        format!(
            "ws://{}/{}/devtools/page/{target}",
            self.listener.address(),
            self.token
        )
    }

    /// A page opens, and the first client is attached to it, because it asked for all. Returns the session.
    pub(super) async fn opens(&self, client: &mut Client, target: &str) -> String {
        let session = format!("auto-{target}");
        let info = json!({"targetId": target, "type": "page"});
        let params = json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": false});
        let peer = &self.browser.peer;
        peer.event(Some("B1"), "Target.attachedToTarget", params);
        assert_eq!(client.next().await["method"], "Target.attachedToTarget");
        session
    }

    /// One request with the right Host.
    pub(super) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answered {
        let host = self.listener.address().to_string();
        let headers = [&[("Host", &*host)], headers].concat();
        ask(self.listener.port(), method, path, &headers).await
    }

    /// One request with the token, too.
    pub(super) async fn get(&self, path: &str) -> Answered {
        self.ask("GET", &format!("/{}{path}", self.token), &[])
            .await
    }
}

fn token(store: &TempDir) -> Token {
    let profile = Store::at(store.path().into()).profile(&Name::parse("work").unwrap());
    profile.create().unwrap();
    profile.token().unwrap()
}

/// What came back over HTTP.
#[derive(Debug, PartialEq)]
pub(super) struct Answered {
    pub(super) status: u16,
    /// The header lines without the date.
    pub(super) headers: Vec<String>,
    pub(super) body: String,
}

impl Answered {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A request written by hand, so that it can be wrong.
pub(super) async fn ask(port: u16, method: &str, path: &str, headers: &[(&str, &str)]) -> Answered {
    let lines: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    within(stream.read_to_string(&mut text)).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut head = head.lines();
    let status = head
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let headers = head
        .filter(|line| !line.starts_with("date"))
        .map(str::to_owned)
        .collect();
    Answered {
        status,
        headers,
        body: body.to_owned(),
    }
}

/// A DevTools client.
#[derive(Debug)]
pub(super) struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Client {
    /// The status is the error.
    pub(super) async fn connect(url: &str) -> Result<Self, u16> {
        Self::connect_with(url, &[]).await
    }

    pub(super) async fn connect_with(
        url: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        use tokio_tungstenite::tungstenite::Error;
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        // Without delay: what was sent has arrived when a later message of another client was answered.
        let connecting = tokio_tungstenite::connect_async_with_config(request, None, true);
        match within(connecting).await {
            Ok((socket, _)) => Ok(Self { socket }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("no handshake: {error}"),
        }
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.say(&message.to_string()).await;
    }

    /// Says what may be no command at all.
    pub(super) async fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(super) async fn say_binary(&mut self, bytes: &[u8]) {
        self.socket
            .send(Message::binary(bytes.to_vec()))
            .await
            .unwrap();
    }

    /// The next message.
    pub(super) async fn next(&mut self) -> Value {
        match within(self.socket.next()).await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    /// Sends a command and expects its reply next.
    pub(super) async fn call(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    /// Attaches to a target and returns the session.
    pub(super) async fn attach(&mut self, target: &str) -> String {
        let params = json!({"targetId": target, "flatten": true});
        let event = self
            .call(json!({"id": 1000, "method": "Target.attachToTarget", "params": params}))
            .await;
        assert_eq!(event["method"], "Target.attachedToTarget");
        self.next().await["result"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits for the end, passing over what comes before; the code, if one was given.
    pub(super) async fn ended(&mut self) -> Option<u16> {
        loop {
            match within(self.socket.next()).await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// Closes politely.
    pub(super) async fn leave(mut self) {
        self.socket.close(None).await.unwrap();
        self.ended().await;
    }
}

/// Waits for something that has to come.
pub(super) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future)
        .await
        .expect("it did not come in time")
}
