//! Secrets in a file of the store, encrypted in the age format (age-encryption.org/v1).
//!
//! `age -d -i secrets.key .secrets.age` reads it, too. The key is not in the store: who copies that, or
//! keeps a copy of it elsewhere, has no secrets. Who can read all files of this user has both.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use age::secrecy::ExposeSecret;
use age::x25519::Identity;
use serde::{Deserialize, Serialize};
use szk_config::OriginPattern;
use szk_store::{Store, atomic};
use zeroize::{Zeroize, Zeroizing};

use crate::{Kept, Secret, SecretError, SecretName};

/// The newest format known here. Version 2 has origins; one that binds nothing is written as version 1, so
/// that an older szk reads it, and never loses what a newer one has bound.
const VERSION: u64 = 2;

/// The encrypted file of a store, and where its key is.
#[derive(Debug, Clone)]
pub(crate) struct Vault {
    pub(crate) store: Store,
    pub(crate) key: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Content {
    version: u64,
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
    pub(crate) fn get(&self, name: &SecretName) -> Result<Option<Kept>, SecretError> {
        let mut content = self.read()?;
        let secret = content.secrets.remove(name).map(Secret::new);
        let origins = content.origins.remove(name).unwrap_or_default();
        Ok(secret.map(|secret| Kept { secret, origins }))
    }

    /// All names, with what they are bound to.
    pub(crate) fn names(&self) -> Result<Vec<(SecretName, Vec<OriginPattern>)>, SecretError> {
        let content = self.read()?;
        let origins = |name| content.origins.get(name).cloned().unwrap_or_default();
        let names = content.secrets.keys();
        Ok(names.map(|name| (name.clone(), origins(name))).collect())
    }

    pub(crate) fn set(&self, name: &SecretName, kept: &Kept) -> Result<(), SecretError> {
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
        self.write(&lock, content)
    }

    /// Whether it was there.
    pub(crate) fn remove(&self, name: &SecretName) -> Result<bool, SecretError> {
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
        self.write(&lock, content)?;
        Ok(true)
    }

    fn read(&self) -> Result<Content, SecretError> {
        let Some(bytes) = self.store.read_vault()? else {
            return Ok(Content {
                version: VERSION,
                secrets: BTreeMap::new(),
                origins: BTreeMap::new(),
            });
        };
        let path = self.store.vault_path();
        let unusable = |reason: String| SecretError::Unusable {
            path: path.clone(),
            reason,
        };
        let key = self.key_path()?;
        let identity = match read_key(key)? {
            Some(identity) => identity,
            None => {
                return Err(SecretError::NoKey {
                    file: path,
                    key: key.to_owned(),
                });
            }
        };
        let plain = age::decrypt(&identity, &bytes).map_err(|error| unusable(error.to_string()))?;
        let plain = Zeroizing::new(plain);
        // The error of JSON could repeat a part of it.
        let content: Content = serde_json::from_slice(&plain)
            .map_err(|_| unusable("what is in it is not what szk writes".to_owned()))?;
        if content.version > VERSION {
            return Err(unusable("it was written by a newer szk".to_owned()));
        }
        Ok(content)
    }

    fn write(&self, lock: &szk_store::VaultLock, mut content: Content) -> Result<(), SecretError> {
        content.version = if content.origins.is_empty() {
            1
        } else {
            VERSION
        };
        let key = self.key_path()?;
        let identity = match read_key(key)? {
            Some(identity) => identity,
            None => make_key(key)?,
        };
        let unusable = |reason: String| SecretError::Unusable {
            path: self.store.vault_path(),
            reason,
        };
        let plain = serde_json::to_vec(&content).map_err(|error| unusable(error.to_string()))?;
        let plain = Zeroizing::new(plain);
        let bytes = age::encrypt(&identity.to_public(), &plain)
            .map_err(|error| unusable(error.to_string()))?;
        Ok(self.store.write_vault(lock, &bytes)?)
    }

    fn key_path(&self) -> Result<&Path, SecretError> {
        self.key.as_deref().ok_or(SecretError::NoFolder)
    }
}

/// Longest file with a key, in bytes.
const LONGEST_KEY: u64 = 64 << 10;

/// As `age-keygen` writes it: comments, and one line with the key.
fn read_key(path: &Path) -> Result<Option<Identity>, SecretError> {
    let text = match szk_files::text(path, LONGEST_KEY) {
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
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let identity = line.and_then(|line| line.parse().ok());
    identity.map(Some).ok_or_else(|| SecretError::Unusable {
        path: path.to_owned(),
        reason: "it holds no age key".to_owned(),
    })
}

fn make_key(path: &Path) -> Result<Identity, SecretError> {
    let identity = Identity::generate();
    let text = Zeroizing::new(format!(
        "# The key of szk's secrets. Whoever has it and the file `.secrets.age` of a store can read them.\n# public key: {}\n{}\n",
        identity.to_public(),
        identity.to_string().expose_secret()
    ));
    if let Some(folder) = path.parent() {
        // Whatever the umask: what is beside the key is nobody else's either.
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(SecretError::at(folder))?;
    }
    atomic::write(path, text.as_bytes())?;
    Ok(identity)
}

#[cfg(test)]
mod tests {
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
        let kept = Kept {
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

    fn version(vault: &Vault) -> u64 {
        let bytes = vault.store.read_vault().unwrap().unwrap();
        let identity = read_key(vault.key.as_ref().unwrap()).unwrap().unwrap();
        let plain = age::decrypt(&identity, &bytes).unwrap();
        serde_json::from_slice::<Content>(&plain).unwrap().version
    }

    fn get(vault: &Vault, key: &str) -> Option<String> {
        let found = vault.get(&name(key)).unwrap();
        found.map(|kept| kept.secret.reveal().to_owned())
    }

    #[test]
    fn secrets_are_kept_replaced_and_removed() {
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
    fn what_binds_them_stays_with_them_and_only_then_is_the_format_new() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        assert_eq!(version(&vault), 1);
        bind(&vault, "b", "zwei", &["https://b.example", "*.b.example"]);
        assert_eq!(version(&vault), 2);
        assert_eq!(names(&vault), ["a", "b https://b.example *.b.example"]);
        assert_eq!(vault.get(&name("b")).unwrap().unwrap().origins.len(), 2);
        set(&vault, "b", "drei");
        assert_eq!(names(&vault), ["a", "b"]);
        bind(&vault, "b", "vier", &["b.example"]);
        assert!(vault.remove(&name("b")).unwrap());
        assert_eq!(version(&vault), 1, "nothing is left of it");
    }

    #[test]
    fn nothing_of_it_is_readable_and_both_files_are_private() {
        let (_dir, vault) = vault();
        set(&vault, "shop", "hunter2hunter2");
        let bytes = vault.store.read_vault().unwrap().unwrap();
        assert!(bytes.starts_with(b"age-encryption.org/v1\n"));
        for word in ["hunter2", "shop"] {
            assert!(!bytes.windows(word.len()).any(|w| w == word.as_bytes()));
        }
        for path in [vault.store.vault_path(), vault.key.clone().unwrap()] {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }

    #[test]
    fn without_its_key_or_with_another_it_is_refused_and_stays() {
        let (_dir, vault) = vault();
        set(&vault, "a", "eins");
        let key = vault.key.clone().unwrap();
        let (kept, before) = (fs::read(&key).unwrap(), vault.store.read_vault().unwrap());
        fs::remove_file(&key).unwrap();
        let refused = |vault: &Vault| {
            let kept = Kept {
                secret: Secret::new("x".into()),
                origins: Vec::new(),
            };
            vault.set(&name("b"), &kept).unwrap_err()
        };
        assert!(matches!(refused(&vault), SecretError::NoKey { .. }));
        make_key(&key).unwrap();
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
