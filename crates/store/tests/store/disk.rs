//! Full, read-only and memory file systems.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use szk_store::{LockError, Meta, Name, Profile, StoreError, collect_leftovers};

use crate::child::{as_nobody, command, is_root, run};

/// Plays a role on a small tmpfs that only its processes see. As root that must work, or the test
/// fails; for other users it depends on the system, and the test says so when it cannot.
fn on_tmpfs(options: &str, role: &str, dir: &Path) {
    let namespace = if is_root() { "-m" } else { "-rm" };
    let mount = format!(
        "mount -t tmpfs -o {options} none '{}' && exec \"$@\"",
        dir.display()
    );
    let possible = Command::new("unshare").args([namespace, "true"]).status();
    if !is_root() && !possible.is_ok_and(|status| status.success()) {
        eprintln!("no mount namespaces for this user: `{role}` not played on a tmpfs");
        return;
    }
    let before = ["unshare", namespace, "sh", "-c", &mount, "sh"];
    run(command(&before, role, &dir.join("store")));
}

fn no_temporary_files(profile: &Profile) {
    let names = fs::read_dir(profile.dir())
        .unwrap()
        .map(|e| e.unwrap().file_name());
    let names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
    assert!(!names.iter().any(|n| n.ends_with(".tmp")), "{names:?}");
}

fn is_full<T>(outcome: Result<T, StoreError>) -> bool {
    let Some(error) = outcome.err() else {
        return false;
    };
    matches!(
        error.kind(),
        Some(io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge)
    )
}

fn json(length: usize) -> Vec<u8> {
    format!("\"{}\"", "x".repeat(length)).into_bytes()
}

/// Writes succeed until the disk (or the file size limit) is full.
pub(crate) fn child_fills_disk(profile: Profile) {
    let lock = profile.create_locked().unwrap();
    let meta = Meta::new(profile.name().clone());
    profile.write_meta(&meta).unwrap();
    profile.write_state(&json(1_000)).unwrap();
    profile.write_state(&json(2_000)).unwrap();
    let token = profile.token().unwrap();

    let error = profile.write_state(&json(1_000_000));
    let path = profile.dir().join("state.json");
    assert_eq!(error.as_ref().unwrap_err().path(), path);
    assert!(is_full(error));
    let mut big = meta.clone();
    big.label = Some("x".repeat(1_000_000));
    assert!(is_full(profile.write_meta(&big)));

    let large = profile.user_data_dir().join("large");
    let filled = fs::File::create(&large)
        .unwrap()
        .write_all(&json(1_000_000));
    assert!(filled.is_err());
    let clone = profile.store().profile(&Name::parse("clone").unwrap());
    if let Ok(clone_lock) = clone.create_locked() {
        // The source is sparse now, so it has its size whatever the limit.
        let outcome = profile.copy_to(&clone, &clone_lock);
        if outcome.is_err() {
            assert!(is_full(outcome));
            assert_eq!(fs::read_dir(clone.user_data_dir()).unwrap().count(), 0);
        }
        clone.trash(clone_lock).unwrap();
    }

    assert_eq!(profile.meta().unwrap(), Some(meta));
    assert_eq!(profile.read_state().unwrap().unwrap(), json(2_000));
    assert_eq!(profile.older_states().next().unwrap(), json(1_000));
    assert_eq!(profile.token().unwrap().reveal(), token.reveal());
    no_temporary_files(&profile);
    // Deleting is the way out.
    assert!(profile.clone().trash(lock).unwrap().left.is_empty());
    assert!(!profile.dir().exists());
    assert_eq!(collect_leftovers(profile.store()), []);
}

#[test]
fn a_limit_on_file_sizes_leaves_the_old_files() {
    let dir = tempfile::tempdir().unwrap();
    // With the signal ignored, the write fails with an error, as on a full disk.
    let limit = "trap '' XFSZ; ulimit -f 100; exec \"$@\"";
    run(command(
        &["sh", "-c", limit, "sh"],
        "full",
        &dir.path().join("store"),
    ));
}

#[test]
fn a_full_disk_leaves_the_old_files() {
    let dir = tempfile::tempdir().unwrap();
    // Space for a few files, or enough space but only for a few files.
    for options in ["size=256k", "size=256k,nr_inodes=16"] {
        on_tmpfs(options, "full", dir.path());
    }
}

/// A profile's life on a file system without reflinks, with everything that links, renames and locks.
pub(crate) fn child_lives_a_life(profile: Profile) {
    let lock = profile.create_locked().unwrap();
    profile
        .write_meta(&Meta::new(profile.name().clone()))
        .unwrap();
    for n in 0..3 {
        profile.write_state(&json(n)).unwrap();
    }
    assert_eq!(profile.older_states().next().unwrap(), json(1));
    let deep = profile.user_data_dir().join("Default/Storage/ext");
    fs::create_dir_all(&deep).unwrap();
    (0..2000).for_each(|n| fs::write(deep.join(format!("f{n}")), "x").unwrap());
    let clone = profile.store().profile(&Name::parse("clone").unwrap());
    let clone_lock = clone.create_locked().unwrap();
    let mut meta = Meta::new(clone.name().clone());
    meta.ephemeral = true;
    clone.write_meta(&meta).unwrap();
    let report = profile.copy_to(&clone, &clone_lock).unwrap();
    assert_eq!(
        (report.files, report.bytes, report.reflinked),
        (2000, 2000, 0)
    );
    assert!(profile.token().is_ok() && profile.is_live());
    drop(clone_lock);
    assert_eq!(collect_leftovers(profile.store()), [clone.name().clone()]);
    assert!(profile.clone().trash(lock).unwrap().left.is_empty());
    assert!(profile.store().list().unwrap().is_empty());
}

#[test]
fn everything_works_on_a_tmpfs() {
    let dir = tempfile::tempdir().unwrap();
    on_tmpfs("size=64m", "cycle", dir.path());
}

pub(crate) fn child_reads_only(profile: Profile) {
    read_only(&profile, false);
}

/// Creates the store first, then makes its file system read-only.
pub(crate) fn child_mounts_read_only(profile: Profile) {
    fill(&profile);
    let disk = profile.store().root().parent().unwrap();
    let mount = Command::new("mount")
        .args(["-o", "remount,bind,ro"])
        .arg(disk)
        .status();
    assert!(mount.unwrap().success());
    read_only(&profile, true);
}

/// Inspects a store that is not writable.
fn read_only(profile: &Profile, mounted: bool) {
    let root = profile.store().root();
    let refused = |error: StoreError, path: &Path| {
        assert_eq!(error.path(), path);
        if mounted {
            assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
            assert!(
                error.to_string().ends_with("is on a read-only file system"),
                "{error}"
            );
        } else {
            assert_eq!(error.kind(), Some(io::ErrorKind::PermissionDenied));
        }
    };
    let meta = profile.meta().unwrap().unwrap();
    assert_eq!(profile.store().list().unwrap().len(), 1);
    assert!(!profile.is_live());
    assert_eq!(profile.read_state().unwrap().unwrap(), json(1));
    profile.token().unwrap();
    refused(
        profile.write_meta(&meta).unwrap_err(),
        &profile.dir().join("meta.json"),
    );
    refused(
        profile.write_state(&json(2)).unwrap_err(),
        &profile.dir().join("state.json"),
    );
    profile.write_state(&json(1)).unwrap();
    let LockError::Io(error) = profile.start_lock().map_err(LockError::Io).unwrap_err() else {
        panic!("held");
    };
    refused(error, &profile.dir().join("start.lock"));
    if mounted {
        let Err(LockError::Io(error)) = profile.lock() else {
            panic!("locked");
        };
        refused(error, &profile.dir().join("lock"));
        assert!(collect_leftovers(profile.store()).is_empty());
        assert!(profile.exists());
    } else {
        // The lock file opens, but the profile cannot be moved.
        let lock = profile.lock().unwrap();
        refused(
            profile.clone().trash(lock).unwrap_err(),
            &root.join(".trash"),
        );
    }
}

/// An ephemeral profile whose lock nobody holds.
fn fill(profile: &Profile) {
    let lock = profile.create_locked().unwrap();
    let mut meta = Meta::new(profile.name().clone());
    meta.ephemeral = true;
    profile.write_meta(&meta).unwrap();
    profile.write_state(&json(1)).unwrap();
    profile.token().unwrap();
    drop(lock);
}

#[test]
fn a_read_only_file_system_is_named_and_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    on_tmpfs("size=1m", "mounted-read-only", dir.path());
}

#[test]
fn a_store_without_write_permission_is_named_and_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = szk_store::Store::at(dir.path().join("store"));
    let profile = store.profile(&Name::parse("p").unwrap());
    fill(&profile);
    let mut child = command(&[], "read-only", store.root());
    as_nobody(&mut child, dir.path());
    let mut paths = vec![store.root().to_owned(), profile.dir().to_owned()];
    paths.extend(
        fs::read_dir(profile.dir())
            .unwrap()
            .map(|e| e.unwrap().path()),
    );
    for path in &paths {
        as_nobody(&mut child, path);
    }
    let close = |mode| {
        for path in &paths[..2] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    close(0o500);
    run(child);
    close(0o700);
}

/// Something is mounted in the profile: it can be moved, but not removed.
pub(crate) fn child_cannot_remove(profile: Profile) {
    let lock = profile.create_locked().unwrap();
    let busy = profile.user_data_dir().join("busy");
    fs::create_dir(&busy).unwrap();
    fs::write(profile.user_data_dir().join("Cookies"), "secret").unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "none"])
        .arg(&busy)
        .status();
    assert!(mount.unwrap().success());
    let left = profile.clone().trash(lock).unwrap().left;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].kind(), Some(io::ErrorKind::ResourceBusy));
    let trashed = left[0].path();
    assert_eq!(
        trashed.parent().unwrap(),
        profile.store().root().join(".trash")
    );
    // The name is free, and the obstacle does not stop the next deletion.
    assert!(!profile.dir().exists());
    let lock = profile.create_locked().unwrap();
    assert_eq!(profile.clone().trash(lock).unwrap().left.len(), 1);
    let unmount = Command::new("umount")
        .arg(trashed.join("profile/busy"))
        .status();
    assert!(unmount.unwrap().success());
    let lock = profile.create_locked().unwrap();
    assert!(profile.clone().trash(lock).unwrap().left.is_empty());
    assert!(!trashed.exists());
}

#[test]
fn what_cannot_be_removed_is_reported_and_removed_later() {
    let dir = tempfile::tempdir().unwrap();
    on_tmpfs("size=1m", "stuck", dir.path());
}
