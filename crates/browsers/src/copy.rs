//! A private copy of a database that another program may be writing.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::ReadError;

/// Longest database to copy, in bytes; a busy person's cookies take a few megabytes.
const LONGEST: u64 = 2 << 30;

/// A copy, deleted on drop.
pub(crate) struct Copied {
    pub(crate) db: Connection,
    // Removed after the connection closes: fields drop in this order.
    _dir: TempDir,
}

/// Copies a database and its logs, and opens the copy, which is in a folder only this user can read.
pub(crate) fn open(path: &Path) -> Result<Copied, ReadError> {
    let dir = tempfile::Builder::new()
        .prefix("szk-cookies-")
        .tempdir()
        .map_err(ReadError::at(path))?;
    let to = dir.path().join("db");
    // Copy the log first: whatever the browser moves from it into the database meanwhile is then in
    // both, not missing.
    for ending in ["-wal", "-journal", ""] {
        let from = with(path, ending);
        if ending.is_empty() || from.is_file() {
            copied(&from, &with(&to, ending)).map_err(ReadError::at(&from))?;
        }
    }
    let db = Connection::open_with_flags(
        &to,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(ReadError::sqlite(path))?;
    Ok(Copied { db, _dir: dir })
}

/// What is in the place of a browser's file need not be a file.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    let source = szk_files::open(from, szk_files::Links::Followed)?;
    if source.metadata()?.len() > LONGEST {
        let message = format!("it is larger than {} GiB", LONGEST >> 30);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let mut target = File::create_new(to)?;
    io::copy(&mut source.take(LONGEST), &mut target).map(drop)
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Names of a table's columns, which differ between browser versions.
pub(crate) fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}
