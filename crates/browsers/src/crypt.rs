//! How Chromium encrypts cookie values, on each system.
//!
//! A value starts with three characters that name the scheme: `v10`, `v11` or `v20`.
//! - Linux: AES-128 in CBC mode; the key derives from a fixed password (`v10`) or one in the keyring
//!   (`v11`).
//! - macOS: the same with more rounds (`v10`); the password is in the Keychain.
//! - Windows: AES-256 in GCM mode (`v10`); the key is in `Local State`, encrypted for the user's login
//!   (DPAPI). `v20` is bound to the browser's own program, and no other program gets around that.
//!
//! From file version 24 on, a decrypted value starts with the SHA-256 of its host.

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockModeDecrypt, KeyIvInit};
use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The system that encrypted the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and similar systems.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// What the user's system hands out. None of it is there by default.
#[derive(Default)]
pub struct Keys {
    /// Linux: the browser's password in the keyring.
    pub keyring: Option<Zeroizing<String>>,
    /// macOS: the browser's password in the Keychain.
    pub keychain: Option<Zeroizing<String>>,
    /// Windows: the decrypted key from `Local State`.
    pub dpapi: Option<Zeroizing<[u8; 32]>>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

/// Why a value stays encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Locked {
    /// `v11` without a keyring, or without the browser's entry in it.
    #[error(
        "locked with a password in the desktop's keyring, which cannot be reached from here: unlock it, and run this in a terminal of the desktop"
    )]
    Keyring,
    /// macOS holds the password.
    #[error(
        "locked with a password in the macOS Keychain, which szk does not ask for: export the cookies with an extension and import that file"
    )]
    Keychain,
    /// Windows holds the key.
    #[error(
        "locked for a Windows login (DPAPI), which cannot be undone elsewhere: export the cookies with an extension and import that file"
    )]
    Dpapi,
    /// `v20`.
    #[error(
        "locked for the browser's own program (app-bound encryption), as the browser's maker wants it: sign in again in szk, or export the cookies with an extension"
    )]
    AppBound,
    /// The key does not match.
    #[error("locked with another key than the one that was found")]
    Wrong,
    /// An unknown scheme.
    #[error("locked in a way that is not known")]
    Unknown,
}

const SALT: &[u8] = b"saltysalt";
const FIXED: &[u8] = b"peanuts";
const IV: [u8; 16] = [b' '; 16];

/// Decrypts a value.
pub(crate) fn unlock(
    locked: &[u8],
    host: &str,
    version: i64,
    system: System,
    keys: &Keys,
) -> Result<String, Locked> {
    let (way, rest) = locked.split_at_checked(3).ok_or(Locked::Unknown)?;
    let plain = match (way, system) {
        (b"v10", System::Linux) => {
            // Chromium used an empty password for a while.
            cbc(rest, FIXED, 1).or_else(|_| cbc(rest, b"", 1))?
        }
        (b"v11", System::Linux) => {
            let password = keys.keyring.as_ref().ok_or(Locked::Keyring)?;
            cbc(rest, password.as_bytes(), 1).or_else(|_| cbc(rest, b"", 1))?
        }
        (b"v10", System::Mac) => {
            let password = keys.keychain.as_ref().ok_or(Locked::Keychain)?;
            cbc(rest, password.as_bytes(), 1003)?
        }
        (b"v10", System::Windows) => gcm(rest, keys.dpapi.as_ref().ok_or(Locked::Dpapi)?)?,
        (b"v20", _) => return Err(Locked::AppBound),
        // Before there were schemes: the system's own encryption, for the login.
        (_, System::Windows) => return Err(Locked::Dpapi),
        _ => return Err(Locked::Unknown),
    };
    let plain = Zeroizing::new(plain);
    let hash = Sha256::digest(host.as_bytes());
    let value = match plain.strip_prefix(hash.as_slice()) {
        Some(value) => value,
        // A cookie of another host, or garbage that happens to have valid padding.
        None if version >= 24 => return Err(Locked::Wrong),
        None => &plain,
    };
    std::str::from_utf8(value)
        .map(str::to_owned)
        .map_err(|_| Locked::Wrong)
}

fn cbc(locked: &[u8], password: &[u8], rounds: u32) -> Result<Vec<u8>, Locked> {
    let mut key = Zeroizing::new([0_u8; 16]);
    pbkdf2_hmac::<Sha1>(password, SALT, rounds, key.as_mut());
    cbc::Decryptor::<aes::Aes128>::new(&(*key).into(), &IV.into())
        .decrypt_padded_vec::<Pkcs7>(locked)
        .map_err(|_| Locked::Wrong)
}

/// Twelve bytes of nonce, the ciphertext, sixteen bytes of tag.
fn gcm(locked: &[u8], key: &[u8; 32]) -> Result<Vec<u8>, Locked> {
    let (nonce, text) = locked.split_first_chunk::<12>().ok_or(Locked::Wrong)?;
    Aes256Gcm::new(&(*key).into())
        .decrypt(&Nonce::from(*nonce), text)
        .map_err(|_| Locked::Wrong)
}

#[cfg(test)]
pub(crate) mod tests {
    use aes::cipher::BlockModeEncrypt;

    use super::*;

    /// Encrypts the way Chromium does.
    pub(crate) fn lock_cbc(way: &str, plain: &[u8], password: &[u8], rounds: u32) -> Vec<u8> {
        let mut key = [0_u8; 16];
        pbkdf2_hmac::<Sha1>(password, SALT, rounds, &mut key);
        let text = cbc::Encryptor::<aes::Aes128>::new(&key.into(), &IV.into())
            .encrypt_padded_vec::<Pkcs7>(plain);
        [way.as_bytes(), &text].concat()
    }

    fn lock_gcm(plain: &[u8], key: [u8; 32]) -> Vec<u8> {
        let nonce = [7_u8; 12];
        let text = Aes256Gcm::new(&key.into())
            .encrypt(&Nonce::from(nonce), plain)
            .unwrap();
        [b"v10".as_slice(), &nonce, &text].concat()
    }

    pub(crate) fn bound(host: &str, value: &str) -> Vec<u8> {
        [Sha256::digest(host.as_bytes()).as_slice(), value.as_bytes()].concat()
    }

    fn keys() -> Keys {
        Keys {
            keyring: Some(Zeroizing::new("ring".into())),
            keychain: Some(Zeroizing::new("chain".into())),
            dpapi: Some(Zeroizing::new([9; 32])),
        }
    }

    #[track_caller]
    fn check(locked: &[u8], system: System, keys: &Keys, expected: Result<&str, Locked>) {
        let unlocked = unlock(locked, "x.test", 24, system, keys);
        assert_eq!(unlocked.as_deref(), expected.as_ref().map(|text| *text));
    }

    #[test]
    fn a_known_key() {
        // On Linux the key of `v10` is the same on every machine, and well known.
        let mut key = [0_u8; 16];
        pbkdf2_hmac::<Sha1>(FIXED, SALT, 1, &mut key);
        assert_eq!(
            key,
            [
                0xfd, 0x62, 0x1f, 0xe5, 0xa2, 0xb4, 0x02, 0x53, 0x9d, 0xfa, 0x14, 0x7c, 0xa9, 0x27,
                0x27, 0x78
            ]
        );
    }

    #[test]
    fn linux() {
        let plain = bound("x.test", "geheim");
        let v10 = lock_cbc("v10", &plain, FIXED, 1);
        check(&v10, System::Linux, &Keys::default(), Ok("geheim"));
        check(
            &lock_cbc("v10", &plain, b"", 1),
            System::Linux,
            &Keys::default(),
            Ok("geheim"),
        );
        let v11 = lock_cbc("v11", &plain, b"ring", 1);
        check(&v11, System::Linux, &keys(), Ok("geheim"));
        check(&v11, System::Linux, &Keys::default(), Err(Locked::Keyring));
        let other = lock_cbc("v11", &plain, b"another", 1);
        check(&other, System::Linux, &keys(), Err(Locked::Wrong));
    }

    #[test]
    fn mac() {
        let v10 = lock_cbc("v10", &bound("x.test", "geheim"), b"chain", 1003);
        check(&v10, System::Mac, &keys(), Ok("geheim"));
        check(&v10, System::Mac, &Keys::default(), Err(Locked::Keychain));
    }

    #[test]
    fn windows() {
        let v10 = lock_gcm(&bound("x.test", "geheim"), [9; 32]);
        check(&v10, System::Windows, &keys(), Ok("geheim"));
        check(&v10, System::Windows, &Keys::default(), Err(Locked::Dpapi));
        let other = lock_gcm(b"x", [8; 32]);
        check(&other, System::Windows, &keys(), Err(Locked::Wrong));
        check(b"v20xyz", System::Windows, &keys(), Err(Locked::AppBound));
        let old = b"\x01\x00\x00\x00\xd0\x8c\x9d\xdf";
        check(old, System::Windows, &keys(), Err(Locked::Dpapi));
    }

    #[test]
    fn the_host_is_part_of_it() {
        let other = lock_cbc("v10", &bound("y.test", "geheim"), FIXED, 1);
        check(&other, System::Linux, &keys(), Err(Locked::Wrong));
        let bare = lock_cbc("v10", b"geheim", FIXED, 1);
        check(&bare, System::Linux, &keys(), Err(Locked::Wrong));
        // Files from before that.
        let old = unlock(&bare, "x.test", 23, System::Linux, &keys());
        assert_eq!(old.as_deref(), Ok("geheim"));
    }

    #[test]
    fn garbage() {
        for garbage in [&b""[..], b"v1", b"v10", b"v10x", b"v99abc", &[0; 40]] {
            for system in [System::Linux, System::Mac, System::Windows] {
                assert!(unlock(garbage, "x.test", 24, system, &keys()).is_err());
            }
        }
    }
}
