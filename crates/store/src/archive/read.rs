//! Reads an archive, which anyone may have made.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Entry, EntryType};

use super::limits::{Measured, is_too_much};
use super::{
    ArchiveError, BROWSER, FORMAT, LOGINS, Limits, MANIFEST, META, Manifest, Report, STATE,
};
use crate::caches::is_skipped;
use crate::{Meta, Name, Profile, ProfileLock, Store, StoreError, dirs};

/// Longest entry to read into memory: a saved state.
const LONGEST: u64 = 512 << 20;

/// Creates a profile from an archive, under the archive's name or another one. The result is a
/// complete profile or none. Skips what belongs to a running browser.
///
/// # Errors
/// [`ArchiveError::Taken`] if a profile of that name exists. [`ArchiveError::Refused`] for entries
/// that lead elsewhere or are not plain files, or for too many of them.
pub fn import(
    store: &Store,
    from: &Path,
    name: Option<&Name>,
    limits: &Limits,
) -> Result<(Profile, Report), ArchiveError> {
    let file =
        szk_files::open(from, szk_files::Links::Followed).map_err(ArchiveError::file(from))?;
    let packed = file.metadata().map_err(ArchiveError::file(from))?.len();
    let reader = Reader { from };
    let decoder = zstd::Decoder::new(file).map_err(|error| reader.trouble(&error))?;
    let mut archive = Archive::new(Measured::new(decoder, packed, limits));
    let mut entries = archive.entries().map_err(|error| reader.trouble(&error))?;
    let first = match entries.next() {
        Some(entry) => entry.map_err(|error| reader.trouble(&error))?,
        None => return Err(reader.not_one("it is empty")),
    };
    let manifest = reader.manifest(first)?;
    let profile = store.profile(name.unwrap_or(&manifest.name));
    let taken = || ArchiveError::Taken {
        name: profile.name().clone(),
    };
    if profile.exists() {
        return Err(taken());
    }
    let lock = profile.create_locked()?;
    if profile.exists() {
        return Err(taken());
    }
    let mut import = Import {
        reader: &reader,
        profile: &profile,
        meta: Meta::new(profile.name().clone()),
        report: Report {
            manifest,
            files: 0,
            bytes: 0,
            left_out: 0,
        },
    };
    let mut number = 1;
    let read = entries.try_for_each(|entry| {
        number += 1;
        let entry = entry.map_err(|error| reader.trouble(&error))?;
        if number > limits.entries {
            return Err(reader.refused(&entry, "exceeds the number of entries allowed"));
        }
        import.entry(entry)
    });
    // It becomes a profile with its meta, which is written last.
    let read = read.and_then(|()| Ok(profile.write_meta(&import.meta)?));
    let report = import.report;
    match read {
        Ok(()) => Ok((profile, report)),
        Err(error) => {
            undo(profile, lock);
            Err(error)
        }
    }
}

/// The first error counts, not one from the cleanup.
fn undo(profile: Profile, lock: ProfileLock) {
    if let Err(error) = profile.trash(lock) {
        tracing::warn!(%error, "what was imported in part could not be removed");
    }
}

struct Import<'a> {
    reader: &'a Reader<'a>,
    profile: &'a Profile,
    meta: Meta,
    report: Report,
}

impl Import<'_> {
    fn entry<R: Read>(&mut self, mut entry: Entry<'_, R>) -> Result<(), ArchiveError> {
        let reader = self.reader;
        let kind = entry.header().entry_type();
        if !matches!(kind, EntryType::Regular | EntryType::Directory) {
            return Err(reader.refused(&entry, "is neither a file nor a folder"));
        }
        let Some(path) = plain(&entry) else {
            return Err(reader.refused(&entry, "leads out of the profile"));
        };
        let file = kind == EntryType::Regular;
        if file && path == Path::new(META) {
            return self.meta(&reader.text(entry)?);
        }
        if file && path == Path::new(STATE) {
            let state = reader.text(entry)?;
            self.report.bytes += state.len() as u64;
            return Ok(self.profile.write_state(&state)?);
        }
        if file && path == Path::new(LOGINS) {
            let logins = serde_json::from_slice(&reader.text(entry)?)
                .map_err(|error| reader.not_one(&format!("its `{LOGINS}`: {error}")))?;
            return Ok(self.profile.write_logins(logins)?);
        }
        let Ok(inside) = path.strip_prefix(BROWSER) else {
            return Err(reader.refused(&entry, "is not part of a profile"));
        };
        let skipped = |part: Component<'_>| is_skipped(part.as_os_str());
        let whole = inside.iter().any(|part| part == crate::caches::WHOLE);
        if !whole && inside.components().any(skipped) {
            self.report.left_out += 1;
            return Ok(());
        }
        let to = self.profile.user_data_dir().join(inside);
        if file && inside.as_os_str().is_empty() {
            return Err(reader.refused(&entry, "must be a folder"));
        }
        let folder = if file { to.parent() } else { Some(&*to) };
        if let Some(folder) = folder {
            dirs::make_private(folder).map_err(|error| reader.misplaced(&entry, error))?;
        }
        if !file {
            return Ok(());
        }
        let mode = entry.header().mode().unwrap_or(0) & 0o100;
        // `create_new`: never overwrite an earlier entry or anything else.
        let mut target = match OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(dirs::PRIVATE_FILE)
            .open(&to)
        {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(reader.refused(&entry, "is there twice"));
            }
            Err(error) => {
                return Err(reader.misplaced(&entry, StoreError::at(&to)(error)));
            }
        };
        self.report.bytes += reader.copy(&mut entry, &mut target, &to)?;
        self.report.files += 1;
        let mode = Permissions::from_mode(dirs::PRIVATE_FILE | mode);
        target.set_permissions(mode).map_err(StoreError::at(&to))?;
        Ok(())
    }

    /// Everything except the name, which comes from the folder.
    fn meta(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        #[derive(serde::Deserialize)]
        struct Format {
            version: u64,
        }
        let unreadable = |error| self.reader.not_one(&format!("its `{META}`: {error}"));
        let Format { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if version > self.meta.version {
            return Err(ArchiveError::Newer {
                path: self.reader.from.to_owned(),
                found: version,
                known: self.meta.version,
            });
        }
        let meta: Meta = serde_json::from_slice(bytes).map_err(unreadable)?;
        self.meta = Meta {
            name: self.profile.name().clone(),
            ephemeral: false,
            ..meta
        };
        Ok(())
    }
}

struct Reader<'a> {
    from: &'a Path,
}

impl Reader<'_> {
    fn manifest<R: Read>(&self, entry: Entry<'_, R>) -> Result<Manifest, ArchiveError> {
        #[derive(serde::Deserialize)]
        struct Format {
            format: u64,
        }
        if plain(&entry).as_deref() != Some(Path::new(MANIFEST)) {
            return Err(self.not_one(&format!("it does not begin with `{MANIFEST}`")));
        }
        let bytes = self.text(entry)?;
        let unreadable = |error| self.not_one(&format!("its `{MANIFEST}`: {error}"));
        // Read on its own: a newer manifest need not fit our fields.
        let Format { format } = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if format > FORMAT {
            return Err(ArchiveError::Newer {
                path: self.from.to_owned(),
                found: format,
                known: FORMAT,
            });
        }
        serde_json::from_slice(&bytes).map_err(unreadable)
    }

    fn text<R: Read>(&self, entry: Entry<'_, R>) -> Result<Vec<u8>, ArchiveError> {
        if entry.size() > LONGEST {
            return Err(self.refused(&entry, "is too long"));
        }
        let mut bytes = Vec::new();
        entry
            .take(LONGEST)
            .read_to_end(&mut bytes)
            .map_err(|error| self.trouble(&error))?;
        Ok(bytes)
    }

    /// Tells a bad archive from a bad disk.
    fn copy<R: Read>(
        &self,
        entry: &mut Entry<'_, R>,
        target: &mut File,
        to: &Path,
    ) -> Result<u64, ArchiveError> {
        let mut buffer = vec![0; 128 << 10];
        let mut copied = 0;
        loop {
            let count = entry
                .read(&mut buffer)
                .map_err(|error| self.trouble(&error))?;
            if count == 0 {
                return Ok(copied);
            }
            io::Write::write_all(target, &buffer[..count]).map_err(StoreError::at(to))?;
            copied += count as u64;
        }
    }

    fn refused<R: Read>(&self, entry: &Entry<'_, R>, reason: &'static str) -> ArchiveError {
        let name = String::from_utf8_lossy(&entry.path_bytes())
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        ArchiveError::Refused {
            path: self.from.to_owned(),
            entry: name,
            reason,
        }
    }

    /// Tells an impossible request of the archive from a disk error.
    fn misplaced<R: Read>(&self, entry: &Entry<'_, R>, error: StoreError) -> ArchiveError {
        match (&error, error.kind()) {
            (StoreError::Foreign { .. }, _)
            | (_, Some(io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists)) => {
                self.refused(entry, "lies below a file of the same archive")
            }
            (_, Some(io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput)) => {
                self.refused(entry, "has a name that cannot be a file's")
            }
            _ => error.into(),
        }
    }

    fn not_one(&self, reason: &str) -> ArchiveError {
        ArchiveError::NotOne {
            path: self.from.to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn trouble(&self, error: &io::Error) -> ArchiveError {
        if is_too_much(error) {
            return ArchiveError::Refused {
                path: self.from.to_owned(),
                entry: "its content".to_owned(),
                reason: "is more than an archive of that size can hold",
            };
        }
        self.not_one(&error.to_string())
    }
}

/// The path of an entry, if it plainly names one below a folder.
fn plain<R: Read>(entry: &Entry<'_, R>) -> Option<PathBuf> {
    let path = entry.path().ok()?;
    let plain = path.components().all(|c| matches!(c, Component::Normal(_)));
    let named = path.components().next().is_some();
    (plain && named).then(|| path.into_owned())
}
