//! `recipe_*`: what was done once, replayed.

mod mutations;
mod replay;
