//! Which secrets a run may fill in: each recipe is checked, also one that another one uses.

use szk_recipes::{Kind, Recipe, Values};
use szk_tools::recipe::RunInput;
use szk_tools::{Code, Failure};

/// The secrets that the caller of a run may have filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum AllowedSecrets {
    /// All of the store.
    #[default]
    All,
    /// Those with these names.
    Only(Vec<String>),
    /// None: the caller's token does not allow it.
    None,
}

impl AllowedSecrets {
    /// What the input of a run says.
    pub(super) fn of(input: &RunInput) -> Self {
        match &input.only_secrets {
            _ if input.no_secrets == Some(true) => Self::None,
            Some(names) => Self::Only(names.clone()),
            None => Self::All,
        }
    }

    /// Refuses a recipe that would fill in others. `secrets` are their names, by parameter.
    pub(super) fn check(&self, recipe: &Recipe, secrets: &Values) -> Result<(), Failure> {
        match self {
            Self::All => Ok(()),
            Self::None => without(recipe),
            Self::Only(names) => match secrets.iter().find(|(_, one)| !names.contains(one)) {
                None => Ok(()),
                Some((param, _)) => Err(not_given(recipe, param)),
            },
        }
    }
}

/// Refuses a recipe that fills in any secret.
pub(super) fn without(recipe: &Recipe) -> Result<(), Failure> {
    let mut params = recipe.params.values();
    if !params.any(|param| param.kind == Kind::Secret) {
        return Ok(());
    }
    let name = &recipe.head.name;
    Err(Failure::new(
        Code::PolicyDenied,
        format!("the recipe `{name}` fills in secrets, which this token does not allow"),
    )
    .hint("use a token that was made with `--scope secrets`"))
}

/// Does not say which secret it is: whoever may not use it need not know its name.
fn not_given(recipe: &Recipe, param: &str) -> Failure {
    let name = &recipe.head.name;
    Failure::new(
        Code::PolicyDenied,
        format!(
            "the recipe `{name}` would fill in a secret for `{param}` that the task has not been given"
        ),
    )
    .hint("name the secret in `secrets` (`--secret`) of the task")
}
