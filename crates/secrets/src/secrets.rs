//! The keyring and the encrypted file behind one interface.

use serde::Serialize;
use szk_config::{Origin, OriginPattern};
use szk_store::Store;

use crate::file::Vault;
use crate::keyring::Keyring;
use crate::{Secret, SecretError, SecretName, StoredSecret};

/// Beside the user's configuration file, not in the store, which may be copied and shared.
const KEY: &str = "secrets.key";

/// Where a secret is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretStore {
    /// The desktop's keyring.
    Keyring,
    /// The encrypted file of the store.
    File,
}

/// A listed secret: everything but its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its name.
    pub name: SecretName,
    /// Where it is stored.
    pub place: SecretStore,
    /// The origins it can be used on; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<OriginPattern>,
}

/// The secrets of one store.
#[derive(Debug, Clone)]
pub struct Secrets {
    pub(crate) vault: Vault,
}

impl Secrets {
    /// The secrets of a store, with the key of this user's configuration. Does not touch any file yet.
    #[must_use]
    pub fn of(store: &Store, origin: &Origin) -> Self {
        let file = origin.user_file.as_ref();
        Self {
            vault: Vault {
                store: store.clone(),
                key: file.map(|file| file.with_file_name(KEY)),
            },
        }
    }

    /// A secret and its origins.
    ///
    /// # Errors
    /// [`SecretError::NotFound`], or the reason why its place is unreadable.
    pub async fn get(&self, name: &SecretName) -> Result<StoredSecret, SecretError> {
        if let Some(keyring) = self.keyring().await
            && let Some(kept) = keyring.get(name).await?
        {
            return Ok(kept);
        }
        self.vault.get(name)?.ok_or_else(|| not_found(name))
    }

    /// Stores a secret, in the requested place or else the best available, and returns how it is stored.
    /// Removes an earlier value from the other place, so a secret is only ever in one. Without `origins`
    /// it keeps its earlier ones: a changed password still belongs to the same site.
    ///
    /// # Errors
    /// The place is not writable.
    pub async fn set(
        &self,
        name: &SecretName,
        value: &Secret,
        origins: Option<Vec<OriginPattern>>,
        place: Option<SecretStore>,
    ) -> Result<Listed, SecretError> {
        // Check before writing anything, wherever it goes.
        self.vault.refuse_old()?;
        let keyring = self.keyring().await;
        let origins = match origins {
            Some(origins) => origins,
            None => self.origins_of(name, keyring.as_ref()).await?,
        };
        let secret = value.clone();
        let kept = StoredSecret { secret, origins };
        let place = match (place, keyring) {
            (Some(SecretStore::File), keyring) => {
                self.vault.set(name, &kept)?;
                if let Some(keyring) = keyring {
                    keyring.remove(name).await?;
                }
                SecretStore::File
            }
            (Some(SecretStore::Keyring), None) => {
                return Err(SecretError::Keyring("this system has none".to_owned()));
            }
            (None, None) => {
                self.vault.set(name, &kept)?;
                SecretStore::File
            }
            (_, Some(keyring)) => {
                keyring.set(name, &kept).await?;
                self.vault.remove(name)?;
                SecretStore::Keyring
            }
        };
        Ok(Listed {
            name: name.clone(),
            place,
            origins: kept.origins,
        })
    }

    /// All secrets, by name.
    ///
    /// # Errors
    /// A place is unreadable.
    pub async fn list(&self) -> Result<Vec<Listed>, SecretError> {
        let listed = |place| {
            move |(name, origins)| Listed {
                name,
                place,
                origins,
            }
        };
        let mut all: Vec<Listed> = Vec::new();
        if let Some(keyring) = self.keyring().await {
            let names = keyring.names().await?;
            all.extend(names.into_iter().map(listed(SecretStore::Keyring)));
        }
        let names = self.vault.names()?;
        all.extend(names.into_iter().map(listed(SecretStore::File)));
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Deletes a secret.
    ///
    /// # Errors
    /// [`SecretError::NotFound`], or a place is not writable.
    pub async fn remove(&self, name: &SecretName) -> Result<(), SecretError> {
        let in_keyring = match self.keyring().await {
            Some(keyring) => keyring.remove(name).await?,
            None => false,
        };
        if self.vault.remove(name)? || in_keyring {
            Ok(())
        } else {
            Err(not_found(name))
        }
    }

    async fn origins_of(
        &self,
        name: &SecretName,
        keyring: Option<&Keyring>,
    ) -> Result<Vec<OriginPattern>, SecretError> {
        let mut all = match keyring {
            Some(keyring) => keyring.names().await?,
            None => Vec::new(),
        };
        all.extend(self.vault.names()?);
        let known = all.into_iter().find(|(known, _)| known == name);
        Ok(known.map(|(_, origins)| origins).unwrap_or_default())
    }

    async fn keyring(&self) -> Option<Keyring> {
        Keyring::reach(self.vault.store.root()).await
    }
}

fn not_found(name: &SecretName) -> SecretError {
    SecretError::NotFound { name: name.clone() }
}
