//! Names of finished downloads: each has its own, as in a browser.
//!
//! Where szk says where downloads go, Chromium overwrites a file of the same name, also one that it has just
//! written itself. So it writes each under the download's id into a hidden folder, and what is complete moves
//! from there to the name that the site gave it, or to the next one that is free.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Profile;

/// The hidden folder.
const INCOMING: &str = ".incoming";
/// How Chromium marks what is not complete.
const UNFINISHED: &str = ".crdownload";
/// Downloads whose place is remembered for whoever hears of them late.
const REMEMBERED: usize = 1000;
/// Bytes of a name that leave room for a number and for what file systems add.
const LONGEST: usize = 230;

/// The downloads of one profile; cheap to clone. Everyone who hears that a download is complete asks for its
/// place: the first one moves it there.
#[derive(Debug, Clone)]
pub struct DownloadFolder {
    folder: PathBuf,
    /// By id, the oldest first. A std mutex: nothing awaits under it.
    placed: Arc<Mutex<VecDeque<(String, PathBuf)>>>,
}

impl Profile {
    /// Its downloads.
    pub fn downloads(&self) -> DownloadFolder {
        DownloadFolder::of(self.downloads_dir())
    }
}

impl DownloadFolder {
    /// Downloads that end up in this folder.
    pub fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            placed: Arc::default(),
        }
    }

    /// Where downloads are until they are complete.
    pub fn incoming(&self) -> PathBuf {
        self.folder.join(INCOMING)
    }

    /// The place of a complete download that Chromium wrote as `file`: moves it there unless that has been
    /// done. A file that is not among the incoming ones stays where it is.
    ///
    /// # Errors
    /// The system's: the file is still where Chromium wrote it.
    pub fn place(&self, id: &str, name: &str, file: &Path) -> io::Result<PathBuf> {
        if file.parent() != Some(&*self.incoming()) {
            return Ok(file.to_owned());
        }
        let mut placed = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, place)) = placed.iter().find(|(known, _)| known == id) {
            return Ok(place.clone());
        }
        let place = settle(file, &self.folder, name)?;
        if placed.len() >= REMEMBERED {
            placed.pop_front();
        }
        placed.push_back((id.to_owned(), place.clone()));
        Ok(place)
    }

    /// Removes what another browser left unfinished, and keeps what it had completed.
    pub fn clear(&self) {
        let Ok(entries) = fs::read_dir(self.incoming()) else {
            return;
        };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let done = match name.ends_with(UNFINISHED) {
                true => fs::remove_file(&path),
                // Nobody knows its name any more.
                false => settle(&path, &self.folder, &name).map(drop),
            };
            if let Err(error) = done {
                tracing::debug!(path = %path.display(), %error, "an old download stays");
            }
        }
    }
}

/// Moves a complete download to the path that a caller gave, or to the next free name beside it: what is there
/// already stays. Returns where it is.
///
/// # Errors
/// The system's: the file is still where it was, and nothing is left of an attempt.
pub fn save_download_as(file: &Path, path: &Path) -> io::Result<PathBuf> {
    if path.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    match beside(file, path) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => save_copy(file, path),
        moved => moved,
    }
}

/// The same for a path on another disk, which cannot be renamed to.
fn save_copy(file: &Path, path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().unwrap_or(path);
    // Removed when dropped, unless it has moved on.
    let copy = tempfile::Builder::new()
        .prefix(".szk.")
        .suffix(".tmp")
        .tempfile_in(folder)?;
    fs::copy(file, copy.path())?;
    copy.as_file().sync_all()?;
    let place = beside(copy.path(), path)?;
    if let Err(error) = fs::remove_file(file) {
        tracing::warn!(path = %file.display(), %error, "a download stays where it was, too");
    }
    Ok(place)
}

/// Moves a file to a path, or to the next free name beside it.
fn beside(file: &Path, path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = split(&name);
    first_free(file, |number| match number {
        0 => path.to_owned(),
        _ => path.with_file_name(format!("{stem} ({number}){ending}")),
    })
}

/// Moves a file into a folder, under the first free name.
fn settle(file: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
    // One path component, whatever the server suggests.
    let name = Path::new(name).file_name().and_then(|name| name.to_str());
    let (stem, ending) = split(name.unwrap_or("download"));
    first_free(file, |number| {
        folder.join(match number {
            0 => format!("{stem}{ending}"),
            _ => format!("{stem} ({number}){ending}"),
        })
    })
}

/// Moves a file to the first of these places that is free.
fn first_free(file: &Path, place: impl Fn(u64) -> PathBuf) -> io::Result<PathBuf> {
    let mut number = 0_u64;
    loop {
        let place = place(number);
        // Taken before it is written to: others look for a free name at the same time.
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(_) => {
                return match fs::rename(file, &place) {
                    Ok(()) => Ok(place),
                    Err(error) => {
                        // It is empty, and ours.
                        let _ = fs::remove_file(&place);
                        Err(error)
                    }
                };
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// A name in two parts, between which a number goes: `a` and `.tar.gz`.
fn split(name: &str) -> (&str, &str) {
    let dot = |name: &str| name.rfind('.').filter(|at| *at > 0);
    let at = dot(name).map_or(name.len(), |at| match dot(&name[..at]) {
        Some(before) if &name[before..at] == ".tar" => before,
        _ => at,
    });
    let (stem, ending) = name.split_at(at);
    // A file system that takes no such name would keep the download from having any.
    let ending = short(ending, LONGEST / 2);
    (short(stem, LONGEST - ending.len()), ending)
}

/// At most so many bytes of a text, in whole characters.
fn short(text: &str, most: usize) -> &str {
    let fits = |end: &usize| *end <= most;
    let ends = text.char_indices().map(|(at, one)| at + one.len_utf8());
    &text[..ends.take_while(fits).last().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn downloads() -> (tempfile::TempDir, DownloadFolder) {
        let dir = tempfile::tempdir().unwrap();
        let downloads = DownloadFolder::of(dir.path().join("downloads"));
        fs::create_dir_all(downloads.incoming()).unwrap();
        (dir, downloads)
    }

    fn comes(downloads: &DownloadFolder, id: &str, name: &str) -> String {
        let file = downloads.incoming().join(id);
        fs::write(&file, id).unwrap();
        let place = downloads.place(id, name, &file).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), id);
        assert!(!file.exists());
        // Whoever hears of it later is told the same.
        assert_eq!(downloads.place(id, name, &file).unwrap(), place);
        let name = place.strip_prefix(&downloads.folder).unwrap();
        name.to_str().unwrap().to_owned()
    }

    #[test]
    fn downloads_of_one_name_get_numbers() {
        let (_dir, downloads) = downloads();
        for (id, name, expected) in [
            ("1", "invoice.pdf", "invoice.pdf"),
            ("2", "invoice.pdf", "invoice (1).pdf"),
            ("3", "invoice.pdf", "invoice (2).pdf"),
            ("4", "a.tar.gz", "a.tar.gz"),
            ("5", "a.tar.gz", "a (1).tar.gz"),
            ("6", "plain", "plain"),
            ("7", "plain", "plain (1)"),
            ("8", "../../up.txt", "up.txt"),
            ("9", "..", "download"),
        ] {
            assert_eq!(comes(&downloads, id, name), expected);
        }
        let long = format!("{}.pdf", "ä".repeat(300));
        assert!(comes(&downloads, "10", &long).ends_with("ä.pdf"));
        assert!(comes(&downloads, "11", &long).ends_with("ä (1).pdf"));
    }

    #[test]
    fn a_download_replaces_no_file_where_it_is_saved() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let comes = |save: &dyn Fn(&Path, &Path) -> io::Result<PathBuf>, to: &str| {
            let file = at("incoming");
            fs::write(&file, "new").unwrap();
            let place = save(&file, &at(to))?;
            assert_eq!(fs::read_to_string(&place).unwrap(), "new");
            assert!(!file.exists());
            Ok::<_, io::Error>(place)
        };
        fs::write(at("a.tar.gz"), "old").unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("link")).unwrap();
        let moved: &dyn Fn(&Path, &Path) -> _ = &save_download_as;
        for (save, to, expected) in [
            (moved, "a.tar.gz", "a (1).tar.gz"),
            (&save_copy, "a.tar.gz", "a (2).tar.gz"),
            (&save_download_as, "free", "free"),
            (&save_copy, "copied", "copied"),
            (&save_download_as, "link", "link (1)"),
        ] {
            assert_eq!(comes(save, to).unwrap(), at(expected));
        }
        assert_eq!(fs::read_to_string(at("a.tar.gz")).unwrap(), "old");
        // Nothing is left of what fails.
        let error = comes(moved, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IsADirectory);
        fs::remove_file(at("incoming")).unwrap();
        let before = fs::read_dir(dir.path()).unwrap().count();
        for save in [save_download_as, save_copy] {
            assert!(save(&at("incoming"), &at("new")).is_err());
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), before);
    }

    #[test]
    fn a_name_goes_to_one_of_many_that_ask_at_once() {
        let (_dir, downloads) = downloads();
        let places = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8)
                .map(|id: u32| {
                    // As two processes would, which share no memory.
                    let downloads = DownloadFolder::of(downloads.folder.clone());
                    scope.spawn(move || comes(&downloads, &id.to_string(), "a.txt"))
                })
                .collect();
            let places = asked.into_iter().map(|one| one.join().unwrap());
            places.collect::<std::collections::BTreeSet<_>>()
        });
        assert_eq!(places.len(), 8);
    }

    #[test]
    fn files_elsewhere_stay_and_old_ones_are_cleared() {
        let (dir, downloads) = downloads();
        let other = dir.path().join("other");
        fs::write(&other, "").unwrap();
        assert_eq!(downloads.place("1", "a", &other).unwrap(), other);
        fs::write(downloads.incoming().join("2"), "whole").unwrap();
        fs::write(downloads.incoming().join("3.crdownload"), "half").unwrap();
        downloads.clear();
        assert_eq!(fs::read(downloads.folder.join("2")).unwrap(), b"whole");
        assert_eq!(fs::read_dir(downloads.incoming()).unwrap().count(), 0);
    }
}
