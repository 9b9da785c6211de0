//! The surroundings that decide which files are read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

/// Name of the project's file.
pub(crate) const PROJECT_FILE: &str = "szk.config.toml";
/// Name of its companion that is not committed.
pub(crate) const LOCAL_FILE: &str = "szk.config.local.toml";

/// Where configuration is looked for: a value, so that nothing below reads the process's own
/// environment and tests can make up any surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The working directory: the project's file is the nearest at or above it.
    pub cwd: PathBuf,
    /// The user's file; it may be missing.
    pub user_file: Option<PathBuf>,
    /// The user's data directory for the profiles when no layer names a store.
    pub data_dir: Option<PathBuf>,
    /// The environment; only the `SZK_*` variables of [`Origin::VARIABLES`] are looked at. What it does
    /// not set is looked for in the project's `.env`.
    pub env: BTreeMap<String, String>,
}

impl Origin {
    /// The environment variables that are read, and the only ones.
    pub const VARIABLES: [&str; 7] = [
        "SZK_STORE",
        "SZK_CONFIG",
        "SZK_PRESET",
        "SZK_HEADLESS",
        "SZK_CHROMIUM",
        "SZK_LOG",
        "SZK_LOG_FORMAT",
    ];

    /// The surroundings of this process.
    ///
    /// A working directory that was deleted becomes the root: nothing is found there, and the
    /// command that really needs it fails with its own message.
    pub fn from_process() -> Self {
        let dirs = ProjectDirs::from("", "", "szk");
        let env = Self::VARIABLES.iter().filter_map(|name| {
            let value = std::env::var_os(name)?;
            Some(((*name).to_owned(), value.to_string_lossy().into_owned()))
        });
        Self {
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            user_file: dirs
                .as_ref()
                .map(|dirs| dirs.config_dir().join("config.toml")),
            data_dir: dirs.as_ref().map(|dirs| dirs.data_dir().join("sessions")),
            env: env.collect(),
        }
    }

    /// The folder whose `.env` counts: that of the project's file, else the working directory.
    pub(crate) fn project_folder(&self) -> PathBuf {
        let file = self.project_file();
        let folder = file.as_deref().and_then(Path::parent);
        folder.unwrap_or(&self.cwd).to_owned()
    }

    /// A variable's value; set to nothing counts as not set.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        let value = self.env.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// The project's file: the one `SZK_CONFIG` names, else the nearest at or above the working
    /// directory. Whatever bears the name is taken, so that a folder of that name is reported
    /// rather than passed over.
    pub(crate) fn project_file(&self) -> Option<PathBuf> {
        if let Some(named) = self.var("SZK_CONFIG") {
            return Some(self.cwd.join(named));
        }
        let mut candidates = self.cwd.ancestors().map(|dir| dir.join(PROJECT_FILE));
        candidates.find(|path| exists(path))
    }
}

/// Also true for a link that leads nowhere: its owner meant a file to be there.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
