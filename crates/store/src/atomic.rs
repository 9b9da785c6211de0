//! Files that are always either the old version or the new one, whatever happens in between.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use tempfile::{Builder, NamedTempFile};

use crate::{StoreError, dirs};

/// A temporary file older than this was left by a killed writer.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Only the holder of the profile's lock writes these, so whoever has just taken the lock can remove
/// them as leftovers of a killed holder, however recent.
const OF_THE_HOLDER: [&str; 3] = [".state.", ".meta.json.", ".keeper.json."];

/// Replaces a file's content, mode 0600: writes a temporary file in the same folder, syncs it, renames
/// it over the old one and syncs the folder.
///
/// On an error (a full disk, say) it removes the temporary file and leaves the old file untouched.
pub fn write(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let temporary = prepare(path, content).map_err(StoreError::at(path))?;
    replace(temporary, path)
}

/// Replaces a file's content as [`write`] does, but leaves it to the system when it reaches the disk: after a power
/// cut the file may be empty or missing. For what is about a running process, and means nothing once that has ended.
pub(crate) fn write_for_now(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let temporary = unsynced(path, content).map_err(StoreError::at(path))?;
    let replaced = temporary.persist(path).map(drop);
    replaced.map_err(|e| StoreError::at(path)(e.error))
}

/// Creates a file, mode 0600, unless something is already at `path`; returns whether it did.
///
/// Of several callers at once exactly one creates the file, and no one sees it incomplete.
pub fn create(path: &Path, content: &[u8]) -> Result<bool, StoreError> {
    let temporary = prepare(path, content).map_err(StoreError::at(path))?;
    match temporary.persist_noclobber(path) {
        Ok(_) => sync_folder(folder(path)).map(|()| true),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(StoreError::at(path)(e.error)),
    }
}

/// Writes the new content to disk beside the old file, without replacing it yet.
pub(crate) fn prepare(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let temporary = unsynced(path, content)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn unsynced(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut temporary = Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".tmp")
        .tempfile_in(folder(path))
        .map_err(bare)?;
    let file = temporary.as_file_mut();
    // The umask may have masked even the owner's permissions.
    file.set_permissions(Permissions::from_mode(dirs::PRIVATE_FILE))?;
    file.write_all(content)?;
    Ok(temporary)
}

/// Moves a prepared file into place.
pub(crate) fn replace(temporary: NamedTempFile, path: &Path) -> Result<(), StoreError> {
    temporary
        .persist(path)
        .map_err(|e| StoreError::at(path)(e.error))?;
    sync_folder(folder(path))
}

/// Longest file that is kept by copying; a longer one is moved.
const COPIED: u64 = 512 << 20;

/// Makes renames, links and removals in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let synced = File::open(folder).and_then(|dir| dir.sync_all());
    match synced {
        // Some file systems cannot sync folders; there is nothing else to do.
        Err(e) if Errno::from_io_error(&e) == Some(Errno::INVAL) => Ok(()),
        other => other.map_err(StoreError::at(folder)),
    }
}

/// Removes temporary files left by killed writers. Best effort: they are harmless. The caller has just
/// taken the lock of the profile in this folder.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        let temporary = name.starts_with('.') && name.ends_with(".tmp");
        let holders = OF_THE_HOLDER.iter().any(|prefix| name.starts_with(prefix));
        if temporary && (holders || age().is_some_and(|age| age > ABANDONED)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Keeps a copy of an unreadable file under `<name>.<why>-<n>` and returns its path.
///
/// Keeps at most nine, then replaces the ninth. The file itself stays. Anything that is not a regular
/// file (a FIFO, a folder, a link) or is too large to copy is moved instead.
pub(crate) fn keep_copy(path: &Path, why: &str) -> Result<std::path::PathBuf, StoreError> {
    match szk_files::read_own(path, COPIED) {
        Ok(content) => {
            let to = place(path, why);
            write(&to, &content)?;
            Ok(to)
        }
        Err(e) if szk_files::is_unusable(&e) => put_aside(path, why),
        Err(e) => Err(StoreError::at(path)(e)),
    }
}

/// The first free of nine names for a kept file, else the ninth.
fn place(path: &Path, why: &str) -> std::path::PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = |n| path.with_file_name(format!("{name}.{why}-{n}"));
    let free = (1..9)
        .map(numbered)
        .find(|p| fs::symlink_metadata(p).is_err());
    free.unwrap_or_else(|| numbered(9))
}

/// Moves whatever is there to where [`keep_copy`] would keep it, and returns that path.
pub(crate) fn put_aside(path: &Path, why: &str) -> Result<std::path::PathBuf, StoreError> {
    let to = place(path, why);
    clear(&to)?;
    fs::rename(path, &to).map_err(StoreError::at(path))?;
    sync_folder(folder(path))?;
    Ok(to)
}

/// Moves a folder out of the way of a file to be written; anything else is simply replaced.
pub(crate) fn make_way(path: &Path) -> Result<(), StoreError> {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        keep_copy(path, "corrupt")?;
    }
    Ok(())
}

/// Removes what an earlier copy left under this name: a file cannot be renamed over a folder.
fn clear(path: &Path) -> Result<(), StoreError> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(meta) if meta.is_dir() => crate::trash::remove(path).map_err(StoreError::at(path)),
        Ok(_) => fs::remove_file(path).map_err(StoreError::at(path)),
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// tempfile adds its temporary path to the error, and its number is gone; ours names the real file, in the
/// system's words.
pub(crate) fn bare(error: io::Error) -> io::Error {
    if let Some(errno) = Errno::from_io_error(&error) {
        return errno.into();
    }
    match error.kind() {
        io::ErrorKind::NotFound => Errno::NOENT.into(),
        io::ErrorKind::NotADirectory => Errno::NOTDIR.into(),
        io::ErrorKind::PermissionDenied => Errno::ACCESS.into(),
        io::ErrorKind::ReadOnlyFilesystem => Errno::ROFS.into(),
        io::ErrorKind::StorageFull => Errno::NOSPC.into(),
        io::ErrorKind::QuotaExceeded => Errno::DQUOT.into(),
        kind => kind.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;
    use crate::testing::{mode, names};

    #[test]
    fn a_file_is_made_and_replaced_with_mode_0600() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write(&path, b"one").unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), mode(&path)),
            (b"two".to_vec(), 0o600)
        );
        assert_eq!(names(dir.path()), ["f"]);
    }

    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("f"), dir.path().join("other"));
        fs::write(&other, "mine").unwrap();
        symlink(&other, &path).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert!(!path.is_symlink());
    }

    #[test]
    fn a_failure_names_the_file_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("no/f");
        let error = write(&path, b"x").unwrap_err();
        assert_eq!(
            (error.path(), error.kind()),
            (&*path, Some(io::ErrorKind::NotFound))
        );
        assert!(error.to_string().contains("No such file"), "{error}");
        // Something that a rename cannot replace.
        let path = dir.path().join("folder");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"x").unwrap_err();
        assert_eq!(error.path(), path);
        assert_eq!(names(dir.path()), ["folder"]);
    }

    #[test]
    fn of_many_creators_one_creates_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let content = |n: u8| vec![n; 20_000];
        let together = std::sync::Barrier::new(8);
        let creators: Vec<u8> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n| {
                    let (path, together) = (&path, &together);
                    scope.spawn(move || {
                        together.wait();
                        create(path, &content(n)).unwrap().then_some(n)
                    })
                })
                .collect();
            let created = threads.into_iter().map(|thread| thread.join().unwrap());
            created.flatten().collect()
        });
        assert_eq!(creators.len(), 1);
        assert_eq!(fs::read(&path).unwrap(), content(creators[0]));
        assert_eq!((names(dir.path()), mode(&path)), (vec!["f".into()], 0o600));
    }

    #[test]
    fn creating_leaves_whatever_is_there() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "mine").unwrap();
        symlink("nowhere", dir.path().join("link")).unwrap();
        fs::create_dir(dir.path().join("folder")).unwrap();
        for name in ["file", "link", "folder"] {
            assert!(!create(&dir.path().join(name), b"x").unwrap(), "{name}");
        }
        assert_eq!(names(dir.path()), ["file", "folder", "link"]);
        assert_eq!(fs::read_to_string(dir.path().join("file")).unwrap(), "mine");
    }

    #[test]
    fn readers_and_writers_at_once_only_ever_see_complete_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let content = |n: u8| vec![n; 20_000];
        write(&path, &content(0)).unwrap();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (1..4)
                .map(|n| {
                    let path = &path;
                    scope.spawn(move || (0..20).for_each(|_| write(path, &content(n)).unwrap()))
                })
                .collect();
            while writers.iter().any(|w| !w.is_finished()) {
                let seen = fs::read(&path).unwrap();
                assert_eq!(seen, content(seen[0]));
            }
        });
        assert_eq!(names(dir.path()), ["f"]);
    }

    #[test]
    fn temporary_files_are_swept_that_nobody_can_be_writing() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, aged) in [
            (".f.a.tmp", true),
            (".f.b.tmp", false),
            (".state.json.c.tmp", false),
            (".state.json", true),
            ("g.tmp", true),
            (".h", true),
        ] {
            let file = File::create(dir.path().join(name)).unwrap();
            if aged {
                file.set_modified(old).unwrap();
            }
        }
        sweep(dir.path());
        assert_eq!(
            names(dir.path()),
            [".f.b.tmp", ".h", ".state.json", "g.tmp"]
        );
    }

    #[test]
    fn copies_kept_are_counted_up_to_nine() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        for n in 0..12 {
            fs::write(&path, n.to_string()).unwrap();
            keep_copy(&path, "bad").unwrap();
        }
        assert_eq!(names(dir.path()).len(), 10);
        assert_eq!(fs::read_to_string(dir.path().join("f.bad-1")).unwrap(), "0");
        assert_eq!(
            fs::read_to_string(dir.path().join("f.bad-9")).unwrap(),
            "11"
        );
    }
}
