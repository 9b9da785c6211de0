//! `session_open`: opens a profile, or joins it if it is open.

use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::browser::{Seen, SnapshotMode};
use crate::{Input, Operation, Permission, Reach, Route, Scope, Set, TabUse, Time};

/// Opens a profile, or joins it if it is open.
#[derive(Debug)]
pub struct Open;

impl Operation for Open {
    const NAME: &'static str = "session_open";
    const TITLE: &'static str = "Open a browser profile";
    const SUMMARY: &'static str = "Open a named browser profile that stays logged in, or join it if it is open. Returns which, the tabs and the identity in force.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[
        Route::post("/v1/sessions"),
        Route::post("/v1/sessions/{session}/start"),
    ];
    const TIME: Time = Time::Fixed(60_000);
    const SETS: &[Set] = &[Set::Default];
    type Input = OpenInput;
    type Output = OpenOutput;
}

/// Input of `session_open`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpenInput {
    /// Profile (a-z, 0-9, `.`, `_`, `-`). Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Page to open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Named identity; excludes single values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// No window (true), a window (false), or one if there is a display (auto).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless: Option<Headless>,
    /// Open a copy, deleted when its last client leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clone: Option<bool>,
    /// Page size such as `1280x800`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<String>,
    /// Locale such as `de-DE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// IANA time zone such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// User agent. Pages can tell if it claims another system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// `http://user:password@host:port` or `socks5://host:port`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// Folders of unpacked extensions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<PathBuf>>,
    /// Also open Chromium's own port: no token, shield or policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_port: Option<u16>,
    /// Answer with a snapshot too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotMode>,
    /// Time budget (default 60000 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for OpenInput {
    fields!(session, timeout_ms);

    /// It navigates only a tab that is the caller's, and a person who opens a page for an agent does not
    /// go on working there.
    fn tab_use(&self) -> Option<TabUse> {
        Some(TabUse::Reads)
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.extensions.iter_mut().flatten().for_each(visit);
    }

    fn makes_profile(&self) -> bool {
        true
    }

    fn needs(&self) -> Vec<Permission> {
        self.raw_port.map(|_| Permission::Cdp).into_iter().collect()
    }
}

/// Whether there is a window: `true`, `false` or `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headless {
    /// Depends on whether there is a display.
    Auto,
    /// No window.
    True,
    /// A window.
    False,
}

impl Serialize for Headless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::True => serializer.serialize_bool(true),
            Self::False => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Headless {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Headless;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`auto`, true or false")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Headless, E> {
                Ok(if value {
                    Headless::True
                } else {
                    Headless::False
                })
            }
            fn visit_str<E: de::Error>(self, value: &str) -> Result<Headless, E> {
                match value {
                    "auto" => Ok(Headless::Auto),
                    "true" => Ok(Headless::True),
                    "false" => Ok(Headless::False),
                    _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Headless {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Headless".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"enum": ["auto", true, false]})
    }
}

/// Output of `session_open`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct OpenOutput {
    /// Name of the session; a clone has its own.
    pub session: String,
    /// Whether this call started it or it was already open.
    pub started: Started,
    /// The profile it is an ephemeral copy of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clone_of: Option<String>,
    /// Whether there is a window.
    pub mode: Mode,
    /// Product and version of the running browser.
    pub browser: String,
    /// Process id of the keeper.
    pub keeper_pid: u32,
    /// Open tabs.
    pub tabs: Vec<Tab>,
    /// Identity in force, each value with its source.
    pub identity: Vec<IdentityRow>,
    /// Problems that did not prevent opening.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The page, if a snapshot was asked for and could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Seen>,
}

/// Whether an open started or joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Started {
    /// Started by this call.
    Started,
    /// Already open.
    Joined,
}

/// Whether there is a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// On the screen.
    Window,
    /// Without a display.
    Headless,
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tab {
    /// Id such as `t3`, never reused in a session.
    pub id: String,
    /// URL of its document.
    pub url: String,
    /// Title of its document.
    pub title: String,
    /// The client that works there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// One identity value and its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityRow {
    /// Key, e.g. `timezone`.
    pub key: String,
    /// Value in force.
    pub value: String,
    /// File and line, preset, profile, variable or call.
    pub source: String,
}
