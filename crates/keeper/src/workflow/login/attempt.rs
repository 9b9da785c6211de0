//! What must be remembered about a login in progress, also while a person does their part.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use szk_cdp::Connection;
use szk_runtime::state::{Cookie, capture_cookies};

/// Maximum number of logins to remember.
const MOST: usize = 64;

/// Logins in progress, by tab.
#[derive(Default)]
pub(crate) struct Logins {
    // A std mutex: nothing awaits under it.
    under_way: Mutex<HashMap<String, Attempt>>,
}

/// One login in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempt {
    /// The cookies before anything was sent.
    pub(super) before: Option<CookieFingerprints>,
    /// The address of the form.
    pub(super) form_url: String,
    /// Whether something was filled in.
    pub(super) begun: bool,
}

/// The cookies that existed; values are kept only as hashes that mean nothing elsewhere.
#[derive(Debug, Clone)]
pub(super) struct CookieFingerprints {
    hasher: RandomState,
    known: HashSet<(String, String, String, u64)>,
}

impl Logins {
    /// Removes and returns the login in progress in a tab.
    pub(super) fn take(&self, tab: &str) -> Option<Attempt> {
        self.lock().remove(tab)
    }

    pub(super) fn keep(&self, tab: &str, attempt: Attempt) {
        let mut all = self.lock();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(tab.to_owned(), attempt);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Attempt>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl CookieFingerprints {
    pub(super) fn of(cookies: &[Cookie]) -> Self {
        let mut jar = Self {
            hasher: RandomState::new(),
            known: HashSet::new(),
        };
        jar.known = cookies.iter().map(|cookie| jar.mark(cookie)).collect();
        jar
    }

    /// Whether a cookie is new, or has another value.
    pub(super) fn lacks(&self, cookie: &Cookie) -> bool {
        !self.known.contains(&self.mark(cookie))
    }

    fn mark(&self, cookie: &Cookie) -> (String, String, String, u64) {
        (
            cookie.name.clone(),
            cookie.domain.clone(),
            cookie.path.clone(),
            self.hasher.hash_one(&cookie.value),
        )
    }
}

/// All cookies; none if the browser does not answer.
pub(super) async fn cookies(connection: &Connection) -> Vec<Cookie> {
    match capture_cookies(connection).await {
        Ok(cookies) => cookies,
        Err(error) => {
            tracing::debug!(%error, "cannot read cookies");
            Vec::new()
        }
    }
}
