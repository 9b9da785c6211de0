//! The typed part of the clients in `clients/`: every operation with its input and its answer, written
//! from the catalogue. How calls travel is written by hand, beside it.
//!
//! No program of szk uses this crate; its tests compare what it writes with what is committed.

mod python;
mod schema;
mod typescript;

pub use python::operations as python;
pub use typescript::operations as typescript;

/// First line of each written file.
const WRITTEN: &str = "Written by szk itself; `scripts/bless` writes it again.";

/// `browser_run_code` as `browser` and `run_code`.
fn halves(name: &str) -> (&str, &str) {
    name.split_once('_').unwrap_or(("", name))
}

/// `browser_run_code` as `BrowserRunCode`.
fn pascal(name: &str) -> String {
    let mut pascal = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            pascal.push(first.to_ascii_uppercase());
            pascal.push_str(&chars.as_str().to_ascii_lowercase());
        }
    }
    pascal
}

/// The groups of operations, in the order of the catalogue: `session`, `workflow`, `browser`.
fn groups() -> Vec<&'static str> {
    let mut groups = Vec::new();
    for spec in szk_tools::specs() {
        let (group, _) = halves(spec.name);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}
