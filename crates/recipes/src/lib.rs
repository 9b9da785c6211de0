//! Recipes: files of steps that szk replays without a model.
//!
//! `recipe` is the format, `parse` reads and checks a file, `write` writes one, and `rewrite`
//! changes one and keeps its comments. `identity` is what is
//! known of an element, and `score` decides which element of a page is meant, or that none is for
//! certain. `state` is what an element is like after an act. `acted` is an entry of the log of acts, from which `draft` makes a recipe, and `checked` says
//! whether its end can be known. `template` fills in parameters, `address` compares addresses, `revise` heals steps, `export` writes Playwright tests
//! and batch files, and `schema` describes the format to editors. The crate does no I/O and knows no
//! browser.

mod acted;
mod address;
mod checked;
mod draft;
mod export;
mod identity;
mod parse;
mod point;
mod recipe;
mod revise;
mod rewrite;
mod schema;
mod score;
mod state;
mod template;
mod write;

pub use acted::{Acted, Awaited, Effect, Thing};
pub use address::{fits, matches, origin, path};
pub use checked::ends_checked;
pub use draft::{DraftError, draft, draft_with_values};
pub use export::{Format, export};
pub use identity::Identity;
pub use parse::{ParseError, parse};
pub use point::{Distance, OtherButton, Point};
pub use recipe::{Do, Expect, Head, Kind, Param, Recipe, Step};
pub use revise::{diff, healed, moved};
pub use rewrite::rewrite;
pub use schema::schema;
pub use score::{Choice, choose, score};
pub use state::{Position, State};
pub use template::{TemplateError, Values, fill, names};
pub use write::write;
