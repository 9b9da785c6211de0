//! Whether a process group still has a living member.

use std::fs;

use rustix::process::{Pid, test_kill_process_group};

/// Whether the group has a member that is not just waiting to be reaped. Init reaps children that
/// outlived their parent, and some inits take seconds for that.
pub(super) fn is_alive(group: Pid) -> bool {
    test_kill_process_group(group).is_ok() && member(group).unwrap_or(true)
}

/// Searches `/proc`; `None` if there is none.
fn member(group: Pid) -> Option<bool> {
    let group = group.as_raw_nonzero().get();
    let mut entries = fs::read_dir("/proc").ok()?.flatten();
    Some(entries.any(|entry| {
        let is_process = entry
            .file_name()
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        is_process
            && fs::read_to_string(entry.path().join("stat"))
                .is_ok_and(|stat| is_alive_in(&stat, group))
    }))
}

/// `/proc/<pid>/stat`: pid, name in parentheses (which may hold anything), state, parent, group.
fn is_alive_in(stat: &str, group: i32) -> bool {
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return false;
    };
    let mut fields = rest.split_whitespace();
    let state = fields.next();
    let of = fields.nth(1).and_then(|text| text.parse::<i32>().ok());
    of == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn zombies_do_not_count() {
        assert!(is_alive_in("12 (chromium) S 1 77 77 0", 77));
        assert!(is_alive_in("12 (a) Z 1 (b) R 1 77 77 0", 77));
        assert!(!is_alive_in("12 (chromium) Z 1 77 77 0", 77));
        assert!(!is_alive_in("12 (chromium) S 1 78 77 0", 77));
        assert!(!is_alive_in("", 77));
    }

    #[test]
    fn a_group_with_a_process_in_it_is_alive() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .process_group(0)
            .spawn()
            .unwrap();
        assert!(is_alive(Pid::from_child(&child)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
