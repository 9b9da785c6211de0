//! The files of a profile, and what can happen to a file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::TestEnv;

/// A file, and what else holds the same data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    State,
    OlderState,
    Meta,
    Token,
    Keeper,
    Logins,
    Lock,
    Cookies,
    LocalStorage,
    LocalStorageCurrent,
    IndexedDb,
    Preferences,
    LocalState,
    SingletonLock,
    SingletonSocket,
}

/// All of them.
pub(super) const FILES: [File; 15] = [
    File::State,
    File::OlderState,
    File::Meta,
    File::Token,
    File::Keeper,
    File::Logins,
    File::Lock,
    File::Cookies,
    File::LocalStorage,
    File::LocalStorageCurrent,
    File::IndexedDb,
    File::Preferences,
    File::LocalState,
    File::SingletonLock,
    File::SingletonSocket,
];

impl File {
    /// Where it is or would be.
    pub(super) fn path(self, env: &TestEnv) -> PathBuf {
        let own = |name: &str| env.in_profile("work", name);
        let default = |name: &str| own("profile/Default").join(name);
        match self {
            Self::State => own("state.json"),
            Self::OlderState => own("state.prev.json"),
            Self::Meta => own("meta.json"),
            Self::Token => own("token"),
            Self::Keeper => own("keeper.json"),
            Self::Logins => own("logins.json"),
            Self::Lock => own("lock"),
            Self::Cookies => default("Cookies"),
            Self::LocalStorage => log_in(&default("Local Storage/leveldb")),
            Self::LocalStorageCurrent => default("Local Storage/leveldb/CURRENT"),
            Self::IndexedDb => log_in(&only_folder(&default("IndexedDB"))),
            Self::Preferences => default("Preferences"),
            Self::LocalState => own("profile/Local State"),
            Self::SingletonLock => own("profile/SingletonLock"),
            Self::SingletonSocket => own("profile/SingletonSocket"),
        }
    }

    /// Whether Chromium reads it, not szk.
    pub(super) fn is_chromiums(self) -> bool {
        matches!(
            self,
            Self::Cookies
                | Self::LocalStorage
                | Self::LocalStorageCurrent
                | Self::IndexedDb
                | Self::Preferences
                | Self::LocalState
        )
    }

    /// Whether nothing of what sites store is in it.
    pub(super) fn is_beside_the_data(self) -> bool {
        matches!(
            self,
            Self::Meta | Self::Token | Self::Keeper | Self::Logins | Self::SingletonSocket
        )
    }

    /// The storage that is lost with it: Chromium recreates a database that it cannot read, and after
    /// a clean exit its files count, not what szk has read (`docs/durability.md`).
    pub(super) fn only_in_chromium(self) -> Option<&'static str> {
        match self {
            Self::LocalStorage | Self::LocalStorageCurrent => Some("local"),
            Self::IndexedDb => Some("indexed"),
            _ => None,
        }
    }

    /// The word in the report of its damage, if its loss matters. Anything else is recreated, or szk
    /// restores it.
    pub(super) fn told_as(self) -> Option<&'static str> {
        match self {
            Self::State => Some("state"),
            Self::Meta => Some("meta.json"),
            Self::Logins => Some("logins.json"),
            _ => None,
        }
    }

    /// Whether a closed profile has it.
    pub(super) fn is_there(self) -> bool {
        !matches!(
            self,
            Self::Keeper | Self::SingletonLock | Self::SingletonSocket
        )
    }
}

/// The LevelDB file with the newest values.
fn log_in(folder: &Path) -> PathBuf {
    let mut logs: Vec<PathBuf> = entries(folder);
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.pop()
        .unwrap_or_else(|| panic!("no log in {}", folder.display()))
}

fn only_folder(folder: &Path) -> PathBuf {
    let mut folders = entries(folder);
    folders.retain(|path| path.is_dir() && path.to_string_lossy().ends_with(".leveldb"));
    folders
        .pop()
        .unwrap_or_else(|| panic!("nothing in {}", folder.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{error}: {}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
