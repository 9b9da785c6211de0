//! Several programs on one browser.

mod drivers;
mod endpoint;
mod examples;
mod fronts;
mod joining;
mod matrix;
mod rude;
mod shield;
mod soak;
mod switches;
