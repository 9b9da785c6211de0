//! Cookies of Chromium and its derivatives: the table `cookies`.

use std::path::Path;

use rusqlite::Row;

use crate::crypt::{self, Keys, System};
use crate::{Cookie, Harvest, Partition, ReadError, Source, copy, is_within};

/// Microseconds from 1601, Chromium's epoch, to 1970.
const EPOCH: i64 = 11_644_473_600_000_000;

pub(crate) fn read(
    source: &Source,
    domain: Option<&str>,
    keys: &Keys,
) -> Result<Harvest, ReadError> {
    let path = &source.cookies;
    let copied = copy::open(path)?;
    let db = &copied.db;
    let version = version(db).map_err(ReadError::sqlite(path))?;
    let columns = copy::columns(db, "cookies").map_err(ReadError::sqlite(path))?;
    if columns.is_empty() {
        return Err(ReadError::Unreadable {
            path: path.clone(),
            reason: "it has no table `cookies`".to_owned(),
        });
    }
    // Older files lack some columns.
    let column = |name: &str, otherwise: &str| match columns.iter().any(|known| known == name) {
        true => name.to_owned(),
        false => otherwise.to_owned(),
    };
    let query = format!(
        "SELECT host_key, name, CAST(value AS BLOB), CAST(encrypted_value AS BLOB), path, expires_utc, {}, {}, {}, {}, {}, {} FROM cookies",
        column("is_persistent", "expires_utc <> 0"),
        column("is_secure", "secure"),
        column("is_httponly", "httponly"),
        column("samesite", "-1"),
        column("top_frame_site_key", "''"),
        column("has_cross_site_ancestor", "0"),
    );
    let mut statement = db.prepare(&query).map_err(ReadError::sqlite(path))?;
    let mut rows = statement.query([]).map_err(ReadError::sqlite(path))?;
    let system = system(&source.folder);
    let mut harvest = Harvest::default();
    while let Some(row) = rows.next().map_err(ReadError::sqlite(path))? {
        let host: String = row.get(0).map_err(ReadError::sqlite(path))?;
        if !is_within(&host, domain) {
            continue;
        }
        let locked: Vec<u8> = row.get(3).map_err(ReadError::sqlite(path))?;
        let value = if locked.is_empty() {
            let plain: Vec<u8> = row.get(2).map_err(ReadError::sqlite(path))?;
            Ok(String::from_utf8_lossy(&plain).into_owned())
        } else {
            crypt::unlock(&locked, &host, version, system, keys)
        };
        match value {
            Ok(value) => {
                let cookie = cookie(row, host, value).map_err(ReadError::sqlite(path))?;
                harvest.cookies.push(cookie);
            }
            Err(why) => harvest.lock(why),
        }
    }
    Ok(harvest)
}

fn cookie(row: &Row<'_>, domain: String, value: String) -> rusqlite::Result<Cookie> {
    let expires: i64 = row.get(5)?;
    let persistent: bool = row.get(6)?;
    let site: String = row.get(10)?;
    Ok(Cookie {
        domain,
        value,
        name: row.get(1)?,
        path: row.get(4)?,
        expires: if persistent {
            expires.saturating_sub(EPOCH) as f64 / 1e6
        } else {
            -1.0
        },
        secure: row.get(7)?,
        http_only: row.get(8)?,
        same_site: match row.get(9)? {
            0_i64 => Some("None"),
            1 => Some("Lax"),
            2 => Some("Strict"),
            _ => None,
        },
        partition_key: (!site.is_empty()).then_some(Partition {
            top_level_site: site,
            has_cross_site_ancestor: row.get(11)?,
        }),
    })
}

/// The file's format version, kept in a table of its own; 0 if missing.
fn version(db: &rusqlite::Connection) -> rusqlite::Result<i64> {
    let query = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'";
    match db.query_row(query, [], |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(0),
        Err(error) if error.to_string().contains("no such table") => Ok(0),
        other => other,
    }
}

/// Judged by the files beside the profile: the folder may have been copied from another machine.
fn system(folder: &Path) -> System {
    let state = folder.parent().map(|parent| parent.join("Local State"));
    let text = state.and_then(|path| szk_files::read(&path, 64 << 20).ok());
    let json: Option<serde_json::Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
    let key = json
        .as_ref()
        .and_then(|json| json["os_crypt"]["encrypted_key"].as_str());
    match key {
        Some(_) => System::Windows,
        None if cfg!(target_os = "macos") || folder.to_string_lossy().contains("/Library/") => {
            System::Mac
        }
        None => System::Linux,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::{Connection, params};
    use zeroize::Zeroizing;

    use super::*;
    use crate::crypt::tests::{bound, lock_cbc};
    use crate::{Browser, Locked};

    /// Columns as in Chromium 130 and later.
    const TABLE: &str = "CREATE TABLE meta(key TEXT, value TEXT); INSERT INTO meta VALUES('version', '24');
        CREATE TABLE cookies(creation_utc INTEGER, host_key TEXT, top_frame_site_key TEXT, name TEXT, value TEXT,
        encrypted_value BLOB, path TEXT, expires_utc INTEGER, is_secure INTEGER, is_httponly INTEGER,
        last_access_utc INTEGER, has_expires INTEGER, is_persistent INTEGER, priority INTEGER, samesite INTEGER,
        source_scheme INTEGER, source_port INTEGER, last_update_utc INTEGER, source_type INTEGER,
        has_cross_site_ancestor INTEGER)";

    fn made(folder: &Path) -> (Source, Connection) {
        fs::create_dir_all(folder).unwrap();
        let cookies = folder.join("Cookies");
        let db = Connection::open(&cookies).unwrap();
        db.execute_batch(TABLE).unwrap();
        let source = Source {
            browser: Browser::Chrome,
            profile: "Default".into(),
            folder: folder.to_owned(),
            cookies,
        };
        (source, db)
    }

    fn put(db: &Connection, host: &str, name: &str, locked: &[u8]) {
        db.execute(
            "INSERT INTO cookies VALUES(0, ?1, '', ?2, '', ?3, '/p', ?4, 1, 1, 0, 1, 1, 1, 1, 2, 443, 0, 0, 0)",
            params![host, name, locked, EPOCH + 1_900_000_000_500_000],
        )
        .unwrap();
    }

    #[test]
    fn cookies_of_one_domain() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(&dir.path().join("Default"));
        for host in [".x.test", "a.x.test", "y.test"] {
            put(
                &db,
                host,
                "sid",
                &lock_cbc("v10", &bound(host, &format!("of {host}")), b"peanuts", 1),
            );
        }
        db.execute(
            "INSERT INTO cookies VALUES(0, 'x.test', 'https://top.test', 'part', 'plain', '', '/', 0, 0, 0, 0, 0, 0, 1, 0, 2, 443, 0, 0, 1)",
            [],
        )
        .unwrap();
        let harvest = read(&source, Some("x.test"), &Keys::default()).unwrap();
        let seen: Vec<_> = harvest
            .cookies
            .iter()
            .map(|c| (c.domain.as_str(), c.value.as_str(), c.expires, c.same_site))
            .collect();
        assert_eq!(
            seen,
            [
                (".x.test", "of .x.test", 1_900_000_000.5, Some("Lax")),
                ("a.x.test", "of a.x.test", 1_900_000_000.5, Some("Lax")),
                ("x.test", "plain", -1.0, Some("None")),
            ]
        );
        assert!(harvest.cookies[0].secure && harvest.cookies[0].http_only);
        let partition = harvest.cookies[2].partition_key.as_ref().unwrap();
        assert_eq!(partition.top_level_site, "https://top.test");
        assert!(partition.has_cross_site_ancestor);
        let all = read(&source, None, &Keys::default()).unwrap();
        assert_eq!(all.cookies.len(), 4);
    }

    #[test]
    fn a_browser_that_runs_and_writes_is_not_disturbed() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(&dir.path().join("Default"));
        // As Chromium does: no one else can open it.
        db.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT",
        )
        .unwrap();
        let value = lock_cbc("v10", &bound("x.test", "fresh"), b"peanuts", 1);
        put(&db, "x.test", "in-the-log", &value);
        let harvest = read(&source, Some("x.test"), &Keys::default()).unwrap();
        assert_eq!(harvest.cookies[0].value, "fresh");
        put(&db, "x.test", "another", &value);
    }

    #[test]
    fn what_is_locked_is_counted_by_reason() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(&dir.path().join("Default"));
        put(
            &db,
            "x.test",
            "a",
            &lock_cbc("v11", &bound("x.test", "1"), b"ring", 1),
        );
        put(
            &db,
            "x.test",
            "b",
            &lock_cbc("v11", &bound("x.test", "2"), b"ring", 1),
        );
        put(&db, "x.test", "c", b"v20abc");
        let harvest = read(&source, Some("x.test"), &Keys::default()).unwrap();
        assert_eq!(
            harvest.locked,
            [(Locked::Keyring, 2), (Locked::AppBound, 1)]
        );
        let keys = Keys {
            keyring: Some(Zeroizing::new("ring".into())),
            ..Keys::default()
        };
        let harvest = read(&source, Some("x.test"), &keys).unwrap();
        assert_eq!(harvest.cookies.len(), 2);
    }

    #[test]
    fn folders_of_other_systems_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(&dir.path().join("User Data/Default"));
        put(&db, "x.test", "a", b"v10abcdefghijklmnop");
        let state = r#"{"os_crypt": {"encrypted_key": "RFBBUEkB"}}"#;
        fs::write(dir.path().join("User Data/Local State"), state).unwrap();
        let harvest = read(&source, None, &Keys::default()).unwrap();
        assert_eq!(harvest.locked, [(Locked::Dpapi, 1)]);
        let (source, db) = made(&dir.path().join("Library/Application Support/X/Default"));
        put(&db, "x.test", "a", b"v10abcdefghijklmnop");
        let harvest = read(&source, None, &Keys::default()).unwrap();
        assert_eq!(harvest.locked, [(Locked::Keychain, 1)]);
    }

    #[test]
    fn old_and_foreign_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("Default");
        let (source, db) = made(&folder);
        db.execute_batch(
            "DROP TABLE cookies; DROP TABLE meta; CREATE TABLE cookies(host_key TEXT, name TEXT, value TEXT,
             encrypted_value BLOB, path TEXT, expires_utc INTEGER, secure INTEGER, httponly INTEGER);
             INSERT INTO cookies VALUES('x.test', 'a', 'v', '', '/', 0, 0, 1)",
        )
        .unwrap();
        let harvest = read(&source, None, &Keys::default()).unwrap();
        assert_eq!(
            (
                harvest.cookies[0].value.as_str(),
                harvest.cookies[0].expires
            ),
            ("v", -1.0)
        );
        db.execute_batch("DROP TABLE cookies").unwrap();
        assert!(read(&source, None, &Keys::default()).is_err());
        drop(db);
        fs::write(
            &source.cookies,
            "something else, long enough to be looked at",
        )
        .unwrap();
        assert!(read(&source, None, &Keys::default()).is_err());
    }
}
