//! Runs a keeper, from its start message to its exit.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use szk_config::Origin;
use szk_runtime::session::{Lifecycle, Opening, Session, Why};
use szk_secrets::Secrets;
use szk_store::{KeeperInfo, Name, Store};
use szk_tools::{Code, Failure, Progress};
use szk_wire::{Hello, Start, names, socket};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use crate::clients::Clients;
use crate::context::Keeper;
use crate::{event_log, events, failure, lifetime, log, server, signals};

/// How long the original of a clone may be busy.
const BUSY: Duration = Duration::from_secs(20);
/// How often to check it meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// How long calls that arrive at the end may take to be answered.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// A keeper in the background: reads the start message from standard input, and reports its progress on
/// standard output until it answers on its socket.
///
/// # Errors
/// The failure that it reported to the starter.
pub async fn detached() -> Result<(), Failure> {
    let hello = |line: &Hello| {
        // The starter may be gone; the keeper continues without it.
        if let Ok(text) = serde_json::to_string(line) {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        }
    };
    let kept = match start_message() {
        Ok(start) => {
            // A process session of its own, so that closing the starter's terminal does not end the
            // keeper.
            let _ = rustix::process::setsid();
            let progress = |step: Progress| hello(&Hello::Progress(step));
            begin(start, None, &progress).await
        }
        Err(failure) => Err(failure),
    };
    match kept {
        Ok(keeper) => {
            hello(&Hello::Ready);
            silence_stdout();
            keeper.last().await;
            Ok(())
        }
        Err(failure) => {
            hello(&Hello::Error(failure.clone()));
            Err(failure)
        }
    }
}

/// A keeper in the foreground of a terminal: it counts as a client itself, and Ctrl-C saves and closes.
///
/// # Errors
/// The profile could not be opened; `on_ready` gets the failure too.
pub async fn foreground(
    start: Start,
    progress: &(dyn Fn(Progress) + Send + Sync),
    on_ready: Box<dyn FnOnce(Result<(), Failure>) + Send>,
) -> Result<(), Failure> {
    match begin(start, Some("terminal"), progress).await {
        Ok(keeper) => {
            on_ready(Ok(()));
            let session = keeper.keeper.session.clone();
            // Ends with the session; meanwhile the person learns about crashes of the browser.
            tokio::select! {
                () = keeper.last() => {}
                () = tell_of_crashes(&session, progress) => {}
            }
            Ok(())
        }
        Err(failure) => {
            on_ready(Err(failure.clone()));
            Err(failure)
        }
    }
}

/// Announces crashes and restarts of the browser, as progress without steps. Never ends.
async fn tell_of_crashes(session: &Session, progress: &(dyn Fn(Progress) + Send + Sync)) {
    let announce = |message: String| {
        progress(Progress {
            message,
            done: 0,
            total: 0,
        });
    };
    let mut life = session.watch_life();
    let mut died = false;
    while life.changed().await.is_ok() {
        let now = life.borrow_and_update().clone();
        match now {
            Lifecycle::Restarting { why } => {
                died = true;
                announce(format!(
                    "Chromium exited unexpectedly ({why}); restarting it"
                ));
            }
            Lifecycle::Running if died => {
                died = false;
                announce("Chromium is back, with its tabs and logins".to_owned());
            }
            Lifecycle::Running | Lifecycle::Closing | Lifecycle::Closed(_) => {}
        }
    }
    std::future::pending().await
}

/// A running keeper.
struct Begun {
    keeper: Arc<Keeper>,
    server: tokio::task::JoinHandle<()>,
    /// Ends it.
    stop: CancellationToken,
    socket: OwnSocket,
}

/// The socket's file, identified by more than its path: once the profile is free, the next keeper may
/// have put its own socket in the same place.
struct OwnSocket {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl OwnSocket {
    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: file_of(path),
        }
    }

    /// Call this while the listener is open: only then is the file's inode number unique.
    fn remove(&self) {
        if self.file.is_some() && file_of(&self.path) == self.file {
            remove(&self.path);
        }
    }
}

fn file_of(path: &Path) -> Option<(u64, u64)> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

impl Begun {
    /// Works until the session is closed, and sends the last answers.
    async fn last(mut self) {
        let closed = self.keeper.session.closed().await;
        tracing::info!(why = ?closed.why, saved = closed.saved, warnings = ?closed.warnings, "closed");
        // First, so that no new client connects; the others have their connections.
        self.socket.remove();
        self.keeper.clients.answers_sent().await;
        self.keeper.audit.ended(&closed.why).await;
        // A call that has just arrived is no answer yet, but gets one.
        self.stop.cancel();
        if tokio::time::timeout(LAST_CALLS, &mut self.server)
            .await
            .is_err()
        {
            self.server.abort();
        }
    }
}

async fn begin(
    start: Start,
    own_client: Option<&str>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Begun, Failure> {
    // Before there is a browser below it: who drives that browser is no person.
    szk_store::process::mark_as_ours();
    let name = names::parse(&start.session)?;
    let store = Store::at(start.store.clone());
    let clone_of = start.clone_of.as_deref().map(names::parse).transpose()?;
    let mut origin = Origin::from_process();
    origin.cwd.clone_from(&start.cwd);
    let profile = store.profile(&name);
    profile
        .create()
        .map_err(|error| szk_wire::failure::store(&error))?;
    log::to_file(&profile.log_path(), &origin, &start.options);
    let live_state = match live_state(&store, clone_of.as_ref()).await {
        Ok(state) => state,
        Err(failure) => {
            // Only the folder of a copy exists, without metadata about its owner, so nothing would
            // collect it.
            if let Ok(lock) = profile.lock()
                && let Err(error) = profile.trash(lock)
            {
                tracing::warn!(%error, "the folder of a clone could not be removed");
            }
            return Err(failure);
        }
    };
    let secrets = Secrets::of(&store, &origin);
    let opening = Opening {
        live_state,
        store,
        name,
        clone_of,
        origin,
        options: start.options,
        share: start.share,
        page_first: start.page_first,
    };
    let report = |message: &str, done: u32, total: u32| {
        progress(Progress {
            message: message.to_owned(),
            done,
            total,
        })
    };
    let mut signals = signals::Signals::listen()?;
    let session = tokio::select! {
        opened = Session::open(opening, &report) => opened.map_err(|error| failure::open(&error))?,
        // Dropping the unfinished start undoes it.
        name = signals.next() => {
            return Err(Failure::new(Code::Cancelled, format!("stopped by {name} before the session was open")));
        }
    };
    match serve(&session, own_client, secrets, signals).await {
        Ok(begun) => Ok(begun),
        Err(failure) => {
            session.close(true, Why::Asked).await;
            Err(failure)
        }
    }
}

async fn serve(
    session: &Session,
    own_client: Option<&str>,
    secrets: Secrets,
    signals: signals::Signals,
) -> Result<Begun, Failure> {
    let profile = session.profile();
    let socket = profile
        .socket_path()
        .map_err(|error| szk_wire::failure::store(&error))?;
    // We hold the profile's lock, so whoever left this socket is gone.
    remove(&socket);
    let listener = bind(&socket)?;
    let hold = Duration::from_secs(session.resolved().settings.session.hold_seconds);
    let clients = Clients::new(own_client, hold);
    clients.events().go_on(session);
    let keeper = Keeper::new(session.clone(), clients, secrets);
    event_log::keep(&keeper);
    events::keep(&keeper);
    // An endpoint that opened with the session may have clients before anyone asks for it here.
    if let Some(endpoint) = session.endpoint().await {
        keeper.count_visitors(&endpoint);
    }
    let stop = CancellationToken::new();
    let server = tokio::spawn(server::run(listener, Arc::clone(&keeper), stop.clone()));
    let info = KeeperInfo::of_this_process(socket.clone(), env!("CARGO_PKG_VERSION"));
    profile
        .write_keeper(&info)
        .map_err(|error| szk_wire::failure::store(&error))?;
    tokio::spawn(lifetime::watch(Arc::clone(&keeper)));
    tokio::spawn(signals.watch(session.clone()));
    tracing::info!(session = %session.name(), mode = ?session.mode(), "open");
    Ok(Begun {
        keeper,
        server,
        stop,
        socket: OwnSocket::at(&socket),
    })
}

fn bind(socket: &Path) -> Result<UnixListener, Failure> {
    use std::os::unix::fs::PermissionsExt;
    let failed = |error: std::io::Error| {
        Failure::new(
            Code::Storage,
            format!("cannot listen on `{}`: {error}", socket.display()),
        )
    };
    // The folder is already 0700, so no one gets in between the two calls.
    let listener = UnixListener::bind(socket).map_err(failed)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

fn remove(socket: &Path) {
    if let Err(error) = std::fs::remove_file(socket)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the socket could not be removed");
    }
}

/// The state of a profile that is open elsewhere: its files are in use, so a clone starts from the state
/// in its keeper.
async fn live_state(store: &Store, original: Option<&Name>) -> Result<Option<Vec<u8>>, Failure> {
    let Some(name) = original else {
        return Ok(None);
    };
    let profile = store.profile(name);
    let deadline = Instant::now() + BUSY;
    while profile.is_live() {
        let state = match profile.keeper() {
            Some(keeper) => socket::state_of(&keeper.socket).await,
            None => Err(Failure::new(
                Code::SessionBusy,
                format!("session `{name}` is starting or closing"),
            )
            .retryable()),
        };
        // It may be starting or closing, or someone else may be copying it.
        match state {
            Err(_) if Instant::now() < deadline => tokio::time::sleep(LOOK).await,
            state => return state.map(Some),
        }
    }
    Ok(None)
}

fn start_message() -> Result<Start, Failure> {
    let mut text = Vec::new();
    std::io::stdin()
        .take(1 << 20)
        .read_to_end(&mut text)
        .map_err(|error| Failure::internal(format!("no start message: {error}")))?;
    serde_json::from_slice(&text).map_err(|error| {
        Failure::invalid(format!("cannot read the start message: {error}"))
            .hint("szk starts `szk keeper` itself; use `szk open`")
    })
}

/// Closes the starter's pipe, because the starter waits for its end.
fn silence_stdout() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = rustix::stdio::dup2_stdout(&null)
    {
        tracing::warn!(%error, "standard output stays open");
    }
}
