//! All descendants of a program, including those that left its process group.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// How often to look again for processes that were killed; each time kills the new ones.
const LOOK: Duration = Duration::from_millis(10);
/// Attempts before processes that cannot be killed (waiting for a disk) are left to the system.
const LOOKS: u32 = 300;

/// From now on orphaned descendants become children of this process, so that none escapes.
pub(super) fn adopt() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(getpid())) {
        tracing::warn!(%error, "orphan processes may escape");
    }
}

/// Kills and reaps all descendants.
pub(super) async fn end() {
    for _ in 0..LOOKS {
        let left = below(getpid());
        for pid in &left {
            // Err: it has exited meanwhile.
            let _ = kill_process(*pid, Signal::KILL);
        }
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
        if left.is_empty() {
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Descendants of `root` in `/proc`; none on systems without it.
fn below(root: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat"));
        if let Some(parent) = stat.ok().as_deref().and_then(parent) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut parents = vec![root.as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if found.insert(*child) {
                parents.push(*child);
            }
        }
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// `/proc/<pid>/stat`: pid, name in parentheses (which may hold anything), state, parent.
fn parent(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        assert_eq!(parent("12 (node) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12 (a) Z 1 (b) R 8 77 77 0"), Some(8));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn children_are_found() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(below(getpid()).contains(&Pid::from_raw(pid).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
