//! Files and disks that are not as they should be.

mod config;
mod disk;
mod meta;
mod older;
mod places;
mod read_only;
mod singleton;
mod state;
