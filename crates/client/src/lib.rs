//! Finds the keeper of a profile, or starts it, and calls operations on it.
//!
//! Every front end goes through [`Client::call`]: it finds out which profile is meant, joins its keeper
//! or starts one, and reads the answer. It knows HTTP over a Unix socket and the profile store, but no
//! browsers. `szk-wire` defines what client and keeper say to each other. Front ends get everything they
//! show of store, configuration and secrets from here.

mod approval;
mod audit;
mod browsers;
mod client;
mod deadline;
mod delete;
mod events;
mod exchange;
mod holds;
mod http;
mod keeper;
mod list;
mod names;
mod presence;
mod run_test;
mod secrets;
mod servers;
mod sizes;
mod spawn;
mod start_permit;
mod tasks;
mod tokens;
mod within;

mod upkeep;

pub use approval::Approver;
pub use browsers::{BrowserCookies, cookies_source};
pub use client::{Caller, Client};
pub use events::Events;
pub use exchange::Arriving;
pub use secrets::{secret_name, secret_origins};
pub use start_permit::StartPermit;
pub use szk_config::{
    AgentAction, AgentSettings, DEFAULTS as SETTINGS, Origin, Overridden, PresetInfo, Row,
    ServerSettings, Source,
};
pub use szk_secrets::{Listed, Secret, SecretStore};
pub use szk_store::audit::{AuditLine, Break as AuditBreak, Verified as AuditVerified};
pub use szk_store::gc::{Kind as LitterKind, Litter};
pub use szk_store::process::{allow_many_files, own_group};
pub use szk_store::{Announced, KeptFile, Received, RunningServer};
pub use szk_wire::events::{Event, EventLine, Happening};
pub use szk_wire::{Client as Identity, Start};
pub use tasks::CarryOut;
pub use tokens::{TokenCheck, TokenRow, token_expiry};
pub use upkeep::{Exported, Garbage, Maintained, MaintainedRow};
pub use within::Origins;
