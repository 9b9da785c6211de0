//! The settings in force, typed. `config/defaults.toml` explains each in detail.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{AgentAction, Identity, InvalidValue, Policy};

/// Everything configurable, after all layers.
///
/// `Default` is the empty starting point for the layers; the real defaults are in
/// `config/defaults.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Where profiles live.
    pub store: StoreSettings,
    /// Which Chromium and how it is started.
    pub browser: BrowserSettings,
    /// Who the browser is to web sites.
    pub identity: Identity,
    /// How long a session lives and what it saves.
    pub session: SessionSettings,
    /// The endpoint for other programs.
    pub endpoint: EndpointSettings,
    /// Limits of `szk serve`.
    pub server: ServerSettings,
    /// The model that carries out tasks, and its limits.
    pub agent: AgentSettings,
    /// Additions to the stealth layer.
    pub stealth: StealthSettings,
    /// What a session may do.
    pub policy: Policy,
    /// What the keeper writes to its log.
    pub log: LogSettings,
    /// What is written to the audit log.
    pub audit: AuditSettings,
}

/// `[store]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreSettings {
    /// The folder of the profiles; `None` means the user's data directory.
    pub path: Option<PathBuf>,
}

/// `[browser]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrowserSettings {
    /// The browser's executable; `None` means szk searches for one.
    pub chromium: Option<PathBuf>,
    /// Whether to show a window.
    pub headless: Headless,
    /// Whether a browser without a window gets an X server of its own.
    pub xvfb: bool,
    /// Extra command-line switches.
    pub args: Vec<String>,
    /// Folders of unpacked extensions.
    pub extensions: Vec<PathBuf>,
    /// Resources that pages must not load.
    pub block: Vec<Resource>,
}

/// A kind of resource that pages can be denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Images, including those in style sheets.
    Image,
    /// Audio and video.
    Media,
    /// Web fonts.
    Font,
    /// Style sheets.
    Stylesheet,
    /// Scripts.
    Script,
    /// Subtitles.
    Texttrack,
    /// Web app manifests.
    Manifest,
    /// Prefetched resources.
    Prefetch,
    /// Beacons and link pings.
    Ping,
}

/// `[session]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSettings {
    /// Minutes without clients and operations before a keeper exits; 0 means never.
    pub linger_minutes: f64,
    /// Time budget of calls that set none, except for opening, navigating and running programs.
    pub timeout_seconds: u64,
    /// Sessions of a store that may be open at once; 0 means any number.
    pub max_open: u64,
    /// Whether to reopen the tabs of the last session.
    pub restore_tabs: bool,
    /// Seconds (1 to 5) from a change until the state is saved.
    pub save_seconds: u64,
    /// Seconds (0 to 3600) that a tab stays a client's after its last write there.
    pub hold_seconds: u64,
    /// Seconds (1 to 600) that a page's question waits for an answer if no one can see it.
    pub dialog_seconds: u64,
    /// Answer to pages' questions when nothing else decides.
    pub dialogs: Dialogs,
    /// Whether input takes as long as a person would.
    pub input: InputPace,
    /// Which keys produce which characters.
    pub keyboard: Keyboard,
}

/// The default answer to pages' questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialogs {
    /// None: they stay open until someone answers.
    #[default]
    Ask,
    /// Accept them.
    Accept,
    /// Dismiss them.
    Dismiss,
}

/// Whether input takes as long as a person would.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputPace {
    /// The same events, without delays.
    #[default]
    Fast,
    /// With a pointer path and a person's rhythm.
    Human,
}

/// A keyboard layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keyboard {
    /// United States.
    #[default]
    Us,
    /// United Kingdom.
    Uk,
    /// German.
    De,
    /// French.
    Fr,
}

/// `[endpoint]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndpointSettings {
    /// What a joining program must present.
    pub auth: EndpointAuth,
    /// Accepted values of the `Origin` header.
    pub allowed_origins: Vec<String>,
    /// Whether to keep `Runtime.enable` from pages.
    pub shield: bool,
    /// Whose appearance pages see.
    pub identity: EndpointIdentity,
    /// Whose rules apply in a browser context that a program created.
    pub contexts: EndpointContexts,
    /// Methods and domains to refuse.
    pub deny: Vec<String>,
    /// Which tabs a program sees.
    pub tabs: EndpointTabs,
    /// How many programs may be connected.
    pub max_clients: usize,
    /// Chromium's own debugging port; `None` means it has none.
    pub raw_port: Option<u16>,
}

/// `[server]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerSettings {
    /// Open sessions beyond which opening waits; 0 means any number.
    pub max_sessions: u64,
    /// Requests (0 to 10000) that may wait for a session.
    pub max_queue: u64,
    /// Free memory in MB below which opening waits; 0 means none.
    pub memory_floor: u64,
    /// Seconds until an unused session is closed; 0 means never.
    pub idle: u64,
    /// Seconds until a client that does nothing has left; 0 means never.
    pub client_idle: u64,
    /// Requests per minute and token; 0 means any number.
    pub requests_per_minute: u64,
    /// Seconds (1 to 86400) that a call may take.
    pub request_timeout: u64,
    /// Megabytes (0 to 100000) of files that a request may bring.
    pub max_upload: u64,
    /// Megabytes (0 to 10000000) of files that all requests may bring together; 0 means any number.
    pub upload_quota: u64,
    /// The certificate with its chain, in PEM; without it the server does not encrypt.
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate.
    pub tls_key: Option<PathBuf>,
}

/// `[agent]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSettings {
    /// `provider:model`, or the bare name of a model.
    pub model: Option<String>,
    /// Where the provider is.
    pub base_url: Option<String>,
    /// The provider's key.
    pub key: Option<Hidden>,
    /// Steps (1 to 1000) of one task.
    pub max_steps: u64,
    /// Tokens of one task, in and out; 0 means any number.
    pub max_tokens: u64,
    /// US dollars that one task may cost; 0 means any amount.
    pub budget: f64,
    /// US dollars for a million tokens that the model reads.
    pub price_in: Option<f64>,
    /// US dollars for a million tokens that the model writes.
    pub price_out: Option<f64>,
    /// Seconds (1 to 3600) that one answer may take.
    pub request_timeout: u64,
    /// What the model may do besides, by name.
    pub actions: BTreeMap<String, AgentAction>,
}

/// A value that is never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Hidden(String);

impl Hidden {
    /// The value, for where it is used.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// `[stealth]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StealthSettings {
    /// Scripts that run in every realm before its own first script.
    pub scripts: Vec<PathBuf>,
}

/// `[log]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogSettings {
    /// A level, or directives such as `info,szk_cdp=debug`.
    pub level: String,
    /// The format of its lines.
    pub format: LogFormat,
}

/// `[audit]`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditSettings {
    /// Which calls are written.
    pub log: AuditLog,
}

/// Which calls are written to the audit log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditLog {
    /// All of them.
    #[default]
    All,
    /// Those that may have changed something.
    Writes,
    /// None.
    Off,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// What a program must present to join the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointAuth {
    /// The profile's token.
    #[default]
    Token,
    /// Nothing: every local program can drive the browser.
    None,
}

/// Whose appearance pages see while a program is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointIdentity {
    /// The profile's: what programs emulate does not reach the page.
    #[default]
    Profile,
    /// The program's own.
    Client,
}

/// Whose rules apply in a browser context that a program created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointContexts {
    /// The program's: it may emulate and enable anything there.
    #[default]
    Client,
    /// The profile's, as in the profile's own context.
    Profile,
}

/// Which tabs a program sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointTabs {
    /// All of them.
    #[default]
    All,
    /// Those that it opened, and what they open.
    Own,
}

/// Whether to show a window. Written `"auto"`, `true` or `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headless {
    /// A window if there is a display, otherwise none.
    #[default]
    Auto,
    /// No window.
    On,
    /// A window; without a display that is an error, not a silent change.
    Off,
}

impl fmt::Display for Headless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::On => "true",
            Self::Off => "false",
        })
    }
}

impl FromStr for Headless {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(Self::Auto),
            "true" => Ok(Self::On),
            "false" => Ok(Self::Off),
            _ => Err(InvalidValue::new(format!(
                "`{text}` is not one of `auto`, `true`, `false`"
            ))),
        }
    }
}

impl Serialize for Headless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::On => serializer.serialize_bool(true),
            Self::Off => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for Headless {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HeadlessVisitor)
    }
}

struct HeadlessVisitor;

impl Visitor<'_> for HeadlessVisitor {
    type Value = Headless;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of `\"auto\"`, `true`, `false`")
    }

    fn visit_bool<E: de::Error>(self, on: bool) -> Result<Headless, E> {
        Ok(if on { Headless::On } else { Headless::Off })
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Headless, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headless_reads_words_and_booleans() {
        for (json, expected) in [
            ("\"auto\"", Headless::Auto),
            ("true", Headless::On),
            ("\"false\"", Headless::Off),
        ] {
            assert_eq!(serde_json::from_str::<Headless>(json).unwrap(), expected);
        }
        let wrong = serde_json::from_str::<Headless>("\"yes\"").unwrap_err();
        assert!(
            wrong
                .to_string()
                .contains("`yes` is not one of `auto`, `true`, `false`")
        );
    }
}
