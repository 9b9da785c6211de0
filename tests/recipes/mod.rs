//! `recipe_*`: what was done once, replayed.

mod certain;
mod control;
mod drag;
mod edit;
mod export;
mod mutations;
mod points;
mod record;
mod replay;
mod resume;
mod scripts;
mod state;
mod told;
mod wait;
