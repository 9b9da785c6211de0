//! A profile that is open: the one owner of its Chromium, its state and its door.
//!
//! A [`Session`] is opened once and held by a keeper (or by a Rust program through [`crate::library`]).
//! One task, in `keep`, owns the browser: it starts it again when it died, ends the session when a
//! person closed the last window, and closes everything in one order. Everybody else has a handle.

mod changes;
mod close;
mod door;
mod ending;
mod error;
mod found;
mod keep;
mod open;
mod prepare;
mod proxy;
mod restart;
mod saver;
mod scripted;
mod tabs;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use szk_config::{CallOptions, Identity, Origin, Resolved};
use szk_endpoint::Listener;
use szk_store::{Meta, Name, Profile, ProfileLock, Store};
use tokio::sync::{mpsc, watch};

pub use close::{Closed, Why};
pub use error::{OpenError, SessionError};

use crate::launch::{Chromium, Mode, Plan};
use crate::stealth::Stealth;
use crate::supervisor::{Supervisor, Tab};
use keep::Ask;
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
    /// Saved state of the original while that is open itself: its files cannot be copied then.
    pub live_state: Option<Vec<u8>>,
    /// Whether the endpoint is wanted at once.
    pub share: bool,
    /// Where configuration is looked for.
    pub origin: Origin,
    /// What the call asks for.
    pub options: CallOptions,
}

/// A step of opening, told while it goes on.
pub type Report<'a> = &'a (dyn Fn(&str, u32, u32) + Send + Sync);

/// How a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Life {
    /// The browser runs.
    Running,
    /// The browser died and is started again.
    Restarting {
        /// How it died.
        why: String,
    },
    /// On its way out.
    Closing,
    /// Gone; the profile is free.
    Closed(Arc<Closed>),
}

/// The browser of a session as it runs now.
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
    meta: Mutex<Meta>,
    resolved: Resolved,
    options: CallOptions,
    plan: Plan,
    stealth: Arc<Stealth>,
    warnings: Mutex<Vec<String>>,
    /// What the first caller is told, and nobody after.
    first_words: Mutex<Vec<String>>,
    life: watch::Sender<Life>,
    running: watch::Sender<Option<Running>>,
    saver: Saver,
    door: tokio::sync::Mutex<Option<Listener>>,
    /// Given up when everything is written and gone.
    lock: Mutex<Option<ProfileLock>>,
    asks: mpsc::Sender<Ask>,
}

/// How long an operation waits for a browser that is being started again.
const RESTART_PATIENCE: Duration = Duration::from_secs(20);
/// Warnings kept for clients; later ones are in the log only.
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

    /// With or without a window.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.inner.plan.mode
    }

    /// How its browser was started.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.inner.plan
    }

    /// What may be done in it.
    #[must_use]
    pub fn bounds(&self) -> &szk_config::Bounds {
        &self.inner.plan.bounds
    }

    /// A person opens a file or a folder of this machine: pages may be at it from now on.
    ///
    /// # Errors
    /// [`SessionError`] when the browser is not there, or does not let its requests be looked at.
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

    /// What the call that opened it asked for.
    #[must_use]
    pub fn options(&self) -> &CallOptions {
        &self.inner.options
    }

    /// Identity in force.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.inner.plan.identity
    }

    /// What is known about the profile.
    #[must_use]
    pub fn meta(&self) -> Meta {
        self.inner
            .meta
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Lets a clone stay when it is closed.
    ///
    /// # Errors
    /// Its meta cannot be written; then it goes as before.
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

    /// How long it stays open when nobody needs it; `None` for ever.
    #[must_use]
    pub fn linger(&self) -> Option<Duration> {
        let minutes = self.inner.resolved.settings.session.linger_minutes;
        (minutes > 0.0).then(|| Duration::from_secs_f64(minutes * 60.0))
    }

    /// What was not as it should be, so far.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.inner
            .warnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What is told once in the life of a profile, to whoever asks first.
    #[must_use]
    pub fn take_first_words(&self) -> Vec<String> {
        let mut words = self
            .inner
            .first_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *words)
    }

    /// How it is now.
    #[must_use]
    pub fn life(&self) -> Life {
        self.inner.life.borrow().clone()
    }

    /// Told when its life changes.
    #[must_use]
    pub fn watch_life(&self) -> watch::Receiver<Life> {
        self.inner.life.subscribe()
    }

    /// The running browser; one that is being started again is waited for.
    ///
    /// # Errors
    /// [`SessionError::Closing`] on the way out, [`SessionError::Restarting`] when it takes too long.
    pub async fn running(&self) -> Result<Running, SessionError> {
        let mut running = self.inner.running.subscribe();
        if matches!(self.life(), Life::Closing | Life::Closed(_)) {
            return Err(SessionError::Closing);
        }
        let mut life = self.inner.life.subscribe();
        let found = async {
            tokio::select! {
                found = running.wait_for(Option::is_some) => found.ok().and_then(|found| found.clone()),
                // Nobody starts a browser again that is on its way out.
                _ = life.wait_for(|life| matches!(life, Life::Closing | Life::Closed(_))) => None,
            }
        };
        match tokio::time::timeout(RESTART_PATIENCE, found).await {
            Ok(found) => found.ok_or(SessionError::Closing),
            Err(_) => Err(SessionError::Restarting),
        }
    }

    /// Told when a browser starts or ends.
    #[must_use]
    pub fn watch_running(&self) -> watch::Receiver<Option<Running>> {
        self.inner.running.subscribe()
    }

    /// Open tabs now; none while the browser is being started again.
    #[must_use]
    pub fn tabs(&self) -> Vec<Tab> {
        self.inner
            .running
            .borrow()
            .as_ref()
            .map(|running| running.supervisor.tabs())
            .unwrap_or_default()
    }

    /// The door of the shared endpoint, opened at the first call. It stays open across restarts of
    /// the browser.
    ///
    /// # Errors
    /// [`SessionError`] when the browser is not there or no port is free.
    pub async fn open_door(&self) -> Result<DoorInfo, SessionError> {
        let running = self.running().await?;
        let mut door = self.inner.door.lock().await;
        if door.is_none() {
            *door = Some(self.inner.make_door(&running).await?);
        }
        door.as_ref().map(DoorInfo::of).ok_or(SessionError::Closing)
    }

    /// A second port of the endpoint, for programs that know only host and port: programs of this user
    /// need no token there. It stays open until the session ends.
    ///
    /// # Errors
    /// [`SessionError`] when the browser is not there, no port is free, or this system does not tell who
    /// connects.
    pub async fn open_plain_port(&self) -> Result<u16, SessionError> {
        self.open_door().await?;
        let door = self.inner.door.lock().await;
        let door = door.as_ref().ok_or(SessionError::Closing)?;
        let opened = door.open_plain().await;
        opened.map_err(|error| SessionError::Door {
            reason: error.to_string(),
        })
    }

    /// The door, if it is open.
    pub async fn door(&self) -> Option<DoorInfo> {
        self.inner.door.lock().await.as_ref().map(DoorInfo::of)
    }

    /// Disconnects a client of the endpoint; false if there is none of this number.
    pub async fn disconnect(&self, client: u64) -> bool {
        let door = self.inner.door.lock().await;
        door.as_ref().is_some_and(|door| door.disconnect(client))
    }

    /// The state as it is now, freshly captured where the browser runs.
    pub async fn capture(&self) -> crate::state::StorageState {
        let running = self.inner.running.borrow().clone();
        self.inner.saver.capture_now(running.as_ref()).await
    }

    /// Saves now what is saved every few seconds.
    ///
    /// # Errors
    /// The state cannot be written.
    pub async fn save(&self) -> Result<(), szk_store::StoreError> {
        let running = self.inner.running.borrow().clone();
        match running {
            Some(running) => self.inner.saver.tick(&running).await,
            None => Ok(()),
        }
    }

    /// Writes cookies and storage of a state into the running browser; it wins over what is there.
    ///
    /// # Errors
    /// [`SessionError`] when the browser is not there.
    pub async fn import(
        &self,
        state: &crate::state::StorageState,
    ) -> Result<Vec<String>, SessionError> {
        let running = self.running().await?;
        Ok(self.inner.saver.import(&running, state).await)
    }

    /// Saves, ends the browser, and gives the profile back. Returns when all of that is done; a second
    /// call waits for the first.
    pub async fn close(&self, save: bool, why: Why) -> Arc<Closed> {
        // A full queue means that somebody else asked already.
        let _ = self.inner.asks.try_send(Ask::Close { save, why });
        self.closed().await
    }

    /// Waits until it is closed, by whomever.
    pub async fn closed(&self) -> Arc<Closed> {
        let mut life = self.inner.life.subscribe();
        let ended = life
            .wait_for(|life| matches!(life, Life::Closed(_)))
            .await
            .map(|life| life.clone());
        match ended {
            Ok(Life::Closed(closed)) => closed,
            _ => Arc::new(Closed::lost()),
        }
    }
}

/// The door as others see it.
#[derive(Debug, Clone)]
pub struct DoorInfo {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// HTTP base with the token.
    pub http_url: String,
    /// WebSocket of the browser, with the token.
    pub ws_url: String,
    /// Port where programs of this user need no token, once it is open.
    pub plain_port: Option<u16>,
    /// Both for a client that pages are not shielded from.
    pub unshielded_urls: (String, String),
    /// Connected clients.
    pub clients: Vec<szk_endpoint::ClientInfo>,
    /// Told when the number of clients changes.
    pub client_count: watch::Receiver<usize>,
}

impl DoorInfo {
    fn of(door: &Listener) -> Self {
        Self {
            port: door.port(),
            http_url: door.http_url(),
            ws_url: door.ws_url(),
            plain_port: door.plain_port(),
            unshielded_urls: door.unshielded_urls(),
            clients: door.clients(),
            client_count: door.client_count(),
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
        // A full disk says the same every few seconds, for days.
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
