//! The tokens with which programs use `szk serve`. A token is shown once; the store keeps its hash.

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use szk_store::{SharedFile, Token};
use szk_tools::{Code, Failure, Permission};
use szk_wire::failure;

use crate::{Client, names};

/// Begins every token, so that people and scanners know one when they see it.
const PREFIX: &str = "szk_";

/// Longest name of a token, in characters.
const LONGEST_NAME: usize = 64;

/// What a token may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRow {
    /// Its name, for people.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Permission>,
    /// Patterns of the sessions that exist for it.
    pub sessions: Vec<String>,
    /// When it was created.
    pub created: Timestamp,
    /// When it stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// A token as stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    /// SHA-256 of the token in hex.
    hash: String,
    #[serde(flatten)]
    row: TokenRow,
}

/// A file as it was when it was read: inode, length, and time of change in nanoseconds.
type Stamp = (u64, u64, i64, i64);

/// Checks tokens of a store, also those created or revoked while it lives.
#[derive(Debug)]
pub struct TokenCheck {
    file: SharedFile,
    /// A std mutex: nothing awaits under it.
    read: Mutex<Option<(Stamp, Arc<Vec<Record>>)>>,
}

impl TokenRow {
    /// The failure for a name that no token has.
    #[must_use]
    pub fn unknown(name: &str) -> Failure {
        let name = name.escape_debug();
        Failure::new(Code::NotFound, format!("there is no token called `{name}`"))
            .hint("list them with `szk token list`")
    }

    /// Whether it no longer works at this moment.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl TokenCheck {
    /// The token's row, if it is known and has not expired.
    ///
    /// # Errors
    /// `STORAGE` if the tokens cannot be read.
    pub fn find(&self, token: &str) -> Result<Option<TokenRow>, Failure> {
        let hash = hash(token);
        let records = self.records()?;
        let found = records.iter().find(|record| record.hash == hash);
        let row = found.map(|record| record.row.clone());
        Ok(row.filter(|row| !row.is_expired(Timestamp::now())))
    }

    fn records(&self) -> Result<Arc<Vec<Record>>, Failure> {
        let now = stamp(&self.file);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(now), Some((then, records))) = (now, &*read)
            && now == *then
        {
            return Ok(Arc::clone(records));
        }
        let records = Arc::new(load(&self.file)?);
        *read = now.map(|now| (now, Arc::clone(&records)));
        Ok(records)
    }
}

impl Client {
    /// Creates a token; returns it beside what it may do. It is shown only now.
    ///
    /// # Errors
    /// `INVALID_INPUT` if the name or a pattern is unusable or the name is taken; `STORAGE`.
    pub fn create_token(
        &self,
        name: &str,
        scopes: &[Permission],
        sessions: &[String],
        expires: Option<Timestamp>,
    ) -> Result<(TokenRow, String), Failure> {
        check_name(name)?;
        sessions.iter().try_for_each(|one| check_pattern(one))?;
        let file = self.store().tokens();
        let lock = file.lock().map_err(|error| failure::store(&error))?;
        let mut records = load(&file)?;
        if records.iter().any(|record| record.row.name == name) {
            return Err(
                Failure::invalid(format!("there is a token called `{name}` already"))
                    .hint(format!("choose another name, or `szk token revoke {name}`")),
            );
        }
        let random = Token::fresh().map_err(|error| {
            Failure::internal(format!("the system has no random numbers: {error}"))
        })?;
        let token = format!("{PREFIX}{}", random.reveal());
        let row = TokenRow {
            name: name.to_owned(),
            scopes: scopes.to_vec(),
            sessions: sessions.to_vec(),
            created: Timestamp::now(),
            expires,
        };
        records.push(Record {
            hash: hash(&token),
            row: row.clone(),
        });
        save(&file, &lock, &records)?;
        Ok((row, token))
    }

    /// All tokens, oldest first, also those that have expired.
    ///
    /// # Errors
    /// `STORAGE`.
    pub fn tokens(&self) -> Result<Vec<TokenRow>, Failure> {
        let records = load(&self.store().tokens())?;
        Ok(records.into_iter().map(|record| record.row).collect())
    }

    /// Makes a token stop working, also for those who use it now.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORAGE`.
    pub fn revoke_token(&self, name: &str) -> Result<(), Failure> {
        let file = self.store().tokens();
        let lock = file.lock().map_err(|error| failure::store(&error))?;
        let mut records = load(&file)?;
        let before = records.len();
        records.retain(|record| record.row.name != name);
        if records.len() == before {
            return Err(TokenRow::unknown(name));
        }
        save(&file, &lock, &records)
    }

    /// Checks the tokens of this client's store.
    #[must_use]
    pub fn token_check(&self) -> TokenCheck {
        TokenCheck {
            file: self.store().tokens(),
            read: Mutex::default(),
        }
    }
}

/// When a token ends: a time, the end of a day (UTC), or how long from now, such as `30d`.
///
/// # Errors
/// What is neither, or not in the future.
pub fn token_expiry(text: &str) -> Result<Timestamp, String> {
    let wrong = || {
        format!(
            "`{}` is not a future time, such as `30d` or `12h` from now, `2027-01-31` or `2027-01-31T12:00:00Z`",
            text.escape_debug()
        )
    };
    let now = Timestamp::now();
    let then = if let Ok(then) = text.parse() {
        then
    } else if let Ok(day) = Date::strptime("%Y-%m-%d", text) {
        let ends = day.tomorrow().and_then(|next| next.to_zoned(TimeZone::UTC));
        ends.map_err(|_| wrong())?.timestamp()
    } else {
        let span: Span = text.parse().map_err(|_| wrong())?;
        let then = now.to_zoned(TimeZone::UTC).checked_add(span);
        then.map_err(|_| wrong())?.timestamp()
    };
    if then <= now {
        return Err(wrong());
    }
    Ok(then)
}

fn hash(token: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(token.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn stamp(file: &SharedFile) -> Option<Stamp> {
    let metadata = file.path().metadata().ok()?;
    Some((
        metadata.ino(),
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec(),
    ))
}

fn load(file: &SharedFile) -> Result<Vec<Record>, Failure> {
    let Some(bytes) = file.read().map_err(|error| failure::store(&error))? else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::new(
            Code::Storage,
            format!("`{}` is damaged: {error}", file.path().display()),
        )
        .hint("move the file away and create new tokens with `szk token create`")
    })
}

fn save(
    file: &SharedFile,
    lock: &szk_store::SharedFileLock,
    records: &[Record],
) -> Result<(), Failure> {
    let bytes = serde_json::to_vec_pretty(records)
        .map_err(|error| Failure::internal(format!("cannot encode tokens: {error}")))?;
    file.write(lock, &bytes)
        .map_err(|error| failure::store(&error))
}

fn check_name(name: &str) -> Result<(), Failure> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fine) {
        return Err(Failure::invalid(format!(
            "`{}` cannot be the name of a token",
            name.escape_debug()
        ))
        .hint("use letters, digits, `.`, `_` and `-`, at most 64"));
    }
    Ok(())
}

/// A pattern is a name with `*` and `?` in it.
fn check_pattern(pattern: &str) -> Result<(), Failure> {
    let plain: String = pattern
        .chars()
        .map(|c| if matches!(c, '*' | '?') { 'a' } else { c })
        .collect();
    names::parse(&plain).map(drop).map_err(|_| {
        Failure::invalid(format!(
            "`{}` is not a pattern of session names",
            pattern.escape_debug()
        ))
        .hint("such as `shop-*`, `work` or `*`")
    })
}

#[cfg(test)]
mod tests {
    use szk_store::Store;

    use super::*;

    fn check_of(store: &Store) -> TokenCheck {
        TokenCheck {
            file: store.tokens(),
            read: Mutex::default(),
        }
    }

    fn add(store: &Store, token: &str, expires: Option<Timestamp>) {
        let file = store.tokens();
        let lock = file.lock().unwrap();
        let mut records = load(&file).unwrap();
        let row = TokenRow {
            name: token.to_owned(),
            scopes: vec![Permission::Read],
            sessions: vec!["*".to_owned()],
            created: Timestamp::now(),
            expires,
        };
        records.push(Record {
            hash: hash(token),
            row,
        });
        save(&file, &lock, &records).unwrap();
    }

    #[test]
    fn a_token_is_found_until_it_expires_or_is_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_owned());
        let check = check_of(&store);
        assert_eq!(check.find("a").unwrap(), None);
        add(&store, "a", None);
        add(&store, "old", Some(Timestamp::now()));
        assert_eq!(check.find("a").unwrap().unwrap().name, "a");
        assert_eq!(check.find("old").unwrap(), None);
        assert_eq!(check.find("").unwrap(), None);
        let file = store.tokens();
        save(&file, &file.lock().unwrap(), &[]).unwrap();
        assert_eq!(check.find("a").unwrap(), None);
    }

    #[test]
    fn the_file_holds_no_token() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_owned());
        add(&store, "very-secret", None);
        let text = std::fs::read_to_string(store.tokens().path()).unwrap();
        assert!(
            !text
                .replace(r#""name": "very-secret""#, "")
                .contains("very-secret")
        );
    }

    #[test]
    fn an_expiry_is_in_the_future() {
        let day = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let today = day.to_string();
        for text in [
            "30d",
            "12h",
            "90 minutes",
            "1y",
            "2199-01-31T12:00:00Z",
            "2199-01-31",
            &today,
        ] {
            assert!(
                token_expiry(text).is_ok_and(|at| at > Timestamp::now()),
                "{text}"
            );
        }
        for text in [
            "",
            "-1d",
            "0d",
            "soon",
            "999999999y",
            "2001-01-31T12:00:00Z",
            "2001-01-31",
            "2199-02-30",
            "9999-12-31",
        ] {
            assert!(token_expiry(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_and_patterns_are_checked() {
        assert!(check_name("ci").is_ok());
        for name in ["", "a b", "a/b", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for pattern in ["*", "shop-*", "work", "a?c"] {
            assert!(check_pattern(pattern).is_ok(), "{pattern}");
        }
        for pattern in ["", "../*", "A*", "a b"] {
            assert!(check_pattern(pattern).is_err(), "{pattern}");
        }
    }
}
