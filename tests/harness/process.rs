//! Processes of one test, found in `/proc` by the test's folder.
//!
//! Every process that a test starts has the folder in its environment or command line; Chromium's
//! children, which rewrite both, are found by their process group.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

/// A process as found; `start` distinguishes it from a later one with the same pid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    pub(crate) pid: i32,
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
        read(self.pid).is_some_and(|now| now.start == self.start)
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
pub(crate) fn belonging_to(folder: &Path) -> Vec<Process> {
    let mark = folder.as_os_str().as_encoded_bytes();
    let marked = |pid: i32, file: &str| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|bytes| bytes.windows(mark.len()).any(|part| part == mark))
    };
    let all: Vec<Process> = fs::read_dir("/proc")
        .expect("this system has /proc")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(read)
        .collect();
    let own: HashSet<i32> = all
        .iter()
        .map(|process| process.pid)
        .filter(|pid| marked(*pid, "environ") || marked(*pid, "cmdline"))
        .collect();
    let groups: HashSet<i32> = all
        .iter()
        .filter(|process| own.contains(&process.pid) && process.is_browser())
        .map(|process| process.group)
        .collect();
    all.into_iter()
        .filter(|process| own.contains(&process.pid) || groups.contains(&process.group))
        .collect()
}

/// Reads a process; a zombie does not count.
fn read(pid: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    if matches!(fields.first(), Some(&"Z" | &"X")) {
        return None;
    }
    let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    Some(Process {
        pid,
        group: fields.get(2)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
        command: words(&command),
        exe: fs::read_link(format!("/proc/{pid}/exe")).ok(),
    })
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
