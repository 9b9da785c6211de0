//! What a page can find out.

mod detectors;
mod effects;
mod half;
mod identity;
mod init_scripts;
mod ordinary;
mod prerender;
mod public;
mod race;
mod realms;
mod traces;
mod unseen;
