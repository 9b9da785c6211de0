//! The project's `.env`, where people keep variables for every program they run there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Problem;
use crate::file::SourceFile;
use crate::origin::{Origin, exists};

/// Name of the file.
const FILE: &str = ".env";

/// What one folder's file sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dotenv {
    pub(crate) path: PathBuf,
    /// szk's variables; the others are none of our business.
    values: BTreeMap<String, String>,
}

impl Dotenv {
    /// Reads the file in this folder; if there is none, nothing is set. A line that does not parse
    /// belongs to another program, unless it names one of our variables.
    pub(crate) fn read(folder: &Path) -> Result<Self, Problem> {
        let path = folder.join(FILE);
        let mut values = BTreeMap::new();
        if exists(&path) && !path.is_dir() {
            let file = SourceFile::read(&path)?;
            for line in dotenvy::from_read_iter(file.text.as_bytes()) {
                match line {
                    Ok((name, value)) => {
                        values.insert(name, value);
                    }
                    Err(dotenvy::Error::LineParse(line, _)) if !names_ours(&line) => {}
                    // The message would quote the line, and so the key.
                    Err(dotenvy::Error::LineParse(line, _)) if line.contains("SZK_AGENT_KEY") => {
                        let text = format!("`{}`: `SZK_AGENT_KEY` does not parse", path.display());
                        return Err(Problem::new(text));
                    }
                    Err(error) => {
                        return Err(Problem::new(format!("`{}`: {error}", path.display())));
                    }
                }
            }
        }
        values.retain(|name, value| is_ours(name) && !value.is_empty());
        Ok(Self { path, values })
    }

    /// A variable's value.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Where relative paths in it start.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

fn is_ours(name: &str) -> bool {
    Origin::VARIABLES.contains(&name)
}

/// Whether a line sets one of our variables.
fn names_ours(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let name = line.split('=').next().unwrap_or_default();
    is_ours(name.trim())
}
