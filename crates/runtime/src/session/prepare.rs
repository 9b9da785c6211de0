//! Settles everything before Chromium starts: settings, executable, locks, files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use szk_config::{Action, Bounds, Config, Denied, Resolved, Settings, Source};
use szk_store::singleton::{self, Owner, Singleton};
use szk_store::{LockError, Meta, Profile, ProfileLock, StoreError};

use super::{OpenError, Opening, extensions};
use crate::find::{self, Places};
use crate::launch::{self, Mode, Plan};
use crate::stealth::{Engine, Stealth};

/// How long a browser left by a killed keeper may take to exit.
const ENDING: Duration = Duration::from_secs(10);

/// How long to wait for another copy of the same original.
const COPYING: Duration = Duration::from_secs(30);

/// A profile that is locked and ready for a browser.
pub(super) struct Prepared {
    pub(super) profile: Profile,
    pub(super) lock: ProfileLock,
    pub(super) meta: Meta,
    pub(super) resolved: Resolved,
    pub(super) plan: Plan,
    pub(super) stealth: Arc<Stealth>,
    pub(super) warnings: Vec<String>,
    /// The profile is new here, so nothing in it can be fresher than a saved state.
    pub(super) is_new: bool,
    /// Process id of the browser that died last, if it left its lock.
    pub(super) died: Option<u32>,
    /// The profile was created for this opening; if that fails, it is deleted again.
    pub(super) made_now: bool,
}

/// Locks the profile and settles everything. Blocking: copies a clone here.
pub(super) fn prepare(opening: &Opening) -> Result<Prepared, OpenError> {
    szk_store::collect_leftovers(&opening.store);
    let profile = opening.store.profile(&opening.name);
    let made_now = !profile.exists();
    let lock = profile.create_locked()?;
    match prepare_locked(opening, &profile, &lock) {
        Ok((meta, resolved, plan, stealth, warnings, is_new, died)) => Ok(Prepared {
            profile,
            lock,
            meta,
            resolved,
            plan,
            stealth,
            warnings,
            is_new,
            died,
            made_now,
        }),
        Err(error) => {
            // A profile that never opened belongs to no one.
            if made_now && let Err(error) = profile.trash(lock) {
                tracing::warn!(%error, "a profile that never opened could not be removed");
            }
            Err(error)
        }
    }
}

type Parts = (
    Meta,
    Resolved,
    Plan,
    Arc<Stealth>,
    Vec<String>,
    bool,
    Option<u32>,
);

fn prepare_locked(
    opening: &Opening,
    profile: &Profile,
    lock: &ProfileLock,
) -> Result<Parts, OpenError> {
    let mut warnings = Vec::new();
    let is_new = !profile.user_data_dir().join("Local State").exists();
    let config = Config::load(&opening.origin)?;
    let mut meta = match opening.clone_of {
        Some(_) => clone_of(opening, profile, lock, &mut warnings)?,
        None => known(profile, &mut warnings)?,
    };
    let resolved = config.resolve(None, Some(&meta.identity), &opening.options)?;
    warnings.extend(resolved.warnings.iter().cloned());
    let mut plan = plan(&resolved, profile)?;
    within_bounds(&resolved, &plan.bounds)?;
    extensions::check(&resolved)?;
    let version = browser_version(&meta, &plan, opening)?.unwrap_or_default();
    let locale = plan.identity.locale.as_deref();
    warnings.extend(locale.and_then(|locale| find::lacks_language(&plan.binary, locale)));
    if !plan.extensions.is_empty() {
        warnings.extend(find::ignores_extensions(&plan.binary, &version));
    }
    plan.user_agent = plan.identity.user_agent_for(&version);
    let engine = Engine::of(&plan.binary, &version);
    let stealth = Stealth::new(&plan.identity, &engine, &resolved.settings.stealth.scripts)?;
    let stealth = match plan.mode {
        Mode::Headless => stealth.without_display(),
        Mode::Window => stealth,
    };
    let died = free_of_others(&plan.user_data_dir)?;
    if let Some(owner) = &died {
        warnings.push(format!(
            "removed the lock of a browser that is gone (pid {})",
            owner.pid
        ));
    }
    if let Err(error) = profile.drop_metrics(lock) {
        tracing::debug!(%error, "the last browser's metrics files stay");
    }
    if is_new {
        free_of_orphans(&plan.user_data_dir)?;
    }
    launch::open_nothing(&plan.user_data_dir);
    for dir in [
        profile.user_data_dir(),
        profile.downloads_dir(),
        profile.artifacts_dir(),
    ] {
        private_dir(&dir)?;
    }
    meta.identity = resolved.identity_to_save();
    meta.preset = meta.identity.preset.clone();
    meta.last_used = Timestamp::now();
    let died = died.map(|owner| owner.pid);
    let stealth = Arc::new(stealth);
    Ok((meta, resolved, plan, stealth, warnings, is_new, died))
}

/// Waits until no other browser uses the profile's data.
pub(super) fn free(user_data_dir: &Path) -> Result<(), OpenError> {
    free_of_others(user_data_dir)?;
    free_of_orphans(user_data_dir)
}

/// Makes sure that no browser uses the profile's data. Waits for one left by a killed keeper, which is
/// about to exit because its pipe is closed; one that someone else started is not ours to end. Returns
/// the owner of the lock that was removed.
fn free_of_others(user_data_dir: &Path) -> Result<Option<Owner>, OpenError> {
    let deadline = Instant::now() + ENDING;
    loop {
        match singleton::clear_if_dead(user_data_dir)? {
            Singleton::Free => return Ok(None),
            Singleton::Cleared(owner) => return Ok(Some(owner)),
            Singleton::Running(_) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Singleton::Running(owner) | Singleton::OtherHost(owner) => {
                return Err(OpenError::InUse {
                    host: owner.host,
                    pid: owner.pid,
                });
            }
        }
    }
}

/// If the folder of a profile was deleted, its browser exits as soon as its keeper notices. Two browsers
/// must not write to one folder.
fn free_of_orphans(user_data_dir: &Path) -> Result<(), OpenError> {
    let deadline = Instant::now() + ENDING;
    while let Some(pid) = singleton::without_lock(user_data_dir) {
        if Instant::now() >= deadline {
            let host = "this machine".to_owned();
            return Err(OpenError::InUse { host, pid });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The profile's metadata. A damaged file is set aside, a newer one is not touched.
fn known(profile: &Profile, warnings: &mut Vec<String>) -> Result<Meta, OpenError> {
    match profile.meta() {
        Ok(Some(meta)) => Ok(meta),
        Ok(None) => Ok(Meta::new(profile.name().clone())),
        Err(StoreError::Corrupt { .. }) => {
            let recovered = profile.recover_meta()?;
            warnings
                .push("`meta.json` was damaged; szk set it aside and started a new one".to_owned());
            Ok(recovered.meta)
        }
        Err(error) => Err(error.into()),
    }
}

/// Creates a clone. Its metadata comes first, so that an interrupted copy is recognised as garbage; then
/// the original's files or, if the original is open, the state from its keeper.
fn clone_of(
    opening: &Opening,
    profile: &Profile,
    lock: &ProfileLock,
    warnings: &mut Vec<String>,
) -> Result<Meta, OpenError> {
    let Some(name) = &opening.clone_of else {
        return known(profile, warnings);
    };
    let original = opening.store.profile(name);
    let source = original.meta()?.unwrap_or_else(|| Meta::new(name.clone()));
    let meta = Meta {
        label: source.label,
        preset: source.preset,
        identity: source.identity,
        chromium: source.chromium,
        seed: source.seed,
        clone_of: Some(name.clone()),
        ephemeral: true,
        ..Meta::new(profile.name().clone())
    };
    profile.write_meta(&meta)?;
    match &opening.live_state {
        Some(state) => {
            profile.write_state(state)?;
            original.copy_logins_to(profile)?;
            original.copy_filled_to(profile)?;
            original.copy_recipes_to(profile)?;
        }
        None => {
            // Held so that no one opens the original during the copy.
            let _original = lock_of(&original)?;
            original.copy_to(profile, lock)?;
        }
    }
    Ok(meta)
}

/// The original's lock. If someone else is copying it, they hold the lock only for a while.
fn lock_of(original: &Profile) -> Result<ProfileLock, LockError> {
    let deadline = Instant::now() + COPYING;
    loop {
        match original.lock() {
            Err(LockError::Held { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
}

/// Refuses what no limit could reach once the browser runs. Extensions in a file are the choice of the
/// person who wrote the limits beside them; those of a call are not.
fn within_bounds(resolved: &Resolved, bounds: &Bounds) -> Result<(), Denied> {
    let settings = &resolved.settings;
    if settings.endpoint.raw_port.is_some() {
        bounds.check(Action::Unlimited(
            "Chromium's own debugging port (`raw_port`)",
        ))?;
    }
    let called = *resolved.source("browser.extensions") == Source::Call;
    if called && !settings.browser.extensions.is_empty() {
        bounds.check(Action::Unlimited("an extension requested by a call"))?;
        let mut folders = settings.browser.extensions.iter();
        folders.try_for_each(|folder| bounds.check(Action::Read(folder)))?;
    }
    Ok(())
}

fn plan(resolved: &Resolved, profile: &Profile) -> Result<Plan, OpenError> {
    let settings = &resolved.settings;
    let source = match resolved.source("browser.chromium") {
        Source::Call => "the call".to_owned(),
        source => source.to_string(),
    };
    let explicit = settings
        .browser
        .chromium
        .as_deref()
        .map(|path| (path, source.as_str()));
    let found = find::find(explicit, &Places::of_this_machine())?;
    let environment: BTreeMap<String, String> = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect();
    let mode = Mode::pick(settings.browser.headless, |name| {
        environment.get(name).cloned()
    });
    Ok(Plan {
        binary: found.path,
        user_data_dir: profile.user_data_dir(),
        mode,
        xvfb: settings.browser.xvfb && mode == Mode::Headless,
        identity: settings.identity.clone(),
        extensions: settings.browser.extensions.clone(),
        user_agent: None,
        bounds: Bounds::new(
            settings.policy.clone(),
            vec![profile.downloads_dir(), profile.artifacts_dir()],
        )
        .keeping_private(profile.store().private_folders())
        .blocking(settings.browser.block.clone()),
        extra_args: extra_args(settings),
        root: launch::is_root(),
        gpu: launch::has_gpu(),
    })
}

/// The user's own switches, and the one for Chromium's own port.
fn extra_args(settings: &Settings) -> Vec<String> {
    let raw_port = settings.endpoint.raw_port;
    let raw_port = raw_port.map(launch::raw_port);
    settings
        .browser
        .args
        .iter()
        .cloned()
        .chain(raw_port)
        .collect()
}

/// The executable's version, queried only if it matters: for a profile that was used before, and for an
/// identity with a user agent. The query costs a fifth of a start, so the answer is kept.
fn browser_version(
    meta: &Meta,
    plan: &Plan,
    opening: &Opening,
) -> Result<Option<String>, OpenError> {
    if meta.chromium.is_none() && plan.identity.user_agent.is_none() {
        return Ok(None);
    }
    let found = opening
        .store
        .browser_version(&plan.binary, || find::version(&plan.binary));
    if let (Some(used), Some(found)) = (&meta.chromium, &found)
        && major(found) < major(used)
    {
        return Err(OpenError::Older {
            name: meta.name.clone(),
            used: used.clone(),
            found: found.clone(),
            binary: plan.binary.clone(),
        });
    }
    Ok(found)
}

/// Chromium's data formats change with its major version only.
pub(super) fn major(version: &str) -> u32 {
    version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0)
}

fn private_dir(path: &Path) -> Result<(), OpenError> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| {
            StoreError::Io {
                path: path.to_owned(),
                source,
            }
            .into()
        })
}
