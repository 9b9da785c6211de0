//! Secrets in a file of the store, encrypted as [`crate::sealed`] says.
//!
//! The key is not in the store, so a copy of the store reveals no secrets. Anyone who can read all files
//! of this user has both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use szk_config::OriginPattern;
use szk_store::{Store, VaultLock};
use zeroize::{Zeroize, Zeroizing};

use crate::key::VaultKey;
use crate::{Secret, SecretError, SecretName, StoredSecret, Unusable, sealed};

/// The encrypted file of a store, and the path of its key.
#[derive(Debug, Clone)]
pub(crate) struct Vault {
    pub(crate) store: Store,
    pub(crate) key: Option<PathBuf>,
}

/// The content before encryption. A new field needs a new version of the format: an older szk would drop
/// it when it writes the file again.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    secrets: BTreeMap<SecretName, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    origins: BTreeMap<SecretName, Vec<OriginPattern>>,
}

impl Drop for Content {
    fn drop(&mut self) {
        self.secrets.values_mut().for_each(Zeroize::zeroize);
    }
}

impl Vault {
    pub(crate) fn get(&self, name: &SecretName) -> Result<Option<StoredSecret>, SecretError> {
        let mut content = self.read()?;
        let secret = content.secrets.remove(name).map(Secret::new);
        let origins = content.origins.remove(name).unwrap_or_default();
        Ok(secret.map(|secret| StoredSecret { secret, origins }))
    }

    /// All names, with their origins.
    pub(crate) fn names(&self) -> Result<Vec<(SecretName, Vec<OriginPattern>)>, SecretError> {
        let content = self.read()?;
        let origins = |name| content.origins.get(name).cloned().unwrap_or_default();
        let names = content.secrets.keys();
        Ok(names.map(|name| (name.clone(), origins(name))).collect())
    }

    pub(crate) fn set(&self, name: &SecretName, kept: &StoredSecret) -> Result<(), SecretError> {
        let lock = self.store.lock_vault()?;
        let mut content = self.read()?;
        let value = kept.secret.reveal().to_owned();
        if let Some(mut old) = content.secrets.insert(name.clone(), value) {
            old.zeroize();
        }
        match kept.origins.as_slice() {
            [] => content.origins.remove(name),
            origins => content.origins.insert(name.clone(), origins.to_vec()),
        };
        self.write(&lock, &content)
    }

    /// Deletes a secret; returns whether it existed.
    pub(crate) fn remove(&self, name: &SecretName) -> Result<bool, SecretError> {
        self.refuse_old()?;
        if self.store.read_vault()?.is_none() {
            return Ok(false);
        }
        let lock = self.store.lock_vault()?;
        let mut content = self.read()?;
        let Some(mut old) = content.secrets.remove(name) else {
            return Ok(false);
        };
        old.zeroize();
        content.origins.remove(name);
        self.write(&lock, &content)?;
        Ok(true)
    }

    /// Refuses to work beside a file of an earlier szk, whose secrets would be ignored silently.
    ///
    /// # Errors
    /// [`SecretError::Old`].
    pub(crate) fn refuse_old(&self) -> Result<(), SecretError> {
        match self.store.old_vault() {
            Some(path) => Err(SecretError::Old { path }),
            None => Ok(()),
        }
    }

    fn read(&self) -> Result<Content, SecretError> {
        self.refuse_old()?;
        let Some(bytes) = self.store.read_vault()? else {
            return Ok(Content::default());
        };
        let file = self.store.vault_path();
        let key = self.key_path()?;
        let Some(key) = VaultKey::read(key)? else {
            return Err(SecretError::NoKey {
                file,
                key: key.to_owned(),
            });
        };
        let plain = sealed::SECRETS
            .open(&key, &bytes)
            .map_err(|reason| reason.of(&file))?;
        // An error of JSON could repeat a part of the content.
        serde_json::from_slice(&plain).map_err(|_| Unusable::Content.of(&file))
    }

    fn write(&self, lock: &VaultLock, content: &Content) -> Result<(), SecretError> {
        let path = self.key_path()?;
        let key = match VaultKey::read(path)? {
            Some(key) => key,
            None => VaultKey::make(path)?,
        };
        let file = self.store.vault_path();
        let plain = serde_json::to_vec(content).map_err(|_| Unusable::Content.of(&file))?;
        let plain = Zeroizing::new(plain);
        let bytes = sealed::SECRETS
            .seal(&key, &plain)
            .map_err(|reason| reason.of(&file))?;
        Ok(self.store.write_vault(lock, &bytes)?)
    }

    pub(crate) fn key_path(&self) -> Result<&Path, SecretError> {
        self.key.as_deref().ok_or(SecretError::NoFolder)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use szk_store::atomic;

    use super::*;

    fn vault() -> (tempfile::TempDir, Vault) {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault {
            store: Store::at(dir.path().join("store")),
            key: Some(dir.path().join("config/szk/secrets.key")),
        };
        (dir, vault)
    }

    fn name(text: &str) -> SecretName {
        SecretName::parse(text).unwrap()
    }

    fn set(vault: &Vault, key: &str, value: &str) {
        bind(vault, key, value, &[]);
    }

    fn bind(vault: &Vault, key: &str, value: &str, origins: &[&str]) {
        let origins = origins
            .iter()
            .map(|text| OriginPattern::read(text).unwrap());
        let kept = StoredSecret {
            secret: Secret::new(value.into()),
            origins: origins.collect(),
        };
        vault.set(&name(key), &kept).unwrap();
    }

    fn names(vault: &Vault) -> Vec<String> {
        let told = vault.names().unwrap().into_iter();
        let told = told.map(|(name, origins)| {
            let origins = origins.iter().map(|origin| format!(" {origin}"));
            format!("{name}{}", origins.collect::<String>())
        });
        told.collect()
    }

    fn get(vault: &Vault, key: &str) -> Option<String> {
        let found = vault.get(&name(key)).unwrap();
        found.map(|kept| kept.secret.reveal().to_owned())
    }

    #[test]
    fn secrets_are_stored_replaced_and_removed() {
        let (_dir, vault) = vault();
        assert_eq!(get(&vault, "a"), None);
        assert!(!vault.remove(&name("a")).unwrap());
        assert!(!vault.store.root().exists(), "looking makes nothing");
        set(&vault, "b", "zwei\n");
        set(&vault, "a", "one");
        set(&vault, "a", "eins");
        assert_eq!(get(&vault, "a").as_deref(), Some("eins"));
        assert_eq!(get(&vault, "b").as_deref(), Some("zwei\n"));
        assert_eq!(names(&vault), ["a", "b"]);
        assert!(vault.remove(&name("a")).unwrap());
        assert_eq!(names(&vault), ["b"]);
    }

    #[test]
    fn origins_stay_with_their_secret() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        bind(&vault, "b", "zwei", &["https://b.example", "*.b.example"]);
        assert_eq!(names(&vault), ["a", "b https://b.example *.b.example"]);
        assert_eq!(vault.get(&name("b")).unwrap().unwrap().origins.len(), 2);
        set(&vault, "b", "drei");
        assert_eq!(names(&vault), ["a", "b"]);
        bind(&vault, "b", "vier", &["b.example"]);
        assert!(vault.remove(&name("b")).unwrap());
        set(&vault, "b", "fünf");
        assert_eq!(names(&vault), ["a", "b"], "nothing is left of it");
    }

    #[test]
    fn the_content_is_unreadable_and_both_files_are_private() {
        let (_dir, vault) = vault();
        set(&vault, "shop", "hunter2hunter2");
        let bytes = vault.store.read_vault().unwrap().unwrap();
        assert!(bytes.starts_with(b"szk-secrets/1\n"));
        for word in ["hunter2", "shop"] {
            assert!(!bytes.windows(word.len()).any(|w| w == word.as_bytes()));
        }
        for path in [vault.store.vault_path(), vault.key.clone().unwrap()] {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }

    #[test]
    fn content_with_unknown_parts_is_refused_without_being_shown() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        let key = VaultKey::read(vault.key.as_ref().unwrap())
            .unwrap()
            .unwrap();
        for content in [
            r#"{"secrets":{"a":"hunter2"},"added":1}"#,
            r#"{"secrets":"hunter2"}"#,
            "",
        ] {
            let lock = vault.store.lock_vault().unwrap();
            let bytes = sealed::SECRETS.seal(&key, content.as_bytes()).unwrap();
            vault.store.write_vault(&lock, &bytes).unwrap();
            drop(lock);
            let error = vault.names().unwrap_err();
            let unusable = matches!(
                error,
                SecretError::Unusable {
                    reason: Unusable::Content,
                    ..
                }
            );
            assert!(unusable, "{error}");
            assert!(!format!("{error} {error:?}").contains("hunter2"));
        }
    }

    #[test]
    fn a_file_of_an_earlier_szk_is_refused_and_stays() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        let old = vault.store.root().join(".secrets.age");
        fs::write(&old, "age-encryption.org/v1\n").unwrap();
        let before = vault.store.read_vault().unwrap();
        let kept = StoredSecret {
            secret: Secret::new("x".into()),
            origins: Vec::new(),
        };
        for refused in [
            vault.set(&name("b"), &kept).unwrap_err(),
            vault.get(&name("a")).map(|_| ()).unwrap_err(),
            vault.names().map(|_| ()).unwrap_err(),
            vault.remove(&name("a")).map(|_| ()).unwrap_err(),
        ] {
            assert!(matches!(&refused, SecretError::Old { path } if *path == old));
        }
        assert_eq!(vault.store.read_vault().unwrap(), before);
        assert_eq!(fs::read(&old).unwrap(), b"age-encryption.org/v1\n");
        fs::rename(&old, old.with_extension("kept")).unwrap();
        assert_eq!(get(&vault, "a").as_deref(), Some("eins"));
    }

    #[test]
    fn a_key_of_an_earlier_szk_is_not_replaced() {
        let (_dir, vault) = vault();
        let path = vault.key.clone().unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        atomic::write(&path, b"AGE-SECRET-KEY-1QQ\n").unwrap();
        let kept = StoredSecret {
            secret: Secret::new("x".into()),
            origins: Vec::new(),
        };
        let refused = vault.set(&name("a"), &kept).unwrap_err();
        assert!(matches!(refused, SecretError::Old { path: named } if named == path));
        assert_eq!(fs::read(&path).unwrap(), b"AGE-SECRET-KEY-1QQ\n");
        assert_eq!(vault.store.read_vault().unwrap(), None);
    }

    /// The key belongs to the user: a lock on one store does not keep another store from making it.
    #[test]
    fn the_first_secrets_of_many_stores_at_once_share_one_key() {
        const STORES: usize = 8;
        for _ in 0..10 {
            let dir = tempfile::tempdir().unwrap();
            let vaults: Vec<Vault> = (0..STORES)
                .map(|n| Vault {
                    store: Store::at(dir.path().join(format!("store-{n}"))),
                    key: Some(dir.path().join("config/szk/secrets.key")),
                })
                .collect();
            let together = std::sync::Barrier::new(STORES);
            std::thread::scope(|scope| {
                for vault in &vaults {
                    scope.spawn(|| {
                        together.wait();
                        set(vault, "a", "eins");
                    });
                }
            });
            for vault in &vaults {
                assert_eq!(get(vault, "a").as_deref(), Some("eins"));
            }
        }
    }

    #[test]
    fn a_file_without_its_key_is_refused_and_left_alone() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        let key = vault.key.clone().unwrap();
        let (kept, before) = (fs::read(&key).unwrap(), vault.store.read_vault().unwrap());
        fs::remove_file(&key).unwrap();
        let refused = |vault: &Vault| {
            let kept = StoredSecret {
                secret: Secret::new("x".into()),
                origins: Vec::new(),
            };
            vault.set(&name("b"), &kept).unwrap_err()
        };
        assert!(matches!(refused(&vault), SecretError::NoKey { .. }));
        VaultKey::make(&key).unwrap();
        assert!(matches!(refused(&vault), SecretError::Unusable { .. }));
        atomic::write(&key, b"nonsense").unwrap();
        assert!(matches!(refused(&vault), SecretError::Unusable { .. }));
        atomic::write(&key, &kept).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(refused(&vault), SecretError::Open { .. }));
        assert_eq!(vault.store.read_vault().unwrap(), before);
        atomic::write(&key, &kept).unwrap();
        assert_eq!(get(&vault, "a").as_deref(), Some("eins"));
    }
}
