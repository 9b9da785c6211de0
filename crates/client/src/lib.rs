//! Finds the keeper of a profile, or starts it, and calls operations on it.
//!
//! Every front goes through [`Client::call`]: it decodes the input, finds out which profile is meant,
//! joins its keeper or starts one, and reads the answer. It knows HTTP over a Unix socket and the
//! profile store, and nothing of browsers. [`wire`] defines both ends of that protocol, so the keeper
//! uses it too.

pub mod options;
pub mod wire;

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

mod trouble;
mod upkeep;

pub use browsers::{BrowserCookies, cookies_source};
pub use client::{Client, Who};
pub use deadline::shared_clock_ms;
pub use http::state_of;
pub use keeper::Reached;
pub use names::free_profile;
pub use secrets::{secret_failure, secret_name, secret_origins, secrets_of};
pub use szk_config as config;
pub use szk_secrets::{Kept, Listed, Place, Secret, Secrets};
pub use szk_store as store;
pub use trouble::{
    config_failure, files_failure, lock_failure, name_failure, policy_failure, store_failure,
};
pub use upkeep::{Exported, Garbage, Maintained, MaintainedRow};
pub use wire::Start;
