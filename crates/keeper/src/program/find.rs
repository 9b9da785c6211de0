//! Finds Node and Python.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use szk_tools::{Code, Failure};

/// Node, or how to install it.
pub(crate) fn node() -> Result<PathBuf, Failure> {
    in_path(&["node"]).ok_or_else(|| {
        missing("Node.js").hint(
            "install Node.js 20 or newer (`sudo apt install nodejs npm`, `brew install node`, or https://nodejs.org), then close and reopen the session",
        )
    })
}

/// Python; the project's own environment comes first.
pub(crate) fn python(dir: &Path) -> Result<PathBuf, Failure> {
    let own = dir.ancestors().map(|dir| dir.join(".venv/bin/python"));
    own.into_iter()
        .find(|path| is_program(path))
        .or_else(|| in_path(&["python3", "python"]))
        .ok_or_else(|| {
            missing("Python").hint(
                "install Python 3 (`sudo apt install python3 python3-venv`), then close and reopen the session",
            )
        })
}

fn missing(what: &str) -> Failure {
    let path = std::env::var("PATH").unwrap_or_default();
    Failure::new(
        Code::NotFound,
        format!("{what} is not installed, or not in the session's PATH, `{path}`"),
    )
}

fn in_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
