//! `recipe_*`: what was done once, replayed.

mod control;
mod drag;
mod edit;
mod export;
mod mutations;
mod record;
mod replay;
mod wait;
