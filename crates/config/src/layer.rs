//! One layer: the entries of one file, of the environment, of a profile or of a call.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::Value;

use crate::error::{Location, Problem};
use crate::keys::{Key, Kind};
use crate::{CallOptions, Identity, Settings, Source};

/// A value for a key, with its source.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    pub(crate) source: Source,
    pub(crate) at: Option<Location>,
}

impl Entry {
    /// An entry that does not come from a file.
    ///
    /// A name that is not in the list of keys is an error like any other: the fields of [`Identity`] and
    /// [`CallOptions`] are found by their names, and a profile may hold one that is not a key yet.
    pub(crate) fn new(path: &str, value: Value, source: Source) -> Result<Self, Problem> {
        let unknown = || Problem::new(format!("`{path}` ({source}): there is no such key"));
        Ok(Self {
            key: Key::find(path).ok_or_else(unknown)?,
            value,
            source,
            at: None,
        })
    }

    /// Reads the value into its field; an error names the key and where it was set.
    pub(crate) fn apply(&self, settings: &mut Settings) -> Result<(), Problem> {
        self.key.set(settings, &self.value).map_err(|wrong| {
            let name = self.key.path;
            let message = match (&self.at, &self.source) {
                // The quoted line shows which section or preset it is in.
                (Some(_), _) => format!("`{}`: {wrong}", last_part(name)),
                (None, source @ Source::Env { .. }) => format!("`{source}`: {wrong}"),
                (None, source) => format!("`{name}` ({source}): {wrong}"),
            };
            Problem::new(message)
                .with_hint(wrong.hint())
                .at(self.at.clone())
                .set_by(&self.source)
        })
    }

    /// Makes paths absolute, starting from `base`.
    pub(crate) fn anchored(mut self, base: &Path) -> Self {
        if self.key.kind == Kind::Path {
            anchor(&mut self.value, base);
        }
        self
    }

    /// The value in a form that is safe to show.
    pub(crate) fn show(&self) -> String {
        self.key.show(&self.value)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} ({})", self.key.path, self.show(), self.source)
    }
}

/// Where a setting belongs that is the user's alone.
pub(crate) fn own(key: &Key) -> &'static str {
    match key.path {
        "agent.actions" => {
            "set it in your own configuration file: it decides which programs run on your machine"
        }
        _ => {
            "set it in your own configuration file or in the environment: it decides who gets your key"
        }
    }
}

/// An environment variable, from the process or from a `.env` file.
pub(crate) struct Variable<'a> {
    pub(crate) value: &'a str,
    pub(crate) source: Source,
    /// Where a relative path in it starts.
    pub(crate) base: &'a Path,
}

/// The environment's layer without `SZK_PRESET`, which chooses a layer instead of being one.
pub(crate) fn from_env<'a>(
    variable: impl Fn(&'static str) -> Option<Variable<'a>>,
) -> Result<Vec<Entry>, Problem> {
    let keys = [
        ("SZK_STORE", "store.path"),
        ("SZK_CHROMIUM", "browser.chromium"),
        ("SZK_HEADLESS", "browser.headless"),
        ("SZK_LOG", "log.level"),
        ("SZK_LOG_FORMAT", "log.format"),
        ("SZK_AGENT_MODEL", "agent.model"),
        ("SZK_AGENT_BASE_URL", "agent.base_url"),
        ("SZK_AGENT_KEY", "agent.key"),
    ];
    let entry = |(var, key)| {
        let Variable {
            value,
            source,
            base,
        } = variable(var)?;
        let of_project = matches!(source, Source::Env { path: Some(_), .. });
        if of_project && let Some(known) = Key::find(key).filter(|known| known.is_own()) {
            let problem = Problem::new(format!("`{source}`: a project may not set `{key}`"));
            return Some(Err(problem.with_hint(Some(own(known))).set_by(&source)));
        }
        let entry = Entry::new(key, Value::String(value.to_owned()), source);
        Some(entry.map(|entry| entry.anchored(base)))
    };
    keys.into_iter().filter_map(entry).collect()
}

/// The layer of a profile's saved identity, without the preset.
pub(crate) fn from_saved(saved: &Identity) -> Result<Vec<Entry>, Problem> {
    let entry = |(name, value): (String, Value)| {
        let key = format!("identity.{name}");
        (name != "preset").then(|| Entry::new(&key, value, Source::Profile))
    };
    table(saved)?.into_iter().filter_map(entry).collect()
}

/// The layer of the call, without the preset.
pub(crate) fn from_call(call: &CallOptions, cwd: &Path) -> Result<Vec<Entry>, Problem> {
    let entry = |(name, value): (String, Value)| {
        let section = match name.as_str() {
            "preset" => return None,
            "store" => return Some(("store.path".to_owned(), value)),
            "headless" | "chromium" | "extensions" => "browser",
            "raw_port" => "endpoint",
            _ => "identity",
        };
        Some((format!("{section}.{name}"), value))
    };
    let entries = table(call)?.into_iter().filter_map(entry);
    entries
        .map(|(key, value)| Ok(Entry::new(&key, value, Source::Call)?.anchored(cwd)))
        .collect()
}

/// The key without its section.
fn last_part(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

/// The fields that are set, as TOML, which cannot hold a path that is not UTF-8.
fn table(fields: &impl Serialize) -> Result<toml::Table, Problem> {
    toml::Table::try_from(fields).map_err(|e| Problem::new(format!("unusable option: {e}")))
}

fn anchor(value: &mut Value, base: &Path) {
    match value {
        // An empty path would silently become the base itself; leave it for the check to refuse.
        Value::String(path) if !path.is_empty() => {
            // Collecting the components drops a leading `./`.
            let full: PathBuf = base.join(&*path).components().collect();
            *path = full.to_string_lossy().into_owned();
        }
        Value::Array(paths) => paths.iter_mut().for_each(|path| anchor(path, base)),
        _ => {}
    }
}
