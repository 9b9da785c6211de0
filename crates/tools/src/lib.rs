//! The catalogue: every operation of szk as data and types.
//!
//! An operation is written once, here: its name, its description, its input, its output and what it
//! changes. From this the MCP front end makes tools, the CLI makes commands, and the keeper must have
//! one handler per operation, because [`Call`] is a closed enum. This crate knows neither how an
//! operation runs nor how a front end renders it.

pub mod failure;
mod live_view;
pub mod response;

#[macro_use]
pub mod audit;
#[macro_use]
mod input;
#[macro_use]
mod output;
pub mod operation;
mod permission;
mod route;

mod field;
mod schema;

pub mod agent;
pub mod browser;
pub mod doctor;
pub mod recipe;
pub mod session;
pub mod workflow;

pub mod budget;

mod catalogue;
mod codes;
mod decode;
mod sets;

pub use audit::{Audit, Audited};
pub use budget::Time;
pub use catalogue::{Call, check_answer, find, specs};
pub use decode::input as decode_input;
pub use failure::{Code, Done, Failure};
pub use field::{Field, Kind, Word};
pub use input::Input;
pub use live_view::LiveView;
pub use operation::{Operation, Reach, Scope, Set, Spec, Subject, TabUse};
pub use output::{Output, SessionChange};
pub use permission::Permission;
pub use response::{Image, Part, Progress, Response};
pub use route::{Method, Route};
pub use sets::{SETS, select};
