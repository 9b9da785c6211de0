//! What is kept of clients between their requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use szk_tools::{Code, Failure};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::errors::Refused;
use crate::server::Shared;

/// Clients of one owner; beyond that, the one that has done nothing for longest is forgotten.
const MOST: usize = 500;

/// How long what a client may come back with is good: those that did nothing for longer can be forgotten.
const FRESH: Duration = Duration::from_secs(3600);

/// What is kept of one client. Whoever has it is answering the client.
#[derive(Clone)]
pub(super) struct Known {
    /// A state that it brings back must be known, and so must its tasks.
    pub(super) shared: Shared,
    /// Its sessions, up to 2025-11-25.
    pub(super) sessions: Arc<LocalSessionManager>,
    /// Cancelled when it is forgotten: its sessions end.
    pub(super) stop: CancellationToken,
    /// Counts the answers that go on.
    at_work: Arc<()>,
}

/// The clients by their owners, so that none is forgotten for those of somebody else.
#[derive(Default)]
pub(super) struct Clients {
    by_owner: HashMap<String, HashMap<String, (Instant, Known)>>,
}

impl Clients {
    /// What is kept of a client; new for one that is not known.
    pub(super) fn get(
        &mut self,
        owner: &str,
        client: &str,
        stop: &CancellationToken,
    ) -> Result<Known, Refused> {
        let now = Instant::now();
        let all = self.by_owner.get_mut(owner);
        if let Some((used, known)) = all.and_then(|all| all.get_mut(client)) {
            *used = now;
            return Ok(known.clone());
        }
        self.forget_old(now);
        let all = self.by_owner.entry(owner.to_owned()).or_default();
        if all.len() >= MOST {
            let idle = all.iter().filter(|(_, (_, known))| known.is_idle());
            let oldest = idle.min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                return Err(too_many(owner));
            };
            if let Some((_, known)) = all.remove(&oldest) {
                known.stop.cancel();
            }
        }
        let shared = Shared::new().map_err(|error| {
            let failure = Failure::internal(format!("cannot make a key: {error}"));
            Refused::of(StatusCode::INTERNAL_SERVER_ERROR, failure)
        })?;
        let known = Known {
            shared,
            sessions: Arc::default(),
            stop: stop.child_token(),
            at_work: Arc::default(),
        };
        all.insert(client.to_owned(), (now, known.clone()));
        Ok(known)
    }

    /// Forgets clients that have done nothing for long, also those of owners that do not come back.
    fn forget_old(&mut self, now: Instant) {
        self.by_owner.retain(|_, all| {
            all.retain(|_, (used, known)| {
                let over = now.duration_since(*used) >= FRESH && known.has_nothing();
                if over {
                    known.stop.cancel();
                }
                !over
            });
            !all.is_empty()
        });
    }
}

impl Known {
    /// Whether nothing of it goes on.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.at_work) == 1 && self.shared.tasks().running() == 0
    }

    /// Whether nothing of it goes on, and nothing is kept that it may ask for.
    fn has_nothing(&self) -> bool {
        Arc::strong_count(&self.at_work) == 1 && self.shared.tasks().is_empty()
    }
}

fn too_many(owner: &str) -> Refused {
    let failure = Failure::new(
        Code::LimitReached,
        format!("{MOST} MCP clients of the token `{owner}` are at work"),
    )
    .hint("let fewer programs share a token, or end some of them")
    .retryable();
    Refused::of(StatusCode::TOO_MANY_REQUESTS, failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_owner_loses_its_own_idle_clients_only() {
        let (mut clients, stop) = (Clients::default(), CancellationToken::new());
        let of_other = clients.get("other", "a", &stop).ok().unwrap();
        drop(clients.get("owner", "oldest", &stop));
        let at_work = clients.get("owner", "at work", &stop).ok().unwrap();
        for number in 0..2 * MOST {
            tokio::time::advance(Duration::from_millis(1)).await;
            assert!(clients.get("owner", &number.to_string(), &stop).is_ok());
        }
        assert_eq!(clients.by_owner["owner"].len(), MOST);
        assert!(!clients.by_owner["owner"].contains_key("oldest"));
        assert!(!at_work.stop.is_cancelled() && !of_other.stop.is_cancelled());
        let again = clients.get("owner", "at work", &stop).ok().unwrap();
        assert!(Arc::ptr_eq(&again.sessions, &at_work.sessions));
    }

    #[tokio::test(start_paused = true)]
    async fn one_too_many_is_refused_while_all_are_at_work() {
        let (mut clients, stop) = (Clients::default(), CancellationToken::new());
        let mut all: Vec<Known> = (0..MOST)
            .filter_map(|number| clients.get("a", &number.to_string(), &stop).ok())
            .collect();
        let refused = clients.get("a", "more", &stop).err().unwrap();
        assert_eq!(refused.failure.code, Code::LimitReached);
        assert!(clients.get("b", "more", &stop).is_ok());
        let forgotten = all.pop().unwrap().stop;
        assert!(clients.get("a", "more", &stop).is_ok());
        assert!(forgotten.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_done_nothing_for_long_is_forgotten() {
        let (mut clients, stop) = (Clients::default(), CancellationToken::new());
        drop(clients.get("a", "old", &stop));
        drop(clients.get("revoked", "old", &stop));
        tokio::time::advance(FRESH).await;
        drop(clients.get("a", "new", &stop));
        assert!(!clients.by_owner["a"].contains_key("old"));
        assert!(!clients.by_owner.contains_key("revoked"));
    }
}
