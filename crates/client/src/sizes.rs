//! Sizes of profiles, remembered for a while: to count one walks its whole folder, and servers and
//! dashboards ask again and again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use szk_store::Profile;

/// How long a size is good.
const FRESH: Duration = Duration::from_secs(10);

/// Sizes that are remembered; beyond that all are forgotten.
const MOST: usize = 10_000;

/// By folder, for all clients of this process. A std mutex: nothing awaits under it.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

struct Known {
    bytes: u64,
    at: Instant,
    of: Shape,
}

/// What changes when a profile is opened, closed or made anew.
#[derive(PartialEq)]
struct Shape {
    live: bool,
    last_used: Option<Timestamp>,
}

/// The size of a profile's folder, at most [`FRESH`] old.
pub(crate) fn of(profile: &Profile, live: bool, last_used: Option<Timestamp>) -> u64 {
    let now = Instant::now();
    let of = Shape { live, last_used };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(one) = known.get(profile.dir())
        && one.of == of
        && now.duration_since(one.at) < FRESH
    {
        return one.bytes;
    }
    drop(known);
    let bytes = profile.size_bytes();
    known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST {
        known.clear();
    }
    let dir = profile.dir().to_owned();
    known.insert(dir, Known { bytes, at: now, of });
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use szk_store::{Name, Store};

    use super::*;

    #[test]
    fn a_size_is_counted_again_when_the_profile_was_opened_or_closed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("store"));
        let profile = store.profile(&Name::parse("work").unwrap());
        profile.create().unwrap();
        let before = of(&profile, false, None);
        fs::write(profile.downloads_dir().join("a"), [0; 4096]).unwrap();
        assert_eq!(of(&profile, false, None), before);
        assert_eq!(of(&profile, true, None), before + 4096);
    }
}
