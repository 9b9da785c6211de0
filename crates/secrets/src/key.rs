//! The key of the encrypted file: 32 random bytes, in a file that only the user can read.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use szk_store::atomic;
use zeroize::Zeroizing;

use crate::{SecretError, Unusable};

/// Length of a key in bytes.
const BYTES: usize = 32;

/// Longest key file, in bytes.
const LONGEST: u64 = 64 << 10;

/// What precedes the digits in the file.
const MARK: &str = "szk-secrets-key-1:";

/// Prefix of the keys of earlier versions of szk, which used the library `age`.
const AGE: &str = "AGE-SECRET-KEY-";

/// A key. Its memory is wiped when it is dropped.
pub(crate) struct VaultKey(Zeroizing<[u8; BYTES]>);

impl VaultKey {
    pub(crate) fn bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    pub(crate) fn generate() -> io::Result<Self> {
        let mut key = Zeroizing::new([0; BYTES]);
        getrandom::fill(&mut *key).map_err(io::Error::other)?;
        Ok(Self(key))
    }

    /// The key in this file; `None` if there is no such file.
    ///
    /// # Errors
    /// Other users can read the file, or it contains no key of ours.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, SecretError> {
        let text = match szk_files::text(path, LONGEST) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SecretError::at(path)(error)),
        };
        let mode = fs::metadata(path)
            .map_err(SecretError::at(path))?
            .permissions()
            .mode()
            & 0o777;
        if mode & 0o077 != 0 {
            return Err(SecretError::Open {
                path: path.to_owned(),
                mode,
            });
        }
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .unwrap_or_default();
        if line.starts_with(AGE) {
            return Err(SecretError::Old {
                path: path.to_owned(),
            });
        }
        let key = Self::parse(line).ok_or_else(|| Unusable::NoKey.of(path))?;
        Ok(Some(key))
    }

    /// Creates this file with a new key. If another process creates it at the same moment, for another
    /// store of this user, both get the same key.
    ///
    /// # Errors
    /// The disk refuses, or the file created meanwhile is not a key.
    pub(crate) fn make(path: &Path) -> Result<Self, SecretError> {
        let key = Self::generate().map_err(SecretError::at(path))?;
        if let Some(folder) = path.parent() {
            // Private whatever the umask, and so is everything beside the key.
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(SecretError::at(folder))?;
        }
        if atomic::create(path, key.text().as_bytes())? {
            return Ok(key);
        }
        Self::read(path)?.ok_or_else(|| Unusable::NoKey.of(path))
    }

    fn text(&self) -> Zeroizing<String> {
        let about = "# The key of szk's secrets. Whoever has it and the file `.secrets` of a store can read them.\n";
        // Allocated at full length: a string that grows leaves copies behind.
        let length = about.len() + MARK.len() + 2 * BYTES + 1;
        let mut text = Zeroizing::new(String::with_capacity(length));
        text.push_str(about);
        text.push_str(MARK);
        for byte in *self.0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
        text
    }

    fn parse(line: &str) -> Option<Self> {
        let digits = line.strip_prefix(MARK)?.trim().as_bytes();
        if digits.len() != 2 * BYTES {
            return None;
        }
        let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
        let mut key = Zeroizing::new([0; BYTES]);
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_and_its_file_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config/szk/secrets.key");
        assert!(VaultKey::read(&path).unwrap().is_none());
        let made = VaultKey::make(&path).unwrap();
        let read = VaultKey::read(&path).unwrap().unwrap();
        assert_eq!(made.bytes(), read.bytes());
        assert_ne!(made.bytes(), VaultKey::generate().unwrap().bytes());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn an_existing_key_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secrets.key");
        let first = VaultKey::make(&path).unwrap();
        let second = VaultKey::make(&path).unwrap();
        assert_eq!(first.bytes(), second.bytes());
        fs::write(&path, "nonsense").unwrap();
        assert!(VaultKey::make(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "nonsense");
    }

    #[test]
    fn invalid_keys_are_refused() {
        let check = |line: &str, good: bool| {
            assert_eq!(VaultKey::parse(line).is_some(), good, "{line}");
        };
        let digits = "0123456789abcdefABCDEF9876543210".repeat(2);
        check(&format!("{MARK}{digits}"), true);
        check(&format!("{MARK} {digits} "), true);
        check(&digits, false);
        check(&format!("{MARK}{}", &digits[1..]), false);
        check(&format!("{MARK}{digits}0"), false);
        check(&format!("{MARK}+{}", &digits[1..]), false);
        check(&format!("{MARK}{}ä", &digits[2..]), false);
        check(MARK, false);
        check("", false);
    }

    #[test]
    fn each_problem_with_a_key_file_is_its_own_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secrets.key");
        let refused = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            VaultKey::read(&path).map(|_| ()).unwrap_err()
        };
        for text in ["", "# nothing\n", "nonsense"] {
            let error = refused(text, 0o600);
            let no_key = matches!(
                error,
                SecretError::Unusable {
                    reason: Unusable::NoKey,
                    ..
                }
            );
            assert!(no_key, "{error}");
        }
        let old = "# public key: age1x\nAGE-SECRET-KEY-1QQ\n";
        assert!(matches!(refused(old, 0o600), SecretError::Old { .. }));
        assert!(matches!(refused(old, 0o644), SecretError::Open { .. }));
        assert_eq!(fs::read_to_string(&path).unwrap(), old);
    }
}
