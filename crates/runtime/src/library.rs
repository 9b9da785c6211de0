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

use crate::session::{Closed, Lifecycle, OpenError, Opening, Session, SessionError, Why};

/// The options of a launch, which override the configuration.
pub type LaunchOptions = CallOptions;

/// The profiles of one store, and the sessions that this process has open.
pub struct Szk {
    origin: Origin,
    config: Config,
    store: Store,
    // A std mutex: nothing awaits under it.
    open: Mutex<BTreeMap<Name, Session>>,
    /// Whoever opens or closes a profile, one at a time for each.
    // A std mutex: nothing awaits under it.
    turns: Mutex<BTreeMap<Name, Arc<Turn>>>,
}

type Turn = tokio::sync::Mutex<()>;

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
    /// It is open here with other options.
    #[error("session `{name}` is open with other options: {}", differences.join("; "))]
    OptionsDiffer {
        /// The session.
        name: Name,
        /// Each option that differs.
        differences: Vec<String>,
    },
    /// It is open, but could not do what was asked.
    #[error(transparent)]
    Session(#[from] SessionError),
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
            turns: Mutex::default(),
        })
    }

    /// Opens a profile in this process, or returns its session if it is already open. One that is closing is
    /// waited for.
    ///
    /// # Errors
    /// [`LibraryError`]; a profile that another process has open is [`OpenError::Lock`], and one that is open
    /// here otherwise than `wanted` is [`LibraryError::OptionsDiffer`].
    pub async fn launch(&self, name: &str, wanted: LaunchOptions) -> Result<Session, LibraryError> {
        let name = Name::parse(name)?;
        let turn = self.turn(&name);
        let _turn = turn.lock().await;
        let known = self.open_sessions().get(&name).cloned();
        if let Some(session) = known {
            if is_open(&session) {
                let differences = session.differences(&wanted);
                return match differences.is_empty() {
                    true => Ok(session),
                    false => Err(LibraryError::OptionsDiffer { name, differences }),
                };
            }
            session.closed().await;
            self.open_sessions().remove(&name);
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
        let found = self.open_sessions().get(&name).cloned();
        found.filter(is_open).ok_or(LibraryError::NotFound { name })
    }

    /// The addresses of a session's shared endpoint, which it opens if needed.
    ///
    /// # Errors
    /// [`LibraryError::NotFound`], or [`LibraryError::Session`] if there is no browser to share or no port.
    pub async fn connect(&self, name: &str) -> Result<crate::session::EndpointInfo, LibraryError> {
        let session = self.get_session(name)?;
        Ok(session.open_endpoint().await?)
    }

    /// Saves and closes a session; `None` if it is not open here.
    pub async fn close_session(&self, name: &str) -> Option<Arc<Closed>> {
        let name = Name::parse(name).ok()?;
        let turn = self.turn(&name);
        let _turn = turn.lock().await;
        let session = self.open_sessions().get(&name).cloned()?;
        let closed = session.close(true, Why::Asked).await;
        // Not before: until then the profile cannot be opened.
        self.open_sessions().remove(&name);
        Some(closed)
    }

    /// Saves and closes all sessions of this process.
    pub async fn close_all_sessions(&self) {
        let names: Vec<Name> = self.open_sessions().keys().cloned().collect();
        for name in names {
            self.close_session(name.as_str()).await;
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
            open_here: open.get(profile.name()).is_some_and(is_open),
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
    /// What is held while a profile is opened or closed.
    fn turn(&self, name: &Name) -> Arc<Turn> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(name.clone()).or_default())
    }
}

/// Whether it can be used: a browser that crashed comes back.
fn is_open(session: &Session) -> bool {
    matches!(
        session.life(),
        Lifecycle::Running | Lifecycle::Restarting { .. }
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A library that has the profile `scripted` open, without Chromium.
    async fn opened(dir: &tempfile::TempDir) -> (Szk, Session) {
        let szk = Szk::new(Origin {
            cwd: dir.path().to_owned(),
            data_dir: Some(dir.path().join("store")),
            ..Origin::default()
        });
        let browser = crate::testing::browser();
        let (session, _) = Session::scripted(dir.path(), browser).await.unwrap();
        let szk = szk.unwrap();
        szk.open_sessions()
            .insert(session.name().clone(), session.clone());
        (szk, session)
    }

    /// Nothing can be started with these.
    fn no_browser() -> LaunchOptions {
        LaunchOptions {
            chromium: Some("/no/such/browser".into()),
            ..LaunchOptions::default()
        }
    }

    #[tokio::test]
    async fn a_session_that_has_ended_is_not_handed_out() {
        let dir = tempfile::tempdir().unwrap();
        let (szk, session) = opened(&dir).await;
        let again = szk.launch("scripted", no_browser()).await.unwrap();
        assert_eq!(again.name(), session.name());
        session.scripted_end();
        let missing = szk.get_session("scripted");
        assert!(matches!(missing, Err(LibraryError::NotFound { .. })));
        // It is opened again, as far as that goes here.
        let launched = szk.launch("scripted", no_browser()).await;
        assert!(matches!(launched, Err(LibraryError::Open(_))));
        assert!(szk.open_sessions().is_empty());
    }

    #[tokio::test]
    async fn other_options_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (szk, _session) = opened(&dir).await;
        let other = LaunchOptions {
            locale: Some("de-AT".to_owned()),
            ..LaunchOptions::default()
        };
        let Err(LibraryError::OptionsDiffer { differences, .. }) =
            szk.launch("scripted", other).await
        else {
            panic!("it was handed out");
        };
        assert_eq!(differences, ["`locale` is the host's, not `de-AT`"]);
    }

    #[tokio::test(start_paused = true)]
    async fn launches_of_one_profile_take_turns() {
        let dir = tempfile::tempdir().unwrap();
        let (szk, session) = opened(&dir).await;
        let known = szk.open_sessions().remove(session.name()).unwrap();
        let turn = szk.turn(session.name());
        let first = turn.lock().await;
        let mut second = std::pin::pin!(szk.launch("scripted", no_browser()));
        let early = tokio::time::timeout(Duration::from_secs(1), &mut second).await;
        assert!(early.is_err(), "the first one has not opened it yet");
        szk.open_sessions().insert(session.name().clone(), known);
        drop(first);
        assert!(second.await.is_ok());
    }
}
