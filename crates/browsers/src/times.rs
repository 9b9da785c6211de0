//! When the cookies of a closed Chromium last changed, without looking at their values.

use std::path::Path;

use crate::ReadError;
use crate::copy;

/// From 1601, Chromium's epoch, to 1970, in microseconds.
const SINCE_1601: i64 = 11_644_473_600_000_000;

/// A cookie in Chromium's file, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Host, with a leading dot if subdomains get it too.
    pub domain: String,
    /// Path.
    pub path: String,
    /// Name.
    pub name: String,
    /// For a partitioned cookie, the site of the top-level page and whether another site is in
    /// between.
    pub partition: Option<(String, bool)>,
    /// Milliseconds since 1970.
    pub changed: i64,
}

/// Reads when each cookie last changed, from a private copy of the file.
///
/// # Errors
/// The file cannot be copied, or its format is unknown or does not record times.
pub fn changes(file: &Path) -> Result<Vec<Changed>, ReadError> {
    const ROWS: &str = "SELECT host_key, path, name, top_frame_site_key, has_cross_site_ancestor, \
                        last_update_utc FROM cookies";
    let copied = copy::open(file)?;
    let read = || {
        let mut rows = copied.db.prepare(ROWS)?;
        let read = rows.query_map([], |row| {
            let site: String = row.get(3)?;
            let partition = match site.is_empty() {
                true => None,
                false => Some((site, row.get(4)?)),
            };
            Ok(Changed {
                domain: row.get(0)?,
                path: row.get(1)?,
                name: row.get(2)?,
                partition,
                changed: row.get::<_, i64>(5)?.saturating_sub(SINCE_1601) / 1000,
            })
        })?;
        read.collect::<rusqlite::Result<Vec<_>>>()
    };
    read().map_err(ReadError::sqlite(file))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn each_cookie_has_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("Cookies");
        assert!(changes(&file).is_err());
        let db = Connection::open(&file).unwrap();
        db.execute_batch(
            "CREATE TABLE cookies(host_key TEXT, path TEXT, name TEXT, top_frame_site_key TEXT,
               has_cross_site_ancestor INTEGER, last_update_utc INTEGER);
             INSERT INTO cookies VALUES ('.x.test', '/', 'a', '', 1, 13439820855122985),
               ('x.test', '/b', 'b', 'https://top.test', 0, 11644473600000000);",
        )
        .unwrap();
        drop(db);
        let read = changes(&file).unwrap();
        assert_eq!(read[0].partition, None);
        assert_eq!(read[0].changed, 1_795_347_255_122);
        assert_eq!(read[1].partition, Some(("https://top.test".into(), false)));
        assert_eq!(read[1].changed, 0);
        std::fs::write(&file, "no database").unwrap();
        assert!(changes(&file).is_err());
    }
}
