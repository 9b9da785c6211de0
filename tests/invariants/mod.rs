//! What holds for the source itself; ARCHITECTURE.md says why.

mod dependencies;
mod files;
mod layers;
mod places;

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the repository.
struct Source {
    /// Path from the repository's root.
    path: String,
    text: String,
}

impl Source {
    /// Code without its tests, as numbered lines: everything before a `#[cfg(test)]`.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test = ["/tests/", "/tests.rs", "/benches/", "/testing"]
            .iter()
            .any(|part| self.path.contains(part));
        let lines = self
            .text
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]");
        lines
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .filter(move |_| !is_test)
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository is there")
}

/// Files of the repository with one of these endings, except generated and downloaded ones.
fn sources(endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), &mut |path| {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let script = path
            .parent()
            .is_some_and(|folder| folder.ends_with("scripts"))
            && ending.is_empty();
        if endings.contains(&ending) || (script && endings.contains(&"sh")) {
            let text = fs::read_to_string(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let path = path
                .strip_prefix(root())
                .expect("it was found there")
                .display()
                .to_string();
            found.push(Source { path, text });
        }
    });
    assert!(!found.is_empty(), "no files with {endings:?}");
    found
}

fn collect(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            // Profiles, builds, packages and git's own files are not source.
            let is_profiles = name == "sessions" && folder == root();
            let is_generated = name == "reference" && folder == root().join("docs");
            if !name.starts_with(".git")
                && !is_profiles
                && !is_generated
                && !matches!(name.as_str(), "target" | "node_modules" | "snapshots")
            {
                collect(&entry.path(), visit);
            }
        } else if kind.is_file() {
            visit(&entry.path());
        }
    }
}

/// Lines of our crates' code that `wanted` accepts, outside the places where they belong.
#[track_caller]
fn only_in(places: &[&str], why: &str, wanted: impl Fn(&str) -> bool) {
    let sources = sources(&["rs", "js"]);
    let found: Vec<String> = sources
        .iter()
        .filter(|source| source.path.starts_with("crates/") || source.path.starts_with("config/"))
        .filter(|source| !places.iter().any(|place| source.path.starts_with(place)))
        .flat_map(|source| {
            source
                .code()
                .filter(|(_, line)| wanted(line))
                .map(|(number, line)| format!("{}:{number}: {}", source.path, line.trim()))
        })
        .collect();
    assert!(found.is_empty(), "{why}:\n{}", found.join("\n"));
    for place in places {
        assert!(
            sources.iter().any(|source| source.path.starts_with(place)),
            "`{place}` is gone: correct this list"
        );
    }
}
