//! Secrets by name: passwords and the like that agents and scripts use without seeing them.
//!
//! [`Secrets::get`] is all that a handler needs. A secret lies in the desktop's keyring where there is one,
//! else in a file of the store, encrypted with a key that lies in the user's configuration folder. A
//! [`Secret`] shows itself to nobody: it has no `Display`, its `Debug` is a word, and its memory is wiped.
//! A secret may be bound to origins, as a [`StoredSecret`] tells.
//! Names are no secrets; values never are in an error, a log or an argument of a process.

mod error;
mod file;
mod key;
mod keyring;
mod name;
mod sealed;
mod secret;
mod secrets;
mod stored;

pub use error::{SecretError, Unusable};
pub use keyring::browser_password;
pub use name::{NameProblem, SecretName};
pub use secret::Secret;
pub use secrets::{Listed, Place, Secrets};
pub use stored::StoredSecret;
