//! What a browser recreates on its own, and what belongs to a running one.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::{Profile, ProfileLock, StoreError, dirs, trash};

/// Folders whose loss costs only time.
const CACHES: [&str; 11] = [
    "GPUCache",
    "Code Cache",
    "ShaderCache",
    "GrShaderCache",
    "GraphiteDawnCache",
    "DawnCache",
    "DawnGraphiteCache",
    "DawnWebGPUCache",
    "Crashpad",
    "BrowserMetrics",
    "BrowserMetrics-spare.pma",
];

/// Caches that a clone keeps because it is used right away, but that an archive does not need.
const SLOW_CACHES: [&str; 5] = [
    "Cache",
    "Media Cache",
    "component_crx_cache",
    "extensions_crx_cache",
    "OptGuideOnDeviceModel",
];

/// Files that belong to a running browser.
const OF_THE_RUNNING: [&str; 3] = ["lockfile", "LOCK", "DevToolsActivePort"];

/// Chromium checks the files in it against hashes, so none may be left out.
pub(crate) const WHOLE: &str = "Extensions";

/// Whether a copy skips entries of this name.
pub(crate) fn is_skipped(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    CACHES.contains(&&*name)
        || OF_THE_RUNNING.contains(&&*name)
        || name.starts_with("Singleton")
        || name.ends_with(".lock")
}

/// Whether an archive skips entries of this name.
pub(crate) fn is_archived(name: &OsStr) -> bool {
    !is_skipped(name) && !is_slow(name)
}

fn is_slow(name: &OsStr) -> bool {
    SLOW_CACHES.contains(&&*name.to_string_lossy())
}

/// Chromium writes a few megabytes of these at each start, to upload them at the next one, which never
/// happens here.
const METRICS: [&str; 2] = ["BrowserMetrics", "BrowserMetrics-spare.pma"];

impl Profile {
    /// Removes the metrics files that a browser left behind. No browser may be running on the profile:
    /// the caller holds its lock and has checked Chromium's.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn drop_metrics(&self, lock: &ProfileLock) -> Result<(), StoreError> {
        self.check()?;
        lock.must_be_for(self)?;
        for name in METRICS {
            let path = self.user_data_dir().join(name);
            if fs::symlink_metadata(&path).is_ok() {
                trash::remove(&path).map_err(StoreError::at(&path))?;
            }
        }
        Ok(())
    }

    /// Removes the browser's caches: pages load slower once, nothing else changes. Returns their size
    /// in bytes. The profile must not be open: the caller holds its lock.
    ///
    /// # Errors
    /// A folder that cannot be removed.
    pub fn drop_caches(&self, lock: &ProfileLock) -> Result<u64, StoreError> {
        self.check()?;
        lock.must_be_for(self)?;
        let dir = self.user_data_dir();
        dirs::check_real(&dir)?;
        drop_in(&dir)
    }
}

impl Profile {
    /// The metrics files that a browser left behind, with their sizes.
    pub(crate) fn metrics(&self) -> Vec<(std::path::PathBuf, u64)> {
        let data = self.user_data_dir();
        METRICS
            .iter()
            .map(|name| data.join(name))
            .filter(|path| path.symlink_metadata().is_ok())
            .map(|path| {
                let bytes = crate::profile::size_of(&path);
                (path, bytes)
            })
            .collect()
    }
}

fn drop_in(dir: &Path) -> Result<u64, StoreError> {
    let mut freed = 0;
    for entry in fs::read_dir(dir).map_err(StoreError::at(dir))? {
        let entry = entry.map_err(StoreError::at(dir))?;
        let (name, path) = (entry.file_name(), entry.path());
        let metadata = entry.metadata().map_err(StoreError::at(&path))?;
        let cache = CACHES.iter().any(|cache| name == *cache) || is_slow(&name);
        if cache {
            freed += crate::profile::size_of(&path);
            trash::remove(&path).map_err(StoreError::at(&path))?;
        } else if metadata.is_dir() && name != WHOLE {
            freed += drop_in(&path)?;
        }
    }
    Ok(freed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{names, profile};

    #[test]
    fn caches_go_and_everything_else_stays() {
        let (_dir, profile) = profile();
        let data = profile.user_data_dir();
        for path in [
            "Default/Cache/Cache_Data/data_0",
            "Default/Code Cache/js/a",
            "Default/Cookies",
            "Default/Extensions/abc/1.0_0/Cache/x",
            "Default/Storage/ext/abc/def/GPUCache/a",
            "Default/Storage/ext/abc/def/Local Storage/a",
            "ShaderCache/a",
        ] {
            let path = data.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "12345").unwrap();
        }
        let outside = profile.dir().join("elsewhere");
        fs::create_dir_all(outside.join("Cache")).unwrap();
        std::os::unix::fs::symlink(&outside, data.join("link")).unwrap();
        let lock = profile.lock().unwrap();
        assert_eq!(profile.drop_caches(&lock).unwrap(), 20);
        assert_eq!(names(&data), ["Default", "link"]);
        assert_eq!(
            names(&data.join("Default")),
            ["Cookies", "Extensions", "Storage"]
        );
        assert_eq!(names(&data.join("Default/Extensions/abc/1.0_0")), ["Cache"]);
        assert_eq!(
            names(&data.join("Default/Storage/ext/abc/def")),
            ["Local Storage"]
        );
        assert_eq!(names(&outside), ["Cache"], "links are not followed");
        assert_eq!(profile.drop_caches(&lock).unwrap(), 0);
    }

    #[test]
    fn metrics_go_and_nothing_else() {
        let (_dir, profile) = profile();
        let data = profile.user_data_dir();
        fs::create_dir_all(data.join("BrowserMetrics")).unwrap();
        for name in [
            "BrowserMetrics/BrowserMetrics-1.pma",
            "BrowserMetrics-spare.pma",
            "Local State",
        ] {
            fs::write(data.join(name), "1").unwrap();
        }
        let lock = profile.lock().unwrap();
        profile.drop_metrics(&lock).unwrap();
        assert_eq!(names(&data), ["Local State"]);
        profile.drop_metrics(&lock).unwrap();
    }

    #[test]
    fn the_lock_of_another_profile_does_not_do() {
        let (_dir, profile) = profile();
        let other = crate::testing::named(profile.store(), "other");
        let lock = other.create_locked().unwrap();
        assert!(profile.drop_caches(&lock).is_err());
    }
}
