//! Tests of whole configurations, one file per subject; all surroundings are made up.

mod defaults;
mod fields;
mod files;
mod layers;
mod mistakes;
mod presets;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::{CallOptions, Config, ConfigErrors, Identity, Origin, Resolved};

/// A made-up home: `user/config.toml`, and `work/` as the working directory.
struct TestHome {
    dir: TempDir,
    origin: Origin,
}

impl TestHome {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let origin = Origin {
            cwd: dir.path().join("work"),
            user_file: Some(dir.path().join("user/config.toml")),
            data_dir: Some(dir.path().join("data")),
            ..Origin::default()
        };
        fs::create_dir(&origin.cwd).unwrap();
        Self { dir, origin }
    }

    /// A home whose project file holds `text`.
    fn with(text: &str) -> Self {
        Self::new().file("work/szk.config.toml", text)
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.origin.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn load(&self) -> Config {
        Config::load(&self.origin).unwrap_or_else(|e| panic!("{e}"))
    }

    fn resolve(&self) -> Resolved {
        self.resolve_with(None, &CallOptions::default())
    }

    fn resolve_with(&self, saved: Option<&Identity>, call: &CallOptions) -> Resolved {
        let resolved = self.load().resolve(None, saved, call);
        resolved.unwrap_or_else(|e| panic!("{e}"))
    }

    /// The errors of loading.
    fn mistakes(&self) -> String {
        self.shown(&Config::load(&self.origin).unwrap_err())
    }

    /// The errors of resolving.
    fn refusal(&self, saved: Option<&Identity>, call: &CallOptions) -> String {
        self.shown(&self.load().resolve(None, saved, call).unwrap_err())
    }

    /// `key: value (source) < overridden (source)`.
    fn explained(&self, resolved: &Resolved, key: &str) -> String {
        let rows = resolved.explain();
        let row = rows.iter().find(|row| row.key == key).unwrap();
        let value = row.value.as_deref().unwrap_or("unset");
        let mut shown = format!("{value} ({})", row.source);
        for weaker in &row.overridden {
            shown += &format!(" < {} ({})", weaker.value, weaker.source);
        }
        self.without_root(&shown)
    }

    fn shown(&self, errors: &ConfigErrors) -> String {
        self.without_root(&errors.to_string())
    }

    fn without_root(&self, text: &str) -> String {
        let root = format!("{}/", self.dir.path().display());
        text.replace(&root, "")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }
}

/// A call with one option set.
fn call(change: impl FnOnce(&mut CallOptions)) -> CallOptions {
    let mut call = CallOptions::default();
    change(&mut call);
    call
}

/// A saved identity with one field set.
fn saved(change: impl FnOnce(&mut Identity)) -> Identity {
    let mut identity = Identity::default();
    change(&mut identity);
    identity
}
