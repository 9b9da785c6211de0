//! The store with real processes, full disks and separate file systems.

// Everything here is a test; children talk to their parents over stdout.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod child;
mod disk;
mod locks;
mod singleton;
mod umask;
