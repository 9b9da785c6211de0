//! Named secrets: passwords and the like that agents and scripts use without seeing them.
//!
//! [`Secrets::get`] is all that a handler needs. A secret is stored in the desktop's keyring if there is
//! one, otherwise in a file of the store, encrypted with a key in the user's configuration folder. A
//! [`Secret`] never prints itself: it has no `Display`, its `Debug` shows no value, and its memory is
//! wiped. A secret can be bound to origins; see [`StoredSecret`]. Names are not secret; values never
//! appear in an error, a log or an argument of a process.

mod error;
mod file;
mod filled;
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
pub use secrets::{Listed, SecretStore, Secrets};
pub use stored::StoredSecret;
