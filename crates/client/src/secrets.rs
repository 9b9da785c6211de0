//! The store's secrets, for the person who keeps them.

use szk_config::OriginPattern;
use szk_secrets::{Listed, Place, Secret, SecretName, Secrets};
use szk_tools::Failure;
use szk_wire::failure;
pub use szk_wire::names::secret as secret_name;

use crate::Client;

impl Client {
    fn secrets(&self) -> Secrets {
        Secrets::of(self.store(), &self.origin)
    }

    /// The names of the secrets, and where they lie.
    ///
    /// # Errors
    /// A place cannot be read.
    pub async fn list_secrets(&self) -> Result<Vec<Listed>, Failure> {
        let listed = self.secrets().list().await;
        listed.map_err(|error| failure::secret(&error))
    }

    /// Keeps a secret; without origins or place, for those and where it was kept before.
    ///
    /// # Errors
    /// The place cannot be written.
    pub async fn set_secret(
        &self,
        name: &SecretName,
        value: &Secret,
        origins: Option<Vec<OriginPattern>>,
        place: Option<Place>,
    ) -> Result<Listed, Failure> {
        let set = self.secrets().set(name, value, origins, place).await;
        set.map_err(|error| failure::secret(&error))
    }

    /// Forgets a secret.
    ///
    /// # Errors
    /// `NOT_FOUND`, or its place cannot be written.
    pub async fn remove_secret(&self, name: &SecretName) -> Result<(), Failure> {
        let removed = self.secrets().remove(name).await;
        removed.map_err(|error| failure::secret(&error))
    }
}

/// The origins that a secret is to be bound to; `None` if none are named.
///
/// # Errors
/// `INVALID_INPUT` for what is no origin.
pub fn secret_origins(origins: &[String]) -> Result<Option<Vec<OriginPattern>>, Failure> {
    if origins.is_empty() {
        return Ok(None);
    }
    let read = |text: &String| {
        OriginPattern::read(text).map_err(|error| Failure::invalid(error.to_string()))
    };
    origins.iter().map(read).collect::<Result<_, _>>().map(Some)
}
