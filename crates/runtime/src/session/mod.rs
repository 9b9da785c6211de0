//! An open profile: the only owner of its Chromium, its state and its endpoint.
//!
//! A [`Session`] is opened once and held by a keeper (or by a Rust program through [`crate::library`]).
//! One task, in `browser_task`, owns the browser: it restarts it after a crash, ends the session when a
//! person closes the last window, and closes everything in a fixed order. Everyone else has a handle.

mod browser_task;
mod changes;
mod close;
mod differences;
mod disruptions;
mod endpoint;
mod error;
mod extensions;
mod held_tabs;
mod open;
mod prepare;
mod proxy;
mod restart;
mod saved;
mod saver;
mod scripted;
mod tabs;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use szk_config::{CallOptions, Identity, Origin, Resolved};
use szk_endpoint::Listener;
use szk_store::{DownloadFolder, EventNumbers, Meta, Name, Profile, ProfileLock, Store};
use tokio::sync::{mpsc, watch};

pub use close::{Closed, Why};
pub use error::{OpenError, SessionError};

use crate::launch::{Chromium, Mode, Plan};
use crate::stealth::Stealth;
use crate::supervisor::{Supervisor, Tab};
use browser_task::Ask;
pub use saver::Imported;
use saver::Saver;

/// What to open.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The profile store.
    pub store: Store,
    /// The profile; for a clone its own new name.
    pub name: Name,
    /// The profile to copy, which makes this one ephemeral.
    pub clone_of: Option<Name>,
    /// Saved state of the original if that is open: then its files cannot be copied.
    pub live_state: Option<Vec<u8>>,
    /// Whether to open the endpoint at once.
    pub share: bool,
    /// Whether the caller opens a page at once. Then the saved tabs wait for [`Session::restore_tabs`].
    pub page_first: bool,
    /// Where the search for configuration starts.
    pub origin: Origin,
    /// The call's options.
    pub options: CallOptions,
}

/// Reports a step of opening while it runs.
pub type Report<'a> = &'a (dyn Fn(&str, u32, u32) + Send + Sync);

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lifecycle {
    /// The browser runs.
    Running,
    /// The browser died and is being restarted.
    Restarting {
        /// How it died.
        why: String,
    },
    /// Closing.
    Closing,
    /// Closed; the profile is free.
    Closed(Arc<Closed>),
}

/// The current browser of a session.
#[derive(Clone)]
pub struct Running {
    /// The process.
    pub chromium: Chromium,
    /// Our session with it.
    pub supervisor: Supervisor,
}

/// Handle on an open profile; cheap to clone.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    profile: Profile,
    downloads: DownloadFolder,
    meta: Mutex<Meta>,
    /// Where the numbers of its events go on from.
    events: EventNumbers,
    /// The number of the last event.
    last_event: Arc<AtomicU64>,
    resolved: Resolved,
    options: CallOptions,
    plan: Plan,
    stealth: Arc<Stealth>,
    warnings: Mutex<Vec<String>>,
    /// Messages for the first caller only.
    first_words: Mutex<Vec<String>>,
    life: watch::Sender<Lifecycle>,
    running: watch::Sender<Option<Running>>,
    saver: Saver,
    listener: tokio::sync::Mutex<Option<Listener>>,
    /// Whether the page that saved tabs wait for has the tab that the browser started with.
    page_has_first_tab: AtomicBool,
    /// Whoever restores the tabs that wait.
    restoring: tokio::sync::Mutex<()>,
    /// Released once everything is written and gone.
    lock: Mutex<Option<ProfileLock>>,
    asks: mpsc::Sender<Ask>,
}

/// How long an operation waits for a restarting browser.
const RESTART_PATIENCE: Duration = Duration::from_secs(20);
/// Number of warnings kept for clients; later ones only go to the log.
const MOST_WARNINGS: usize = 50;

impl Session {
    /// Name of the profile.
    #[must_use]
    pub fn name(&self) -> &Name {
        self.inner.profile.name()
    }

    /// The profile's place in the store.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.inner.profile
    }

    /// Its downloads.
    #[must_use]
    pub fn downloads(&self) -> &DownloadFolder {
        &self.inner.downloads
    }

    /// With or without a window.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.inner.plan.mode
    }

    /// The options its browser was started with.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.inner.plan
    }

    /// The limits of `[policy]` for it.
    #[must_use]
    pub fn bounds(&self) -> &szk_config::Bounds {
        &self.inner.plan.bounds
    }

    /// Lets pages be at the address of a file or folder of this machine that a person opens.
    ///
    /// # Errors
    /// [`SessionError`] if the browser is not running, or its requests cannot be intercepted.
    pub async fn open_file(&self, path: &std::path::Path) -> Result<(), SessionError> {
        let running = self.running().await?;
        self.bounds().open_file(path);
        running
            .supervisor
            .guard_files()
            .await
            .map_err(|_| SessionError::Restarting)
    }

    /// Settings in force, each with its source.
    #[must_use]
    pub fn resolved(&self) -> &Resolved {
        &self.inner.resolved
    }

    /// The options of the call that opened it.
    #[must_use]
    pub fn options(&self) -> &CallOptions {
        &self.inner.options
    }

    /// Identity in force.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.inner.plan.identity
    }

    /// The profile's metadata.
    #[must_use]
    pub fn meta(&self) -> Meta {
        self.inner
            .meta
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Keeps a clone when it closes.
    ///
    /// # Errors
    /// Its metadata is not writable; then the clone is deleted as before.
    pub fn stay(&self) -> Result<(), szk_store::StoreError> {
        let mut meta = self
            .inner
            .meta
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let changed = Meta {
            ephemeral: false,
            ..meta.clone()
        };
        self.inner.profile.write_meta(&changed)?;
        *meta = changed;
        Ok(())
    }

    /// Where the numbers of its events go on from, and where whoever numbers them keeps the last one: the next
    /// session goes on from there.
    #[must_use]
    pub fn event_numbers(&self) -> (EventNumbers, Arc<AtomicU64>) {
        (self.inner.events, Arc::clone(&self.inner.last_event))
    }

    /// How long it stays open while no one needs it; `None` for ever.
    #[must_use]
    pub fn linger(&self) -> Option<Duration> {
        let minutes = self.inner.resolved.settings.session.linger_minutes;
        (minutes > 0.0).then(|| Duration::from_secs_f64(minutes * 60.0))
    }

    /// All warnings so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.inner
            .warnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Messages that are shown once in the life of a profile, to whoever asks first.
    #[must_use]
    pub fn take_first_words(&self) -> Vec<String> {
        let mut words = self
            .inner
            .first_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *words)
    }

    /// Its current state.
    #[must_use]
    pub fn life(&self) -> Lifecycle {
        self.inner.life.borrow().clone()
    }

    /// Notified when its state changes.
    #[must_use]
    pub fn watch_life(&self) -> watch::Receiver<Lifecycle> {
        self.inner.life.subscribe()
    }

    /// The running browser; waits for one that is restarting. A browser whose connection has ended no longer
    /// counts as running, even if some of its processes have not exited yet.
    ///
    /// # Errors
    /// [`SessionError::Closing`] while closing, [`SessionError::Restarting`] if the restart
    /// takes too long.
    pub async fn running(&self) -> Result<Running, SessionError> {
        let mut running = self.inner.running.subscribe();
        if matches!(self.life(), Lifecycle::Closing | Lifecycle::Closed(_)) {
            return Err(SessionError::Closing);
        }
        let mut life = self.inner.life.subscribe();
        let answers = |found: &Option<Running>| {
            let found = found.as_ref();
            found.is_some_and(|found| !found.supervisor.connection().is_closed())
        };
        let found = async {
            tokio::select! {
                found = running.wait_for(answers) => found.ok().and_then(|found| found.clone()),
                // A browser that is closing is not restarted.
                _ = life.wait_for(|life| matches!(life, Lifecycle::Closing | Lifecycle::Closed(_))) => None,
            }
        };
        match tokio::time::timeout(RESTART_PATIENCE, found).await {
            Ok(found) => found.ok_or(SessionError::Closing),
            Err(_) => Err(SessionError::Restarting),
        }
    }

    /// Notified when a browser starts or exits.
    #[must_use]
    pub fn watch_running(&self) -> watch::Receiver<Option<Running>> {
        self.inner.running.subscribe()
    }

    /// Tabs open now; none while the browser restarts.
    #[must_use]
    pub fn tabs(&self) -> Vec<Tab> {
        self.inner
            .running
            .borrow()
            .as_ref()
            .map(|running| running.supervisor.tabs())
            .unwrap_or_default()
    }

    /// The shared endpoint, opened by the first call. It stays open across restarts of the browser.
    ///
    /// # Errors
    /// [`SessionError`] if the browser is not running or no port is free.
    pub async fn open_endpoint(&self) -> Result<EndpointInfo, SessionError> {
        let running = self.running().await?;
        let mut listener = self.inner.listener.lock().await;
        if listener.is_none() {
            *listener = Some(self.inner.open_listener(&running).await?);
        }
        listener
            .as_ref()
            .map(EndpointInfo::of)
            .ok_or(SessionError::Closing)
    }

    /// A second port of the endpoint, for programs that take only host and port: programs of this user
    /// need no token there. It stays open until the session ends.
    ///
    /// # Errors
    /// [`SessionError`] if the browser is not running, no port is free, or this system does not
    /// say who connects.
    pub async fn open_plain_port(&self) -> Result<u16, SessionError> {
        self.open_endpoint().await?;
        let listener = self.inner.listener.lock().await;
        let listener = listener.as_ref().ok_or(SessionError::Closing)?;
        let opened = listener.open_plain().await;
        opened.map_err(|error| SessionError::Endpoint {
            reason: error.to_string(),
        })
    }

    /// The endpoint, if it is open.
    pub async fn endpoint(&self) -> Option<EndpointInfo> {
        self.inner
            .listener
            .lock()
            .await
            .as_ref()
            .map(EndpointInfo::of)
    }

    /// Disconnects a client of the endpoint; returns false if there is no client with this number.
    pub async fn disconnect(&self, client: u64) -> bool {
        let listener = self.inner.listener.lock().await;
        listener
            .as_ref()
            .is_some_and(|listener| listener.disconnect(client))
    }

    /// The current state, freshly captured if the browser is running.
    pub async fn capture(&self) -> crate::state::StorageState {
        let running = self.inner.running.borrow().clone();
        self.inner.saver.capture_now(running.as_ref()).await
    }

    /// Saves at once what is otherwise saved every few seconds.
    ///
    /// # Errors
    /// The state is not writable.
    pub async fn save(&self) -> Result<(), szk_store::StoreError> {
        let running = self.inner.running.borrow().clone();
        match running {
            Some(running) => self.inner.saver.tick(&running).await,
            None => Ok(()),
        }
    }

    /// Writes cookies and storage of a state into the running browser, overwriting what is there.
    /// Returns what the browser took.
    ///
    /// # Errors
    /// [`SessionError`] if the browser is not running.
    pub async fn import(
        &self,
        state: &crate::state::StorageState,
    ) -> Result<Imported, SessionError> {
        let running = self.running().await?;
        Ok(self.inner.saver.import(&running, state).await)
    }

    /// Saves, ends the browser, and releases the profile. Returns once all of that is done; a second
    /// call waits for the first.
    pub async fn close(&self, save: bool, why: Why) -> Arc<Closed> {
        // A full queue means that someone else has asked already.
        let _ = self.inner.asks.try_send(Ask::Close { save, why });
        self.closed().await
    }

    /// Waits until it is closed, by anyone.
    pub async fn closed(&self) -> Arc<Closed> {
        let mut life = self.inner.life.subscribe();
        let ended = life
            .wait_for(|life| matches!(life, Lifecycle::Closed(_)))
            .await
            .map(|life| life.clone());
        match ended {
            Ok(Lifecycle::Closed(closed)) => closed,
            _ => Arc::new(Closed::lost()),
        }
    }
}

/// The endpoint as others see it.
#[derive(Debug, Clone)]
pub struct EndpointInfo {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// HTTP base with the token.
    pub http_url: String,
    /// WebSocket of the browser, with the token.
    pub ws_url: String,
    /// Port where this user's programs need no token, once it is open.
    pub plain_port: Option<u16>,
    /// Both addresses, for a client without the shield.
    pub unshielded_urls: (String, String),
    /// Connected clients.
    pub clients: Vec<szk_endpoint::ClientInfo>,
    /// Number of clients; notified when it changes.
    pub client_count: watch::Receiver<usize>,
}

impl EndpointInfo {
    fn of(listener: &Listener) -> Self {
        Self {
            port: listener.port(),
            http_url: listener.http_url(),
            ws_url: listener.ws_url(),
            plain_port: listener.plain_port(),
            unshielded_urls: listener.unshielded_urls(),
            clients: listener.clients(),
            client_count: listener.client_count(),
        }
    }

    /// Environment for programs that join.
    #[must_use]
    pub fn env(&self, session: &Name) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("SZK_CDP_ENDPOINT".to_owned(), self.http_url.clone()),
            ("SZK_CDP_WS_ENDPOINT".to_owned(), self.ws_url.clone()),
            ("SZK_SESSION".to_owned(), session.to_string()),
        ])
    }
}

impl Inner {
    pub(crate) fn warn(&self, warning: String) {
        tracing::warn!("{warning}");
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk causes the same warning every few seconds, for days.
        if warnings.len() < MOST_WARNINGS && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Whether the profile's folder is still the one that was locked.
    fn owns_folder(&self) -> bool {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        lock.as_ref().is_some_and(|lock| lock.is_for(&self.profile))
    }

    /// The scripts' and extensions' paths as given, for messages.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }
}
