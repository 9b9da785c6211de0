//! Processes of one test, found in `/proc` by the test's folder.
//!
//! Every process that a test starts has the folder in its environment or command line; Chromium's
//! children, which rewrite both, are found by their process group.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memchr::memmem::Finder;
use rustix::process::{Pid, Signal, kill_process};

/// A process as found; `start` distinguishes it from a later one with the same pid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    group: i32,
    /// Clock ticks since boot.
    start: u64,
    command: Vec<String>,
    exe: Option<PathBuf>,
}

impl Process {
    /// The process with this pid, if there is one.
    pub(crate) fn find(pid: u32) -> Option<Self> {
        read(i32::try_from(pid).ok()?)
    }

    /// Whether it still runs.
    pub(crate) fn lives(&self) -> bool {
        stat(self.pid).is_some_and(|now| now.start == self.start)
    }

    /// Sends a signal; ignores that the process may already be gone.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.lives()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            let _ = kill_process(pid, signal);
        }
    }

    /// Whether it belongs to a Chromium.
    pub(crate) fn is_chromium(&self) -> bool {
        let program = self
            .exe
            .as_deref()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned());
        program
            .or_else(|| self.command.first().cloned())
            .is_some_and(|name| name.contains("chrom"))
    }

    /// Name of the program it runs.
    pub(crate) fn program(&self) -> Option<&std::ffi::OsStr> {
        self.exe.as_deref().and_then(Path::file_name)
    }

    /// Whether it is szk itself.
    pub(crate) fn is_szk(&self) -> bool {
        let name = self.exe.as_deref().and_then(Path::file_name);
        name.is_some_and(|name| name == "szk")
    }

    /// The number of its process group.
    pub(crate) fn group(&self) -> i32 {
        self.group
    }

    /// Whether it is the main process of a Chromium.
    pub(crate) fn is_browser(&self) -> bool {
        self.is_chromium()
            && !self.flags().any(|flag| flag.starts_with("--type="))
            && self.user_data_dir().is_some()
    }

    /// Whether it is the child of one of these. A child that was started a moment ago still has its
    /// parent's command line.
    pub(crate) fn is_child_of(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.pid == self.parent)
    }

    /// Its command line without the program.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &str> {
        self.command.iter().skip(1).map(String::as_str)
    }

    fn user_data_dir(&self) -> Option<&str> {
        self.flags()
            .find_map(|flag| flag.strip_prefix("--user-data-dir="))
    }

    /// Name of the profile it runs, if it is a browser.
    pub(crate) fn profile(&self) -> Option<&str> {
        Path::new(self.user_data_dir()?)
            .parent()?
            .file_name()?
            .to_str()
    }
}

/// Every process that has `folder` in its environment or command line, plus the process groups of
/// those that are browsers.
///
/// Tests ask this many times a second, so it looks no closer than it must: what is older than the tests
/// themselves is none of theirs.
pub(crate) fn belonging_to(folder: &Path) -> Vec<Process> {
    let mark = Finder::new(folder.as_os_str().as_encoded_bytes());
    let marked = |bytes: &[u8]| mark.find(bytes).is_some();
    let mut all = Vec::new();
    let mut own = HashSet::new();
    for pid in pids() {
        let Some(stat) = stat(pid).filter(|stat| stat.start >= tests_began()) else {
            continue;
        };
        let Ok(command) = fs::read(format!("/proc/{pid}/cmdline")) else {
            continue;
        };
        let environment = || fs::read(format!("/proc/{pid}/environ"));
        if marked(&command) || environment().is_ok_and(|bytes| marked(&bytes)) {
            own.insert(pid);
        }
        all.push(process(pid, &stat, &command));
    }
    let groups: HashSet<i32> = all
        .iter()
        .filter(|process| own.contains(&process.pid) && process.is_browser())
        .map(|process| process.group)
        .collect();
    all.retain(|process| own.contains(&process.pid) || groups.contains(&process.group));
    all
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").expect("this system has /proc");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// When this process started, in clock ticks since boot.
fn tests_began() -> u64 {
    static BEGAN: OnceLock<u64> = OnceLock::new();
    let own = || i32::try_from(std::process::id()).expect("it is a pid");
    *BEGAN.get_or_init(|| stat(own()).expect("it runs").start)
}

/// What `/proc/PID/stat` says.
struct Stat {
    parent: i32,
    group: i32,
    start: u64,
}

/// None for a zombie, and for a thread of the kernel.
fn stat(pid: i32) -> Option<Stat> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in brackets and may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next(), Some("Z" | "X")) {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok().filter(|group| *group != 0)?;
    let start = fields.nth(16)?.parse().ok()?;
    Some(Stat {
        parent,
        group,
        start,
    })
}

/// Reads a process; a zombie does not count.
fn read(pid: i32) -> Option<Process> {
    let stat = stat(pid)?;
    let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    Some(process(pid, &stat, &command))
}

fn process(pid: i32, stat: &Stat, command: &[u8]) -> Process {
    Process {
        pid,
        parent: stat.parent,
        group: stat.group,
        start: stat.start,
        command: words(command),
        exe: fs::read_link(format!("/proc/{pid}/exe")).ok(),
    }
}

/// Chromium's children write their arguments separated by spaces.
fn words(command: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(command);
    let words: Vec<String> = text
        .split('\0')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    match &words[..] {
        [one] => one.split(' ').map(str::to_owned).collect(),
        _ => words,
    }
}
