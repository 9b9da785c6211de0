//! The settings in force, typed. What each means in detail is said in `config/defaults.toml`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Identity, InvalidValue, Policy};

/// Everything that can be configured, after all layers.
///
/// `Default` is the empty starting point the layers are applied to; the real defaults are those of
/// `config/defaults.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Where profiles live.
    pub store: StoreSettings,
    /// Which Chromium and how it is started.
    pub browser: BrowserSettings,
    /// Who the browser is to web sites.
    pub identity: Identity,
    /// How long a session lives and what it keeps.
    pub session: SessionSettings,
    /// The door for other programs.
    pub endpoint: EndpointSettings,
    /// Additions to the stealth layer.
    pub stealth: StealthSettings,
    /// What a session may do.
    pub policy: Policy,
    /// What the keeper writes to its log.
    pub log: LogSettings,
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
    /// The browser's executable; `None` means it is searched for.
    pub chromium: Option<PathBuf>,
    /// With a window or without.
    pub headless: Headless,
    /// Further command-line switches.
    pub args: Vec<String>,
    /// Folders of unpacked extensions.
    pub extensions: Vec<PathBuf>,
    /// What pages do not get to load.
    pub block: Vec<Resource>,
}

/// A kind of resource that a page can be left without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Pictures, also those of style sheets.
    Image,
    /// Sound and film.
    Media,
    /// Fonts of the site.
    Font,
    /// Style sheets.
    Stylesheet,
    /// Scripts.
    Script,
    /// Subtitles.
    Texttrack,
    /// Manifests of web applications.
    Manifest,
    /// What a page fetches ahead.
    Prefetch,
    /// Beacons and `ping` of links.
    Ping,
}

/// `[session]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSettings {
    /// Minutes without client and operation before a keeper ends; 0 is never.
    pub linger_minutes: f64,
    /// Time budget of calls that say nothing and are neither opening, moving nor running programs.
    pub timeout_seconds: u64,
    /// Sessions of a store that may be open at once; 0 is any number.
    pub max_open: u64,
    /// Whether the tabs of the last time are opened again.
    pub restore_tabs: bool,
    /// Seconds (1 to 5) after a change until the state is saved.
    pub save_seconds: u64,
    /// Seconds (1 to 600) a question of a page waits for its answer where nobody sees it.
    pub dialog_seconds: u64,
    /// What questions of pages are answered when nothing else says so.
    pub dialogs: Dialogs,
    /// Whether input takes a person's time.
    pub input: InputPace,
    /// Which keys write which characters.
    pub keyboard: Keyboard,
}

/// The standing answer to questions of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialogs {
    /// None: they stay open for whoever answers.
    #[default]
    Ask,
    /// Accept them.
    Accept,
    /// Dismiss them.
    Dismiss,
}

/// Whether input takes the time that a person takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputPace {
    /// The same events, without waiting.
    #[default]
    Fast,
    /// With a path of the pointer and the rhythm of a hand.
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
    /// What a joining program has to show.
    pub auth: EndpointAuth,
    /// Values of the `Origin` header that are let in.
    pub allowed_origins: Vec<String>,
    /// Whether `Runtime.enable` is kept from pages.
    pub shield: bool,
    /// Whose appearance pages see.
    pub identity: EndpointIdentity,
    /// Whose rules hold in a browser context that a program made for itself.
    pub contexts: EndpointContexts,
    /// Methods and domains that are refused.
    pub deny: Vec<String>,
    /// Which tabs a program sees.
    pub tabs: EndpointTabs,
    /// How many programs may be connected.
    pub max_clients: usize,
    /// Chromium's own debugging port; `None` means that there is none.
    pub raw_port: Option<u16>,
}

/// `[stealth]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StealthSettings {
    /// Scripts run in every realm before its first own script.
    pub scripts: Vec<PathBuf>,
}

/// `[log]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogSettings {
    /// A level, or directives such as `info,szk_cdp=debug`.
    pub level: String,
    /// How its lines are written.
    pub format: LogFormat,
}

/// How the lines of a log are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What a program that joins the endpoint has to show.
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
    /// The profile's: what programs emulate is kept from the page.
    #[default]
    Profile,
    /// The program's own.
    Client,
}

/// Whose rules hold in a browser context that a program made for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointContexts {
    /// The program's: it may emulate and enable what it likes there.
    #[default]
    Client,
    /// The profile's, as in the profile's own context.
    Profile,
}

/// Which tabs a program sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointTabs {
    /// All there are.
    #[default]
    All,
    /// Those that it opened itself, and what they open.
    Own,
}

/// With a window or without. Written `"auto"`, `true` or `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headless {
    /// A window when there is a display, none otherwise.
    #[default]
    Auto,
    /// No window.
    On,
    /// A window; without a display this is an error, not a silent change.
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
