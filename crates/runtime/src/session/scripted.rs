//! A session on a scripted browser, for the tests of crates that build on this one.
//!
//! It has a profile in a folder of its own, and the real supervisor on a [`Script`] in place of Chromium.
//! No process is started, nothing is saved, and nobody starts the browser again.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use szk_cdp::testing::{Peer, Script};
use szk_config::{Bounds, CallOptions, Config, Origin};
use szk_store::{Meta, Store};
use tokio::sync::{mpsc, watch};

use super::saved::SavedState;
use super::saver::Saver;
use super::{Closed, Inner, Lifecycle, Running, Session, Why};
use crate::launch::{Chromium, Mode, Plan};
use crate::stealth::{Engine, Stealth};
use crate::supervisor::Supervisor;

/// The version that the scripted browser has.
const VERSION: &str = "156.0.1.2";

impl Session {
    /// Opens a profile in `folder` on a scripted browser, which must have a tab. A configuration in the
    /// folder holds.
    ///
    /// # Errors
    /// Whatever keeps it from opening.
    pub async fn scripted(
        folder: &Path,
        script: Script,
    ) -> Result<(Self, Peer), Box<dyn Error + Send + Sync>> {
        let store = Store::at(folder.join("store"));
        let profile = store.profile(&"scripted".parse()?);
        let lock = profile.create_locked()?;
        for folder in [profile.downloads_dir(), profile.artifacts_dir()] {
            std::fs::create_dir_all(folder)?;
        }
        let origin = Origin {
            cwd: folder.to_owned(),
            ..Origin::default()
        };
        let options = CallOptions::default();
        let resolved = Config::load(&origin)?.resolve(None, None, &options)?;
        let plan = Plan {
            binary: "scripted".into(),
            user_data_dir: profile.user_data_dir(),
            mode: Mode::Headless,
            xvfb: false,
            identity: resolved.settings.identity.clone(),
            user_agent: None,
            extensions: Vec::new(),
            bounds: Bounds::new(
                resolved.settings.policy.clone(),
                vec![profile.downloads_dir(), profile.artifacts_dir()],
            ),
            extra_args: Vec::new(),
            root: false,
            gpu: false,
        };
        let engine = Engine {
            version: VERSION,
            brand: None,
        };
        let stealth = Arc::new(Stealth::new(&plan.identity, &engine, &[])?);
        let (connection, events, peer) = script.start();
        let beginning = Supervisor::begin(
            connection.clone(),
            events,
            Arc::clone(&stealth),
            plan.bounds.clone(),
            1,
        );
        let supervisor = beginning.done().await?;
        supervisor.gate().let_in();
        let found = SavedState::look(&profile, true, None, &mut Vec::new());
        let running = Running {
            chromium: Chromium::scripted(connection, VERSION),
            supervisor,
        };
        let inner = Inner {
            saver: Saver::new(profile.clone(), 1, VERSION, found),
            meta: Mutex::new(Meta::new(profile.name().clone())),
            events: Default::default(),
            last_event: Default::default(),
            downloads: profile.downloads(),
            profile,
            resolved,
            options,
            plan,
            stealth,
            warnings: Mutex::default(),
            first_words: Mutex::default(),
            life: watch::Sender::new(Lifecycle::Running),
            running: watch::Sender::new(Some(running)),
            listener: tokio::sync::Mutex::default(),
            page_has_first_tab: Default::default(),
            restoring: tokio::sync::Mutex::default(),
            lock: Mutex::new(Some(lock)),
            asks: mpsc::channel(1).0,
        };
        let inner = Arc::new(inner);
        Ok((Self { inner }, peer))
    }

    /// Makes it a clone that is deleted when it closes.
    pub fn scripted_as_clone(&self) {
        let meta = self.inner.meta.lock();
        meta.unwrap_or_else(PoisonError::into_inner).ephemeral = true;
    }

    /// It has closed, as a browser of its own would let it.
    pub fn scripted_end(&self) {
        let lock = self.inner.lock.lock();
        drop(lock.unwrap_or_else(PoisonError::into_inner).take());
        let closed = Closed {
            why: Why::Asked,
            saved: true,
            warnings: Vec::new(),
        };
        self.inner
            .life
            .send_replace(Lifecycle::Closed(Arc::new(closed)));
    }
}
