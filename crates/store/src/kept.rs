//! The files that a profile keeps for its clients: downloads and artifacts, by paths below its folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use crate::{Profile, dirs};

/// The folders that clients may look into.
const FOLDERS: [&str; 2] = ["downloads", "artifacts"];

/// What clients sent themselves, in one of them.
const UPLOADS: &str = "artifacts/uploads";

/// How deep folders are listed.
const DEEPEST: usize = 6;

/// Most files in a list; the newest ones are in it.
const MOST: usize = 1000;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptFile {
    /// Its path below the profile's folder, such as `downloads/report.pdf`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// When it last changed.
    pub modified: Timestamp,
}

impl Profile {
    /// Its downloads and artifacts, newest first.
    pub fn kept_files(&self) -> Vec<KeptFile> {
        let mut found = Vec::new();
        for folder in FOLDERS {
            if self.check().is_ok() {
                list(&self.file(folder), folder, DEEPEST, &mut found);
            }
        }
        found.sort_by(|a, b| {
            b.modified
                .cmp(&a.modified)
                .then_with(|| a.path.cmp(&b.path))
        });
        found.truncate(MOST);
        found
    }

    /// Opens one of them, with its size. Nothing outside of these folders can be named, and no link leads
    /// out of them.
    ///
    /// # Errors
    /// `NotFound`, also for a path that no such file could have; the system's error otherwise.
    pub fn open_kept(&self, path: &str) -> io::Result<(File, u64)> {
        let nothing = || io::Error::from(io::ErrorKind::NotFound);
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |part: &&str| is_shown(part) && !part.contains(['\\', '\0']);
        let in_folder = parts.len() > 1 && FOLDERS.contains(&parts[0]);
        if !in_folder || !parts.iter().all(fits) || is_upload(path) {
            return Err(nothing());
        }
        self.check().map_err(|_| nothing())?;
        let mut at = self.dir().to_owned();
        for part in &parts[..parts.len() - 1] {
            at.push(part);
            dirs::check_real(&at).map_err(|_| nothing())?;
        }
        at.push(parts[parts.len() - 1]);
        let file = szk_files::open(&at, szk_files::Links::Refused).map_err(|error| {
            match szk_files::is_unusable(&error) {
                true => nothing(),
                false => error,
            }
        })?;
        let bytes = file.metadata()?.len();
        Ok((file, bytes))
    }

    /// The path by which [`Self::open_kept`] finds this file, if it is one of them.
    pub fn kept_path(&self, file: &Path) -> Option<String> {
        let path = file.strip_prefix(self.dir()).ok()?.to_str()?;
        let known = FOLDERS
            .iter()
            .any(|folder| path.starts_with(&format!("{folder}/")));
        (known && !is_upload(path)).then(|| path.to_owned())
    }
}

fn list(dir: &Path, path: &str, depth: usize, found: &mut Vec<KeptFile>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
            continue;
        };
        let path = format!("{path}/{name}");
        if !is_shown(&name) || is_upload(&path) {
            continue;
        }
        if kind.is_dir() && depth > 0 {
            list(&entry.path(), &path, depth - 1, found);
        }
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if kind.is_file() {
            let modified = about.modified().ok().and_then(|time| time.try_into().ok());
            found.push(KeptFile {
                path,
                bytes: about.len(),
                modified: modified.unwrap_or(Timestamp::UNIX_EPOCH),
            });
        }
    }
}

/// Whether a part of a path is shown: nothing hidden, and no download that is still coming.
fn is_shown(part: &str) -> bool {
    !part.is_empty() && !part.starts_with('.') && !part.ends_with(".crdownload")
}

fn is_upload(path: &str) -> bool {
    path == UPLOADS || path.starts_with(&format!("{UPLOADS}/"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::profile;

    #[test]
    fn only_downloads_and_artifacts_are_found() {
        let (dir, profile) = profile();
        let put = |path: &str, text: &str| {
            let path = profile.dir().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("downloads/report.pdf", "report");
        put("downloads/half.crdownload", "");
        put("artifacts/crawls/a.jsonl", "{}");
        put("artifacts/.temporary", "");
        put("artifacts/uploads/1/mine.txt", "mine");
        put("token", "secret");
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("passwd"), "root").unwrap();
        symlink(&outside, profile.downloads_dir().join("linked")).unwrap();
        symlink(outside.join("passwd"), profile.downloads_dir().join("link")).unwrap();
        let mut listed: Vec<String> = profile
            .kept_files()
            .into_iter()
            .map(|file| file.path)
            .collect();
        listed.sort();
        assert_eq!(listed, ["artifacts/crawls/a.jsonl", "downloads/report.pdf"]);
        for path in &listed {
            let at = profile.dir().join(path);
            assert_eq!(profile.kept_path(&at).as_ref(), Some(path));
            profile.open_kept(path).unwrap();
        }
        assert_eq!(profile.open_kept("downloads/report.pdf").unwrap().1, 6);
        for path in [
            "",
            "downloads",
            "downloads/",
            "downloads/none",
            "token",
            "downloads/../token",
            "/etc/passwd",
            "downloads//etc/passwd",
            "downloads/linked/passwd",
            "downloads/link",
            "downloads/linked",
            "artifacts/crawls",
            "artifacts/uploads/1/mine.txt",
            "artifacts/.temporary",
            "downloads/..\\token",
            "downloads/report.pdf\0",
        ] {
            let error = profile.open_kept(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{path}: {error}");
        }
        assert_eq!(profile.kept_path(&profile.dir().join("token")), None);
    }
}
