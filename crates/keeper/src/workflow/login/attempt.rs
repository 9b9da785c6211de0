//! What has to be known of a login that is under way, also while a person does their part.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use szk_cdp::Connection;
use szk_runtime::state::{Cookie, capture_cookies};

/// Logins that are remembered at most.
const MOST: usize = 64;

/// Logins under way, by tab.
#[derive(Default)]
pub(crate) struct Logins {
    // A std mutex: nothing awaits under it.
    under_way: Mutex<HashMap<String, Attempt>>,
}

/// One login under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempt {
    /// The cookies before anything was sent.
    pub(super) before: Option<CookieFingerprints>,
    /// Where the form was.
    pub(super) form_url: String,
    /// Something was put into it.
    pub(super) begun: bool,
}

/// Which cookies there were; of their values nothing but a number that means nothing elsewhere.
#[derive(Debug, Clone)]
pub(super) struct CookieFingerprints {
    hasher: RandomState,
    known: HashSet<(String, String, String, u64)>,
}

impl Logins {
    /// The login under way in a tab; it is forgotten here.
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

/// All cookies, or none where the browser does not say.
pub(super) async fn cookies(connection: &Connection) -> Vec<Cookie> {
    match capture_cookies(connection).await {
        Ok(cookies) => cookies,
        Err(error) => {
            tracing::debug!(%error, "cannot read cookies");
            Vec::new()
        }
    }
}
