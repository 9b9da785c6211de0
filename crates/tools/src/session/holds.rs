//! What a session holds, without the values.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a session holds as of its last save, which for an open session is seconds ago.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Holds {
    /// When it was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub saved: Option<Timestamp>,
    /// Sites with cookies or storage, by name.
    pub sites: Vec<SiteRow>,
    /// Tabs that will be restored.
    pub tabs: u32,
    /// The identity it was created with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub identity: BTreeMap<String, String>,
}

/// What one host has stored in a session: counts and times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteRow {
    /// The host.
    pub site: String,
    /// Cookies.
    pub cookies: u32,
    /// Of these, the ones without an expiry, which other browsers drop when they close.
    pub session_cookies: u32,
    /// Of these, the partitioned ones, set while the site was embedded in another.
    pub partitioned: u32,
    /// When the first cookie with an expiry expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub first_expiry: Option<Timestamp>,
    /// When the last of them expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub last_expiry: Option<Timestamp>,
    /// Entries of localStorage.
    pub local_storage: u32,
    /// Entries of sessionStorage, of all tabs.
    pub session_storage: u32,
    /// Names of IndexedDB databases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<String>,
}
