//! The environment that decides which files are read.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

/// Name of the project's file.
pub(crate) const PROJECT_FILE: &str = "szk.config.toml";
/// Name of its uncommitted companion.
pub(crate) const LOCAL_FILE: &str = "szk.config.local.toml";

/// Where to look for configuration: a plain value, so nothing below reads the process's own
/// environment and tests can make up their own.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The working directory: the project's file is the nearest one at or above it.
    pub cwd: PathBuf,
    /// The user's file; it may be missing.
    pub user_file: Option<PathBuf>,
    /// The user's data directory, for profiles if no layer names a store.
    pub data_dir: Option<PathBuf>,
    /// The environment; only the `SZK_*` variables in [`Origin::VARIABLES`] are read. The project's
    /// `.env` supplies those it does not set.
    pub env: BTreeMap<String, String>,
}

/// Without the environment, which may hold a key.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("cwd", &self.cwd)
            .field("user_file", &self.user_file)
            .field("data_dir", &self.data_dir)
            .finish_non_exhaustive()
    }
}

impl Origin {
    /// The environment variables that szk reads.
    pub const VARIABLES: [&str; 11] = [
        "SZK_STORE",
        "SZK_CONFIG",
        "SZK_PRESET",
        "SZK_HEADLESS",
        "SZK_CHROMIUM",
        "SZK_LOG",
        "SZK_LOG_FORMAT",
        "SZK_CLIENT",
        "SZK_AGENT_MODEL",
        "SZK_AGENT_BASE_URL",
        "SZK_AGENT_KEY",
    ];

    /// The environment of this process.
    ///
    /// A deleted working directory becomes the root: nothing is found there, and a command that really
    /// needs it fails with its own message.
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

    /// The folder whose `.env` is used: that of the project's file, else the working directory.
    pub(crate) fn project_folder(&self) -> PathBuf {
        let file = self.project_file();
        let folder = file.as_deref().and_then(Path::parent);
        folder.unwrap_or(&self.cwd).to_owned()
    }

    /// A variable's value; an empty one counts as unset.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        let value = self.env.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// The project's file: the one `SZK_CONFIG` names, or else the nearest at or above the working
    /// directory. Anything of that name is taken, so a folder of that name gets reported instead of
    /// skipped.
    pub(crate) fn project_file(&self) -> Option<PathBuf> {
        if let Some(named) = self.var("SZK_CONFIG") {
            return Some(self.cwd.join(named));
        }
        let mut candidates = self.cwd.ancestors().map(|dir| dir.join(PROJECT_FILE));
        candidates.find(|path| exists(path))
    }
}

/// Also true for a dangling link: its owner meant a file to be there.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
