//! Files, disks and processes in bad shape, and too much of everything.

mod config;
mod disk;
mod drills;
mod files;
mod growth;
mod matrix;
mod meta;
mod older;
mod places;
mod read_only;
mod singleton;
mod size;
mod state;

/// The message of a panic.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic".into())
}
