//! Databases of a closed browser.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

/// Bytes that every database starts with (SQLite file format, 1.3).
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What happened to the databases below a folder.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tidied {
    /// Databases that were checkpointed or vacuumed.
    pub databases: u64,
    /// Bytes saved, logs included.
    pub freed: u64,
    /// Unusable databases, with the reason.
    pub damaged: Vec<(PathBuf, String)>,
}

/// Checkpoints the write-ahead logs of all databases below a folder, checks the databases, and vacuums
/// those that are largely empty. No one else may have them open. Does not follow links.
#[must_use]
pub fn tidy(folder: &Path) -> Tidied {
    let mut tidied = Tidied::default();
    walk(folder, &mut tidied);
    tidied
}

fn walk(folder: &Path, tidied: &mut Tidied) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            walk(&path, tidied);
        } else if kind.is_file() && is_database(&path) {
            let before = size(&path);
            match one(&path) {
                Ok(true) => {
                    tidied.databases += 1;
                    tidied.freed += before.saturating_sub(size(&path));
                }
                Ok(false) => {}
                Err(error) => tidied.damaged.push((path, error)),
            }
        }
    }
}

fn is_database(path: &Path) -> bool {
    use std::io::Read;
    let mut head = [0; MAGIC.len()];
    szk_files::open(path, szk_files::Links::Refused)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok()
        && head == MAGIC
}

/// Whether there was anything to do.
fn one(path: &Path) -> Result<bool, String> {
    let text = |error: rusqlite::Error| error.to_string();
    let log = with_log(path).is_file();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(text)?;
    let number = |pragma: &str| -> Result<u64, String> {
        db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0))
            .map(|n| u64::try_from(n).unwrap_or(0))
            .map_err(text)
    };
    let check: String = db
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(text)?;
    if check != "ok" {
        return Err(check);
    }
    let (pages, free) = (number("page_count")?, number("freelist_count")?);
    // A database grows again after a vacuum, so only a lot of free space is worth the writing.
    let pack = free > 256 && free * 4 > pages;
    if pack {
        db.execute_batch("VACUUM").map_err(text)?;
    }
    if log {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(text)?;
    }
    db.close().map_err(|(_, error)| error.to_string())?;
    Ok(log || pack)
}

fn size(path: &Path) -> u64 {
    let of = |path: &Path| fs::metadata(path).map_or(0, |m| m.len());
    of(path) + of(&with_log(path))
}

fn with_log(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push("-wal");
    PathBuf::from(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database whose writer was killed: its log has rows that the file lacks.
    fn with_a_log(dir: &Path) -> PathBuf {
        let (path, kept) = (dir.join("source"), dir.join("Cookies"));
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(x);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000)
             INSERT INTO t SELECT hex(randomblob(100)) FROM n;",
        )
        .unwrap();
        fs::copy(&path, &kept).unwrap();
        fs::copy(with_log(&path), with_log(&kept)).unwrap();
        drop(db);
        fs::remove_file(path).unwrap();
        kept
    }

    fn rows(path: &Path) -> i64 {
        let db = Connection::open(path).unwrap();
        db.query_row("SELECT count(*) FROM t", [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn logs_go_into_their_databases_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = with_a_log(dir.path());
        assert!(fs::metadata(with_log(&path)).unwrap().len() > 100_000);
        let tidied = tidy(dir.path());
        assert_eq!((tidied.databases, tidied.damaged.len()), (1, 0));
        assert!(!with_log(&path).exists());
        assert_eq!(rows(&path), 5000);
        assert_eq!(tidy(dir.path()), Tidied::default());
    }

    #[test]
    fn empty_pages_are_given_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = with_a_log(dir.path());
        let _ = tidy(dir.path());
        let db = Connection::open(&path).unwrap();
        db.execute_batch("DELETE FROM t WHERE rowid > 100").unwrap();
        drop(db);
        let tidied = tidy(dir.path());
        assert!(tidied.freed > 500_000, "{tidied:?}");
        assert_eq!(rows(&path), 100);
    }

    #[test]
    fn a_damaged_one_is_named_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("Cookies");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([7; 5000]);
        fs::write(&path, &bytes).unwrap();
        fs::write(dir.path().join("LOG"), "SQLite format").unwrap();
        let tidied = tidy(dir.path());
        assert_eq!(tidied.damaged.len(), 1);
        assert_eq!(tidied.damaged[0].0, path);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
