//! Parses names of profiles and secrets; errors are failures.

use szk_secrets::SecretName;
use szk_store::{Name, Profile, Store};
use szk_tools::Failure;

use crate::failure;

/// A profile's name.
///
/// # Errors
/// `INVALID_INPUT` for an invalid name.
pub fn parse(name: &str) -> Result<Name, Failure> {
    Name::parse(name).map_err(|error| failure::name(&error))
}

/// A secret's name.
///
/// # Errors
/// `INVALID_INPUT`, without the name: it may be the value.
pub fn secret(name: &str) -> Result<SecretName, Failure> {
    SecretName::parse(name).map_err(|error| Failure::invalid(error.to_string()))
}

/// A profile whose name is still free.
///
/// # Errors
/// `INVALID_INPUT` for a name that is invalid or taken.
pub fn free_profile(store: &Store, name: &str) -> Result<Profile, Failure> {
    let profile = store.profile(&parse(name)?);
    if profile.exists() {
        return Err(Failure::invalid(format!("profile `{name}` already exists"))
            .hint("choose another name, or delete that profile first"));
    }
    Ok(profile)
}
