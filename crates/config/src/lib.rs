//! Settings and identity: where they come from, what they are, and what is wrong with them.
//!
//! Layers are read from weakest to strongest: compiled-in defaults, the user's file, the project's
//! file, its local companion, a preset, the profile's saved identity, the environment, the call. Every
//! value keeps its source, so [`Resolved::explain`] can say where it was set and what it overrode.
//! Mistakes are reported all at once with file, line and caret.
//!
//! This crate knows TOML and nothing about Chromium, profiles on disk or front ends. It reads files
//! and never writes one.

pub mod config;
mod dotenv;
pub mod error;
pub mod identity;
pub mod preset;
pub mod proxy;
pub mod resolve;
pub mod settings;
pub mod viewport;

mod agent_action;
mod call;
mod check;
mod file;
mod keys;
mod layer;
mod locale;
mod nearest;
mod origin;
mod parse;
mod policy;
mod source;
mod switches;
mod timezone;
mod warnings;

#[cfg(test)]
mod tests;

pub use agent_action::AgentAction;
pub use call::CallOptions;
pub use check::InvalidValue;
pub use config::{Config, DEFAULTS};
pub use error::{ConfigErrors, Problem};
pub use identity::{Geolocation, Identity, Orientation};
pub use origin::Origin;
pub use policy::{
    Action, Address, Bounds, Denied, Leads, NeedsApproval, OriginPattern, Policy, stays_within,
};
pub use preset::PresetInfo;
pub use proxy::Proxy;
pub use resolve::{Overridden, Resolved, Row};
pub use settings::{
    AgentSettings, AuditLog, AuditSettings, BrowserSettings, Dialogs, EndpointAuth,
    EndpointContexts, EndpointIdentity, EndpointSettings, EndpointTabs, Headless, Hidden,
    InputPace, Keyboard, LogFormat, LogSettings, Resource, ServerSettings, SessionSettings,
    Settings, StealthSettings, StoreSettings,
};
pub use source::Source;
pub use viewport::Viewport;
