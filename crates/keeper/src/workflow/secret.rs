//! Secrets that are filled into fields.

use szk_page::Redactor;
use szk_runtime::session::Session;
use szk_secrets::{Secret, Secrets, StoredSecret};
use szk_tools::{Code, Failure};
use szk_wire::{failure, names};

use crate::context::Keeper;

/// A value that may be filled into fields of certain documents.
#[derive(Debug, Clone)]
pub(crate) struct BoundSecret {
    kept: StoredSecret,
    /// The name of the secret; `None` for a value from the call.
    name: Option<String>,
}

impl BoundSecret {
    /// A value from the call, for this page.
    pub(super) fn given(value: &str) -> Self {
        let secret = Secret::new(value.to_owned());
        let origins = Vec::new();
        Self {
            kept: StoredSecret { secret, origins },
            name: None,
        }
    }

    /// The value, for a field in a document of this origin.
    pub(crate) fn for_origin(&self, origin: &str) -> Result<&str, Failure> {
        if self.kept.is_for(origin) {
            return Ok(self.kept.secret.reveal());
        }
        let name = self.name.as_deref().unwrap_or_default();
        let origins = self.kept.origins.iter().map(ToString::to_string);
        let origins = origins.collect::<Vec<_>>().join(", ");
        Err(Failure::new(
            Code::PolicyDenied,
            format!("the secret `{name}` is for {origins}, and the field is on `{origin}`"),
        )
        .hint("check that this is the right site; only the person who owns the secret can allow it there, with `szk secret set --origin`"))
    }
}

/// The secret with this name. From now on the keeper redacts it in everything it says.
pub(crate) async fn of_name(keeper: &Keeper, name: &str) -> Result<BoundSecret, Failure> {
    let name = names::secret(name)?;
    let kept = keeper.secrets.get(&name).await;
    let kept = kept.map_err(|error| failure::secret(&error))?;
    let name = Some(name.to_string());
    Ok(hidden(keeper, BoundSecret { kept, name }))
}

/// A secret value from the call.
pub(super) fn given(keeper: &Keeper, value: &str) -> BoundSecret {
    hidden(keeper, BoundSecret::given(value))
}

/// Hides from the beginning what earlier keepers of the profile filled in: its pages still have it.
pub(crate) fn hide_filled(session: &Session, secrets: &Secrets, redactor: &Redactor) {
    match secrets.filled(session.profile()) {
        Ok(values) => {
            for value in values {
                redactor.add(value.reveal());
            }
        }
        Err(error) => {
            tracing::warn!(%error, "secrets that were filled in earlier may be shown");
        }
    }
}

fn hidden(keeper: &Keeper, carried: BoundSecret) -> BoundSecret {
    let value = carried.kept.secret.reveal();
    if keeper.redactor().add(value)
        && let Err(error) = keeper
            .secrets
            .remember_filled(keeper.session.profile(), value)
    {
        tracing::warn!(%error, "the next keeper of this profile will not hide what is filled in now");
    }
    carried
}
