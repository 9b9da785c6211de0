//! Finds the keeper of a profile, or starts it, and calls operations on it.
//!
//! Every front goes through [`Client::call`]: it finds out which profile is meant, joins its keeper or starts
//! one, and reads the answer. It knows HTTP over a Unix socket and the profile store, and nothing of browsers.
//! What client and keeper say to each other is in `szk-wire`. What a front shows of store, configuration and
//! secrets it gets here, by name: it knows none of them.

mod browsers;
mod client;
mod deadline;
mod delete;
mod holds;
mod http;
mod keeper;
mod list;
mod names;
mod presence;
mod run_test;
mod secrets;
mod spawn;
mod start_permit;

mod upkeep;

pub use browsers::{BrowserCookies, cookies_source};
pub use client::{Caller, Client};
pub use secrets::{secret_name, secret_origins};
pub use start_permit::StartPermit;
pub use szk_config::{DEFAULTS as SETTINGS, Overridden, PresetInfo, Row, Source};
pub use szk_secrets::{Listed, Place, Secret};
pub use szk_store::gc::{Kind as LitterKind, Litter};
pub use szk_wire::Start;
pub use upkeep::{Exported, Garbage, Maintained, MaintainedRow};
