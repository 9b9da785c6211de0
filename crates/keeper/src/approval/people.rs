//! Questions to a person in the live view, whose answer a call waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

/// The open questions.
#[derive(Default)]
pub(crate) struct People {
    asked: watch::Sender<Vec<Arc<Question>>>,
    last: AtomicU64,
}

/// One question.
pub(crate) struct Question {
    pub(crate) id: u64,
    /// Whose call it is.
    pub(crate) client: String,
    /// What it would do.
    pub(crate) what: String,
    answer: watch::Sender<Option<bool>>,
}

/// Takes the question back, however the wait ends.
struct Open<'a> {
    people: &'a People,
    id: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let asked = &self.people.asked;
        asked.send_modify(|all| all.retain(|one| one.id != self.id));
    }
}

impl People {
    /// Asks, and waits for the answer; `None` if there is none in time.
    pub(crate) async fn ask(&self, client: String, what: String, limit: Duration) -> Option<bool> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = watch::Sender::new(None);
        let mut answered = answer.subscribe();
        let question = Question {
            id,
            client,
            what,
            answer,
        };
        self.asked.send_modify(|all| all.push(Arc::new(question)));
        let _open = Open { people: self, id };
        let answer = tokio::time::timeout(limit, answered.wait_for(Option::is_some)).await;
        answer.ok()?.ok().and_then(|answer| *answer)
    }

    /// The person's answer. Only the first one counts.
    pub(crate) fn answer(&self, id: u64, yes: bool) {
        let asked = self.asked.borrow();
        if let Some(one) = asked.iter().find(|one| one.id == id) {
            one.answer.send_if_modified(|answer| {
                let first = answer.is_none();
                *answer = answer.or(Some(yes));
                first
            });
        }
    }

    /// The open questions, as they change.
    pub(crate) fn watch(&self) -> watch::Receiver<Vec<Arc<Question>>> {
        self.asked.subscribe()
    }
}
