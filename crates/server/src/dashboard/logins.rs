//! Who is logged in to the dashboard. A login lives as long as this server, and a working day at most.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a login lasts.
pub(crate) const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// How many logins are kept; the oldest goes first.
const MOST: usize = 1000;

/// Tokens by the ids of their logins. A std mutex: nothing awaits under it.
#[derive(Default)]
pub(crate) struct Logins {
    by_id: Mutex<HashMap<String, Login>>,
}

struct Login {
    token: String,
    began: Instant,
}

impl Logins {
    /// Keeps a token, and returns the id by which it is found.
    pub(crate) fn add(&self, token: String) -> Result<String, getrandom::Error> {
        let mut random = [0; 32];
        getrandom::fill(&mut random)?;
        let id = random.iter().fold(String::new(), |mut id, byte| {
            // Writing to a string cannot fail.
            let _ = write!(id, "{byte:02x}");
            id
        });
        let mut logins = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        logins.retain(|_, login| login.began.elapsed() < LONGEST);
        if logins.len() >= MOST
            && let Some(oldest) = logins.iter().min_by_key(|(_, login)| login.began)
        {
            let oldest = oldest.0.clone();
            logins.remove(&oldest);
        }
        let began = Instant::now();
        logins.insert(id.clone(), Login { token, began });
        Ok(id)
    }

    /// The token of a login that still lasts.
    pub(crate) fn token(&self, id: &str) -> Option<String> {
        let logins = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        let login = logins.get(id)?;
        (login.began.elapsed() < LONGEST).then(|| login.token.clone())
    }

    pub(crate) fn remove(&self, id: &str) {
        let mut logins = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        logins.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_lasts_until_it_is_removed_or_too_many_came_after_it() {
        let logins = Logins::default();
        let first = logins.add("a".to_owned()).unwrap();
        let second = logins.add("b".to_owned()).unwrap();
        assert_ne!(first, second);
        assert_eq!(logins.token(&first).as_deref(), Some("a"));
        assert_eq!(logins.token("x"), None);
        logins.remove(&second);
        assert_eq!(logins.token(&second), None);
        for _ in 0..MOST {
            logins.add("c".to_owned()).unwrap();
        }
        assert_eq!(logins.token(&first), None);
    }
}
