//! Checks the store and its profiles.

use std::os::unix::fs::PermissionsExt;

use szk_store::{Profile, Store};
use szk_tools::doctor::Check;

/// Below this many free bytes a profile may fail to save.
const FREE: u64 = 500 << 20;

pub(super) fn checks(store: &Store) -> Vec<Check> {
    let root = store.root();
    let shown = root.display();
    if !root.exists() {
        return vec![Check::ok(
            "store",
            format!("{shown} does not exist yet; the first `szk open` creates it"),
        )];
    }
    let mut checks = vec![writable(store)];
    let mode = root
        .metadata()
        .map(|meta| meta.permissions().mode() & 0o777)
        .unwrap_or(0o700);
    if mode & 0o077 != 0 {
        checks.push(
            Check::warn(
                "store",
                format!("other users can read {shown} (mode {mode:o})"),
            )
            .fix(format!("chmod 700 '{shown}'")),
        );
    }
    if let Ok(stat) = rustix::fs::statvfs(root) {
        let free = stat.f_bavail * stat.f_frsize;
        if free < FREE {
            checks.push(
                Check::warn(
                    "disk",
                    format!("only {} MiB are free on the disk of {shown}", free >> 20),
                )
                .fix("szk list   # shows the sizes; szk delete <name> frees space"),
            );
        }
    }
    match store.list() {
        Ok(profiles) => {
            checks.push(Check::ok(
                "profiles",
                format!("{} in {shown}", profiles.len()),
            ));
            checks.extend(profiles.iter().filter_map(profile));
        }
        Err(error) => checks.push(Check::fail("profiles", error.to_string())),
    }
    checks
}

fn writable(store: &Store) -> Check {
    match store.check_writable() {
        Ok(()) => Check::ok("store", format!("{} is writable", store.root().display())),
        Err(error) => Check::fail("store", error.to_string()).fix(format!(
            "sudo chown -R \"$USER\" '{}'",
            store.root().display()
        )),
    }
}

/// The problem with a profile, if there is one.
fn profile(profile: &Profile) -> Option<Check> {
    let name = format!("profile {}", profile.name());
    if let Err(error) = profile.meta() {
        let fix = format!("szk open {}   # puts a damaged file aside", profile.name());
        return Some(Check::warn(name, error.to_string()).fix(fix));
    }
    let keeper = profile.keeper();
    match (profile.is_live(), keeper) {
        (true, Some(keeper)) if !keeper.is_alive() => Some(
            Check::fail(
                name,
                format!("it is locked, but its keeper (pid {}) is gone", keeper.pid),
            )
            .fix(format!("fuser -v '{}'", profile.dir().display())),
        ),
        (false, Some(_)) => Some(
            Check::warn(
                name,
                "its keeper did not exit cleanly; the next open restores the saved state",
            )
            .fix(format!("szk open {}", profile.name())),
        ),
        _ => None,
    }
}
