//! Chromium's own lock, left by one that is gone or held by one that is not.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Child, Stdio};

use crate::harness::{SOON, TestEnv, wait_until};

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .unwrap()
        .trim()
        .to_owned()
}

/// A closed profile with a lock in it.
fn locked_by(owner: &str) -> TestEnv {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let folder = env.in_profile("work", "profile");
    symlink(owner, folder.join("SingletonLock")).unwrap();
    symlink("/tmp/gone/SingletonSocket", folder.join("SingletonSocket")).unwrap();
    symlink("12345", folder.join("SingletonCookie")).unwrap();
    env
}

#[test]
fn of_a_process_that_is_gone_it_is_removed() {
    let env = locked_by(&format!("{}-999999", host()));
    let opened = env.open("work");
    assert!(
        opened["warnings"].to_string().contains("999999"),
        "{opened:#}"
    );
    assert_eq!(env.eval("work", "6 * 7"), 42);
    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn of_a_number_that_another_program_has_now_it_is_removed() {
    let env = locked_by(&format!("{}-{}", host(), std::process::id()));
    env.open("work");
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn of_another_machine_it_stays() {
    let env = locked_by("elsewhere-4242");
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("PROFILE_LOCKED");
    assert!(
        failure["message"].as_str().unwrap().contains("elsewhere"),
        "{failure}"
    );
    env.no_chromium_is_left();
}

/// A Chromium that someone started by hand; killed on drop.
struct ByHand(Child);

impl Drop for ByHand {
    fn drop(&mut self) {
        // Both fail for a process that has exited, which is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn of_a_browser_that_runs_it_stays() {
    let env = TestEnv::new();
    env.open("work");
    let binary = fs::read_link(format!("/proc/{}/exe", env.browser().pid)).unwrap();
    env.close("work");
    let folder = env.in_profile("work", "profile");
    let mut command = env.command(binary);
    command.args([
        "--ozone-platform=headless",
        "--no-first-run",
        "--no-sandbox",
        "--password-store=basic",
    ]);
    command
        .arg(format!("--user-data-dir={}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _by_hand = ByHand(command.spawn().unwrap());
    wait_until("it holds the profile", SOON, || {
        folder.join("SingletonLock").symlink_metadata().is_ok()
    });
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("PROFILE_LOCKED");
    assert!(
        failure["hint"].as_str().unwrap().contains("pid"),
        "{failure}"
    );
    assert_eq!(env.browsers().len(), 1, "it was left alone");
}
