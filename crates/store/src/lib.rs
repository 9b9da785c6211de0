//! The profile store: the only code that knows where a profile is on disk.
//!
//! A store is a folder of profiles, `<store>/<name>/`. Only a [`Name`] ever becomes part of a path; a
//! [`Profile`] provides the paths and files of one profile. The process that runs a profile holds its
//! [`ProfileLock`], an OS file lock that ends with the process and is never stolen. Every file is
//! private to the user (0600, folders 0700) and written so that a crash, a full disk or a second
//! process leaves a complete file behind.

pub mod archive;
pub mod atomic;
pub mod audit;
pub mod gc;
pub mod process;
pub mod singleton;
pub mod temporary;

mod caches;
mod confirm;
mod copy;
mod dirs;
mod downloads;
mod error;
mod filled;
mod inbox;
mod keeper;
mod kept;
mod leftovers;
mod lock;
mod logins;
mod meta;
mod name;
mod profile;
mod promote;
mod recipes;
mod servers;
mod shared_file;
mod socket;
mod stand_in;
mod state;
mod store;
mod sync;
mod token;
mod trash;
mod vault;
mod versions;

#[cfg(test)]
mod testing;

pub use copy::CopyReport;
pub use downloads::{DownloadFolder, save_download_as};
pub use error::{LockError, StoreError};
pub use gc::JOURNAL;
pub use inbox::{Inbox, InboxError, Incoming, Received};
pub use keeper::KeeperInfo;
pub use kept::KeptFile;
pub use leftovers::collect_leftovers;
pub use lock::{ProfileLock, StartLock};
pub use logins::{Ended, Health, Login, LoginCookie, LoginRecipe};
pub use meta::{EventNumbers, Meta, Recovered};
pub use name::{Name, NameError, NameProblem};
pub use profile::Profile;
pub use servers::{Announced, RunningServer};
pub use shared_file::{SharedFile, SharedFileLock};
pub use store::Store;
pub use token::Token;
pub use trash::Trashed;
pub use vault::VaultLock;
