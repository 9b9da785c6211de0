//! Turns errors of store, configuration and secrets into failures.

use szk_config::{ConfigErrors, Denied, Problem};
use szk_secrets::SecretError;
use szk_store::{LockError, NameError, StoreError};
use szk_tools::{Code, Failure};

/// An invalid profile name.
#[must_use]
pub fn name(error: &NameError) -> Failure {
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

/// A problem with files of the store.
#[must_use]
pub fn store(error: &StoreError) -> Failure {
    let path = error.path().display().to_string();
    match error {
        StoreError::Newer { .. } => Failure::new(Code::ProfileUnusable, error.to_string()).hint(
            "a newer version of szk has used this profile: update szk, or open another profile",
        ),
        StoreError::Corrupt { .. } => Failure::new(Code::ProfileUnusable, error.to_string())
            .hint(format!("move `{path}` away and open the profile again")),
        _ => {
            let failure = Failure::new(Code::Storage, error.to_string());
            match error.kind() {
                Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) => {
                    failure
                        .hint(format!(
                            "free space on the disk of `{path}`; saved data is intact"
                        ))
                        .retryable()
                }
                Some(
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem,
                ) => failure.hint(format!(
                    "make `{path}` writable for your user, or choose another store with `--store`"
                )),
                _ => failure.hint("check the store with `szk doctor`"),
            }
        }
    }
}

/// A file that a caller named could not be written: with a path that no file can have, that is the caller's
/// mistake, and the store is fine.
#[must_use]
pub fn named_file(error: &StoreError) -> Failure {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
    match error.kind() {
        Some(IsADirectory | NotADirectory | InvalidFilename | InvalidInput) => {
            Failure::invalid(error.to_string())
                .hint("name a file, in a folder that exists, or leave the path out")
        }
        _ => store(error),
    }
}

/// A profile that another process holds.
#[must_use]
pub fn lock(error: &LockError) -> Failure {
    match error {
        LockError::Held { name } => Failure::new(Code::ProfileLocked, error.to_string())
            .hint(format!("close it for all clients with `szk close {name}`")),
        LockError::Io(error) => store(error),
    }
}

/// Invalid configuration files or variables, with lines and carets.
#[must_use]
pub fn files(errors: &ConfigErrors) -> Failure {
    Failure::new(
        Code::InvalidConfig,
        errors.to_string().trim_end().to_owned(),
    )
    .hint("correct the marked lines; `szk config explain` shows every key")
}

/// Something that `[policy]` forbids.
#[must_use]
pub fn policy(denied: &Denied) -> Failure {
    Failure::new(Code::PolicyDenied, denied.message.clone()).hint(denied.hint.clone())
}

/// Conflicting layers of configuration: blames the files, unless all problems are about the call's
/// options.
#[must_use]
pub fn config(errors: &ConfigErrors) -> Failure {
    if errors.problems().iter().all(Problem::is_of_the_call) {
        let problems = errors.problems().iter();
        let text: Vec<&str> = problems.clone().map(Problem::message).collect();
        let hints: Vec<&str> = problems.filter_map(Problem::hint).collect();
        let failure = Failure::invalid(text.join("; "));
        return if hints.is_empty() {
            failure
        } else {
            failure.hint(hints.join("; "))
        };
    }
    files(errors)
}

/// A problem with secrets.
#[must_use]
pub fn secret(error: &SecretError) -> Failure {
    let text = error.to_string();
    match error {
        SecretError::NotFound { name } => Failure::new(Code::NotFound, text).hint(format!(
            "list the names with `szk secret list`, or store it with `szk secret set {name}`"
        )),
        SecretError::Keyring(_) => Failure::new(Code::Storage, text).hint(
            "unlock the keyring, or keep the secret in a file with `szk secret set --in file`",
        ),
        SecretError::NoKey { key, .. } => Failure::new(Code::Storage, text).hint(format!(
            "restore the key to `{}`, or delete the encrypted file and set the secrets again",
            key.display()
        )),
        SecretError::Open { path, .. } => {
            Failure::new(Code::Storage, text).hint(format!("`chmod 600 {}`", path.display()))
        }
        SecretError::Old { path } => Failure::new(Code::Storage, text).hint(format!(
            "rename `{}`, for example with the ending `.old`, and set the secrets again; `age --decrypt` still reads the old file with the old key",
            path.display()
        )),
        SecretError::Store(error) => store(error),
        SecretError::NoFolder | SecretError::Unusable { .. } | SecretError::Io { .. } => {
            Failure::new(Code::Storage, text)
        }
    }
}
