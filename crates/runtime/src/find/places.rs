//! The usual places of a Chromium.

use std::path::{Path, PathBuf};

/// Where to look, in order, each with the name of its source.
#[derive(Debug, Clone, Default)]
pub struct Places {
    ordered: Vec<(PathBuf, &'static str)>,
}

const PLAYWRIGHT: &str = "Playwright's cache";
const SYSTEM: &str = "system";

/// Binaries come before wrapper scripts: Debian's `/usr/bin/chromium` adds flags of its own.
#[cfg(target_os = "linux")]
const WELL_KNOWN: &[&str] = &[
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/snap/bin/chromium",
];
#[cfg(not(target_os = "linux"))]
const WELL_KNOWN: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/opt/homebrew/bin/chromium",
];

impl Places {
    /// The places on this machine: Playwright's cache, then the well-known paths.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let cache = std::env::var_os("PLAYWRIGHT_BROWSERS_PATH")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| {
                directories::BaseDirs::new().map(|dirs| dirs.cache_dir().join("ms-playwright"))
            });
        let mut places = cache
            .map(|cache| Self::playwright(&cache))
            .unwrap_or_default();
        places
            .ordered
            .extend(WELL_KNOWN.iter().map(|path| (PathBuf::from(path), SYSTEM)));
        places
    }

    /// The browsers in one Playwright cache, newest revision first.
    #[must_use]
    pub fn playwright(cache: &Path) -> Self {
        let mut revisions: Vec<(u32, PathBuf)> = std::fs::read_dir(cache)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let revision = entry
                    .file_name()
                    .to_str()?
                    .strip_prefix("chromium-")?
                    .parse()
                    .ok()?;
                Some((revision, entry.path()))
            })
            .collect();
        revisions.sort_by_key(|(revision, _)| std::cmp::Reverse(*revision));
        let binaries = [
            "chrome-linux/chrome",
            "chrome-linux64/chrome",
            "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        ];
        let ordered = revisions
            .iter()
            .flat_map(|(_, dir)| binaries.map(|binary| dir.join(binary)))
            .filter(|path| path.exists())
            .map(|path| (path, PLAYWRIGHT))
            .collect();
        Self { ordered }
    }

    pub(crate) fn in_order(&self) -> impl Iterator<Item = (PathBuf, &'static str)> + '_ {
        self.ordered.iter().cloned()
    }

    /// No places.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// These paths.
    #[cfg(test)]
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        Self {
            ordered: paths.iter().map(|path| (path.clone(), SYSTEM)).collect(),
        }
    }
}
