//! Locks and tokens between processes.

use std::fs;
use std::path::Path;

use szk_store::{LockError, Meta, Name, Profile, Store, collect_leftovers, process};

use crate::child::{Talker, run, say, talk, wait};

fn store(dir: &Path) -> (Store, Profile) {
    let store = Store::at(dir.join("store"));
    let profile = store.profile(&Name::parse("p").unwrap());
    profile.create().unwrap();
    (store, profile)
}

pub(crate) fn child_locks(profile: Profile) {
    match profile.lock() {
        Ok(_lock) => {
            say("held");
            wait();
        }
        Err(LockError::Held { .. }) => say("busy"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_lock_holds_between_processes_and_ends_with_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (store, profile) = store(dir.path());
    let locker = || talk("lock", store.root());
    let mut first = locker();
    assert_eq!(first.hear(), "held");
    assert!(profile.is_live());
    assert!(matches!(profile.lock(), Err(LockError::Held { .. })));
    assert_eq!(locker().hear(), "busy");
    // Killed without a chance to clean up.
    first.kill();
    assert!(!profile.is_live());
    let mut second = locker();
    assert_eq!(second.hear(), "held");
    // Exited cleanly.
    assert!(second.finish().success());
    let _lock = profile.lock().unwrap();
    assert_eq!(locker().hear(), "busy");
}

#[test]
fn of_many_processes_one_gets_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = store(dir.path());
    let mut children: Vec<Talker> = (0..6).map(|_| talk("lock", store.root())).collect();
    let mut said: Vec<String> = children.iter_mut().map(Talker::hear).collect();
    said.sort();
    assert_eq!(said, ["busy", "busy", "busy", "busy", "busy", "held"]);
}

#[test]
fn a_child_of_the_holder_does_not_keep_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let (_, profile) = store(dir.path());
    let lock = profile.lock().unwrap();
    let mut child = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    drop(lock);
    let taken = profile.lock();
    child.kill().unwrap();
    child.wait().unwrap();
    taken.unwrap();
}

const ROUNDS: u64 = 50;

/// Reads, adds, writes: loses counts unless it runs alone.
pub(crate) fn child_counts(profile: Profile) {
    let counter = profile.store().root().join("count");
    for _ in 0..ROUNDS {
        let _lock = profile.start_lock().unwrap();
        let count: u64 = fs::read_to_string(&counter).unwrap().parse().unwrap();
        fs::write(&counter, (count + 1).to_string()).unwrap();
    }
}

#[test]
fn starters_in_many_processes_go_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = store(dir.path());
    let counter = store.root().join("count");
    fs::write(&counter, "0").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| run(crate::child::command(&[], "count", store.root())));
        }
    });
    assert_eq!(
        fs::read_to_string(counter).unwrap(),
        (4 * ROUNDS).to_string()
    );
}

pub(crate) fn child_gets_token(profile: Profile) {
    say("ready");
    wait();
    say(profile.token().unwrap().reveal());
}

#[test]
fn processes_that_ask_at_once_get_the_same_token() {
    let dir = tempfile::tempdir().unwrap();
    let (store, profile) = store(dir.path());
    let mut children: Vec<Talker> = (0..6).map(|_| talk("token", store.root())).collect();
    for child in &mut children {
        assert_eq!(child.hear(), "ready");
    }
    children.iter_mut().for_each(Talker::go);
    let tokens: Vec<String> = children.iter_mut().map(Talker::hear).collect();
    let token = profile.token().unwrap();
    assert!(tokens.iter().all(|t| token.matches(t)), "{tokens:?}");
}

pub(crate) fn child_makes_clone(profile: Profile) {
    let clone = profile.store().profile(&Name::parse("clone").unwrap());
    let lock = clone.create_locked().unwrap();
    let mut meta = Meta::new(clone.name().clone());
    meta.ephemeral = true;
    clone.write_meta(&meta).unwrap();
    profile.copy_to(&clone, &lock).unwrap();
    let keeper = szk_store::KeeperInfo::of_this_process(clone.socket_path().unwrap(), "1");
    clone.write_keeper(&keeper).unwrap();
    say("made");
    wait();
}

#[test]
fn a_clone_lives_as_long_as_its_keeper_and_no_longer_than_the_next_collection() {
    let dir = tempfile::tempdir().unwrap();
    let (store, profile) = store(dir.path());
    fs::write(profile.user_data_dir().join("Cookies"), "secret").unwrap();
    let mut keeper = talk("clone", store.root());
    assert_eq!(keeper.hear(), "made");
    let clone = store.profile(&Name::parse("clone").unwrap());
    let info = clone.keeper().unwrap();
    assert!(info.is_alive());
    assert!(collect_leftovers(&store).is_empty());
    assert!(clone.user_data_dir().join("Cookies").exists());
    keeper.kill();
    assert!(!info.is_alive());
    assert!(!process::is_alive(info.pid, info.start_time));
    assert_eq!(collect_leftovers(&store), [clone.name().clone()]);
    assert!(!clone.dir().exists());
    assert!(profile.user_data_dir().join("Cookies").exists());
}
