//! Init scripts: text that runs before the first script of a realm.
//!
//! The first lines of a script say where it runs:
//! `// @world main` or `isolated` (default main), `// @realms page, worker` (default both).

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use szk_cdp::frames::{our_world, random_name};
use szk_cdp::protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use szk_cdp::protocol::runtime::EvaluateParams;

use super::TargetCommand;

/// An init script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Text.
    pub source: String,
    /// The world of a page it runs in; workers have only one.
    pub world: World,
    /// The realms it runs in.
    pub realms: Vec<Realm>,
}

/// A world of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// The page's own.
    Main,
    /// An isolated world of the user's scripts.
    Isolated,
    /// The isolated world of all scripts of ours.
    Ours,
}

/// A kind of realm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// Documents.
    Page,
    /// Workers and worklets.
    Worker,
}

/// A script of the user is unusable.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file is unreadable.
    #[error("cannot read the init script `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A directive is unknown.
    #[error("the init script `{path}` has an unknown directive `@{directive} {value}`")]
    Directive {
        /// The file.
        path: PathBuf,
        /// `world` or `realms`.
        directive: &'static str,
        /// Its value.
        value: String,
    },
}

/// Longest script, in bytes.
const LONGEST: u64 = 4 << 20;

/// The scripts of `config/stealth`, compiled in; a test fails if the folder contains a script that is not
/// listed here.
const BUILT_IN: &[(&str, &str)] = &[(
    "window.js",
    include_str!("../../../../config/stealth/window.js"),
)];

pub(crate) fn built_in() -> Vec<Script> {
    BUILT_IN
        .iter()
        .filter_map(|(name, source)| Script::parse(Path::new(name), source).ok())
        .map(|script| match script.world {
            World::Isolated => Script {
                world: World::Ours,
                ..script
            },
            World::Main | World::Ours => script,
        })
        .collect()
}

impl Script {
    /// Reads a script of the user.
    ///
    /// # Errors
    /// [`ScriptError`].
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let source = szk_files::text(path, LONGEST).map_err(|source| ScriptError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &source)
    }

    fn parse(path: &Path, source: &str) -> Result<Self, ScriptError> {
        let directive = |name: &str| {
            source
                .lines()
                .take_while(|line| line.trim_start().starts_with("//") || line.trim().is_empty())
                .find_map(|line| {
                    line.trim_start_matches(['/', ' '])
                        .strip_prefix('@')?
                        .strip_prefix(name)
                })
                .map(|value| value.trim().to_owned())
        };
        let unknown = |directive, value: &str| ScriptError::Directive {
            path: path.to_owned(),
            directive,
            value: value.to_owned(),
        };
        let world = match directive("world").as_deref() {
            None | Some("main") => World::Main,
            Some("isolated") => World::Isolated,
            Some(other) => return Err(unknown("world", other)),
        };
        let realms = match directive("realms") {
            None => vec![Realm::Page, Realm::Worker],
            Some(list) => list
                .split(',')
                .map(|realm| match realm.trim() {
                    "page" => Ok(Realm::Page),
                    "worker" => Ok(Realm::Worker),
                    other => Err(unknown("realms", other)),
                })
                .collect::<Result<_, _>>()?,
        };
        Ok(Self {
            source: source.to_owned(),
            world,
            realms,
        })
    }

    /// Registered for all future documents, and run in the current one.
    pub(crate) fn for_page(&self) -> TargetCommand {
        TargetCommand::vital(&AddScriptToEvaluateOnNewDocumentParams {
            run_immediately: Some(true),
            ..self.for_documents()
        })
    }

    /// Registered for all future documents. A page need not wait for the answer before it runs.
    pub(crate) fn for_next_documents(&self) -> TargetCommand {
        TargetCommand::wished(&self.for_documents())
    }

    fn for_documents(&self) -> AddScriptToEvaluateOnNewDocumentParams {
        AddScriptToEvaluateOnNewDocumentParams {
            world_name: match self.world {
                World::Main => None,
                World::Isolated => Some(users_world().to_owned()),
                World::Ours => Some(our_world().to_owned()),
            },
            ..AddScriptToEvaluateOnNewDocumentParams::new(self.source.as_str())
        }
    }

    /// Run while the worker is paused. Its completion value is dropped, and its errors are its own.
    pub(crate) fn for_worker(&self) -> TargetCommand {
        TargetCommand::vital(&EvaluateParams {
            silent: Some(true),
            ..EvaluateParams::new(self.source.as_str())
        })
    }
}

/// Random per process, so that nothing can search for it.
fn users_world() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &str) -> Result<Script, ScriptError> {
        Script::parse(Path::new("x.js"), source)
    }

    #[test]
    fn directives_choose_world_and_realms() {
        let script = parse("// why\n// @world isolated\n// @realms page\nx = 1").unwrap();
        assert_eq!(
            (script.world, script.realms),
            (World::Isolated, vec![Realm::Page])
        );
        let script = parse("x = 1\n// @world isolated").unwrap();
        assert_eq!((script.world, script.realms.len()), (World::Main, 2));
    }

    #[test]
    fn what_is_built_in_runs_in_the_world_of_all_scripts_of_ours() {
        let world = |script: &Script| script.for_documents().world_name;
        let built_in = built_in();
        let isolated = built_in.iter().map(world);
        assert!(isolated.flatten().all(|name| name == our_world()));
        assert!(built_in.iter().any(|script| script.world == World::Ours));
        let users = world(&parse("// @world isolated\nx = 1").unwrap());
        assert!(users.is_some_and(|name| name != our_world()));
    }

    #[test]
    fn unknown_directives_are_errors() {
        assert!(
            parse("// @world moon")
                .unwrap_err()
                .to_string()
                .contains("@world moon")
        );
        assert!(parse("// @realms page, moon").is_err());
    }

    #[test]
    fn every_file_of_the_folder_is_compiled_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/stealth");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") {
                assert!(
                    BUILT_IN.iter().any(|(listed, _)| *listed == name),
                    "{name} is not listed"
                );
            }
        }
        assert_eq!(built_in().len(), BUILT_IN.len(), "each one parses");
    }
}
