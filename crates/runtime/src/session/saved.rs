//! What an earlier life of the profile left: its saved state, and how far it is to be trusted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use szk_recovery::Millis;
use szk_store::{Profile, StoreError};

use crate::state::{
    self, CookieKey, Deleted, Evidence, ProfileTimes, StateProblem, StorageState, Truth,
};

/// A reading older than this was not made until the end.
const GAP: Duration = Duration::from_millis(szk_recovery::GAP.unsigned_abs());

/// Files that are further ahead of the clock are of another clock.
const FUTURE: SignedDuration = SignedDuration::from_secs(1);

/// The saved state, and how far it is right.
pub(crate) struct SavedState {
    pub(super) state: StorageState,
    /// About cookies.
    pub(super) cookies: Truth,
    /// About storage of origins.
    pub(super) storage: Truth,
    /// When Chromium last changed its cookies, where that decides.
    pub(super) changed: BTreeMap<CookieKey, Millis>,
}

impl SavedState {
    /// Looks at the profile before its browser is started, because Chromium writes at once. Whatever is
    /// wrong with the saved state is a warning: it never prevents opening.
    ///
    /// `died` is the process whose lock is still there. If it is the browser that szk read last, no other
    /// browser has used the profile since, and file times in the future mean nothing.
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
    /// file does, and when it last found that it was true.
    pub(super) fn after_crash(
        profile: &Profile,
        state: StorageState,
        confirmed: Option<(Timestamp, Instant)>,
    ) -> Self {
        let times = state::profile_times(&profile.user_data_dir());
        let watched = confirmed.is_some_and(|(_, at)| at.elapsed() < GAP);
        Self::judge(state, times, confirmed.map(|(at, _)| at), watched).with_times_of(profile)
    }

    /// Reads Chromium's file where it counts. One that cannot be read has lost everything.
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
                // A file of somebody else has no time, and nobody has confirmed it.
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

/// The last good copy, when the file itself is damaged.
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

/// The newest of the older states that can be read. It says nothing of what happened since: Chromium's files
/// are right, and only what they never have is taken from it.
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
    fn a_newer_state_is_kept_and_not_used() {
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
    fn nothing_saved_is_no_trouble() {
        let (_dir, profile) = profile();
        let mut warnings = Vec::new();
        SavedState::look(&profile, true, None, &mut warnings);
        assert!(warnings.is_empty());
    }
}
