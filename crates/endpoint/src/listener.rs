//! The handle of an open endpoint.

use std::collections::HashSet;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_config::{EndpointAuth, EndpointTabs};
use szk_store::{DownloadFolder, Name, Token};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::{AccessCheck, UNSHIELDED};
use super::clients::{ClientInfo, Clients};
use super::limits::Limits;
use super::rules::Rules;
use super::serve::Kind;
use super::windows::Windows;
use super::{SharedBrowser, peer, port, serve};

/// How long clients may take to leave when the listener closes.
const FAREWELL: Duration = Duration::from_secs(3);

/// The profile that a listener serves, and its access rules.
#[derive(Debug)]
pub struct ListenerOptions {
    /// The profile.
    pub name: Name,
    /// The store that contains it; together with the name it decides the port.
    pub store_path: PathBuf,
    /// The profile's secret.
    pub token: Token,
    /// Whether clients must show the token.
    pub auth: EndpointAuth,
    /// Allowed values of the `Origin` header; all others are refused.
    pub allowed_origins: Vec<String>,
    /// How many clients may be connected at the same time.
    pub max_clients: usize,
    /// What clients may do.
    pub rules: Rules,
    /// The profile's downloads.
    pub downloads: DownloadFolder,
}

/// No port could be opened.
#[derive(Debug, thiserror::Error)]
pub enum ListenerError {
    /// The system refused.
    #[error("cannot listen on port {port} of 127.0.0.1")]
    Bind {
        /// The port that was tried.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The system does not say which user's program is at the other end of a connection.
    #[error("this system does not say which user connects to a port")]
    NoUsers,
    /// All ports in the profile's sequence are taken.
    #[error("none of the profile's {tried} ports is free")]
    NoPort {
        /// How many were tried.
        tried: u32,
    },
}

/// An open endpoint: one loopback port, for as long as this lives or until [`Listener::close`]. The
/// browser behind it may come and go; the port, the token and the addresses stay.
pub struct Listener {
    shared: Arc<Shared>,
    name: Name,
    store_path: PathBuf,
    /// The port where this user's programs need no token, if it is open.
    // A std mutex: nothing awaits under it.
    plain: Mutex<Option<u16>>,
}

/// Behind the handle, for the tasks that serve.
pub(super) struct Shared {
    pub(super) guard: AccessCheck,
    /// The port that requires the token.
    port: u16,
    pub(super) limits: Limits,
    pub(super) rules: Rules,
    pub(super) downloads: DownloadFolder,
    /// The `<id>` of `/devtools/browser/<id>`.
    pub(super) browser_id: String,
    pub(super) clients: Arc<Clients>,
    /// Targets that were opened over HTTP: they belong to no client, so all may use them.
    // A std mutex: nothing awaits under it.
    pub(super) opened: Mutex<HashSet<String>>,
    /// Everything that runs for this listener.
    pub(super) tasks: TaskTracker,
    /// Cancelled when the listener closes.
    pub(super) closing: CancellationToken,
    // A std mutex: nothing awaits under it.
    live: Mutex<Option<Live>>,
}

/// The current browser.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) browser: SharedBrowser,
    pub(super) windows: Arc<Windows>,
    /// Cancelled when it is replaced or goes away.
    pub(super) ended: CancellationToken,
}

impl Listener {
    /// Binds the profile's port and serves the browser. Read [`Listener::port`]: it differs if the first
    /// choice is taken.
    ///
    /// # Errors
    /// [`ListenerError`] if no port can be opened.
    pub async fn open(
        options: ListenerOptions,
        browser: SharedBrowser,
    ) -> Result<Self, ListenerError> {
        Self::open_with(options, Limits::default(), browser).await
    }

    pub(super) async fn open_with(
        options: ListenerOptions,
        limits: Limits,
        browser: SharedBrowser,
    ) -> Result<Self, ListenerError> {
        let ListenerOptions {
            name,
            store_path,
            token,
            auth,
            allowed_origins,
            max_clients,
            rules,
            downloads,
        } = options;
        let socket = port::bind(name.as_str(), &store_path).await?;
        let port = socket
            .local_addr()
            .map_err(|source| ListenerError::Bind { port: 0, source })?
            .port();
        let shared = Arc::new(Shared {
            guard: AccessCheck {
                token,
                auth,
                allowed_origins,
            },
            port,
            browser_id: port::browser_id(name.as_str(), &store_path),
            clients: Clients::new(max_clients),
            opened: Mutex::default(),
            limits,
            rules,
            downloads,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            live: Mutex::default(),
        });
        let listener = Self {
            shared,
            name,
            store_path,
            plain: Mutex::default(),
        };
        listener.attach(browser);
        listener.serve(socket, port, Kind::Token);
        Ok(listener)
    }

    /// Opens a second port for programs that take only host and port; a second call returns the same
    /// one. A connection there needs no token if the system says that it is from a program of this user,
    /// and is refused otherwise.
    ///
    /// # Errors
    /// [`ListenerError`] if no port can be opened, or the system does not say who connects.
    pub async fn open_plain(&self) -> Result<u16, ListenerError> {
        if !peer::KNOWN {
            return Err(ListenerError::NoUsers);
        }
        if let Some(port) = self.plain_port() {
            return Ok(port);
        }
        // No profile can have such a name, so no other token port comes first in this sequence.
        let name = format!("{} plain", self.name.as_str());
        let socket = port::bind(&name, &self.store_path).await?;
        let port = socket
            .local_addr()
            .map_err(|source| ListenerError::Bind { port: 0, source })?
            .port();
        *self.plain.lock().unwrap_or_else(PoisonError::into_inner) = Some(port);
        self.serve(socket, port, Kind::Plain);
        Ok(port)
    }

    /// The second port, if it is open.
    #[must_use]
    pub fn plain_port(&self) -> Option<u16> {
        *self.plain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, socket: TcpListener, port: u16, kind: Kind) {
        let shared = Arc::clone(&self.shared);
        self.shared
            .tasks
            .spawn(serve::run(socket, port, kind, shared));
    }

    /// Serves another browser from now on. Clients of the previous one are disconnected with a reason:
    /// their sessions died with it.
    pub fn attach(&self, browser: SharedBrowser) {
        let live = Live {
            browser,
            windows: Arc::default(),
            ended: CancellationToken::new(),
        };
        let connection = live.browser.connection();
        self.shared.replace(Some(live.clone()));
        let (shared, closing) = (Arc::downgrade(&self.shared), self.shared.closing.clone());
        self.shared.tasks.spawn(async move {
            tokio::select! {
                // The browser is gone: answer 503 until there is another.
                _ = connection.closed() => if let Some(shared) = shared.upgrade() { shared.forget(&live) },
                () = live.ended.cancelled() => {}
                () = closing.cancelled() => {}
            }
        });
    }

    /// Serves no browser until the next [`Listener::attach`]; clients are disconnected with a reason.
    pub fn detach(&self) {
        self.shared.replace(None);
    }

    /// The port in use.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port()))
    }

    /// For clients that find the WebSocket by themselves. Contains the token, unless none is needed.
    #[must_use]
    pub fn http_url(&self) -> String {
        format!("http://{}{}", self.address(), self.prefix())
    }

    /// The browser's WebSocket. Contains the token, unless none is needed. Stays the same on the next
    /// start of the profile, if the port does.
    #[must_use]
    pub fn ws_url(&self) -> String {
        format!(
            "ws://{}{}/devtools/browser/{}",
            self.address(),
            self.prefix(),
            self.shared.browser_id
        )
    }

    /// The addresses without the shield: HTTP, and the WebSocket.
    #[must_use]
    pub fn unshielded_urls(&self) -> (String, String) {
        let (address, prefix) = (self.address(), self.prefix());
        let base = format!("{address}{prefix}/{UNSHIELDED}");
        let id = &self.shared.browser_id;
        (
            format!("http://{base}"),
            format!("ws://{base}/devtools/browser/{id}"),
        )
    }

    /// Disconnects a client, with a reason; false if no client has this number.
    #[must_use]
    pub fn disconnect(&self, client: u64) -> bool {
        self.shared.clients.disconnect(client)
    }

    /// The connected clients, oldest first.
    #[must_use]
    pub fn clients(&self) -> Vec<ClientInfo> {
        self.shared.clients.all()
    }

    /// The number of connected clients, now and whenever it changes.
    #[must_use]
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.shared.clients.count()
    }

    /// Stops listening, notifies the clients and waits until they are gone, for at most three seconds.
    pub async fn close(self) {
        self.shared.closing.cancel();
        self.shared.tasks.close();
        if tokio::time::timeout(FAREWELL, self.shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some clients of the endpoint did not leave in time");
        }
    }

    fn prefix(&self) -> String {
        match self.shared.guard.auth {
            EndpointAuth::Token => self.shared.guard.prefix(),
            EndpointAuth::None => String::new(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.closing.cancel();
    }
}

impl Shared {
    /// Whether a client that names a target over HTTP may see it.
    pub(super) fn shows(&self, target: &str) -> bool {
        self.rules.tabs == EndpointTabs::All || self.opened().contains(target)
    }

    /// Records a target that was opened over HTTP.
    pub(super) fn note_opened(&self, target: &str) {
        if self.rules.tabs == EndpointTabs::Own {
            self.opened().insert(target.to_owned());
        }
    }

    fn opened(&self) -> MutexGuard<'_, HashSet<String>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The browser, if there is one.
    pub(super) fn live(&self) -> Option<Live> {
        self.lock().clone()
    }

    fn replace(&self, live: Option<Live>) {
        let old = std::mem::replace(&mut *self.lock(), live);
        if let Some(old) = old {
            old.ended.cancel();
        }
    }

    /// Removes a browser that exited by itself, unless another was attached meanwhile. Its clients see
    /// the end of their inboxes.
    fn forget(&self, gone: &Live) {
        let mut live = self.lock();
        if live
            .as_ref()
            .is_some_and(|live| Arc::ptr_eq(&live.browser, &gone.browser))
        {
            *live = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
