//! The content of `state.json`: Playwright's storage state, with additional keys of our own.
//!
//! Playwright 1.65 ignores unknown keys at every level, so one file serves both. We do not restore its
//! `opfs` and `credentials`, but keep them unchanged.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use szk_recovery::Truth;

use super::key::Deleted;
use super::text::{Json, Text, present};

/// The version of [`Extras`] that this szk writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// The whole state of a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StorageState {
    /// Of all origins and partitions.
    pub cookies: Vec<Cookie>,
    /// First-party storage by origin.
    pub origins: Vec<OriginState>,
    /// Our own keys; absent in files from other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub szk: Option<Extras>,
    /// Unknown keys, kept.
    #[serde(flatten)]
    pub other: BTreeMap<String, Json>,
}

/// A cookie, with the field names of Playwright.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// May be empty.
    pub name: String,
    /// Usually a secret.
    pub value: String,
    /// With a leading dot for a cookie that subdomains get too.
    pub domain: String,
    /// `/` if unknown.
    #[serde(default = "root_path")]
    pub path: String,
    /// Seconds since 1970, -1 for a session cookie.
    #[serde(default = "session_cookie", deserialize_with = "null_is_session")]
    pub expires: f64,
    /// Hidden from scripts.
    #[serde(default)]
    pub http_only: bool,
    /// Sent over HTTPS only.
    #[serde(default)]
    pub secure: bool,
    /// Absent if the site did not say, which is not quite `Lax`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// The top-level site of the cookie's partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<String>,
    /// Second half of the partition key; Playwright's name, and true if absent as in Playwright.
    #[serde(
        default,
        rename = "_crHasCrossSiteAncestor",
        skip_serializing_if = "Option::is_none"
    )]
    pub has_cross_site_ancestor: Option<bool>,
    /// `Low`, `Medium` or `High`; decides which cookies go first if a site has too many. Ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// `Secure`, `NonSecure` or `Unset`: how the cookie was set. Ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_scheme: Option<String>,
    /// Port of the server that set it, -1 if unspecified. Ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_port: Option<i64>,
}

/// When requests from other sites carry a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SameSite {
    /// Never.
    Strict,
    /// Only on top-level navigations.
    Lax,
    /// Always.
    None,
}

/// First-party storage of one origin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OriginState {
    /// E.g. `https://example.com`.
    pub origin: String,
    /// localStorage, in arbitrary order.
    #[serde(default)]
    pub local_storage: Vec<Item>,
    /// Databases; absent if they were not read.
    #[serde(default, rename = "indexedDB", skip_serializing_if = "Option::is_none")]
    pub indexed_db: Option<Vec<Database>>,
    /// Playwright's copy of the origin's private file system, kept unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opfs: Option<Json>,
}

/// An entry of localStorage or sessionStorage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Item {
    /// Key.
    pub name: Text,
    /// Value.
    pub value: Text,
}

/// An IndexedDB database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Database {
    /// Unique in its origin.
    pub name: Text,
    /// Version of its schema.
    pub version: u64,
    /// Object stores.
    pub stores: Vec<ObjectStore>,
}

/// An object store. It has at most one of the two key paths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectStore {
    /// Unique in its database.
    pub name: Text,
    /// Where a value contains its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_path: Option<Text>,
    /// The same for compound keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_path_array: Option<Vec<Text>>,
    /// Whether it generates keys.
    #[serde(default)]
    pub auto_increment: bool,
    /// In key order.
    #[serde(default)]
    pub records: Vec<Record>,
    /// Of its values.
    #[serde(default)]
    pub indexes: Vec<Index>,
}

/// A record: plain if JSON can express it, otherwise in the encoding of `codec.js`. The key is absent if
/// the value contains it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Plain key.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub key: Option<Json>,
    /// Encoded key.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub key_encoded: Option<Json>,
    /// Plain value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub value: Option<Json>,
    /// Encoded value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub value_encoded: Option<Json>,
}

/// An index of an object store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Unique in its store.
    pub name: Text,
    /// What it indexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_path: Option<Text>,
    /// The same for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_path_array: Option<Vec<Text>>,
    /// Whether each element of an array value gets an entry.
    #[serde(default)]
    pub multi_entry: bool,
    /// Whether two records must not share a key.
    #[serde(default)]
    pub unique: bool,
}

/// What Playwright's format cannot hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extras {
    /// Version of this part; see [`VERSION`].
    pub version: u32,
    /// When the browser was read.
    pub saved: Timestamp,
    /// Whether this was the final reading before an orderly exit; `false` until then.
    #[serde(default)]
    pub clean: bool,
    /// Version of Chromium, e.g. `156.0.8078.79`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chromium: Option<String>,
    /// Process id of the browser that was read. While the lock it left behind still names it, no one
    /// else has used the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<u32>,
    /// Open pages, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<TabState>,
    /// sessionStorage of the open pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub session_storage: Vec<SessionStorage>,
    /// What was deleted since Chromium last exited in order.
    #[serde(default, skip_serializing_if = "Deleted::is_empty")]
    pub deleted: Deleted,
    /// What to trust for origins that were not read since they were restored, or for long.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, Unread>,
}

/// What to trust for an origin that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unread {
    /// Chromium's files.
    Files,
    /// Whichever is later, as far as that is known.
    Later,
}

impl Unread {
    /// What to trust until the next reading, for data restored like this.
    #[must_use]
    pub fn after(restored: Truth) -> Option<Self> {
        match restored.until_read() {
            Truth::Files => Some(Self::Files),
            Truth::Later => Some(Self::Later),
            Truth::Reading | Truth::Nothing => None,
        }
    }
}

impl From<Unread> for Truth {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Files => Self::Files,
            Unread::Later => Self::Later,
        }
    }
}

/// An open page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabState {
    /// Its address.
    pub url: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Whether it was the current one.
    #[serde(default)]
    pub active: bool,
}

/// sessionStorage of one origin in one tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStorage {
    /// Index into [`Extras::tabs`].
    pub tab: usize,
    /// The origin.
    pub origin: String,
    /// Its entries.
    pub items: Vec<Item>,
}

impl SameSite {
    /// Chromium's name for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Lax => "Lax",
            Self::None => "None",
        }
    }

    /// Reads the names that browsers, extensions and libraries use; `None` for those that mean that the
    /// site did not say.
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "strict" => Some(Self::Strict),
            "lax" => Some(Self::Lax),
            "none" | "no_restriction" => Some(Self::None),
            _ => None,
        }
    }
}

impl Extras {
    /// Extras of this version, without content.
    #[must_use]
    pub fn new(saved: Timestamp) -> Self {
        Self {
            version: VERSION,
            saved,
            clean: false,
            chromium: None,
            browser: None,
            tabs: Vec::new(),
            session_storage: Vec::new(),
            deleted: Deleted::default(),
            unread: BTreeMap::new(),
        }
    }
}

impl Cookie {
    /// Whether it ends with the browser.
    #[must_use]
    pub fn is_session(&self) -> bool {
        self.expires < 0.0
    }

    /// Its name in messages, without the value.
    #[must_use]
    pub fn label(&self) -> String {
        format!("cookie `{}` of `{}`", self.name, self.domain)
    }
}

// By hand, to keep the value out of logs.
impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookie")
            .field("name", &self.name)
            .field("domain", &self.domain)
            .field("path", &self.path)
            .field("expires", &self.expires)
            .field("partition_key", &self.partition_key)
            .finish_non_exhaustive()
    }
}

fn root_path() -> String {
    "/".to_owned()
}

fn session_cookie() -> f64 {
    -1.0
}

/// Chromium writes `null` for a time that JSON cannot express.
fn null_is_session<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or_else(session_cookie))
}
