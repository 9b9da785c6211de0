//! Repeated work leaves nothing behind: no memory, file descriptor, thread or file.
//!
//! The suite repeats it often enough to show a leak of one per round; `scripts/damage` does more.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Site, TestEnv};

const PAGE: &str = "<!doctype html><title>round</title><h1>round</h1>
<button onclick=\"this.textContent = Number(this.textContent) + 1\">0</button>
<ul></ul><script>for (let n = 0; n < 50; n++) document.querySelector('ul').append(Object.assign(document.createElement('li'), {textContent: n}))</script>";

/// How many rounds: from the environment, or a few.
fn rounds(variable: &str, few: usize) -> usize {
    let asked = std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok());
    asked.unwrap_or(few)
}

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Holds {
    kilobytes: u64,
    files: usize,
    threads: u64,
}

fn held_by(pid: &str) -> Holds {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let number = |key: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap();
        line.trim_start_matches(':')
            .split_whitespace()
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    Holds {
        kilobytes: number("VmRSS"),
        files: fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count(),
        threads: number("Threads"),
    }
}

pub(super) fn of_navigations_snapshots_and_acts() {
    let rounds = rounds("SZK_DAMAGE_ROUNDS", 60);
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    let keeper = mcp.open_session("work")["keeper_pid"].to_string();
    let mut round = |number: usize| {
        let url = format!("{}?{number}", site.url("/"));
        mcp.ok("browser_navigate", json!({"session": "work", "url": url}));
        mcp.ok("browser_snapshot", json!({"session": "work"}));
        mcp.ok(
            "browser_act",
            json!({"session": "work", "kind": "click", "selector": "button"}),
        );
    };
    // One-time allocations are done by then.
    (0..rounds / 4).for_each(&mut round);
    let before = held_by(&keeper);
    (rounds / 4..rounds).for_each(&mut round);
    let after = held_by(&keeper);
    eprintln!("{rounds} rounds: {before:?}, {after:?}");
    // A pool may take one more; one per round would be many.
    assert!(after.files <= before.files + 4, "{before:?} {after:?}");
    assert!(after.threads <= before.threads + 4, "{before:?} {after:?}");
    // What each round leaves on purpose (a page's entries in the event log) has a bound of its own.
    assert!(
        after.kilobytes < before.kilobytes + 12_000,
        "{before:?} {after:?}"
    );
}

#[test]
fn of_openings() {
    let rounds = rounds("SZK_DAMAGE_OPENINGS", 8);
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let open_and_close = || {
        env.open("work");
        env.navigate("work", &site.url("/"));
        env.close("work");
    };
    // The first rounds create what is created once.
    (0..3).for_each(|_| open_and_close());
    let before = files(&env.store());
    assert!(!before.is_empty(), "nothing would be counted");
    (0..rounds).for_each(|_| open_and_close());
    let after = files(&env.store());
    let mut new: Vec<_> = after
        .keys()
        .filter(|path| !before.contains_key(*path))
        .collect();
    new.sort();
    let bytes = |files: &BTreeMap<String, u64>| files.values().sum::<u64>();
    eprintln!(
        "{rounds} openings: {} files, {} bytes; {} files, {} bytes",
        before.len(),
        bytes(&before),
        after.len(),
        bytes(&after)
    );
    // Chromium creates some databases late, and each has a few files that others with another number
    // replace; nothing has one file per opening.
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for path in &new {
        let kind = path.replace(|c: char| c.is_ascii_digit(), "");
        *kinds.entry(kind).or_default() += 1;
    }
    kinds.retain(|_, count| *count >= rounds);
    assert!(kinds.is_empty(), "one per opening: {kinds:#?} of {new:#?}");
    let grown = bytes(&after).saturating_sub(bytes(&before));
    assert!(
        grown < rounds as u64 * 200_000,
        "{grown} bytes more in {rounds} openings: {new:#?}"
    );
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).unwrap().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    // The folder of this user's browsers stays; what they had in it goes.
    let mut left = entries(&env.path().join("tmp"));
    let ours = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("szk-")
    };
    let folder: Vec<_> = left.extract_if(.., |path| ours(path)).collect();
    left.extend(folder.iter().flat_map(|path| entries(path)));
    assert!(left.is_empty(), "{left:?}");
}

/// Files below a folder with their sizes.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    // Cleanup that runs meanwhile leaves nothing behind.
    let entries = match fs::read_dir(folder) {
        Err(error) if gone(&error) => return all,
        entries => entries.unwrap(),
    };
    for entry in entries {
        let entry = entry.unwrap();
        let meta = match entry.metadata() {
            Err(error) if gone(&error) => continue,
            meta => meta.unwrap(),
        };
        if meta.is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.insert(entry.path().display().to_string(), meta.len());
        }
    }
    all
}
