//! Chromium's own lock, with real processes as its owners.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use szk_store::StoreError;
use szk_store::singleton::{Owner, Singleton, clear_if_dead};
use tempfile::TempDir;

fn host() -> String {
    let name = rustix::system::uname();
    name.nodename().to_str().unwrap().to_owned()
}

/// A process that ends when the test drops it.
struct Process(Child);

impl Process {
    /// One with the given argv.
    fn start(arg0: &str, args: &[&str]) -> Self {
        let mut command = Command::new("sh");
        Self::of(
            command
                .arg0(arg0)
                .args(["-c", "read line", "sh"])
                .args(args),
        )
    }

    /// Its command line becomes readable a moment after it starts; until then it is in doubt.
    fn of(command: &mut Command) -> Self {
        let process = Self(command.stdin(Stdio::piped()).spawn().unwrap());
        let path = format!("/proc/{}/cmdline", process.id());
        let deadline = Instant::now() + Duration::from_secs(10);
        while fs::read(&path).is_ok_and(|line| line.is_empty()) {
            assert!(Instant::now() < deadline, "no command line");
            std::thread::yield_now();
        }
        process
    }

    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A user data dir with the three links and a lock of that process.
fn locked(target: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    symlink(target, dir.path().join("SingletonLock")).unwrap();
    symlink("123", dir.path().join("SingletonCookie")).unwrap();
    symlink(
        "/nowhere/SingletonSocket",
        dir.path().join("SingletonSocket"),
    )
    .unwrap();
    dir
}

fn links(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

fn owner(pid: u32) -> Owner {
    Owner { host: host(), pid }
}

fn check_cleared(pid: u32) {
    let dir = locked(&format!("{}-{pid}", host()));
    assert_eq!(
        clear_if_dead(dir.path()).unwrap(),
        Singleton::Cleared(owner(pid))
    );
    assert_eq!(links(dir.path()), 0);
    assert_eq!(clear_if_dead(dir.path()).unwrap(), Singleton::Free);
}

#[test]
fn no_lock_is_free_and_so_is_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(clear_if_dead(dir.path()).unwrap(), Singleton::Free);
    assert_eq!(
        clear_if_dead(&dir.path().join("none")).unwrap(),
        Singleton::Free
    );
}

#[test]
fn the_lock_of_a_process_that_is_gone_is_cleared() {
    let mut process = Process::start("chromium", &[]);
    process.0.kill().unwrap();
    process.0.wait().unwrap();
    check_cleared(process.id());
}

#[test]
fn the_lock_of_a_process_nobody_waited_for_is_cleared() {
    let mut process = Process::start("chromium", &[]);
    process.0.kill().unwrap();
    // Wait without reaping it.
    let how = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
    let id = rustix::process::WaitId::Pid(rustix::process::Pid::from_child(&process.0));
    rustix::process::waitid(id, how).unwrap();
    check_cleared(process.id());
}

#[test]
fn a_pid_that_is_another_program_now_is_proof() {
    let sleep = Process::of(Command::new("sleep").arg("1000"));
    check_cleared(sleep.id());
}

#[test]
fn a_chromium_with_another_user_data_dir_is_proof() {
    let other = tempfile::tempdir().unwrap();
    let arg = format!("--user-data-dir={}", other.path().display());
    check_cleared(Process::start("/usr/lib/chromium/chromium", &[&arg]).id());
}

#[test]
fn a_child_process_of_a_chromium_is_proof() {
    check_cleared(Process::start("chromium", &["--type=renderer"]).id());
    // As Chromium rewrites it: one text.
    let one = "/usr/lib/chromium/chromium --type=utility --user-data-dir=/x";
    check_cleared(Process::of(Command::new("sh").arg0(one)).id());
}

fn check_running(dir: &TempDir, process: &Process) {
    let lock = dir.path().join("SingletonLock");
    fs::remove_file(&lock).unwrap();
    symlink(format!("{}-{}", host(), process.id()), &lock).unwrap();
    let running = Singleton::Running(owner(process.id()));
    assert_eq!(clear_if_dead(dir.path()).unwrap(), running);
    assert_eq!(links(dir.path()), 3);
}

#[test]
fn a_chromium_on_this_folder_keeps_its_lock() {
    let dir = locked("placeholder-1");
    let arg = format!("--user-data-dir={}", dir.path().display());
    check_running(&dir, &Process::start("chromium", &["--headless", &arg]));
    // Another path to the same folder.
    let link = tempfile::tempdir().unwrap();
    symlink(dir.path(), link.path().join("l")).unwrap();
    let arg = format!("--user-data-dir={}/l/.", link.path().display());
    check_running(&dir, &Process::start("chromium", &[&arg]));
    // The last one given counts.
    let arg = format!("--user-data-dir={}", dir.path().display());
    check_running(
        &dir,
        &Process::start("chromium", &["--user-data-dir=/x", &arg]),
    );
}

#[test]
fn a_relative_folder_is_taken_from_where_the_chromium_runs() {
    let dir = locked("placeholder-1");
    let name = dir.path().file_name().unwrap().to_str().unwrap();
    let mut command = Command::new("sh");
    command
        .arg0("chromium")
        .args(["-c", "read line", "sh", &format!("--user-data-dir={name}")])
        .current_dir(dir.path().parent().unwrap());
    check_running(&dir, &Process::of(&mut command));
}

#[test]
fn a_browser_that_does_not_say_its_folder_is_in_doubt_and_keeps_its_lock() {
    for browser in ["/opt/google/chrome/chrome", "chromium", "msedge"] {
        check_running(&locked("placeholder-1"), &Process::start(browser, &[]));
    }
}

#[test]
fn a_lock_of_another_machine_is_left_to_it() {
    let dir = locked("some-other-host-1234");
    let expected = Singleton::OtherHost(Owner {
        host: "some-other-host".to_owned(),
        pid: 1234,
    });
    assert_eq!(clear_if_dead(dir.path()).unwrap(), expected);
    assert_eq!(links(dir.path()), 3);
}

#[test]
fn a_lock_that_cannot_be_understood_is_left_alone() {
    for target in ["nonsense", "host-", "host-0", "host-12x", "host--1 "] {
        let dir = locked(target);
        let error = clear_if_dead(dir.path()).unwrap_err();
        assert!(
            matches!(error, StoreError::Corrupt { .. }),
            "{target}: {error}"
        );
        assert_eq!(links(dir.path()), 3);
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("SingletonLock"), "").unwrap();
    let error = clear_if_dead(dir.path()).unwrap_err();
    assert!(
        error.to_string().ends_with("it is not a symbolic link"),
        "{error}"
    );
}

#[test]
fn the_socket_folder_of_a_dead_chromium_goes_too_if_it_is_one() {
    let temp = tempfile::tempdir().unwrap();
    for (name, removed) in [("org.chromium.Chromium.a1b2c3", true), ("precious", false)] {
        let folder = temp.path().join(name);
        fs::create_dir(&folder).unwrap();
        let _socket = UnixListener::bind(folder.join("SingletonSocket")).unwrap();
        symlink("123", folder.join("SingletonCookie")).unwrap();
        let dir = locked(&format!("{}-{}", host(), i32::MAX));
        fs::remove_file(dir.path().join("SingletonSocket")).unwrap();
        symlink(
            folder.join("SingletonSocket"),
            dir.path().join("SingletonSocket"),
        )
        .unwrap();
        clear_if_dead(dir.path()).unwrap();
        assert_eq!(links(dir.path()), 0);
        assert_eq!(!folder.exists(), removed, "{name}");
    }
}
