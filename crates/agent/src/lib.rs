//! Carries out a task in words: a loop of model and browser.
//!
//! [`Agent::carry_out`] asks a [`model::ChatModel`] what to do next, does it through szk's own operations as
//! any other client would, and shows the model what came of it. The crate knows no browser and no CDP. What
//! pages say reaches the model as data only ([`fence`]), and the tab never leaves the origins of the task.

pub mod model;
pub mod repair;
pub mod run;

mod action;
mod actions;
mod agent;
mod approved;
mod circles;
mod claim;
mod code;
mod effect;
mod fence;
mod front;
mod history;
mod judge;
mod line;
mod operation;
mod page_address;
mod plan;
mod prompt;
mod replay;
mod resume;
mod running;
mod save;
mod settings;
mod task;
mod tools;

pub use action::Action;
pub use actions::check as check_actions;
pub use agent::{Agent, Person};
pub use front::Front;
pub use operation::{over_http, over_mcp};
pub use resume::More;
pub use run::Event;
pub use settings::{Limits, check, model_of};
pub use task::{Outcome, Recipe, Task};
