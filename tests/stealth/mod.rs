//! What a page can find out.

mod detectors;
mod init_scripts;
mod ordinary;
mod realms;
mod unseen;
