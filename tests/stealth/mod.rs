//! What a page can find out.

mod detectors;
mod effects;
mod half;
mod identity;
mod init_scripts;
mod input;
mod ordinary;
<<<<<<< HEAD
mod prerender;
=======
mod ports;
>>>>>>> h-detect
mod public;
mod race;
mod realms;
mod traces;
mod unseen;
