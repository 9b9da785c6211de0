//! What a page can find out.

pub(crate) mod detectors;
mod effects;
mod first_script;
mod half;
mod identity;
mod init_scripts;
pub(crate) mod input;
mod ordinary;
mod ports;
mod prerender;
mod public;
mod race;
mod realms;
mod traces;
mod unseen;
mod xvfb;
