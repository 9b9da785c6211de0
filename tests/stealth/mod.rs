//! What a page can find out.

mod detectors;
mod effects;
mod init_scripts;
mod ordinary;
mod public;
mod realms;
mod traces;
mod unseen;
