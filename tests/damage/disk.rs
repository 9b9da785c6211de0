//! A full disk.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::harness::{LoginSite, SOON, Signal, SmallDisk, TestEnv, wait_until};

/// A profile on a small disk, with a saved login.
struct OnDisk {
    disk: SmallDisk,
    env: TestEnv,
    login: LoginSite,
    /// Of its `state.json`.
    path: PathBuf,
}

impl OnDisk {
    fn logged_in(disk: SmallDisk) -> Self {
        let env = on(&disk);
        env.config("[session]\nsave_seconds = 1\n");
        let path = disk.path().join("store/work/state.json");
        let login = LoginSite::serve();
        env.open("work");
        login.log_in(&env, "work");
        wait_until("the login is saved", SOON, || {
            fs::read_to_string(&path)
                .is_ok_and(|state| state.contains("\"sid\"") && state.contains("\"jane\""))
        });
        Self {
            disk,
            env,
            login,
            path,
        }
    }
}

/// A test environment whose store is on this disk.
fn on(disk: &SmallDisk) -> TestEnv {
    let mut env = TestEnv::new();
    let store = disk.path().join("store");
    env.set("SZK_STORE", &store.display().to_string());
    env
}

#[test]
fn what_was_saved_stays_whole_and_saving_goes_on_when_there_is_room() {
    let OnDisk {
        disk,
        env,
        login,
        path,
    } = OnDisk::logged_in(SmallDisk::mount(100));

    let filler = disk.fill();
    env.eval(
        "work",
        &format!(
            "document.cookie = 'more=1; path=/'; localStorage.setItem('big', '{}'); return 0",
            "x".repeat(20_000)
        ),
    );
    wait_until("it is told", SOON, || {
        // Whatever Chromium does without a disk, the answer is a session with a warning.
        env.open("work")["warnings"]
            .to_string()
            .to_lowercase()
            .contains("no space")
    });
    let saved = fs::read_to_string(&path).unwrap();
    assert!(
        saved.contains("\"sid\"") && serde_json::from_str::<serde_json::Value>(&saved).is_ok(),
        "{saved:.300}"
    );
    let left: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("tmp")),
        "nothing half-written lies around: {left:?}"
    );

    fs::remove_file(filler).unwrap();
    wait_until("the change is saved", SOON, || {
        fs::read_to_string(&path).is_ok_and(|state| state.contains("\"more\""))
    });
    env.close("work");
    env.no_chromium_is_left();
    env.open("work");
    let who = login.who(&env, "work");
    assert!(
        who["cookies"].as_array().unwrap().contains(&"sid".into()),
        "{who}"
    );
}

#[test]
fn opening_without_room_is_a_clear_error_and_works_when_there_is_some() {
    let disk = SmallDisk::mount(100);
    let env = on(&disk);
    let filler = disk.fill();
    let failure = env.szk(["open", "work", "--detach"]).fails("STORAGE");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .to_lowercase()
            .contains("no space"),
        "{failure}"
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("free space"),
        "{failure}"
    );
    assert_eq!(failure["retryable"], true, "{failure}");
    env.no_chromium_is_left();
    fs::remove_file(filler).unwrap();
    env.open("work");
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn a_login_that_was_saved_outlives_a_kill_on_a_full_disk() {
    let OnDisk {
        disk, env, login, ..
    } = OnDisk::logged_in(SmallDisk::mount(100));
    let filler = disk.fill();
    env.eval("work", "document.cookie = 'more=1; path=/'; return 0");
    for process in env.processes() {
        process.signal(Signal::KILL);
    }
    env.no_chromium_is_left();
    fs::remove_file(filler).unwrap();
    env.open("work");
    let who = login.who(&env, "work");
    assert!(
        who["cookies"].as_array().unwrap().contains(&"sid".into()),
        "{who}"
    );
    assert_eq!(who["local"], "jane");
}

pub(super) fn without_room_for_another_file_it_is_told_and_saving_goes_on_when_there_is_some() {
    let OnDisk {
        disk,
        env,
        login,
        path,
    } = OnDisk::logged_in(SmallDisk::of_files(3000));
    let is_told = AtomicBool::new(false);
    thread::scope(|scope| {
        // Now and then Chromium removes files of its own: fill their places as well.
        scope.spawn(|| {
            while !is_told.load(Ordering::Relaxed) {
                disk.fill_with_files();
            }
        });
        let mut count = 0;
        let told = catch_unwind(AssertUnwindSafe(|| {
            wait_until("it is told", SOON, || {
                count += 1;
                let change = format!("document.cookie = 'more={count}; path=/'; return 0");
                env.eval("work", &change);
                // The system's words when it has no place for a file.
                let told = env.open("work")["warnings"].to_string();
                told.contains("No space left on device")
            });
        }));
        is_told.store(true, Ordering::Relaxed);
        if let Err(panic) = told {
            resume_unwind(panic);
        }
    });
    fs::remove_dir_all(disk.fill_with_files()).unwrap();
    wait_until("the change is saved", SOON, || {
        fs::read_to_string(&path).is_ok_and(|state| state.contains("\"more\""))
    });
    for process in env.processes() {
        process.signal(Signal::KILL);
    }
    env.no_chromium_is_left();
    env.open("work");
    let who = login.who(&env, "work");
    let cookies = who["cookies"].as_array().unwrap();
    assert!(
        cookies.contains(&"sid".into()) && cookies.contains(&"more".into()),
        "{who}"
    );
}

/// Also where nobody keeps a session open: what could not be written down is told, and counted in the next line.
#[test]
fn the_audit_log_says_what_a_full_disk_kept_from_it() {
    let disk = SmallDisk::mount(6);
    let env = on(&disk);
    env.szk(["token", "create", "first"]).ok();
    let filler = disk.fill();
    // The first lines may still fit into the last block of the log.
    let mut lost = 0;
    for _ in 0..24 {
        let failed = env.szk(["token", "create", "more"]).run();
        assert_ne!(failed.code, Some(0), "{failed:#?}");
        lost += usize::from(failed.stderr.contains("not in the audit log"));
    }
    assert!(lost > 0);
    fs::remove_file(filler).unwrap();
    env.szk(["token", "create", "second"]).ok();
    let shown = env.szk(["audit", "show", "--json"]).ok().stdout;
    let lines: Vec<&str> = shown.lines().collect();
    let missed = format!("\"missed\":{lost}");
    assert!(lines[lines.len() - 1].contains(&missed), "{shown}");
    env.szk(["audit", "verify"]).ok();
}

#[test]
fn an_audit_log_that_began_on_a_full_disk_is_good() {
    let disk = SmallDisk::mount(6);
    let env = on(&disk);
    let audit = disk.path().join("store/.audit");
    fs::create_dir_all(&audit).unwrap();
    let filler = disk.fill();
    env.szk(["token", "create", "more"]).run();
    fs::remove_file(filler).unwrap();
    env.szk(["token", "create", "first"]).ok();
    env.szk(["audit", "verify"]).ok();
}
