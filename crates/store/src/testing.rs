//! Shared test helpers of this crate.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use crate::{Meta, Name, Profile, Store};

/// A store that is deleted with its folder.
pub(crate) fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().join("store"));
    (dir, store)
}

/// A new profile `p` in a store of its own.
pub(crate) fn profile() -> (TempDir, Profile) {
    let (dir, store) = store();
    let profile = named(&store, "p");
    profile.create().unwrap();
    (dir, profile)
}

pub(crate) fn named(store: &Store, name: &str) -> Profile {
    store.profile(&Name::parse(name).unwrap())
}

/// A new profile of this name, ephemeral or not.
pub(crate) fn made(store: &Store, name: &str, ephemeral: bool) -> Profile {
    let profile = named(store, name);
    profile.create().unwrap();
    let mut meta = Meta::new(profile.name().clone());
    meta.ephemeral = ephemeral;
    profile.write_meta(&meta).unwrap();
    profile
}

pub(crate) fn mode(path: &Path) -> u32 {
    let metadata = fs::symlink_metadata(path).unwrap();
    metadata.permissions().mode() & 0o7777
}

/// The names in a folder, sorted.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
