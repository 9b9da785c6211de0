//! The files that `szk init` adds to a project. It never overwrites existing ones.

mod diff;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Longest project file to compare, in bytes.
const LONGEST: u64 = 16 << 20;

/// A file of the scaffold.
struct Template {
    path: &'static str,
    text: &'static str,
}

const TEMPLATES: [Template; 4] = [
    Template {
        path: "szk.config.toml",
        text: include_str!("szk.config.toml"),
    },
    Template {
        path: "playwright.config.mjs",
        text: include_str!("playwright.config.mjs"),
    },
    Template {
        path: "tests/szk.mjs",
        text: include_str!("fixture.mjs"),
    },
    Template {
        path: "tests/example.spec.mjs",
        text: include_str!("example.spec.mjs"),
    },
];

/// Files in which Playwright would find the project's own configuration.
const PLAYWRIGHT: [&str; 6] = ["ts", "js", "mts", "mjs", "cts", "cjs"];

/// Lines that `.gitignore` needs: profiles hold logins.
const IGNORED: [&str; 4] = [
    ".szk/",
    "szk.config.local.toml",
    "test-results/",
    "playwright-report/",
];

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    /// Path below the project's folder.
    pub(crate) path: PathBuf,
    /// What was done, or would be.
    pub(crate) done: Done,
    /// For a file that differs, the lines: `-` the project's, `+` the template's. For a file that was
    /// extended, the new lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) lines: String,
}

/// Outcome for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Done {
    /// It is new.
    Created,
    /// Lines were appended.
    Extended,
    /// It is already correct.
    Same,
    /// It is the project's own and stays.
    Differs,
}

/// Adds what is missing to a folder; with `dry_run` only reports it.
pub(crate) fn scaffold(dir: &Path, dry_run: bool) -> io::Result<Vec<Step>> {
    let mut steps = Vec::new();
    for template in &TEMPLATES {
        steps.push(place(dir, template, dry_run)?);
    }
    steps.push(ignore(dir, dry_run)?);
    Ok(steps)
}

fn place(dir: &Path, template: &Template, dry_run: bool) -> io::Result<Step> {
    let mut path = PathBuf::from(template.path);
    if path.starts_with("playwright.config.mjs")
        && let Some(own) = PLAYWRIGHT
            .iter()
            .map(|ending| PathBuf::from(format!("playwright.config.{ending}")))
            .find(|own| dir.join(own).exists())
    {
        path = own;
    }
    let to = dir.join(&path);
    let step = |done, lines| Step { path, done, lines };
    match szk_files::text(&to, LONGEST) {
        Ok(text) if text == template.text => Ok(step(Done::Same, String::new())),
        Ok(text) => Ok(step(Done::Differs, diff::lines(&text, template.text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !dry_run {
                if let Some(folder) = to.parent() {
                    fs::create_dir_all(folder)?;
                }
                // `create_new`: do not write through a dangling link or a file that appeared
                // meanwhile.
                let mut file = fs::File::create_new(&to)?;
                io::Write::write_all(&mut file, template.text.as_bytes())?;
            }
            Ok(step(Done::Created, String::new()))
        }
        // Not text, so it is the project's own all the same.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Ok(step(Done::Differs, String::new()))
        }
        Err(error) => Err(error),
    }
}

fn ignore(dir: &Path, dry_run: bool) -> io::Result<Step> {
    let path = PathBuf::from(".gitignore");
    let to = dir.join(&path);
    let text = match szk_files::text(&to, LONGEST) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let old = text.as_deref().unwrap_or_default();
    let there = |line: &str| {
        let plain = |line: &str| line.trim().trim_matches('/').to_owned();
        old.lines().any(|own| plain(own) == plain(line))
    };
    let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !there(line)).collect();
    let done = match (&text, missing.is_empty()) {
        (_, true) => Done::Same,
        (None, false) => Done::Created,
        (Some(_), false) => Done::Extended,
    };
    if done != Done::Same && !dry_run {
        let mut added = String::new();
        if !old.is_empty() && !old.ends_with('\n') {
            added.push('\n');
        }
        for line in &missing {
            added.push_str(line);
            added.push('\n');
        }
        // Do not write through a dangling link.
        let mut file = match &text {
            Some(_) => fs::OpenOptions::new().append(true).open(&to)?,
            None => fs::File::create_new(&to)?,
        };
        io::Write::write_all(&mut file, added.as_bytes())?;
    }
    let lines = if done == Done::Extended {
        missing.iter().map(|line| format!("+{line}\n")).collect()
    } else {
        String::new()
    };
    Ok(Step { path, done, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(dir: &Path, dry_run: bool) -> Vec<Done> {
        let steps = scaffold(dir, dry_run).unwrap();
        steps.iter().map(|step| step.done).collect()
    }

    #[test]
    fn an_empty_folder_gets_everything_once() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(outcomes(dir.path(), true), [Done::Created; 5]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        assert_eq!(outcomes(dir.path(), false), [Done::Created; 5]);
        assert_eq!(outcomes(dir.path(), false), [Done::Same; 5]);
    }

    #[test]
    fn what_is_there_stays_and_is_compared() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| fs::write(dir.path().join(path), text).unwrap();
        put("playwright.config.ts", "export default {};\n");
        put("szk.config.toml", "[store]\npath = \"mine\"\n");
        put(".gitignore", "/.szk\nnode_modules");
        let steps = scaffold(dir.path(), false).unwrap();
        let seen: Vec<_> = steps
            .iter()
            .map(|s| (s.path.to_str().unwrap(), s.done))
            .collect();
        assert_eq!(
            seen,
            [
                ("szk.config.toml", Done::Differs),
                ("playwright.config.ts", Done::Differs),
                ("tests/szk.mjs", Done::Created),
                ("tests/example.spec.mjs", Done::Created),
                (".gitignore", Done::Extended),
            ]
        );
        assert!(
            steps[0].lines.contains("-path = \"mine\"\n"),
            "{}",
            steps[0].lines
        );
        assert!(
            steps[0].lines.contains("+path = \".szk\"\n"),
            "{}",
            steps[0].lines
        );
        let text = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
        assert_eq!(text("szk.config.toml"), "[store]\npath = \"mine\"\n");
        assert!(!dir.path().join("playwright.config.mjs").exists());
        assert_eq!(
            text(".gitignore"),
            "/.szk\nnode_modules\nszk.config.local.toml\ntest-results/\nplaywright-report/\n"
        );
        assert_eq!(outcomes(dir.path(), false)[4], Done::Same);
    }

    #[test]
    fn a_link_is_not_written_through() {
        for name in [".gitignore", "szk.config.toml"] {
            let dir = tempfile::tempdir().unwrap();
            let outside = dir.path().join("outside");
            std::os::unix::fs::symlink(&outside, dir.path().join(name)).unwrap();
            assert!(scaffold(dir.path(), false).is_err(), "{name}");
            assert!(!outside.exists(), "{name}");
        }
    }
}
