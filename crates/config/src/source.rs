//! Where a value came from.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// The layer that set a value, weakest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "layer", rename_all = "lowercase")]
pub enum Source {
    /// Compiled in (`config/defaults.toml`), or not set anywhere.
    Default,
    /// The user's own file.
    User {
        /// The file.
        path: PathBuf,
        /// Line in it, from 1.
        line: usize,
    },
    /// The project's `szk.config.toml`, or the file that `SZK_CONFIG` names.
    Project {
        /// The file.
        path: PathBuf,
        /// Line in it, from 1.
        line: usize,
    },
    /// `szk.config.local.toml` beside the project's file.
    Local {
        /// The file.
        path: PathBuf,
        /// Line in it, from 1.
        line: usize,
    },
    /// The chosen preset.
    Preset {
        /// Its name.
        name: String,
        /// The file that defines the value; `None` if it is compiled in.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
        /// Line in it, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
    /// The profile's saved identity.
    Profile,
    /// An environment variable.
    Env {
        /// Its name.
        var: String,
        /// The `.env` file that sets it; `None` for the process's environment.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
    },
    /// The call itself.
    Call,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User { path, line } => write!(f, "user file {}:{line}", path.display()),
            Self::Project { path, line } => write!(f, "project file {}:{line}", path.display()),
            Self::Local { path, line } => write!(f, "local file {}:{line}", path.display()),
            Self::Preset { name, path, line } => {
                write!(f, "preset {name}")?;
                match (path, line) {
                    (Some(path), Some(line)) => write!(f, " in {}:{line}", path.display()),
                    _ => Ok(()),
                }
            }
            Self::Profile => f.write_str("profile"),
            Self::Env { var, path: None } => f.write_str(var),
            Self::Env {
                var,
                path: Some(path),
            } => write!(f, "{var} in {}", path.display()),
            Self::Call => f.write_str("call"),
        }
    }
}
