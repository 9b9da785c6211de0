//! Turns errors of store, configuration and secrets into failures.

use std::io::{self, ErrorKind};
use std::path::Path;

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
                Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
                    failure
                        .hint(format!(
                            "free space on the disk of `{path}`; saved data is intact"
                        ))
                        .retryable()
                }
                Some(
                    ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem,
                ) => failure.hint(format!(
                    "make `{path}` writable for your user, or choose another store with `--store`"
                )),
                _ => failure.hint("check the store with `szk doctor`"),
            }
        }
    }
}

/// A file that a caller named could not be written. What the path makes impossible is the caller's mistake, and the
/// store is fine.
#[must_use]
pub fn named_file(error: &StoreError) -> Failure {
    match error {
        StoreError::Io { path, source } => unwritable(path, source).unwrap_or_else(|| store(error)),
        StoreError::ReadOnly { path } => read_only(path),
        _ => store(error),
    }
}

/// The same for an error of the system's; `None` if it has nothing to do with the path.
#[must_use]
pub fn unwritable(path: &Path, error: &io::Error) -> Option<Failure> {
    let shown = path.display();
    let (message, hint) = match error.kind() {
        ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(path).display();
            (
                format!("there is no folder `{folder}`"),
                "create it, or name a file in a folder that exists",
            )
        }
        ErrorKind::NotADirectory => (
            format!("no file can be at `{shown}`: a part of that path is not a folder"),
            ELSEWHERE,
        ),
        ErrorKind::IsADirectory => (
            format!("`{shown}` is a folder, not a file"),
            "add the name of a file to it",
        ),
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput => (
            format!("no file can have the name `{shown}`: {error}"),
            ELSEWHERE,
        ),
        ErrorKind::PermissionDenied => (
            format!("szk has no permission to write `{shown}`"),
            "name a file in a folder that your user may write to",
        ),
        ErrorKind::ReadOnlyFilesystem => return Some(read_only(path)),
        _ => return None,
    };
    Some(Failure::invalid(message).hint(hint))
}

/// Helps whatever is wrong with a path.
const ELSEWHERE: &str = "name a file in a folder that exists";

fn read_only(path: &Path) -> Failure {
    Failure::invalid(format!(
        "`{}` is on a read-only file system",
        path.display()
    ))
    .hint("name a file in a folder that can be written")
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
    .hint("correct or remove what is named above")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, kind: ErrorKind, code: Code, message: &str) {
        let failure = named_file(&StoreError::Io {
            path: path.into(),
            source: kind.into(),
        });
        assert_eq!(failure.code, code, "{failure}");
        assert!(failure.message.starts_with(message), "{failure}");
        let hint = failure.hint.unwrap_or_default();
        let doctor = hint.contains("doctor") || hint.contains("--store");
        assert!(!hint.is_empty() && !doctor, "{hint}");
    }

    #[test]
    fn a_path_that_cannot_be_written_is_the_callers_mistake() {
        let invalid = |path, kind, message| check(path, kind, Code::InvalidInput, message);
        let nowhere = "there is no folder `/nope`";
        invalid("/nope/x.png", ErrorKind::NotFound, nowhere);
        let folder = "`/tmp` is a folder";
        invalid("/tmp", ErrorKind::IsADirectory, folder);
        let file = "no file can be at `/etc/passwd/x`";
        invalid("/etc/passwd/x", ErrorKind::NotADirectory, file);
        let denied = "szk has no permission to write `/root/x`";
        invalid("/root/x", ErrorKind::PermissionDenied, denied);
        let read_only = "`/proc/x` is on a read-only";
        invalid("/proc/x", ErrorKind::ReadOnlyFilesystem, read_only);
        check("/x", ErrorKind::StorageFull, Code::Storage, "could not use");
    }
}
