//! `token`: the secret a program must present to use the profile's endpoint.

use std::fmt::{self, Write};
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags};
use subtle::ConstantTimeEq;

use crate::lock::Gate;
use crate::{Profile, StoreError, atomic, dirs};

const BYTES: usize = 32;

/// A profile's secret: 32 random bytes in hex. Never shown by `Debug`, never compared by `==`.
#[derive(Clone)]
pub struct Token {
    digits: String,
    replaced: bool,
}

impl Token {
    /// A secret that is not saved anywhere.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn fresh() -> io::Result<Self> {
        new()
    }

    /// The 64 hex digits, for the URL or header of someone entitled to them.
    pub fn reveal(&self) -> &str {
        &self.digits
    }

    /// Whether it replaced an unreadable one, which makes addresses given out before invalid.
    pub fn is_replacement(&self) -> bool {
        self.replaced
    }

    /// Compares in constant time.
    pub fn matches(&self, offered: &str) -> bool {
        self.digits.as_bytes().ct_eq(offered.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Profile {
    /// The profile's token, created on first use. Concurrent callers get the same one.
    pub fn token(&self) -> Result<Token, StoreError> {
        self.check()?;
        let path = self.file("token");
        if let Some(token) = read(&path)? {
            return Ok(token);
        }
        // Exclusive from here on, so that a damaged token is replaced only once.
        let _gate = Gate::close(self.dir(), FlockOperation::LockExclusive);
        if let Some(token) = read(&path)? {
            return Ok(token);
        }
        let mut token = new().map_err(StoreError::at(&path))?;
        if path.symlink_metadata().is_ok() {
            token.replaced = true;
            let kept = atomic::put_aside(&path, "corrupt")?;
            tracing::warn!(profile = %self.name(), kept = %kept.display(), "a token that could not be read was replaced");
        }
        if atomic::create(&path, token.digits.as_bytes())? {
            return Ok(token);
        }
        // On a file system without folder locks, another process was first or the file is damaged.
        match read(&path)? {
            Some(theirs) => Ok(theirs),
            None => atomic::write(&path, token.digits.as_bytes()).map(|()| token),
        }
    }
}

/// `None` if there is no token, or the file cannot be one.
fn read(path: &Path) -> Result<Option<Token>, StoreError> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if szk_files::is_unusable(&e) => return Ok(None),
        Err(e) => return Err(StoreError::at(path)(e)),
    };
    let metadata = file.metadata().map_err(StoreError::at(path))?;
    if !metadata.is_file() {
        return Ok(None);
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(dirs::PRIVATE_FILE))
            .map_err(StoreError::at(path))?;
    }
    let mut bytes = Vec::new();
    file.take(4 * BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(StoreError::at(path))?;
    let token = String::from_utf8(bytes).unwrap_or_default();
    let digits = token
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    Ok((token.len() == 2 * BYTES && digits).then_some(Token {
        digits: token,
        replaced: false,
    }))
}

fn new() -> io::Result<Token> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let mut token = String::with_capacity(2 * BYTES);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
    }
    Ok(Token {
        digits: token,
        replaced: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mode, names, profile};

    #[test]
    fn a_token_is_made_once_and_kept() {
        let (_dir, profile) = profile();
        let token = profile.token().unwrap();
        assert_eq!(token.reveal().len(), 64);
        assert_eq!(profile.token().unwrap().reveal(), token.reveal());
        assert_eq!(mode(&profile.file("token")), 0o600);
        assert!(!names(profile.dir()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn profiles_do_not_share_tokens() {
        let ((_a, a), (_b, b)) = (profile(), profile());
        assert!(!a.token().unwrap().matches(b.token().unwrap().reveal()));
    }

    #[test]
    fn only_the_whole_token_matches() {
        let (_dir, profile) = profile();
        let token = profile.token().unwrap();
        assert!(token.matches(token.reveal()));
        assert!(!token.matches(&token.reveal()[..63]));
        assert!(!token.matches(&format!("{}0", token.reveal())));
        assert!(!token.matches(""));
    }

    #[test]
    fn a_token_is_not_shown_by_accident() {
        let (_dir, profile) = profile();
        let token = profile.token().unwrap();
        assert_eq!(format!("{token:?}"), "Token(…)");
    }

    #[test]
    fn a_damaged_token_is_replaced_and_a_loose_one_tightened() {
        let (_dir, profile) = profile();
        let path = profile.file("token");
        for content in ["", "abc", &"Z".repeat(64), &"a".repeat(65)] {
            fs::write(&path, content).unwrap();
            let token = profile.token().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), token.reveal());
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        profile.token().unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same() {
        for damaged in [false, true] {
            let (_dir, profile) = profile();
            if damaged {
                fs::write(profile.file("token"), "half").unwrap();
            }
            let start = std::sync::Barrier::new(8);
            let mut tokens: Vec<String> = std::thread::scope(|scope| {
                let ask = || {
                    start.wait();
                    profile.token().unwrap().reveal().to_owned()
                };
                let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
                asked.into_iter().map(|t| t.join().unwrap()).collect()
            });
            tokens.dedup();
            assert_eq!(tokens.len(), 1);
        }
    }
}
