//! How the program is linked.

use std::env;
use std::process::Command;

/// The C library that reads packed relocations.
const READS_THEM: (u32, u32) = (2, 36);

/// An executable that may be loaded anywhere begins by correcting a hundred thousand addresses, listed with
/// 24 bytes each. Packed, the list is a fiftieth of that: less to read at every start, and less memory in every
/// process.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if runs_here() && c_library().is_some_and(|version| version >= READS_THEM) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the program is built for this machine: the C library of another one is not known.
fn runs_here() -> bool {
    let value = |name| env::var(name).unwrap_or_default();
    value("CARGO_CFG_TARGET_OS") == "linux"
        && value("CARGO_CFG_TARGET_ENV") == "gnu"
        && value("HOST") == value("TARGET")
}

/// Its version, as in `glibc 2.36`.
fn c_library() -> Option<(u32, u32)> {
    let told = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
