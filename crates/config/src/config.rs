//! Reads every file once; their values stay in layers until a call resolves them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dotenv::Dotenv;
use crate::error::{ConfigErrors, Problem};
use crate::file::SourceFile;
use crate::layer::{self, Entry, Variable};
use crate::origin::{LOCAL_FILE, Origin, exists};
use crate::parse::{FileLayer, Parsed, parse};
use crate::preset::{self, Preset, PresetInfo};
use crate::{Settings, Source};

/// The text of `config/defaults.toml`: every key, explained.
pub const DEFAULTS: &str = include_str!("../../../config/defaults.toml");
const PRESETS: &str = include_str!("../../../config/presets.toml");

/// The configuration as seen from one place: files and environment, read and checked.
///
/// Values are those at the time of loading; a keeper loads its own.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) origin: Origin,
    /// Weakest first.
    pub(crate) layers: Vec<Vec<Entry>>,
    dotenv: Dotenv,
    pub(crate) env: Vec<Entry>,
    pub(crate) presets: BTreeMap<String, Preset>,
    files: Vec<PathBuf>,
}

impl Config {
    /// Reads all files and the environment, and reports every mistake in them.
    pub fn load(origin: &Origin) -> Result<Self, ConfigErrors> {
        let mut config = Self {
            origin: origin.clone(),
            layers: Vec::new(),
            dotenv: Dotenv::default(),
            env: Vec::new(),
            presets: BTreeMap::new(),
            files: Vec::new(),
        };
        let mut problems = Vec::new();
        match Dotenv::read(&origin.project_folder()) {
            Ok(dotenv) => config.dotenv = dotenv,
            Err(problem) => problems.push(problem),
        }
        if let Some(Variable { value, base, .. }) = config.variable("SZK_CONFIG") {
            let named = base.join(value).to_string_lossy().into_owned();
            config.origin.env.insert("SZK_CONFIG".to_owned(), named);
        }
        match layer::from_env(|name| config.variable(name)) {
            Ok(env) => config.env = env,
            Err(problem) => problems.push(problem),
        }
        for (path, text) in [("presets.toml", PRESETS), ("defaults.toml", DEFAULTS)] {
            let file = SourceFile {
                path: Path::new("<compiled in>").join(path),
                text: text.to_owned(),
            };
            config.add(parse(file, FileLayer::Default), &mut problems);
        }
        for (layer, path) in files(&config.origin) {
            match SourceFile::read(&path) {
                Ok(file) => config.add(parse(file, layer), &mut problems),
                Err(problem) => {
                    let named =
                        layer == FileLayer::Project && config.origin.var("SZK_CONFIG").is_some();
                    let hint = named.then_some("`SZK_CONFIG` names it");
                    problems.push(problem.with_hint(hint));
                }
            }
            config.files.push(path);
        }
        problems.extend(config.unknown_presets());
        let checked = config
            .env
            .iter()
            .map(|entry| entry.apply(&mut Settings::default()));
        problems.extend(checked.filter_map(Result::err));
        ConfigErrors::check(problems)?;
        Ok(config)
    }

    /// The folder of the profiles if the call names none: `SZK_STORE`, then `store.path`, then the
    /// user's data directory.
    pub fn store_root(&self) -> PathBuf {
        let strongest_first = self.env.iter().chain(self.layers.iter().rev().flatten());
        let mut paths = strongest_first.filter(|entry| entry.key.path == "store.path");
        let named = paths.next().and_then(|entry| entry.value.as_str());
        named.map_or_else(|| self.default_store(), PathBuf::from)
    }

    /// The presets of all layers, by name.
    pub fn presets(&self) -> Vec<PresetInfo> {
        let infos = self.presets.iter().map(|(name, preset)| preset.info(name));
        infos.collect()
    }

    /// A variable's value from the process, or else from the project's `.env`.
    pub(crate) fn variable(&self, name: &str) -> Option<Variable<'_>> {
        let source = |path| Source::Env {
            var: name.to_owned(),
            path,
        };
        if let Some(value) = self.origin.var(name) {
            return Some(Variable {
                value,
                source: source(None),
                base: &self.origin.cwd,
            });
        }
        Some(Variable {
            value: self.dotenv.var(name)?,
            source: source(Some(self.dotenv.path.clone())),
            base: self.dotenv.folder(),
        })
    }

    /// The files that were read, weakest first.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Where profiles live by default. A machine without home directories keeps them in the working
    /// directory.
    pub(crate) fn default_store(&self) -> PathBuf {
        let beside = || self.origin.cwd.join("sessions");
        self.origin.data_dir.clone().unwrap_or_else(beside)
    }

    fn add(&mut self, parsed: Parsed, problems: &mut Vec<Problem>) {
        problems.extend(parsed.problems);
        self.layers.push(parsed.entries);
        for (name, preset) in parsed.presets {
            self.presets.entry(name).or_default().overlay(preset);
        }
    }

    /// Checked after the last file, because a weaker file may choose a preset that a stronger one
    /// defines.
    fn unknown_presets(&self) -> Vec<Problem> {
        let chosen = self
            .layers
            .iter()
            .flatten()
            .filter(|entry| entry.key.path == "identity.preset");
        let unknown = chosen.filter_map(|entry| {
            let name = entry.value.as_str()?;
            let known = self.presets.contains_key(name);
            (!known).then(|| preset::unknown(name, "", &self.presets).at(entry.at.clone()))
        });
        unknown.collect()
    }
}

/// The files to read, weakest first. The user's and the local file may be missing; a project file
/// named explicitly may not.
fn files(origin: &Origin) -> Vec<(FileLayer, PathBuf)> {
    let project = origin.project_file();
    let local = project.as_ref().map(|path| path.with_file_name(LOCAL_FILE));
    let user = origin.user_file.clone().filter(|path| exists(path));
    let local = local.filter(|path| exists(path));
    let all = [
        (FileLayer::User, user),
        (FileLayer::Project, project),
        (FileLayer::Local, local),
    ];
    all.into_iter()
        .filter_map(|(layer, path)| Some((layer, path?)))
        .collect()
}
