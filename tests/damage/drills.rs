//! Long-running drills, by name: `scripts/damage drill NAME`. The suite runs a short form of each.

use super::{disk, growth, matrix, read_only, size};

/// A drill panics if a promise is broken.
const DRILLS: [(&str, fn()); 7] = [
    ("rounds", growth::of_navigations_snapshots_and_acts),
    (
        "size",
        size::of_a_profile_does_not_matter_to_listing_opening_and_cloning,
    ),
    ("tabs", size::many_tabs_come_back_after_a_crash),
    ("clock", matrix::clock::a_jump_of_the_clock_costs_no_login),
    (
        "suspended",
        matrix::suspended::a_machine_that_was_suspended_goes_on,
    ),
    (
        "read-only",
        read_only::a_disk_that_becomes_read_only_is_told_and_costs_nothing_that_was_saved,
    ),
    (
        "inodes",
        disk::without_room_for_another_file_it_is_told_and_saving_goes_on_when_there_is_some,
    ),
];

/// Runs the drill of this name.
pub(super) fn run(name: &str) {
    let found = DRILLS.iter().find(|(known, _)| *known == name);
    let names = || DRILLS.map(|(known, _)| known).join(", ");
    let (_, drill) = found.unwrap_or_else(|| panic!("`{name}` is none of {}", names()));
    drill();
}

#[test]
fn work_that_is_repeated() {
    growth::of_navigations_snapshots_and_acts();
}

#[test]
fn a_large_profile() {
    size::of_a_profile_does_not_matter_to_listing_opening_and_cloning();
}

#[test]
fn many_tabs() {
    size::many_tabs_come_back_after_a_crash();
}

#[test]
fn a_clock_that_jumps() {
    matrix::clock::a_jump_of_the_clock_costs_no_login();
}

#[test]
fn a_machine_that_is_suspended() {
    matrix::suspended::a_machine_that_was_suspended_goes_on();
}

#[test]
fn a_disk_that_becomes_read_only() {
    read_only::a_disk_that_becomes_read_only_is_told_and_costs_nothing_that_was_saved();
}

#[test]
fn a_disk_without_room_for_files() {
    disk::without_room_for_another_file_it_is_told_and_saving_goes_on_when_there_is_some();
}
