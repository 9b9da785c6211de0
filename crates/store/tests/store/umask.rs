//! Modes under any umask, as a user that permissions apply to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::Mode;
use szk_store::{KeeperInfo, Meta, Profile};

use crate::child::{as_nobody, command, run};

pub(crate) fn child_makes_everything(profile: Profile) {
    let bits = std::env::var("SZK_STORE_TEST_UMASK").unwrap();
    rustix::process::umask(Mode::from_bits_truncate(bits.parse().unwrap()));
    let lock = profile.create_locked().unwrap();
    profile
        .write_meta(&Meta::new(profile.name().clone()))
        .unwrap();
    profile
        .write_keeper(&KeeperInfo::of_this_process("/s".into(), "1"))
        .unwrap();
    profile.token().unwrap();
    profile.write_state(b"1").unwrap();
    profile.write_state(b"2").unwrap();
    fs::write(profile.dir().join("meta.json"), "").unwrap();
    profile.recover_meta().unwrap();
    drop(profile.start_lock().unwrap());
    let clone = profile
        .store()
        .profile(&szk_store::Name::parse("c").unwrap());
    let clone_lock = clone.create_locked().unwrap();
    profile.copy_to(&clone, &clone_lock).unwrap();
    // Including the state, the previous one and last minute's.
    assert_eq!(check(profile.store().root()), 20);
    profile.trash(lock).unwrap();
    check(clone.store().root());
    // Everything works again afterwards.
    drop(clone_lock);
    clone.lock().unwrap();
}

/// Checks that everything under a folder is 0700 or 0600; returns how many there are.
///
fn check(dir: &Path) -> usize {
    let metadata = fs::symlink_metadata(dir).unwrap();
    let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(
        metadata.permissions().mode() & 0o7777,
        expected,
        "{}",
        dir.display()
    );
    if !metadata.is_dir() {
        return 1;
    }
    let entries = fs::read_dir(dir).unwrap();
    1 + entries.map(|e| check(&e.unwrap().path())).sum::<usize>()
}

#[test]
fn files_are_0600_and_folders_0700_whatever_the_umask() {
    for umask in [0, 0o022, 0o277, 0o777] {
        let dir = tempfile::tempdir().unwrap();
        let mut child = command(&[], "umask", &dir.path().join("a/b/store"));
        child.env("SZK_STORE_TEST_UMASK", umask.to_string());
        as_nobody(&mut child, dir.path());
        run(child);
    }
}
