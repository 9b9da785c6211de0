//! The store's secrets, for the person who manages them.

use szk_config::OriginPattern;
use szk_secrets::{Listed, Secret, SecretName, SecretStore, Secrets};
use szk_tools::Failure;
use szk_wire::failure;
pub use szk_wire::names::secret as secret_name;

use crate::Client;

impl Client {
    fn secrets(&self) -> Secrets {
        Secrets::of(self.store(), &self.origin)
    }

    /// The names of the secrets, and where each is stored.
    ///
    /// # Errors
    /// A place is unreadable.
    pub async fn list_secrets(&self) -> Result<Vec<Listed>, Failure> {
        let listed = self.secrets().list().await;
        listed.map_err(|error| failure::secret(&error))
    }

    /// Checks that there is a secret of this name.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_INPUT` for what is no name, or its place is unreadable.
    pub async fn has_secret(&self, name: &str) -> Result<(), Failure> {
        let name = secret_name(name)?;
        let found = self.secrets().get(&name).await;
        found.map(drop).map_err(|error| failure::secret(&error))
    }

    /// Stores a secret. Origins and place default to those it had before.
    ///
    /// # Errors
    /// The place is not writable.
    pub async fn set_secret(
        &self,
        name: &SecretName,
        value: &Secret,
        origins: Option<Vec<OriginPattern>>,
        place: Option<SecretStore>,
    ) -> Result<Listed, Failure> {
        let set = self.secrets().set(name, value, origins, place).await;
        set.map_err(|error| failure::secret(&error))
    }

    /// Deletes a secret.
    ///
    /// # Errors
    /// `NOT_FOUND`, or its place is not writable.
    pub async fn remove_secret(&self, name: &SecretName) -> Result<(), Failure> {
        let removed = self.secrets().remove(name).await;
        removed.map_err(|error| failure::secret(&error))
    }
}

/// The origins to bind a secret to; `None` if none are named.
///
/// # Errors
/// `INVALID_INPUT` for an invalid origin.
pub fn secret_origins(origins: &[String]) -> Result<Option<Vec<OriginPattern>>, Failure> {
    if origins.is_empty() {
        return Ok(None);
    }
    let read = |text: &String| {
        OriginPattern::read(text).map_err(|error| Failure::invalid(error.to_string()))
    };
    origins.iter().map(read).collect::<Result<_, _>>().map(Some)
}
