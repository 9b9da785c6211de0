//! A local web site with pages given inline; it counts its visitors.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// Produces the answer to a request for one path.
type Handler = Box<dyn Fn(&SiteRequest) -> Answer + Send + Sync>;

/// The parts of a request that pages here need.
#[derive(Debug, Clone)]
pub(crate) struct SiteRequest {
    /// HTTP method.
    pub(crate) method: String,
    /// Path without the query.
    pub(crate) path: String,
    /// The part after `?`.
    pub(crate) query: String,
    /// Request headers.
    pub(crate) headers: HeaderMap,
    /// The request body.
    pub(crate) body: String,
}

impl SiteRequest {
    /// A field of the submitted form, or of the query.
    pub(crate) fn field(&self, name: &str) -> String {
        let all = [self.body.as_str(), self.query.as_str()];
        let pairs = all.iter().flat_map(|part| part.split('&'));
        let found = pairs
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name);
        found.map(|(_, value)| decoded(value)).unwrap_or_default()
    }

    /// A cookie, or an empty string.
    pub(crate) fn cookie(&self, name: &str) -> String {
        let all = self.cookies();
        let mut pairs = all.split("; ").filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(key, _)| *key == name);
        found.map(|(_, value)| value.to_owned()).unwrap_or_default()
    }

    /// The `Cookie` header.
    pub(crate) fn cookies(&self) -> String {
        self.header("cookie")
    }

    /// A header, or an empty string.
    pub(crate) fn header(&self, name: &str) -> String {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// An HTML page.
    pub(crate) fn html(body: impl Into<String>) -> Self {
        Self::typed("text/html; charset=utf-8", body.into().into_bytes())
    }

    /// A script.
    pub(crate) fn js(body: impl Into<String>) -> Self {
        Self::typed("text/javascript", body.into().into_bytes())
    }

    /// JSON.
    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self::typed("application/json", body.to_string().into_bytes())
    }

    /// A body of any kind.
    pub(crate) fn bytes(kind: &str, body: Vec<u8>) -> Self {
        Self::typed(kind, body)
    }

    /// A redirect.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::status(303).header("location", to)
    }

    /// Only a status.
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    fn typed(kind: &str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".into(), kind.into())],
            body,
        }
    }

    /// With a status other than 200.
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// Pages by path, and the requests so far.
struct Pages {
    handlers: BTreeMap<String, Handler>,
    // A std mutex: nothing awaits under it.
    asked: Mutex<Vec<SiteRequest>>,
}

/// A site that is not being served yet.
#[derive(Default)]
pub(crate) struct Plan {
    handlers: BTreeMap<String, Handler>,
}

impl Plan {
    /// Adds a page.
    pub(crate) fn page(self, path: &str, html: &str) -> Self {
        let answer = Answer::html(html);
        self.on(path, move |_| answer.clone())
    }

    /// Adds a script.
    pub(crate) fn script(self, path: &str, js: &str) -> Self {
        let answer = Answer::js(js);
        self.on(path, move |_| answer.clone())
    }

    /// Adds a page that is generated for each request.
    pub(crate) fn on(
        mut self,
        path: &str,
        handler: impl Fn(&SiteRequest) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.handlers.insert(path.to_owned(), Box::new(handler));
        self
    }

    /// Serves it until the site is dropped.
    pub(crate) fn serve(self) -> Site {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let accepts = Arc::new(AtomicUsize::new(0));
        let pages = Arc::new(Pages {
            handlers: self.handlers,
            asked: Mutex::default(),
        });
        let listener = runtime
            .block_on(TcpListener::bind(("127.0.0.1", 0)))
            .expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let counted = Counted {
            listener,
            accepts: Arc::clone(&accepts),
        };
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&pages));
        runtime.spawn(async move { axum::serve(counted, router).await });
        Site {
            address,
            accepts,
            pages,
            runtime: Some(runtime),
        }
    }
}

/// A site that is being served; stopped on drop.
pub(crate) struct Site {
    address: SocketAddr,
    accepts: Arc<AtomicUsize>,
    pages: Arc<Pages>,
    runtime: Option<Runtime>,
}

impl Site {
    /// A site to add pages to.
    pub(crate) fn plan() -> Plan {
        Plan::default()
    }

    /// A site of one page, `/`.
    pub(crate) fn of(html: &str) -> Self {
        Self::plan().page("/", html).serve()
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:<port>`
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// Address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// How many connections were accepted.
    pub(crate) fn accepts(&self) -> usize {
        self.accepts.load(Ordering::SeqCst)
    }

    /// Requests so far, in order.
    pub(crate) fn asked(&self) -> Vec<SiteRequest> {
        self.pages.asked.lock().expect("no handler panics").clone()
    }

    /// Whether this path was asked for; cheap enough to ask many times a second.
    pub(crate) fn was_asked(&self, path: &str) -> bool {
        let asked = self.pages.asked.lock().expect("no handler panics");
        asked.iter().any(|asked| asked.path == path)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Do not wait for connections that browsers keep open.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn answer(State(pages): State<Arc<Pages>>, request: Request) -> Response<Body> {
    let uri = request.uri().clone();
    let method = request.method().to_string();
    let headers = request.headers().clone();
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await;
    let body = body.unwrap_or_default();
    let asked = SiteRequest {
        method,
        body: String::from_utf8_lossy(&body).into_owned(),
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        headers,
    };
    let answer = match pages.handlers.get(&asked.path) {
        // A handler that holds its page back does not hold back others.
        Some(handler) => tokio::task::block_in_place(|| handler(&asked)),
        None => Answer::status(StatusCode::NOT_FOUND.as_u16()),
    };
    pages.asked.lock().expect("no handler panics").push(asked);
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response
        .body(Body::from(answer.body))
        .expect("tests give valid headers")
}

/// A form value, decoded.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).expect("forms are encoded well")
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).expect("forms are UTF-8")
}

/// A listener that counts.
struct Counted {
    listener: TcpListener,
    accepts: Arc<AtomicUsize>,
}

impl Listener for Counted {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            if let Ok(accepted) = self.listener.accept().await {
                self.accepts.fetch_add(1, Ordering::SeqCst);
                return accepted;
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
