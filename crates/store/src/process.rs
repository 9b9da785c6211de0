//! Whether a process is still the one we mean. A pid alone does not say: pids get reused.

use std::collections::HashMap;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit, test_kill_process};

/// When a process started, in clock ticks since boot. `None` if there is no such process, or if the
/// system does not say (anything but Linux).
pub fn start_time(pid: u32) -> Option<u64> {
    stat(pid).map(|stat| stat.start_time)
}

/// Whether the process with that pid and start time is running. Without a start time, whether any
/// process has that pid. A zombie is dead; a process we may not inspect counts as alive.
pub fn is_alive(pid: u32, start_time: Option<u64>) -> bool {
    match (stat(pid), start_time) {
        (Some(stat), Some(wanted)) => !stat.is_dead() && stat.start_time == wanted,
        (Some(stat), None) => !stat.is_dead(),
        (None, _) => exists(pid),
    }
}

/// The parent of a process; none that we can see, or a system that does not say.
pub fn parent(pid: u32) -> Option<u32> {
    stat(pid).map(|stat| stat.parent).filter(|&pid| pid != 0)
}

/// Name of the file that marks processes of szk.
const MARK: &str = "szk-process";

/// Marks this process as one of szk's for as long as it lives, whatever its program is called: a file in memory
/// is open here, which its children do not get. Does nothing but on Linux.
pub fn mark_as_ours() {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{MemfdFlags, memfd_create};
        static OPEN: std::sync::OnceLock<Option<std::os::fd::OwnedFd>> = std::sync::OnceLock::new();
        OPEN.get_or_init(|| memfd_create(MARK, MemfdFlags::CLOEXEC).ok());
    }
}

/// Whether a process is marked as one of szk's; not if we may not look at its files.
pub fn is_marked_as_ours(pid: u32) -> bool {
    let mark = format!("/memfd:{MARK} ");
    let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
    files.into_iter().flatten().flatten().any(|file| {
        let to = std::fs::read_link(file.path());
        to.is_ok_and(|to| to.to_string_lossy().starts_with(&mark))
    })
}

/// Bytes of memory of their own that all descendants of each of these processes have; 0 where the system
/// does not say (anything but Linux). Memory that several processes share is in none.
pub fn memory_below(pids: &[u32]) -> Vec<u64> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for pid in numbers {
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let below = |pid: &u32| {
        let mut waiting = children.get(pid).cloned().unwrap_or_default();
        let mut sum = 0;
        while let Some(pid) = waiting.pop() {
            sum += own_memory(pid).unwrap_or_default();
            waiting.extend(children.get(&pid).into_iter().flatten());
        }
        sum
    };
    pids.iter().map(below).collect()
}

fn own_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Lets this process, and those it starts, have as many files open as the system allows; returns how many.
pub fn allow_many_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    // Without a number there is no limit.
    let Some(most) = limit.maximum else {
        return u64::MAX;
    };
    let raised = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => most,
        // macOS has a limit below the one that it tells.
        Err(_) => limit.current.unwrap_or(most),
    }
}

/// Whether the process is stopped, by a signal or a debugger.
pub fn is_stopped(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| matches!(stat.state, 'T' | 't'))
}

/// The process group of this process; `None` if its leader is outside of this container (the kernel
/// says 0 then, which `rustix` takes for a broken promise).
pub fn own_group() -> Option<u32> {
    match stat(std::process::id()) {
        Some(stat) => Some(stat.group).filter(|&group| group != 0),
        #[allow(
            clippy::disallowed_methods,
            reason = "only Linux has containers of pids"
        )]
        None => (!cfg!(target_os = "linux")).then(|| number(rustix::process::getpgrp())),
    }
}

/// Who leads the session of this process: the shell of a terminal, as a rule. Where that is outside of
/// this container, the first ancestor inside of it.
pub fn session_leader() -> u32 {
    let own = std::process::id();
    match stat(own) {
        Some(Stat { session: 0, .. }) => first_ancestor(own),
        Some(stat) => stat.session,
        #[allow(
            clippy::disallowed_methods,
            reason = "only Linux has containers of pids"
        )]
        None if !cfg!(target_os = "linux") => rustix::process::getsid(None).map_or(own, number),
        None => own,
    }
}

/// The ancestor without a parent that we can see.
fn first_ancestor(mut pid: u32) -> u32 {
    while let Some(Stat { parent, .. }) = stat(pid)
        && parent != 0
    {
        pid = parent;
    }
    pid
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

/// The fields we use of `/proc/<pid>/stat` (proc_pid_stat(5)).
#[derive(Debug, PartialEq)]
pub(crate) struct Stat {
    state: char,
    parent: u32,
    group: u32,
    session: u32,
    start_time: u64,
}

impl Stat {
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Kernel threads are children of pid 2 and never programs.
    pub(crate) fn is_kernel(&self) -> bool {
        self.parent == 2
    }
}

pub(crate) fn stat(pid: u32) -> Option<Stat> {
    if cfg!(target_os = "linux") {
        parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    } else {
        None
    }
}

/// The second field is the program's name in brackets and may itself contain brackets and spaces, so
/// we count from the last bracket: state is field 3, parent 4, group 5, session 6,
/// start 22.
fn parse(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Stat {
        state: fields.next()?.chars().next()?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        start_time: fields.nth(15)?.parse().ok()?,
    })
}

fn exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return false;
    };
    // If we are not allowed to signal it, it exists.
    matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat = "7 (a) S (b) 1 2) S 5 7 7 0 -1 4194304 94 0 0 0 0 0 0 0 20 0 1 0 123456 2703360";
        let expected = Stat {
            state: 'S',
            parent: 5,
            group: 7,
            session: 7,
            start_time: 123_456,
        };
        assert_eq!(parse(stat), Some(expected));
        assert_eq!(parse(""), None);
        assert_eq!(parse("7 (a) S"), None);
    }

    #[test]
    fn a_group_and_a_session_from_outside_of_the_container_are_0() {
        let stat =
            parse("2 (sh) S 1 0 0 0 -1 4194304 94 0 0 0 0 0 0 0 20 0 1 0 123456 2703360").unwrap();
        assert_eq!((stat.group, stat.session), (0, 0));
        assert!(is_alive(session_leader(), None));
        assert!(is_alive(first_ancestor(std::process::id()), None));
    }

    #[test]
    fn the_memory_below_a_process_is_that_of_its_descendants() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let memory = memory_below(&[std::process::id(), child.id()]);
        assert_eq!(memory[1], 0, "it has no children");
        assert!(memory[0] > 0 || !cfg!(target_os = "linux"));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_marked_and_its_children_are_not() {
        let me = std::process::id();
        assert!(!is_marked_as_ours(me));
        mark_as_ours();
        mark_as_ours();
        assert!(is_marked_as_ours(me));
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        assert!(!is_marked_as_ours(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn this_process_is_alive_and_pids_that_cannot_be_are_not() {
        let me = std::process::id();
        assert!(is_alive(me, start_time(me)));
        assert!(is_alive(me, None));
        assert!(!is_alive(0, None));
        assert!(!is_alive(u32::MAX, None));
        assert!(!is_alive(u32::MAX, Some(1)));
    }

    #[test]
    fn a_dead_child_is_dead_before_and_after_it_is_reaped() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let (pid, started) = (child.id(), start_time(child.id()));
        assert!(is_alive(pid, started));
        assert!(!is_alive(pid, Some(started.unwrap_or(0) + 1)) || started.is_none());
        child.kill().unwrap();
        // Wait without reaping it.
        let how = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        let id = rustix::process::WaitId::Pid(Pid::from_child(&child));
        rustix::process::waitid(id, how).unwrap();
        assert!(!is_alive(pid, started) || started.is_none());
        child.wait().unwrap();
        assert!(!is_alive(pid, started));
    }
}
