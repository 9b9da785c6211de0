//! szk for Rust programs: opens profiles in this process, without a keeper.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use szk_runtime::library::{Szk, LaunchOptions};
//!
//! let szk = Szk::from_process()?;
//! let session = szk.launch("work", LaunchOptions::default()).await?;
//! println!("{}", session.open_endpoint().await?.http_url);
//! szk.close_session("work").await;
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use szk_config::{CallOptions, Config, ConfigErrors, Origin, PresetInfo};
use szk_store::{LockError, Meta, Name, NameError, Profile, Store, StoreError};

use crate::session::{Closed, OpenError, Opening, Session, Why};

/// The options of a launch, which override the configuration.
pub type LaunchOptions = CallOptions;

/// The profiles of one store, and the sessions that this process has open.
pub struct Szk {
    origin: Origin,
    config: Config,
    store: Store,
    // A std mutex: nothing awaits under it.
    open: Mutex<BTreeMap<Name, Session>>,
}

/// An error of this library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// An invalid profile name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The profile could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its files are unusable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process has it open.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// There is no such profile, or it is not open here.
    #[error("there is no session `{name}`")]
    NotFound {
        /// The requested name.
        name: Name,
    },
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
}

/// A profile, open or stored.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its name.
    pub name: Name,
    /// Whether this process has it open.
    pub open_here: bool,
    /// Whether any process has it open.
    pub live: bool,
    /// Its metadata.
    pub meta: Option<Meta>,
}

impl Szk {
    /// Uses the configuration and the store of this process.
    ///
    /// # Errors
    /// [`LibraryError::Config`].
    pub fn from_process() -> Result<Self, LibraryError> {
        Self::new(Origin::from_process())
    }

    /// Uses the configuration found from `origin`.
    ///
    /// # Errors
    /// [`LibraryError::Config`].
    pub fn new(origin: Origin) -> Result<Self, LibraryError> {
        let config = Config::load(&origin)?;
        let store = Store::at(config.store_root());
        Ok(Self {
            origin,
            config,
            store,
            open: Mutex::default(),
        })
    }

    /// Opens a profile in this process, or returns its session if it is already open.
    ///
    /// # Errors
    /// [`LibraryError`]; a profile that another process has open is [`OpenError::Lock`].
    pub async fn launch(&self, name: &str, wanted: LaunchOptions) -> Result<Session, LibraryError> {
        let name = Name::parse(name)?;
        if let Some(session) = self.open_sessions().get(&name) {
            return Ok(session.clone());
        }
        let opening = Opening {
            store: self.store.clone(),
            name: name.clone(),
            clone_of: None,
            live_state: None,
            share: false,
            page_first: false,
            origin: self.origin.clone(),
            options: wanted,
        };
        let session = Session::open(opening, &|_, _, _| {}).await?;
        // There is no event log here, so no need to remember events.
        if let Ok(running) = session.running().await {
            drop(running.supervisor.events_from_start());
        }
        self.open_sessions().insert(name, session.clone());
        Ok(session)
    }

    /// The session of a profile that this process has open.
    ///
    /// # Errors
    /// [`LibraryError::NotFound`].
    pub fn get_session(&self, name: &str) -> Result<Session, LibraryError> {
        let name = Name::parse(name)?;
        self.open_sessions()
            .get(&name)
            .cloned()
            .ok_or(LibraryError::NotFound { name })
    }

    /// The addresses of a session's shared endpoint, which it opens if needed.
    ///
    /// # Errors
    /// [`LibraryError::NotFound`], or [`LibraryError::Open`] if there is no browser to share.
    pub async fn connect(&self, name: &str) -> Result<crate::session::EndpointInfo, LibraryError> {
        let session = self.get_session(name)?;
        session
            .open_endpoint()
            .await
            .map_err(|_| LibraryError::NotFound {
                name: session.name().clone(),
            })
    }

    /// Saves and closes a session; `None` if it is not open here.
    pub async fn close_session(&self, name: &str) -> Option<Arc<Closed>> {
        let name = Name::parse(name).ok()?;
        let session = self.open_sessions().remove(&name)?;
        Some(session.close(true, Why::Asked).await)
    }

    /// Saves and closes all sessions of this process.
    pub async fn close_all_sessions(&self) {
        let sessions = std::mem::take(&mut *self.open_sessions());
        for session in sessions.into_values() {
            session.close(true, Why::Asked).await;
        }
    }

    /// All profiles of the store.
    ///
    /// # Errors
    /// [`LibraryError::Store`].
    pub fn list_sessions(&self) -> Result<Vec<Listed>, LibraryError> {
        let profiles = self.store.list()?;
        let open = self.open_sessions();
        let listed = |profile: Profile| Listed {
            open_here: open.contains_key(profile.name()),
            live: profile.is_live(),
            meta: profile.meta().ok().flatten(),
            name: profile.name().clone(),
        };
        Ok(profiles.into_iter().map(listed).collect())
    }

    /// Changes the metadata of a profile that no one has open.
    ///
    /// # Errors
    /// [`LibraryError`].
    pub fn update_session_meta(
        &self,
        name: &str,
        change: impl FnOnce(&mut Meta),
    ) -> Result<Meta, LibraryError> {
        let name = Name::parse(name)?;
        let profile = self.store.profile(&name);
        let _lock = profile.lock()?;
        let mut meta = profile.meta()?.ok_or(LibraryError::NotFound { name })?;
        change(&mut meta);
        profile.write_meta(&meta)?;
        Ok(meta)
    }

    /// Deletes a profile that no one has open.
    ///
    /// # Errors
    /// [`LibraryError`]; then nothing was deleted.
    pub fn delete_stored_session(&self, name: &str) -> Result<(), LibraryError> {
        let name = Name::parse(name)?;
        let profile = self.store.profile(&name);
        if !profile.exists() {
            return Err(LibraryError::NotFound { name });
        }
        let lock = profile.lock()?;
        profile.trash(lock)?;
        Ok(())
    }

    /// The available presets.
    #[must_use]
    pub fn presets(&self) -> Vec<PresetInfo> {
        self.config.presets()
    }

    /// The settings of a preset, with the source of each.
    ///
    /// # Errors
    /// [`LibraryError::Config`] for an unknown preset, with the nearest name.
    pub fn resolve_preset(&self, name: &str) -> Result<szk_config::Resolved, LibraryError> {
        Ok(self
            .config
            .resolve(Some(name), None, &CallOptions::default())?)
    }

    fn open_sessions(&self) -> MutexGuard<'_, BTreeMap<Name, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
