//! The store's secrets.

use szk_config::{Origin, OriginPattern};
use szk_secrets::{SecretError, SecretName, Secrets};
use szk_store::Store;
use szk_tools::{Code, Failure};

use crate::{Client, trouble};

/// Beside the user's configuration file: not in the store, which may be copied and shared.
const KEY: &str = "secrets.key";

impl Client {
    /// The secrets of this client's store.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        secrets_of(self.store(), &self.origin)
    }
}

/// The secrets of a store, for whoever has no client: a keeper.
#[must_use]
pub fn secrets_of(store: &Store, origin: &Origin) -> Secrets {
    let file = origin.user_file.as_ref();
    Secrets::of(store, file.map(|file| file.with_file_name(KEY)))
}

/// A secret's name.
///
/// # Errors
/// `INVALID_INPUT`, without the name: it may be the value.
pub fn secret_name(name: &str) -> Result<SecretName, Failure> {
    SecretName::parse(name).map_err(|error| Failure::invalid(error.to_string()))
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

/// Trouble with secrets.
#[must_use]
pub fn secret_failure(error: &SecretError) -> Failure {
    let text = error.to_string();
    match error {
        SecretError::NotFound { name } => Failure::new(Code::NotFound, text).hint(format!(
            "`szk secret list` shows the names; `szk secret set {name}` sets it"
        )),
        SecretError::Keyring(_) => Failure::new(Code::Storage, text).hint(
            "unlock the keyring, or keep the secret in a file with `szk secret set --in file`",
        ),
        SecretError::NoKey { key, .. } => Failure::new(Code::Storage, text).hint(format!(
            "bring the key back to `{}`, or delete the encrypted file and set the secrets again",
            key.display()
        )),
        SecretError::Open { path, .. } => {
            Failure::new(Code::Storage, text).hint(format!("`chmod 600 {}`", path.display()))
        }
        SecretError::Old { path } => Failure::new(Code::Storage, text).hint(format!(
            "rename `{}`, for example to end in `.old`, and set the secrets again; `age --decrypt` still reads the old file with the old key",
            path.display()
        )),
        SecretError::Store(error) => trouble::store_failure(error),
        SecretError::NoFolder | SecretError::Unusable { .. } | SecretError::Io { .. } => {
            Failure::new(Code::Storage, text)
        }
    }
}
