//! What a page can find out.

mod detectors;
mod effects;
mod init_scripts;
mod input;
mod ordinary;
mod ports;
mod public;
mod realms;
mod traces;
mod unseen;
