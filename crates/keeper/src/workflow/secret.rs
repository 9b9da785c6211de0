//! Secrets on their way into fields.

use szk_client::{Secret, secret_failure, secret_name};
use szk_tools::Failure;

use crate::context::Keeper;

/// The secret of this name. From now on nothing that this keeper says shows it.
pub(super) async fn of_name(keeper: &Keeper, name: &str) -> Result<Secret, Failure> {
    let name = secret_name(name)?;
    let secret = keeper.secrets.get(&name).await;
    let secret = secret.map_err(|error| secret_failure(&error))?;
    Ok(hidden(keeper, secret))
}

/// A value that was given with the call.
pub(super) fn given(keeper: &Keeper, value: &str) -> Secret {
    hidden(keeper, Secret::new(value.to_owned()))
}

fn hidden(keeper: &Keeper, secret: Secret) -> Secret {
    keeper.veil().add(secret.reveal());
    secret
}
