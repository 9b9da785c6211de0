//! Opens a session: prepares, launches, applies stealth, restores.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use szk_cdp::Connection;
use szk_cdp::protocol::page::BringToFrontParams;
use szk_endpoint::{Listener, ListenerOptions};
use szk_store::{Meta, Profile, StoreError};
use tokio::sync::{mpsc, watch};

use super::prepare::{self, Prepared};
use super::saved::SavedState;
use super::saver::{RestoreTabs, Saver};
use super::{
    Inner, Lifecycle, OpenError, Opening, Report, Running, Session, browser_task, endpoint, proxy,
};
use crate::launch::{Chromium, LaunchError, Plan, Unfinished};
use crate::stealth::Stealth;
use crate::supervisor::{StartingSupervisor, Supervisor};

/// Shown once per profile.
const ROOT: &str = "szk runs as root, so Chromium runs without its sandbox: a page that breaks out of its renderer controls the machine; outside of a throw-away container, run szk as a user of its own";

/// Number of steps reported to the caller.
const STEPS: u32 = 4;

impl Session {
    /// Opens a profile: starts its browser with stealth applied and its logins restored.
    ///
    /// # Errors
    /// [`OpenError`]; then no browser is left running and the profile is free.
    pub async fn open(opening: Opening, report: Report<'_>) -> Result<Self, OpenError> {
        report("preparing the profile", 0, STEPS);
        let ask = opening.clone();
        let prepared = tokio::task::spawn_blocking(move || prepare::prepare(&ask))
            .await
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        report("starting Chromium", 1, STEPS);
        let made_now = prepared.made_now;
        let profile = prepared.profile.clone();
        match Self::start(opening, prepared, report).await {
            Ok(session) => Ok(session),
            Err((error, lock)) => {
                // A profile that never opened belongs to no one.
                if made_now && let Err(error) = profile.trash(lock) {
                    tracing::warn!(%error, "a profile that never opened could not be removed");
                }
                Err(error)
            }
        }
    }

    async fn start(
        opening: Opening,
        prepared: Prepared,
        report: Report<'_>,
    ) -> Result<Self, (OpenError, szk_store::ProfileLock)> {
        let Prepared {
            profile,
            lock,
            mut meta,
            resolved,
            plan,
            stealth,
            mut warnings,
            is_new,
            died,
            made_now: _,
        } = prepared;
        // Look before the browser touches its files.
        let found = SavedState::look(
            &profile,
            is_new || opening.live_state.is_some(),
            died,
            &mut warnings,
        );
        match profile.put_damaged_logins_aside() {
            Ok(None) => {}
            Ok(Some(aside)) => warnings.push(format!(
                "`logins.json` is damaged or from a newer version of szk, so szk no longer knows where this profile was signed in; it is kept as `{}`",
                aside.display()
            )),
            Err(error) => warnings.push(format!("cannot use `logins.json`: {error}")),
        }
        let token = if opening.share {
            profile.token().ok()
        } else {
            None
        };
        if token.as_ref().is_some_and(|token| token.is_replacement()) {
            warnings.push(endpoint::TOKEN_REPLACED.to_owned());
        }
        let downloads = profile.downloads();
        downloads.clear();
        let options = token.map(|token| {
            let settings = &resolved.settings.endpoint;
            endpoint::options(&profile, &downloads, settings, &plan.bounds, token)
        });
        let events = meta.events.begun();
        meta.events = events.reserved();
        // It takes a while on a slow disk, and the browser does too.
        let writing = write_meta(&profile, &meta);
        let settings = &resolved.settings.session;
        let meanwhile = async |chromium: &Chromium, supervisor: &Supervisor| {
            let (profile, version) = (profile.clone(), chromium.version());
            let saver = Saver::new(profile, settings.save_seconds, version, found);
            let left = saver.restore_cookies(supervisor).await;
            (saver, left)
        };
        let launched = launch(&plan, &stealth, 1, options, meanwhile).await;
        let mut written = writing.await;
        let (launched, (saver, left)) = match launched {
            Ok(launched) => launched,
            Err(error) => return Err((error, lock)),
        };
        let Launched {
            running,
            listener,
            unfinished,
        } = launched;
        report("restoring logins and tabs", 2, STEPS);
        let version = running.chromium.version();
        if meta.chromium.as_deref() != Some(version) {
            meta.chromium = Some(version.to_owned());
            written = written.and(write_meta(&profile, &meta).await);
        }
        if let Err(error) = written {
            running.chromium.end().await;
            return Err((error.into(), lock));
        }
        let (asks, asked) = mpsc::channel(4);
        let tabs = match (settings.restore_tabs, opening.page_first) {
            (false, _) => RestoreTabs::Never,
            (true, false) => RestoreTabs::Now,
            (true, true) => RestoreTabs::AfterPage,
        };
        let first_words = match plan.root && is_new && opening.clone_of.is_none() {
            true => vec![ROOT.to_owned()],
            false => Vec::new(),
        };
        let inner = Arc::new(Inner {
            profile,
            downloads,
            meta: Mutex::new(meta),
            last_event: Arc::new(AtomicU64::new(events.last)),
            events,
            resolved,
            options: opening.options,
            plan,
            stealth,
            warnings: Mutex::new(warnings),
            first_words: Mutex::new(first_words),
            life: watch::Sender::new(Lifecycle::Running),
            running: watch::Sender::new(None),
            saver,
            listener: tokio::sync::Mutex::new(listener),
            page_has_first_tab: Default::default(),
            restoring: tokio::sync::Mutex::default(),
            lock: Mutex::new(Some(lock)),
            asks,
        });
        for warning in inner
            .saver
            .restore_rest(left, &running, tabs, &inner.plan.bounds)
            .await
        {
            inner.warn(warning);
        }
        inner.admit(&running);
        inner.running.send_replace(Some(running));
        tokio::spawn(browser_task::run(Arc::clone(&inner), asked));
        unfinished.done();
        report("ready", STEPS, STEPS);
        Ok(Self { inner })
    }
}

/// Writes what is known of the profile, while others go on.
fn write_meta(
    profile: &Profile,
    meta: &Meta,
) -> impl Future<Output = Result<(), StoreError>> + use<> {
    let (profile, meta) = (profile.clone(), meta.clone());
    let writing = tokio::task::spawn_blocking(move || profile.write_meta(&meta));
    async move {
        let written = writing.await;
        written.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

/// A browser with stealth applied.
pub(super) struct Launched {
    pub(super) running: Running,
    /// Nothing if it could not open.
    pub(super) listener: Option<Listener>,
    pub(super) unfinished: Unfinished,
}

/// Starts Chromium with stealth applied, and ends it again if that fails. Does `meanwhile` what the browser can do
/// before its first page is ready.
///
/// If the endpoint is wanted, it opens as soon as there is a browser behind it. It identifies the
/// browser from then on, but admits no one before the session is ready.
pub(super) async fn launch<T>(
    plan: &Plan,
    stealth: &Arc<Stealth>,
    first_tab: u32,
    listener: Option<ListenerOptions>,
    meanwhile: impl AsyncFnOnce(&Chromium, &Supervisor) -> T,
) -> Result<(Launched, T), OpenError> {
    let begin = |connection: &Connection, events| {
        let (connection, stealth) = (connection.clone(), Arc::clone(stealth));
        Supervisor::begin(connection, events, stealth, plan.bounds.clone(), first_tab)
    };
    let (chromium, beginning) = match Chromium::start_with(plan, begin).await {
        // It found another browser that was about to exit, and left the profile to that one.
        Err(LaunchError::Ended { success: true, .. }) => {
            let folder = plan.user_data_dir.clone();
            let free = tokio::task::spawn_blocking(move || prepare::free(&folder));
            free.await
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
            Chromium::start_with(plan, begin).await?
        }
        started => started?,
    };
    let unfinished = Unfinished::of(&chromium);
    let listener = match listener {
        // If the endpoint cannot open now, the reason is reported when someone asks for it.
        Some(options) => Listener::open(options, Arc::new(beginning.supervisor().clone()))
            .await
            .ok(),
        None => None,
    };
    let supervisor = beginning.supervisor().clone();
    let (done, made) = tokio::join!(
        meanwhile(&chromium, &supervisor),
        made_ordinary(plan, &chromium, beginning),
    );
    match made {
        Ok(supervisor) => {
            let running = Running {
                chromium,
                supervisor,
            };
            let launched = Launched {
                running,
                listener,
                unfinished,
            };
            Ok((launched, done))
        }
        Err(error) => {
            if let Some(listener) = listener {
                listener.close().await;
            }
            chromium.give_up().await;
            Err(error)
        }
    }
}

async fn made_ordinary(
    plan: &Plan,
    chromium: &Chromium,
    beginning: StartingSupervisor,
) -> Result<Supervisor, OpenError> {
    let supervisor = beginning.done().await?;
    if let Some((user, password)) = plan.identity.proxy.as_ref().and_then(|proxy| proxy.login()) {
        proxy::log_in(chromium.connection(), &user, &password)
            .await
            .map_err(|reason| OpenError::Proxy { reason })?;
    }
    if let Some(tab) = supervisor.current_tab() {
        // A browser that starts with an empty page focuses its address bar and leaves the focus there:
        // `document.hasFocus()` would be false in a page that only a driver has navigated.
        supervisor
            .connection()
            .tell(Some(&tab.page.session), &BringToFrontParams::default());
    }
    Ok(supervisor)
}
