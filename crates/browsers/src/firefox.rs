//! Cookies of Firefox: the table `moz_cookies`, not encrypted.
//!
//! It lacks session cookies, which Firefox keeps elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Row;

use crate::{Cookie, Harvest, Partition, ReadError, Source, copy, is_within};

/// Values above this are milliseconds, as newer versions write them.
const NOT_SECONDS: f64 = 1e11;

pub(crate) fn read(source: &Source, domain: Option<&str>) -> Result<Harvest, ReadError> {
    let path = &source.cookies;
    let copied = copy::open(path)?;
    let columns = copy::columns(&copied.db, "moz_cookies").map_err(ReadError::sqlite(path))?;
    if columns.is_empty() {
        return Err(ReadError::Unreadable {
            path: path.clone(),
            reason: "it has no table `moz_cookies`".to_owned(),
        });
    }
    let same_site = match columns.iter().any(|known| known == "sameSite") {
        true => "sameSite",
        false => "256",
    };
    let query = format!(
        "SELECT host, name, value, path, expiry, isSecure, isHttpOnly, originAttributes, {same_site} FROM moz_cookies"
    );
    let mut statement = copied.db.prepare(&query).map_err(ReadError::sqlite(path))?;
    let mut rows = statement.query([]).map_err(ReadError::sqlite(path))?;
    let mut harvest = Harvest::default();
    while let Some(row) = rows.next().map_err(ReadError::sqlite(path))? {
        if let Some(cookie) = cookie(row, domain).map_err(ReadError::sqlite(path))? {
            harvest.cookies.push(cookie);
        }
    }
    Ok(harvest)
}

/// `None` for other domains and for containers, which are separate identities of the user.
fn cookie(row: &Row<'_>, wanted: Option<&str>) -> rusqlite::Result<Option<Cookie>> {
    let domain: String = row.get(0)?;
    let attributes = attributes(&row.get::<_, String>(7)?);
    let container = ["userContextId", "privateBrowsingId"];
    if !is_within(&domain, wanted) || container.iter().any(|key| attributes.contains_key(*key)) {
        return Ok(None);
    }
    let expires: f64 = row.get(4)?;
    Ok(Some(Cookie {
        domain,
        name: row.get(1)?,
        value: row.get(2)?,
        path: row.get(3)?,
        expires: match expires {
            ms if ms > NOT_SECONDS => ms / 1000.0,
            seconds if seconds > 0.0 => seconds,
            _ => -1.0,
        },
        secure: row.get(5)?,
        http_only: row.get(6)?,
        same_site: match row.get(8)? {
            0_i64 => Some("None"),
            1 => Some("Lax"),
            2 => Some("Strict"),
            _ => None,
        },
        partition_key: attributes
            .get("partitionKey")
            .and_then(|key| partition(key)),
    }))
}

/// `^userContextId=1&partitionKey=%28https%2Cx.test%29`
fn attributes(text: &str) -> BTreeMap<String, String> {
    let pairs = text.trim_start_matches('^').split('&');
    pairs
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), decoded(value)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `(https,x.test)`, with a port or `f` after it.
fn partition(key: &str) -> Option<Partition> {
    let inside = key.strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = inside.split(',');
    let (scheme, site) = (parts.next()?, parts.next()?);
    Some(Partition {
        top_level_site: format!("{scheme}://{site}"),
        has_cross_site_ancestor: parts.any(|part| part == "f"),
    })
}

/// Folder of the profile that Firefox opens by default: the installation's, else the one with
/// `Default=1`.
pub(crate) fn default_profile(root: &Path) -> Option<String> {
    let text = szk_files::text(&root.join("profiles.ini"), 1 << 20).ok()?;
    let mut section = "";
    let (mut path, mut marked) = ("", None);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            path = "";
        }
        match line.split_once('=') {
            Some(("Default", folder)) if section.starts_with("Install") => {
                return Some(last(folder));
            }
            Some(("Path", folder)) => path = folder,
            Some(("Default", "1")) if !path.is_empty() => marked = Some(last(path)),
            _ => {}
        }
    }
    marked
}

fn last(folder: &str) -> String {
    folder.rsplit('/').next().unwrap_or(folder).to_owned()
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params};

    use super::*;
    use crate::Browser;

    /// Columns as in Firefox 128.
    const TABLE: &str = "CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT,
        value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER, isSecure INTEGER,
        isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0, rawSameSite INTEGER DEFAULT 0,
        schemeMap INTEGER DEFAULT 0, isPartitionedAttributeSet INTEGER DEFAULT 0)";

    fn made(dir: &Path) -> (Source, Connection) {
        let cookies = dir.join("cookies.sqlite");
        let db = Connection::open(&cookies).unwrap();
        db.execute_batch(TABLE).unwrap();
        let source = Source {
            browser: Browser::Firefox,
            profile: "p".into(),
            folder: dir.to_owned(),
            cookies,
        };
        (source, db)
    }

    #[test]
    fn cookies_of_one_domain() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(dir.path());
        let put = |attributes: &str, name: &str, host: &str, expiry: i64, same_site: i64| {
            db.execute(
                "INSERT INTO moz_cookies(originAttributes, name, value, host, path, expiry, isSecure, isHttpOnly, sameSite)
                 VALUES(?1, ?2, 'v', ?3, '/', ?4, 1, 0, ?5)",
                params![attributes, name, host, expiry, same_site],
            )
            .unwrap();
        };
        put("", "seconds", ".x.test", 1_900_000_000, 1);
        put("", "milliseconds", "x.test", 1_900_000_000_000, 256);
        put(
            "^partitionKey=%28https%2Ctop.test%2C8443%2Cf%29",
            "part",
            "x.test",
            1_900_000_000,
            0,
        );
        put("^userContextId=1", "container", "x.test", 1_900_000_000, 0);
        put("", "other", "y.test", 1_900_000_000, 0);
        let harvest = read(&source, Some("x.test")).unwrap();
        let seen: Vec<_> = harvest
            .cookies
            .iter()
            .map(|c| (c.name.as_str(), c.expires, c.same_site))
            .collect();
        assert_eq!(
            seen,
            [
                ("seconds", 1_900_000_000.0, Some("Lax")),
                ("milliseconds", 1_900_000_000.0, None),
                ("part", 1_900_000_000.0, Some("None")),
            ]
        );
        let partition = harvest.cookies[2].partition_key.as_ref().unwrap();
        assert_eq!(partition.top_level_site, "https://top.test");
        assert!(partition.has_cross_site_ancestor);
    }

    #[test]
    fn something_else_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (source, db) = made(dir.path());
        db.execute_batch("DROP TABLE moz_cookies").unwrap();
        assert!(read(&source, None).is_err());
    }

    #[test]
    fn escapes() {
        let check = |text: &str, expected: &str| assert_eq!(decoded(text), expected);
        check("%28a%2C", "(a,");
        check("%2", "%2");
        check("100%", "100%");
        check("%zz", "%zz");
    }
}
