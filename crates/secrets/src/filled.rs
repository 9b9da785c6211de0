//! The secrets that were filled in for a profile: what answers and logs of its sessions go on hiding.
//!
//! Its pages repeat them in addresses and titles, and come back when the profile is opened again, by a
//! keeper that filled in nothing. The values themselves are kept, because nothing less finds them inside
//! a text; they are encrypted with the key of the store's secrets, which is not in the store. A secret
//! that is changed or deleted stays hidden: the pages that have it are still there.

use szk_store::Profile;
use zeroize::{Zeroize, Zeroizing};

use crate::key::VaultKey;
use crate::{Secret, SecretError, Secrets, Unusable, sealed};

/// Most values to remember; the oldest goes first.
const MOST: usize = 500;

/// The content before encryption.
struct Values(Vec<String>);

impl Drop for Values {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

impl Secrets {
    /// The values that were filled in for a profile, oldest first.
    ///
    /// # Errors
    /// The file or its key is unreadable, or they do not belong together.
    pub fn filled(&self, profile: &Profile) -> Result<Vec<Secret>, SecretError> {
        let values = self.values(profile)?;
        Ok(values.0.iter().cloned().map(Secret::new).collect())
    }

    /// Remembers a value that is about to be filled in. The caller's process holds the profile's lock,
    /// and calls this one at a time.
    ///
    /// # Errors
    /// The file or its key cannot be read or written.
    pub fn remember_filled(&self, profile: &Profile, value: &str) -> Result<(), SecretError> {
        let mut values = match self.values(profile) {
            // From another machine, or its key is lost: nobody here can read it.
            Err(SecretError::Unusable { .. } | SecretError::NoKey { .. }) => Values(Vec::new()),
            values => values?,
        };
        if values.0.iter().any(|known| known == value) {
            return Ok(());
        }
        values.0.push(value.to_owned());
        let surplus = values.0.len().saturating_sub(MOST);
        values.0.drain(..surplus).for_each(|mut old| old.zeroize());
        self.write_values(profile, &values)
    }

    fn values(&self, profile: &Profile) -> Result<Values, SecretError> {
        let Some(bytes) = profile.read_filled()? else {
            return Ok(Values(Vec::new()));
        };
        let file = profile.filled_path();
        let path = self.vault.key_path()?;
        let key = VaultKey::read(path)?.ok_or_else(|| SecretError::NoKey {
            file: file.clone(),
            key: path.to_owned(),
        })?;
        let plain = sealed::FILLED.open(&key, &bytes);
        let plain = plain.map_err(|reason| reason.of(&file))?;
        // An error of JSON could repeat a part of the content.
        let values = serde_json::from_slice(&plain);
        values.map(Values).map_err(|_| Unusable::Content.of(&file))
    }

    fn write_values(&self, profile: &Profile, values: &Values) -> Result<(), SecretError> {
        let path = self.vault.key_path()?;
        let key = match VaultKey::read(path)? {
            Some(key) => key,
            None => VaultKey::make(path)?,
        };
        let file = profile.filled_path();
        let plain = serde_json::to_vec(&values.0).map_err(|_| Unusable::Content.of(&file))?;
        let plain = Zeroizing::new(plain);
        let bytes = sealed::FILLED.seal(&key, &plain);
        let bytes = bytes.map_err(|reason| reason.of(&file))?;
        Ok(profile.write_filled(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use szk_config::Origin;
    use szk_store::{Name, Store};

    use super::*;

    fn profile() -> (tempfile::TempDir, Secrets, Profile) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("store"));
        let origin = Origin {
            user_file: Some(dir.path().join("config/szk/config.toml")),
            ..Origin::default()
        };
        let profile = store.profile(&Name::parse("work").unwrap());
        profile.create().unwrap();
        (dir, Secrets::of(&store, &origin), profile)
    }

    fn filled(secrets: &Secrets, profile: &Profile) -> Vec<String> {
        let all = secrets.filled(profile).unwrap().into_iter();
        all.map(|value| value.reveal().to_owned()).collect()
    }

    #[test]
    fn values_are_remembered_and_unreadable_in_the_store() {
        let (_dir, secrets, profile) = profile();
        assert!(filled(&secrets, &profile).is_empty());
        assert!(!profile.filled_path().exists(), "looking makes nothing");
        for value in ["hunter2", "my_pass_word1", "hunter2"] {
            secrets.remember_filled(&profile, value).unwrap();
        }
        assert_eq!(filled(&secrets, &profile), ["hunter2", "my_pass_word1"]);
        let bytes = profile.read_filled().unwrap().unwrap();
        for word in ["hunter2", "my_pass"] {
            assert!(!bytes.windows(word.len()).any(|w| w == word.as_bytes()));
        }
    }

    #[test]
    fn a_file_of_another_key_is_replaced_by_the_next_value() {
        let (dir, secrets, profile) = profile();
        secrets.remember_filled(&profile, "hunter2").unwrap();
        fs::remove_file(dir.path().join("config/szk/secrets.key")).unwrap();
        assert!(matches!(
            secrets.filled(&profile),
            Err(SecretError::NoKey { .. })
        ));
        secrets.remember_filled(&profile, "other").unwrap();
        assert_eq!(filled(&secrets, &profile), ["other"]);
    }

    #[test]
    fn not_endlessly_many_are_remembered() {
        let (_dir, secrets, profile) = profile();
        let many = (0..MOST).map(|number| number.to_string()).collect();
        secrets.write_values(&profile, &Values(many)).unwrap();
        secrets.remember_filled(&profile, "last").unwrap();
        let all = filled(&secrets, &profile);
        assert_eq!((all.len(), &*all[0], &*all[MOST - 1]), (MOST, "1", "last"));
    }
}
