//! The saved state that an earlier session of the profile left, and how far to trust it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use szk_recovery::Millis;
use szk_store::{Profile, StoreError};

use crate::state::{
    self, CookieKey, Deleted, Evidence, ProfileTimes, StateProblem, StorageState, Truth,
};

/// If the last reading is older than this, readings did not continue until the end.
const GAP: Duration = Duration::from_millis(szk_recovery::GAP.unsigned_abs());

/// Files further in the future than this were written with another clock.
const FUTURE: SignedDuration = SignedDuration::from_secs(1);

/// The saved state, and how far to trust it.
pub(crate) struct SavedState {
    pub(super) state: StorageState,
    /// For cookies.
    pub(super) cookies: Truth,
    /// For storage of origins.
    pub(super) storage: Truth,
    /// When Chromium last changed its cookies, if that matters.
    pub(super) changed: BTreeMap<CookieKey, Millis>,
}

impl SavedState {
    /// Examines the profile before its browser starts, because Chromium writes at once. Problems with
    /// the saved state become warnings and never prevent opening.
    ///
    /// `died` is the process whose lock is still there. If it is the browser that szk read last, no
    /// other browser has used the profile since, and file times in the future mean nothing.
    pub(super) fn look(
        profile: &Profile,
        is_new: bool,
        died: Option<u32>,
        warnings: &mut Vec<String>,
    ) -> Self {
        let state = read(profile, warnings);
        let times = if is_new {
            ProfileTimes::default()
        } else {
            state::profile_times(&profile.user_data_dir())
        };
        let confirmed = profile.state_confirmed().and_then(|at| at.try_into().ok());
        let read = state.szk.as_ref().and_then(|extras| extras.browser);
        let nobody_else = died.is_some() && died == read;
        let now = Timestamp::now();
        let clock_was_set = times
            .used
            .is_some_and(|used| used.duration_since(now) > FUTURE);
        Self::judge(state, times, confirmed, nobody_else && clock_was_set).with_times_of(profile)
    }

    /// The same after the browser died under a living keeper, which knows the state better than any
    /// file, and when it last confirmed it.
    pub(super) fn after_crash(
        profile: &Profile,
        state: StorageState,
        confirmed: Option<(Timestamp, Instant)>,
    ) -> Self {
        let times = state::profile_times(&profile.user_data_dir());
        let watched = confirmed.is_some_and(|(_, at)| at.elapsed() < GAP);
        Self::judge(state, times, confirmed.map(|(at, _)| at), watched).with_times_of(profile)
    }

    /// Reads Chromium's cookie file if it matters. An unreadable one counts as having lost everything.
    fn with_times_of(mut self, profile: &Profile) -> Self {
        if matches!(self.cookies, Truth::Later | Truth::Files) {
            match state::cookie_times(&profile.user_data_dir()) {
                Some(times) => self.changed = times,
                None => self.cookies = Truth::Reading,
            }
        }
        self
    }

    fn judge(
        state: StorageState,
        times: ProfileTimes,
        confirmed: Option<Timestamp>,
        watched: bool,
    ) -> Self {
        let extras = state.szk.as_ref();
        let saved = extras.map(|extras| extras.saved);
        let sealed = extras.is_some_and(|extras| extras.clean);
        let judged = |files: Option<Timestamp>| {
            state::truth(Evidence {
                files: files.and(times.used).map(Timestamp::as_millisecond),
                // A file from elsewhere has no time, and no one has confirmed it.
                confirmed: saved
                    .map(|saved| saved.max(confirmed.unwrap_or(saved)).as_millisecond()),
                sealed,
                watched,
            })
        };
        Self {
            cookies: judged(times.cookies),
            storage: judged(times.storage),
            changed: BTreeMap::new(),
            state,
        }
    }
}

fn read(profile: &Profile, warnings: &mut Vec<String>) -> StorageState {
    let loaded = match profile.read_state() {
        Ok(None) => return StorageState::default(),
        Ok(Some(bytes)) => state::load(&bytes),
        Err(StoreError::Corrupt { reason, .. }) => {
            return previous(profile, &StateProblem::Corrupt { reason }, warnings);
        }
        Err(error) => {
            warnings.push(format!("the saved state is unusable: {error}"));
            return StorageState::default();
        }
    };
    match loaded {
        Ok(loaded) => {
            warnings.extend(loaded.warnings.iter().map(ToString::to_string));
            loaded.state
        }
        Err(problem @ StateProblem::Newer { .. }) => {
            let kept = match profile.keep_state("newer") {
                Ok(Some(path)) => format!("; it is kept as `{}`", path.display()),
                Ok(None) => String::new(),
                Err(error) => format!("; cannot keep it: {error}"),
            };
            warnings.push(format!("{problem}{kept}"));
            older(profile).unwrap_or_default()
        }
        Err(problem) => previous(profile, &problem, warnings),
    }
}

/// The last good copy, if the file itself is damaged.
fn previous(profile: &Profile, problem: &StateProblem, warnings: &mut Vec<String>) -> StorageState {
    if let Err(error) = profile.keep_state("corrupt") {
        warnings.push(format!("cannot keep the damaged state: {error}"));
    }
    match older(profile) {
        Some(state) => {
            warnings.push(format!("{problem}; szk uses the one saved before it"));
            state
        }
        None => {
            warnings.push(format!(
                "{problem}; szk sets it aside and uses the profile's own files"
            ));
            StorageState::default()
        }
    }
}

/// The newest readable one of the older states. It does not cover recent changes: Chromium's files are
/// right, and it only provides what they never contain.
fn older(profile: &Profile) -> Option<StorageState> {
    let mut older = profile.older_states();
    let mut state = older.find_map(|bytes| state::load(&bytes).ok())?.state;
    if let Some(extras) = &mut state.szk {
        extras.clean = true;
        extras.deleted = Deleted::default();
    }
    Some(state)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use szk_store::{Name, Store};

    use super::*;

    fn profile() -> (tempfile::TempDir, Profile) {
        let dir = tempfile::tempdir().unwrap();
        let profile = Store::at(dir.path().to_owned()).profile(&Name::parse("work").unwrap());
        profile.create().unwrap();
        (dir, profile)
    }

    #[test]
    fn a_damaged_state_falls_back_to_the_one_before() {
        let (_dir, profile) = profile();
        let good = br#"{"cookies":[{"name":"a","value":"1","domain":"x.example","path":"/"}],"origins":[]}"#;
        profile.write_state(good).unwrap();
        profile
            .write_state(br#"{"cookies":[],"origins":[]}"#)
            .unwrap();
        fs::write(profile.dir().join("state.json"), br#"{"cookies":[{"na"#).unwrap();
        let mut warnings = Vec::new();
        let found = SavedState::look(&profile, true, None, &mut warnings);
        assert_eq!(found.state.cookies.len(), 1);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn a_state_of_a_newer_szk_is_kept_but_not_used() {
        let (_dir, profile) = profile();
        fs::write(
            profile.dir().join("state.json"),
            br#"{"szk":{"version":99,"saved":"2030-01-01T00:00:00Z"}}"#,
        )
        .unwrap();
        let mut warnings = Vec::new();
        let found = SavedState::look(&profile, true, None, &mut warnings);
        assert_eq!(found.state, StorageState::default());
        assert!(warnings[0].contains("newer-1"), "{warnings:?}");
        assert!(profile.dir().join("state.json.newer-1").exists());
    }

    #[test]
    fn a_profile_without_saved_state_gets_no_warning() {
        let (_dir, profile) = profile();
        let mut warnings = Vec::new();
        SavedState::look(&profile, true, None, &mut warnings);
        assert!(warnings.is_empty());
    }
}
