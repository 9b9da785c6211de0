//! The machine's clock jumps: a profile's files are from the future, or seem older than they are.
//!
//! The times in files and `state.json` decide which of a profile's data is newer; after a jump they
//! lie. Here they are set as a jump would leave them.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{PATIENTLY, Signal, wait_for, wait_until};

use super::chain::{Chain, PROFILE};
use super::lists::{Blow, Cell, Moment, Target};
use super::plan::Plan;
use super::processes;
use super::verdict::{Verdict, head};

/// How far the clock jumps.
const HOURS: u64 = 6;

/// Which of the two has wrong times, and in which direction.
#[derive(Debug, Clone, Copy)]
enum Jump {
    /// Chromium's files are from the future.
    ChromiumAhead,
    /// Chromium's files seem old.
    ChromiumBehind,
    /// The saved state is from the future.
    StateAhead,
    /// The saved state seems old.
    StateBehind,
}

pub(crate) fn a_jump_of_the_clock_costs_no_login() {
    let mut chain = Chain::begin(Plan::sample());
    let mut failed = Vec::new();
    for jump in [
        Jump::ChromiumAhead,
        Jump::ChromiumBehind,
        Jump::StateAhead,
        Jump::StateBehind,
    ] {
        let verdict = after(jump, &mut chain);
        eprintln!("{jump:?}: {verdict}");
        if !verdict.holds() {
            failed.push(format!("{jump:?}: {verdict}"));
        }
    }
    assert!(failed.is_empty(), "{}\n{}", head(), failed.join("\n"));
}

/// Kills everything, shifts the times, and opens the profile again.
fn after(jump: Jump, chain: &mut Chain) -> Verdict {
    let cell = Cell {
        blow: Blow::Kill,
        target: Target::KeeperAndBrowser,
        moment: Moment::Restore,
    };
    let mut verdict = Verdict::new(cell);
    verdict.mark = chain.steady();
    let (written, told) = chain.site.now();
    let family = processes::of(Target::KeeperAndBrowser, &chain.env, 0);
    family
        .iter()
        .for_each(|process| process.signal(Signal::KILL));
    wait_until("they are gone", PATIENTLY, || {
        processes::of(Target::KeeperAndBrowser, &chain.env, 0).is_empty()
    });
    let (state, chromium) = (
        chain.env.in_profile(PROFILE, "state.json"),
        chain.env.in_profile(PROFILE, "profile"),
    );
    match jump {
        Jump::ChromiumAhead => move_all(&chromium, true),
        Jump::ChromiumBehind => move_all(&chromium, false),
        Jump::StateAhead => move_state(&state, true),
        Jump::StateBehind => move_state(&state, false),
    }
    chain.mcp.open_session(PROFILE);
    let by_itself = || chain.site.found_after(told);
    let found = wait_for("the page is back", PATIENTLY, by_itself);
    verdict.compare(written, &found);
    verdict
}

/// Shifts the times of every file below a folder.
fn move_all(folder: &Path, ahead: bool) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            move_all(&entry.path(), ahead);
        } else if kind.is_file() {
            move_file(&entry.path(), ahead);
        }
    }
}

fn move_file(path: &Path, ahead: bool) {
    let by = Duration::from_secs(HOURS * 3600);
    let file = File::options().write(true).open(path).unwrap();
    let was = file.metadata().unwrap().modified().unwrap();
    let now = if ahead { was + by } else { was - by };
    file.set_times(FileTimes::new().set_modified(now).set_accessed(now))
        .unwrap();
}

/// Shifts the time in the state itself, and that of its file.
fn move_state(path: &Path, ahead: bool) {
    let mut state: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let moved = moved_times(&mut state["szk"], ahead);
    assert!(
        moved > 0,
        "the state says when it was saved: {:.300}",
        state["szk"].to_string()
    );
    fs::write(path, state.to_string()).unwrap();
    move_file(path, ahead);
}

/// Shifts every value that is a time; returns how many there were.
fn moved_times(value: &mut Value, ahead: bool) -> usize {
    match value {
        Value::Object(map) => map
            .values_mut()
            .map(|value| moved_times(value, ahead))
            .sum(),
        Value::String(text) => usize::from(
            hour_moved(text, ahead)
                .map(|moved| *value = json!(moved))
                .is_some(),
        ),
        _ => 0,
    }
}

/// `2026-11-22T07:22:44.96Z` with another hour; the day stays, which is jump enough.
fn hour_moved(text: &str, ahead: bool) -> Option<String> {
    let (day, time) = text.split_once('T')?;
    let (hour, rest) = time.split_once(':')?;
    let hour: u64 = hour.parse().ok()?;
    text.ends_with('Z').then_some(())?;
    let hour = if ahead {
        (hour + HOURS).min(23)
    } else {
        hour.saturating_sub(HOURS)
    };
    Some(format!("{day}T{hour:02}:{rest}"))
}
