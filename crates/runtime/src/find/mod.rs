//! Finds Chromium, and records every place searched and why it was or was not used.

mod check;
mod chrome;
mod languages;
mod places;

use std::fmt;
use std::path::{Path, PathBuf};

pub use check::{Refusal, is_script, version};
pub use chrome::{ignores_extensions, is_google_chrome};
pub use languages::lacks_language;
pub use places::Places;

/// An executable that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What named it: `call`, `SZK_CHROMIUM`, a config file and line, `Playwright's cache`, `system`.
    pub source: String,
    /// The path.
    pub path: PathBuf,
    /// Why it was refused; `None` for the one in use.
    pub refusal: Option<Refusal>,
}

/// The executable to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Path as given. szk does not resolve symbolic links, since some installations depend on them.
    pub path: PathBuf,
    /// What named it.
    pub source: String,
    /// All candidates so far, with this one last.
    pub candidates: Vec<Candidate>,
}

/// No usable Chromium.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// A setting names an unusable executable. szk never skips it silently.
    #[error("cannot use the Chromium named by {source_name}: `{path}` {refusal}")]
    Explicit {
        /// What named it.
        source_name: String,
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        refusal: Refusal,
    },
    /// There is none in the places where szk looks.
    #[error("no Chromium was found{}", listed(.candidates))]
    Nothing {
        /// All places searched.
        candidates: Vec<Candidate>,
    },
}

/// Finds the executable: the explicit one if there is one, else the first usable place.
///
/// # Errors
/// [`FindError::Explicit`] if the named one is unusable, [`FindError::Nothing`] if no place has
/// one.
pub fn find(explicit: Option<(&Path, &str)>, places: &Places) -> Result<Found, FindError> {
    if let Some((path, source)) = explicit {
        return match check::check(path) {
            Ok(()) => Ok(taken(path, source, Vec::new())),
            Err(refusal) => Err(FindError::Explicit {
                source_name: source.to_owned(),
                path: path.to_owned(),
                refusal,
            }),
        };
    }
    let mut candidates = Vec::new();
    for (path, source) in places.in_order() {
        match check::check(&path) {
            Ok(()) => return Ok(taken(&path, source, candidates)),
            Err(refusal) => candidates.push(Candidate {
                source: source.to_owned(),
                path,
                refusal: Some(refusal),
            }),
        }
    }
    Err(FindError::Nothing { candidates })
}

fn taken(path: &Path, source: &str, mut candidates: Vec<Candidate>) -> Found {
    candidates.push(Candidate {
        source: source.to_owned(),
        path: path.to_owned(),
        refusal: None,
    });
    Found {
        path: path.to_owned(),
        source: source.to_owned(),
        candidates,
    }
}

fn listed(candidates: &[Candidate]) -> String {
    let present: Vec<String> = candidates
        .iter()
        .filter(|candidate| !matches!(candidate.refusal, Some(Refusal::NotFound) | None))
        .map(ToString::to_string)
        .collect();
    if present.is_empty() {
        format!(" in {} places", candidates.len())
    } else {
        format!(": {}", present.join("; "))
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.path.display(), self.source)?;
        match &self.refusal {
            Some(refusal) => write!(f, " {refusal}"),
            None => f.write_str(" is usable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn executable(path: &Path, text: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[track_caller]
    fn refused(path: &Path, expected: &Refusal) {
        match find(Some((path, "call")), &Places::none()) {
            Err(FindError::Explicit { refusal, .. }) => assert_eq!(&refusal, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_explicit_but_wrong_path_is_an_error_with_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("plain"), "x").unwrap();
        symlink(at("gone"), at("broken")).unwrap();
        executable(&at("stub"), b"#!/bin/sh\nexit 1\n");
        refused(Path::new(""), &Refusal::Empty);
        refused(&at("gone"), &Refusal::NotFound);
        refused(&at("broken"), &Refusal::BrokenSymlink);
        refused(dir.path(), &Refusal::NotAFile);
        refused(&at("plain"), &Refusal::NotExecutable);
        refused(&at("stub"), &Refusal::Stub);
    }

    #[test]
    fn a_wrong_explicit_path_is_not_skipped_for_a_good_place() {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("chrome");
        executable(&good, b"\x7fELF");
        let places = Places::of(std::slice::from_ref(&good));
        assert!(find(Some((Path::new("/nowhere"), "SZK_CHROMIUM")), &places).is_err());
        assert_eq!(find(None, &places).unwrap().path, good);
    }

    #[test]
    fn a_wrapper_script_that_answers_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let wrapper = dir.path().join("chromium browser");
        executable(&wrapper, b"#!/bin/sh\necho Chromium 1.2.3\n");
        assert_eq!(
            find(Some((&wrapper, "call")), &Places::none())
                .unwrap()
                .path,
            wrapper
        );
    }

    #[test]
    fn finding_nothing_lists_the_unusable_candidates() {
        let dir = tempfile::tempdir().unwrap();
        let plain = dir.path().join("plain");
        fs::write(&plain, "x").unwrap();
        let error = find(None, &Places::of(&[plain, dir.path().join("gone")]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("plain` (system) is not executable"),
            "{error}"
        );
        assert!(!error.contains("gone"), "{error}");
    }

    #[test]
    fn the_newest_revision_of_playwrights_cache_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        for revision in [
            "chromium-999",
            "chromium-1217",
            "chromium_headless_shell-2000",
        ] {
            executable(
                &dir.path().join(revision).join("chrome-linux/chrome"),
                b"\x7fELF",
            );
        }
        let found = find(None, &Places::playwright(dir.path())).unwrap();
        assert!(
            found.path.to_string_lossy().contains("chromium-1217"),
            "{found:?}"
        );
    }
}
