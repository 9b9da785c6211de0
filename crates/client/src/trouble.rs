//! Errors of store and configuration as failures for whoever must act.

use szk_config::{ConfigErrors, Denied};
use szk_store::{LockError, NameError, StoreError};
use szk_tools::{Code, Failure};

/// A name that cannot be a profile's.
#[must_use]
pub fn name_failure(error: &NameError) -> Failure {
    let failure = Failure::invalid(error.to_string());
    match error.suggestion() {
        Some(name) => failure.hint(format!(
            "use `{}`, or another name of a-z, 0-9, `.`, `_` and `-`",
            name.as_str()
        )),
        None => failure.hint(
            "a name is 1 to 64 of a-z, 0-9, `.`, `_` and `-`, and begins with a letter or digit",
        ),
    }
}

/// Trouble with files of the store.
#[must_use]
pub fn store_failure(error: &StoreError) -> Failure {
    let path = error.path().display().to_string();
    match error {
        StoreError::Newer { .. } => Failure::new(Code::ProfileUnusable, error.to_string())
            .hint("this profile was used by a newer szk: update szk, or open another profile"),
        StoreError::Corrupt { .. } => Failure::new(Code::ProfileUnusable, error.to_string())
            .hint(format!("move `{path}` away and open the profile again")),
        _ => {
            let failure = Failure::new(Code::Storage, error.to_string());
            match error.kind() {
                Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) => {
                    failure
                        .hint(format!(
                            "free space on the disk of `{path}`; nothing that was saved is lost"
                        ))
                        .retryable()
                }
                Some(
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem,
                ) => failure.hint(format!(
                    "make `{path}` writable for you, or choose another store with `--store`"
                )),
                _ => failure.hint("`szk doctor` looks at the store"),
            }
        }
    }
}

/// A profile that somebody else holds.
#[must_use]
pub fn lock_failure(error: &LockError) -> Failure {
    match error {
        LockError::Held { name } => Failure::new(Code::ProfileLocked, error.to_string())
            .hint(format!("`szk close {name}` closes it for everybody")),
        LockError::Io(error) => store_failure(error),
    }
}

/// Files or variables that cannot be used, with lines and carets.
#[must_use]
pub fn files_failure(errors: &ConfigErrors) -> Failure {
    Failure::new(
        Code::InvalidConfig,
        errors.to_string().trim_end().to_owned(),
    )
    .hint("mend what is marked; `szk config explain` shows every key")
}

/// What `[policy]` does not allow.
#[must_use]
pub fn policy_failure(denied: &Denied) -> Failure {
    Failure::new(Code::PolicyDenied, denied.message.clone()).hint(denied.hint.clone())
}

/// Layers that do not go together: the files', unless it is all about what the call asks for.
#[must_use]
pub fn config_failure(errors: &ConfigErrors) -> Failure {
    let of_the_call = |problem: &szk_config::Problem| {
        problem.path().is_none() && !problem.message().contains("SZK_")
    };
    if errors.problems().iter().all(of_the_call) {
        let text: Vec<&str> = errors
            .problems()
            .iter()
            .map(szk_config::Problem::message)
            .collect();
        let hints: Vec<&str> = errors
            .problems()
            .iter()
            .filter_map(szk_config::Problem::hint)
            .collect();
        let failure = Failure::invalid(text.join("; "));
        return if hints.is_empty() {
            failure
        } else {
            failure.hint(hints.join("; "))
        };
    }
    files_failure(errors)
}
