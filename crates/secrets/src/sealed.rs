//! The format of the encrypted files.
//!
//! A header that names the format, a random nonce of 12 bytes, then the content in AES-256-GCM, with its
//! tag at the end. The header is authenticated with the content, so nothing else encrypted with the same
//! key can pass as a store's secrets, nor can a file of another version or another kind pass as this one.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use zeroize::Zeroizing;

use crate::Unusable;
use crate::key::VaultKey;

/// One kind of file.
pub(crate) struct Format {
    /// The prefix of all versions.
    family: &'static [u8],
    /// The only version so far.
    header: &'static [u8],
}

/// The secrets of a store.
pub(crate) const SECRETS: Format = Format {
    family: b"szk-secrets/",
    header: b"szk-secrets/1\n",
};

/// What was filled in for a profile.
pub(crate) const FILLED: Format = Format {
    family: b"szk-filled/",
    header: b"szk-filled/1\n",
};

/// Length of a nonce in bytes. Random ones of this length may repeat after some four billion files per
/// key.
const NONCE: usize = 12;

impl Format {
    /// Encrypts with a fresh nonce.
    ///
    /// # Errors
    /// The system provides no random bytes, or the content is longer than the cipher allows.
    pub(crate) fn seal(&self, key: &VaultKey, content: &[u8]) -> Result<Vec<u8>, Unusable> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| Unusable::NoRandomness)?;
        let payload = Payload {
            msg: content,
            aad: self.header,
        };
        let sealed = cipher(key)
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|_| Unusable::TooLong)?;
        Ok([self.header, &nonce, &sealed].concat())
    }

    /// Decrypts what [`Self::seal`] wrote.
    ///
    /// # Errors
    /// The file has another format, the key is wrong, or a byte was changed.
    pub(crate) fn open(&self, key: &VaultKey, file: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unusable> {
        let Some(rest) = file.strip_prefix(self.header) else {
            return Err(if file.starts_with(self.family) {
                Unusable::Newer
            } else {
                Unusable::Foreign
            });
        };
        let (nonce, sealed) = rest
            .split_first_chunk::<NONCE>()
            .ok_or(Unusable::Rejected)?;
        let payload = Payload {
            msg: sealed,
            aad: self.header,
        };
        cipher(key)
            .decrypt(&Nonce::from(*nonce), payload)
            .map(Zeroizing::new)
            .map_err(|_| Unusable::Rejected)
    }
}

fn cipher(key: &VaultKey) -> Aes256Gcm {
    Aes256Gcm::new(key.bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"hunter2";
    const HEADER: &[u8] = SECRETS.header;

    fn seal(key: &VaultKey, content: &[u8]) -> Result<Vec<u8>, Unusable> {
        SECRETS.seal(key, content)
    }

    fn open(key: &VaultKey, file: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unusable> {
        SECRETS.open(key, file)
    }

    fn key() -> VaultKey {
        VaultKey::generate().unwrap()
    }

    #[test]
    fn only_its_key_opens_a_file() {
        let (ours, other) = (key(), key());
        for text in [b"".as_slice(), TEXT, &[0; 100_000]] {
            let file = seal(&ours, text).unwrap();
            assert_eq!(*open(&ours, &file).unwrap(), text);
            assert_eq!(open(&other, &file).unwrap_err(), Unusable::Rejected);
        }
    }

    #[test]
    fn no_two_files_are_alike() {
        let key = key();
        let (one, two) = (seal(&key, TEXT).unwrap(), seal(&key, TEXT).unwrap());
        let after = |file: &[u8]| file[HEADER.len() + NONCE..].to_vec();
        assert_ne!(
            after(&one),
            after(&two),
            "each write has a nonce of its own"
        );
    }

    #[test]
    fn a_flipped_bit_is_noticed_wherever_it_is() {
        let key = key();
        let file = seal(&key, TEXT).unwrap();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                assert!(open(&key, &changed).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn a_truncated_or_extended_file_is_refused() {
        let key = key();
        let file = seal(&key, TEXT).unwrap();
        for length in 0..file.len() {
            assert!(open(&key, &file[..length]).is_err(), "{length} bytes");
        }
        assert!(open(&key, &[&file, b"x".as_slice()].concat()).is_err());
    }

    #[test]
    fn each_foreign_format_has_its_own_error() {
        let check = |file: &[u8], expected| {
            assert_eq!(open(&key(), file).unwrap_err(), expected);
        };
        check(b"", Unusable::Foreign);
        check(b"age-encryption.org/v1\n-> X25519 ", Unusable::Foreign);
        check(b"szk-secrets/2\n", Unusable::Newer);
        check(HEADER, Unusable::Rejected);
    }

    #[test]
    fn the_header_is_authenticated() {
        let key = key();
        let file = seal(&key, TEXT).unwrap();
        let (nonce, sealed) = file[HEADER.len()..].split_first_chunk::<NONCE>().unwrap();
        let with = |aad| cipher(&key).decrypt(&Nonce::from(*nonce), Payload { msg: sealed, aad });
        assert_eq!(with(HEADER).unwrap(), TEXT);
        assert!(with(b"").is_err());
        assert!(with(b"szk-secrets/2\n").is_err());
        assert_eq!(FILLED.open(&key, &file).unwrap_err(), Unusable::Foreign);
        let other = [FILLED.header, &file[HEADER.len()..]].concat();
        assert_eq!(FILLED.open(&key, &other).unwrap_err(), Unusable::Rejected);
    }
}
