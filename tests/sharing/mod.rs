//! Several programs on one browser.

mod drivers;
mod endpoint;
mod fronts;
