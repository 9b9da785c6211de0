//! Logins and open tabs of a profile, saved in `state.json` and restored from it.
//!
//! [`StorageState`] is the file: Playwright's format with additional keys of our own.
//! [`capture_cookies`] and [`capture_origin`] make it, [`load`] reads it, and it is written when its
//! [`StorageState::digest`] changes. `szk_recovery` decides whether Chromium's files or the saved state
//! are right; [`cookies_to_restore`] and [`origin_to_restore`] express that in terms of a state;
//! [`restore_cookies`], [`restore_origins`] and [`refill_session_storage`] carry it out without
//! contacting any server. A part that cannot be saved or restored is a [`Warning`], never a failure, and
//! no warning contains a value.
//!
//! Nothing here sends `Runtime.enable` or touches a page's own world. Nothing here writes files, and of
//! Chromium's own files it reads only times.

mod capture;
mod cookie_file;
mod cookies;
mod decide;
mod digest;
mod files;
mod hidden;
pub(crate) use hidden::is_visit;
mod import;
mod key;
mod load;
mod local_storage_entries;
mod local_storage_file;
mod merge;
mod restore;
mod schema;
mod select;
mod session_storage;
mod text;
mod warning;

pub use capture::{CaptureOptions, OriginStorage, capture_origin, capture_origin_with};
pub use cookie_file::{are_written, cookie_times};
pub use cookies::{capture_cookies, remove_cookies, restore_cookies};
pub(crate) use cookies::{has_all, has_any, put_cookies};
pub use decide::{CookiePlan, OriginPlan, PresentOrigin, cookies_to_restore, origin_to_restore};
pub use digest::Digest;
pub use files::{ProfileTimes, profile_times};
pub use import::{
    ImportError, Imported, from_curl, from_json, from_netscape, is_curl, to_netscape,
};
pub use key::{CookieKey, Deleted};
pub use load::{Loaded, StateProblem, load};
pub use local_storage_entries::HashedEntries;
pub use local_storage_file::{LocalChange, LocalCommits};
pub(crate) use restore::{Put, has_origins_to_put, put_origins};
pub use restore::{capture_closed_origins, restore_origins};
pub use schema::{
    Cookie, Database, Extras, Index, Item, ObjectStore, OriginState, Record, SameSite,
    SessionStorage, StorageState, TabState, Unread, VERSION,
};
pub use select::Counts;
pub use session_storage::{Refill, refill_session_storage};
pub use szk_recovery::{Evidence, Truth, confirmed, truth};
pub use text::{Json, Text};
pub use warning::Warning;
