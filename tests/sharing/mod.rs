//! Several programs on one browser.

mod by_port;
mod contexts;
mod control;
mod drivers;
mod endpoint;
mod events;
mod examples;
mod frames;
mod fronts;
mod held;
mod history;
mod joining;
mod lists;
mod matrix;
mod rude;
mod shield;
mod soak;
mod switches;
mod terminals;
mod together;
mod windows;
