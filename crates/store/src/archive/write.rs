//! Writing an archive.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::OFlags;
use tar::{Builder, EntryType, Header};

use super::{
    ArchiveError, BROWSER, FORMAT, LEVEL, LOGINS, MANIFEST, META, Manifest, Report, STATE,
};
use crate::caches::{WHOLE, is_archived, is_skipped};
use crate::{Profile, ProfileLock, StoreError, atomic, dirs};

/// Writes a profile into a new file, mode 0600: complete or not at all. The caller holds the profile's
/// lock, so nothing changes in the meantime.
///
/// # Errors
/// `AlreadyExists` if the file exists; otherwise the disk's or the store's error.
pub fn export(profile: &Profile, lock: &ProfileLock, to: &Path) -> Result<Report, ArchiveError> {
    lock.must_be_for(profile)?;
    let meta = profile.meta()?;
    let state = profile.read_state()?;
    let manifest = Manifest {
        format: FORMAT,
        name: profile.name().clone(),
        made: Timestamp::now(),
    };
    let failed = || ArchiveError::file(to);
    if fs::symlink_metadata(to).is_ok() {
        return Err(failed()(io::ErrorKind::AlreadyExists.into()));
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Temporary files have mode 0600 from the start.
    let temporary = tempfile::Builder::new()
        .prefix(".szk-export.")
        .suffix(".tmp")
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(failed())?;
    let file = temporary.as_file().try_clone().map_err(failed())?;
    let encoder = zstd::Encoder::new(file, LEVEL).map_err(failed())?;
    let mut writer = Writer {
        tar: Builder::new(encoder),
        target: to,
        report: Report {
            manifest: manifest.clone(),
            files: 0,
            bytes: 0,
            left_out: 0,
        },
    };
    writer.json(MANIFEST, &manifest)?;
    if let Some(meta) = meta {
        writer.json(META, &meta)?;
    }
    if let Some(state) = state {
        writer.bytes(STATE, &state)?;
    }
    let logins = profile.logins()?;
    if !logins.is_empty() {
        writer.json(LOGINS, &logins)?;
    }
    let data = profile.user_data_dir();
    dirs::check_real(&data)?;
    if data.is_dir() {
        writer.folder(&data, Path::new(BROWSER), false)?;
    }
    let report = writer.report;
    let encoder = writer.tar.into_inner().map_err(failed())?;
    encoder.finish().map_err(failed())?;
    temporary.as_file().sync_all().map_err(failed())?;
    temporary
        .persist_noclobber(to)
        .map_err(|error| failed()(error.error))?;
    atomic::sync_folder(folder.unwrap_or(Path::new(".")))?;
    Ok(report)
}

struct Writer<'a, W: Write> {
    tar: Builder<W>,
    target: &'a Path,
    report: Report,
}

impl<W: Write> Writer<'_, W> {
    fn json<T: serde::Serialize>(&mut self, name: &str, value: &T) -> Result<(), ArchiveError> {
        let bytes = serde_json::to_vec_pretty(value)
            .map_err(|error| ArchiveError::file(self.target)(error.into()))?;
        self.bytes(name, &bytes)
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.entry(Path::new(name), bytes.len() as u64, 0o600, bytes)
    }

    fn entry(
        &mut self,
        name: &Path,
        size: u64,
        mode: u32,
        content: impl Read,
    ) -> Result<(), ArchiveError> {
        let mut header = header(EntryType::Regular, mode);
        header.set_size(size);
        self.report.bytes += size;
        self.tar
            .append_data(&mut header, name, content)
            .map_err(ArchiveError::file(self.target))
    }

    /// `whole`: inside an extension, whose files Chromium checks against hashes.
    fn folder(&mut self, from: &Path, to: &Path, whole: bool) -> Result<(), ArchiveError> {
        let mut head = header(EntryType::Directory, 0o700);
        head.set_size(0);
        self.tar
            .append_data(&mut head, to, io::empty())
            .map_err(ArchiveError::file(self.target))?;
        let mut entries: Vec<_> = fs::read_dir(from)
            .and_then(Iterator::collect)
            .map_err(StoreError::at(from))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (name, path) = (entry.file_name(), entry.path());
            if !whole && !is_archived(&name) {
                continue;
            }
            let kind = entry.file_type().map_err(StoreError::at(&path))?;
            let to = to.join(&name);
            if kind.is_dir() {
                self.folder(&path, &to, whole || name == WHOLE)?;
            } else if kind.is_file() {
                self.file(&path, &to)?;
            } else if !is_skipped(&name) {
                self.report.left_out += 1;
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<(), ArchiveError> {
        let file: File = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NOFOLLOW.bits() as i32)
            .open(from)
            .map_err(StoreError::at(from))?;
        let metadata = file.metadata().map_err(StoreError::at(from))?;
        let executable = metadata.permissions().mode() & 0o100;
        self.report.files += 1;
        // Exactly as many bytes as the header says, or the rest of the archive is garbage.
        let size = metadata.len();
        self.entry(to, size, dirs::PRIVATE_FILE | executable, file.take(size))
    }
}

/// Without owner and time: they describe the machine, not the profile.
fn header(kind: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}
