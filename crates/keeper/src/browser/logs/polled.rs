//! The console of tabs in sessions at a person's pace.
//!
//! A page can measure that somebody listens to its console: each message takes several times as long. So
//! nobody listens. Chromium keeps the last messages of a page anyway, and they are taken from there ten times
//! a second, before they are shown, and before szk sends the page elsewhere. Where a page goes by itself, what
//! it said last is lost: Chromium passes no question on to a page that has begun to leave.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use szk_cdp::{Event, SessionId, Subscription, SubscriptionError};
use szk_page::event_log;
use szk_runtime::session::Session;
use szk_runtime::supervisor::Supervisor;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Pause between two rounds. Chromium keeps a thousand messages of a page.
const EVERY: Duration = Duration::from_millis(100);
/// How long a call waits for the latest messages of a page that is busy.
const LATEST: Duration = Duration::from_millis(500);

/// The tabs whose console is taken.
#[derive(Default)]
pub(crate) struct Polled {
    // A std mutex: nothing awaits under it. By the tab's id: its page and its browser may change.
    // Dropping the sender ends the task.
    tabs: Mutex<HashMap<String, oneshot::Sender<()>>>,
}

/// Follows one tab.
struct Poll {
    supervisor: Supervisor,
    tab: String,
    /// Questions that are not answered yet: a page that is busy gets no second one.
    asked: HashMap<SessionId, JoinHandle<()>>,
}

impl Polled {
    /// Takes the messages of this tab from now on, or no longer; the same twice is once.
    pub(super) fn set(&self, supervisor: &Supervisor, tab: &str, take: bool) {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        tabs.retain(|id, _| supervisor.has_tab(id));
        if !take {
            tabs.remove(tab);
        } else if !tabs.contains_key(tab) {
            tabs.insert(tab.to_owned(), Poll::begin(supervisor, tab));
        }
    }

    /// Goes on in a browser that was started again.
    pub(crate) fn again(&self, supervisor: &Supervisor) {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        tabs.retain(|id, _| supervisor.has_tab(id));
        for (id, end) in tabs.iter_mut() {
            *end = Poll::begin(supervisor, id);
        }
    }

    /// Takes what there is now, as far as browser and pages answer soon.
    pub(crate) async fn latest(&self, session: &Session) {
        let tabs: Vec<String> = {
            let tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
            tabs.keys().cloned().collect()
        };
        if tabs.is_empty() {
            return;
        }
        let taken = async {
            // Err: it is closing.
            let Ok(running) = session.running().await else {
                return;
            };
            let supervisor = &running.supervisor;
            let sessions = tabs.iter().flat_map(|tab| sessions(supervisor, tab));
            let connection = supervisor.connection();
            join_all(sessions.map(|session| event_log::take_console(connection, &session))).await;
        };
        // Err: it comes with a later round.
        let _ = timeout(LATEST, taken).await;
    }
}

impl Poll {
    fn begin(supervisor: &Supervisor, tab: &str) -> oneshot::Sender<()> {
        let (end, ended) = oneshot::channel();
        let poll = Self {
            supervisor: supervisor.clone(),
            tab: tab.to_owned(),
            asked: HashMap::new(),
        };
        let events = supervisor.connection().subscribe();
        tokio::spawn(poll.run(events, ended));
        end
    }

    async fn run(mut self, mut events: Subscription, mut ended: oneshot::Receiver<()>) {
        let mut rounds = interval(EVERY);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // No longer wanted, or the tab is another's.
                _ = &mut ended => return,
                _ = rounds.tick() => {}
                event = events.recv() => match event {
                    Ok(event) if self.is_leaving(&event) => {}
                    Ok(_) | Err(SubscriptionError::Lagged(_)) => continue,
                    Err(SubscriptionError::Closed) => return,
                },
            }
            if !self.supervisor.has_tab(&self.tab) {
                return;
            }
            self.ask();
        }
    }

    /// Whether a page in the tab is about to be left; a question that is quick may come in time.
    fn is_leaving(&self, event: &Event) -> bool {
        event_log::is_leaving(event)
            && event.session.as_ref().is_some_and(|session| {
                self.supervisor.tab_of(session).as_deref() == Some(self.tab.as_str())
            })
    }

    fn ask(&mut self) {
        self.asked.retain(|_, answer| !answer.is_finished());
        for session in sessions(&self.supervisor, &self.tab) {
            if self.asked.contains_key(&session) {
                continue;
            }
            let taken = event_log::take_console(self.supervisor.connection(), &session);
            self.asked.insert(session, tokio::spawn(taken));
        }
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        self.asked.values().for_each(JoinHandle::abort);
    }
}

/// The sessions with everything in a tab.
fn sessions(supervisor: &Supervisor, tab: &str) -> Vec<SessionId> {
    let targets = supervisor.targets().into_iter();
    let sessions = targets.map(|target| target.session);
    let is_its = |session: &SessionId| supervisor.tab_of(session).as_deref() == Some(tab);
    sessions.filter(is_its).collect()
}

#[cfg(test)]
mod tests;
