//! From a start message to the end of the process's work.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use szk_client::Start;
use szk_client::wire::Hello;
use szk_config::Origin;
use szk_runtime::session::{Opening, Session, Why};
use szk_store::{KeeperInfo, Name, Store};
use szk_tools::{Code, Failure, Progress};
use tokio::net::UnixListener;

use crate::clients::Clients;
use crate::context::Keeper;
use crate::{failure, lifetime, log, server, signals};

/// A keeper in the background: the start message comes on standard input, and standard output tells
/// the starter how it goes until the keeper answers on its socket.
///
/// # Errors
/// What was told to the starter.
pub async fn detached() -> Result<(), Failure> {
    let hello = |line: &Hello| {
        // The starter may be gone; the keeper goes on without it.
        if let Ok(text) = serde_json::to_string(line) {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        }
    };
    let kept = match start_message() {
        Ok(start) => {
            // A session of its own: the end of the starter's terminal is not the keeper's end.
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
/// When the profile could not be opened; `on_ready` is told too.
pub async fn foreground(
    start: Start,
    progress: &(dyn Fn(Progress) + Send + Sync),
    on_ready: Box<dyn FnOnce(Result<(), Failure>) + Send>,
) -> Result<(), Failure> {
    match begin(start, Some("terminal"), progress).await {
        Ok(keeper) => {
            on_ready(Ok(()));
            keeper.last().await;
            Ok(())
        }
        Err(failure) => {
            on_ready(Err(failure.clone()));
            Err(failure)
        }
    }
}

/// A keeper at work.
struct Begun {
    keeper: Arc<Keeper>,
    server: tokio::task::JoinHandle<()>,
    socket: std::path::PathBuf,
}

impl Begun {
    /// Works until the session is closed, and lets the last answers go out.
    async fn last(self) {
        let closed = self.keeper.session.closed().await;
        tracing::info!(why = ?closed.why, saved = closed.saved, warnings = ?closed.warnings, "closed");
        self.keeper.clients.answers_sent().await;
        self.server.abort();
        remove(&self.socket);
    }
}

async fn begin(
    start: Start,
    own_client: Option<&str>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Begun, Failure> {
    let name = Name::parse(&start.session).map_err(|error| szk_client::name_failure(&error))?;
    let store = Store::at(start.store.clone());
    let clone_of = start
        .clone_of
        .as_deref()
        .map(Name::parse)
        .transpose()
        .map_err(|error| szk_client::name_failure(&error))?;
    let mut origin = Origin::from_process();
    origin.cwd.clone_from(&start.cwd);
    let profile = store.profile(&name);
    profile
        .create()
        .map_err(|error| szk_client::store_failure(&error))?;
    log::to_file(&profile.log_path());
    let opening = Opening {
        live_state: live_state(&store, clone_of.as_ref()).await?,
        store,
        name,
        clone_of,
        origin,
        options: start.options,
        share: start.share,
    };
    let report = |message: &str, done: u32, total: u32| {
        progress(Progress {
            message: message.to_owned(),
            done,
            total,
        })
    };
    let signals = signals::Signals::listen()?;
    let session = Session::open(opening, &report)
        .await
        .map_err(|error| failure::open(&error))?;
    match serve(&session, own_client, signals).await {
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
    signals: signals::Signals,
) -> Result<Begun, Failure> {
    let profile = session.profile();
    let socket = profile
        .socket_path()
        .map_err(|error| szk_client::store_failure(&error))?;
    // We hold the profile's lock: whoever left this socket behind is gone.
    remove(&socket);
    let listener = bind(&socket)?;
    let clients = Clients::new(own_client);
    let keeper = Arc::new(Keeper::new(session.clone(), clients));
    let server = tokio::spawn(server::run(listener, Arc::clone(&keeper)));
    let info = KeeperInfo::of_this_process(socket.clone(), env!("CARGO_PKG_VERSION"));
    profile
        .write_keeper(&info)
        .map_err(|error| szk_client::store_failure(&error))?;
    tokio::spawn(lifetime::watch(Arc::clone(&keeper)));
    tokio::spawn(signals.watch(session.clone()));
    tracing::info!(session = %session.name(), mode = ?session.mode(), "open");
    Ok(Begun {
        keeper,
        server,
        socket,
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
    // Its folder is 0700 already, so nobody gets in between the two calls.
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

/// The state of a profile that is open elsewhere: its files are in use, so a clone starts from what its
/// keeper knows.
async fn live_state(store: &Store, original: Option<&Name>) -> Result<Option<Vec<u8>>, Failure> {
    let Some(name) = original else {
        return Ok(None);
    };
    let profile = store.profile(name);
    if !profile.is_live() {
        return Ok(None);
    }
    let keeper = profile.keeper().ok_or_else(|| {
        Failure::new(
            Code::SessionBusy,
            format!("session `{name}` is starting or closing"),
        )
        .retryable()
    })?;
    szk_client::state_of(&keeper.socket).await.map(Some)
}

fn start_message() -> Result<Start, Failure> {
    let mut text = Vec::new();
    std::io::stdin()
        .take(1 << 20)
        .read_to_end(&mut text)
        .map_err(|error| Failure::internal(format!("no start message: {error}")))?;
    serde_json::from_slice(&text).map_err(|error| {
        Failure::invalid(format!("the start message is not understood: {error}"))
            .hint("`szk keeper` is started by szk itself; use `szk open`")
    })
}

/// Gives the starter's pipe back: it waits for the end of it.
fn silence_stdout() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = rustix::stdio::dup2_stdout(&null)
    {
        tracing::warn!(%error, "standard output stays open");
    }
}
