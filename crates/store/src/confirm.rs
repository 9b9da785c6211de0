//! When a keeper last confirmed that the saved state is current.
//!
//! An unchanged state is not written again, so its own timestamp says little about a browser that died
//! an hour later. Setting the time of `keeper.json` instead costs no write, and a clean exit removes
//! that file.

use std::fs::File;
use std::time::SystemTime;

use crate::Profile;

impl Profile {
    /// Records that the saved state matches the browser. Best effort: without it we merely know less
    /// after a crash.
    pub fn confirm_state(&self, now: SystemTime) {
        let set = File::options()
            .append(true)
            .open(self.file("keeper.json"))
            .and_then(|file| file.set_modified(now));
        if let Err(error) = set {
            tracing::debug!(%error, "the state could not be confirmed");
        }
    }

    /// When the killed keeper last did that; `None` after a clean exit.
    #[must_use]
    pub fn state_confirmed(&self) -> Option<SystemTime> {
        let meta = std::fs::symlink_metadata(self.file("keeper.json")).ok()?;
        meta.modified().ok().filter(|_| meta.is_file())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::KeeperInfo;
    use crate::testing::profile;

    #[test]
    fn the_last_time_counts_and_an_orderly_end_has_none() {
        let (_dir, profile) = profile();
        profile.confirm_state(SystemTime::now());
        assert_eq!(profile.state_confirmed(), None);
        let info = KeeperInfo::of_this_process("/s".into(), "1");
        profile.write_keeper(&info).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        profile.confirm_state(then);
        assert_eq!(profile.state_confirmed(), Some(then));
        profile.clear_keeper().unwrap();
        assert_eq!(profile.state_confirmed(), None);
    }
}
