//! When Chromium last wrote a profile's files. Must be read before Chromium starts.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;

/// Times of the last writes, for [`super::truth`]. `None`: there is nothing of that kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProfileTimes {
    /// Of cookies.
    pub cookies: Option<Timestamp>,
    /// Of localStorage and databases.
    pub storage: Option<Timestamp>,
    /// Of anything that a running browser writes from time to time.
    pub used: Option<Timestamp>,
}

/// Reads the times in a user data directory. Unreadable files count as missing.
#[must_use]
pub fn profile_times(user_data_dir: &Path) -> ProfileTimes {
    let profile = user_data_dir.join("Default");
    // Older versions keep cookies one level up.
    let cookies = [
        "Cookies",
        "Cookies-journal",
        "Network/Cookies",
        "Network/Cookies-journal",
    ];
    let storage = ["Local Storage", "IndexedDB"];
    let cookies = cookies
        .iter()
        .filter_map(|name| newest(&profile.join(name), 0))
        .max();
    let storage = storage
        .iter()
        .filter_map(|name| newest(&profile.join(name), 3))
        .max();
    let local_state = newest(&user_data_dir.join("Local State"), 0);
    ProfileTimes {
        cookies,
        storage,
        used: cookies.max(storage).max(local_state),
    }
}

/// The newest file at or below a path, up to `depth` folders down. Folders themselves do not count.
fn newest(path: &Path, depth: u8) -> Option<Timestamp> {
    let meta = fs::symlink_metadata(path).ok()?;
    if meta.is_file() {
        return meta
            .modified()
            .ok()
            .and_then(|time: SystemTime| time.try_into().ok());
    }
    if !meta.is_dir() || depth == 0 {
        return None;
    }
    fs::read_dir(path)
        .ok()?
        .flatten()
        .filter_map(|entry| newest(&entry.path(), depth - 1))
        .max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn write(path: &Path, second: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second))
            .unwrap();
    }

    #[test]
    fn the_newest_file_of_a_kind_counts() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(profile_times(dir.path()), ProfileTimes::default());
        let profile = dir.path().join("Default");
        fs::create_dir_all(profile.join("IndexedDB")).unwrap();
        assert_eq!(profile_times(dir.path()), ProfileTimes::default());
        write(&profile.join("Cookies"), 5);
        write(&profile.join("Cookies-journal"), 7);
        write(&profile.join("Local Storage/leveldb/000003.log"), 9);
        write(
            &profile.join("IndexedDB/https_x_0.indexeddb.leveldb/000003.log"),
            8,
        );
        write(&profile.join("History"), 99);
        write(&dir.path().join("Local State"), 12);
        let times = profile_times(dir.path());
        assert_eq!(times.used.unwrap().as_second(), 12);
        assert_eq!(times.cookies.unwrap().as_second(), 7);
        assert_eq!(times.storage.unwrap().as_second(), 9);
    }
}
