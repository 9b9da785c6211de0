//! What a page can find out.

mod half;
mod identity;
mod init_scripts;
mod ordinary;
mod prerender;
mod race;
mod realms;
mod unseen;
