//! Versions of browser executables, remembered per store.
//!
//! Asking an executable for its version takes a fifth of a browser's startup time, and the version
//! only changes when the file does.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Store, atomic};

/// Name of the file in the store; the dot keeps it from being a profile's name.
const FILE: &str = ".browsers.json";

/// Longest such file, in bytes.
const LONGEST: u64 = 1 << 20;

/// What we learned about an executable, and the state of the file it applies to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    modified: i64,
    size: u64,
    version: String,
}

impl Store {
    /// The executable's version: the remembered one while the file is unchanged, otherwise what `ask`
    /// returns. `None` if the executable does not say. An unreadable or unwritable memory only costs
    /// time.
    pub fn browser_version(
        &self,
        executable: &Path,
        ask: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        let meta = fs::metadata(executable).ok()?;
        let (modified, size) = (meta.mtime(), meta.size());
        let path = self.root().join(FILE);
        let key = executable.to_string_lossy().into_owned();
        let mut all: BTreeMap<String, Known> = szk_files::read_own(&path, LONGEST)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        if let Some(known) = all.get(&key)
            && (known.modified, known.size) == (modified, size)
        {
            return Some(known.version.clone());
        }
        let version = ask()?;
        let known = Known {
            modified,
            size,
            version: version.clone(),
        };
        all.insert(key, known);
        if let Ok(text) = serde_json::to_vec(&all)
            && let Err(error) = atomic::write(&path, &text)
        {
            tracing::debug!(%error, "the version of a browser is not remembered");
        }
        Some(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_asked_once_until_the_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_owned());
        let binary = dir.path().join("chromium");
        fs::write(&binary, "one").unwrap();
        let ask = |version: &str| Some(version.to_owned());
        assert_eq!(
            store.browser_version(&binary, || ask("1.0")).as_deref(),
            Some("1.0")
        );
        assert_eq!(
            store.browser_version(&binary, || ask("wrong")).as_deref(),
            Some("1.0")
        );
        fs::write(&binary, "another").unwrap();
        assert_eq!(
            store.browser_version(&binary, || ask("2.0")).as_deref(),
            Some("2.0")
        );
        assert_eq!(
            store.browser_version(&dir.path().join("gone"), || ask("3.0")),
            None
        );
    }
}
