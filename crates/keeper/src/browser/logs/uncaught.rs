//! Uncaught errors and rejections of the tabs whose console is collected.
//!
//! The listener and the relay of [`szk_cdp::uncaught`] belong to the tab, whatever page it shows; a task
//! opens the way out of each new document and writes what arrives into the event log. Chromium reports
//! errors of dedicated workers by itself, and those of shared and service workers not at all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use szk_cdp::uncaught::Names;
use szk_cdp::{CallError, Event, SessionId, Subscription, SubscriptionError};
use szk_page::event_log::{EventLog, uncaught};
use szk_runtime::supervisor::{Supervisor, Tab};
use tokio::sync::oneshot;

/// What the scripts stand for.
const PURPOSE: &str = "uncaught";

/// The tabs that are listened to.
#[derive(Default)]
pub(crate) struct Uncaught {
    // A std mutex: nothing awaits under it. By the tab's id: its page and its browser may change.
    heard: Mutex<HashMap<String, Heard>>,
}

/// A tab that is listened to.
struct Heard {
    names: Arc<Names>,
    /// Dropping it ends the task.
    _end: oneshot::Sender<()>,
}

/// Follows one tab.
struct Ear {
    supervisor: Supervisor,
    event_log: EventLog,
    /// The tab's id.
    tab: String,
    names: Arc<Names>,
}

impl Uncaught {
    /// Listens to the documents that the tab loads from now on, or stops; the same twice is once.
    pub(super) fn set(
        &self,
        supervisor: &Supervisor,
        event_log: &EventLog,
        tab: &Tab,
        capture: bool,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let session = &tab.page.session;
        // Held until all is written: the scripts and their task are those of one call.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.retain(|id, _| supervisor.has_tab(id));
        let stood = if !capture {
            let known = heard.remove(&tab.id);
            known.map(|_| supervisor.set_overrides(session, PURPOSE, Vec::new()))
        } else if heard.contains_key(&tab.id) {
            None
        } else {
            let (end, ended) = oneshot::channel();
            let ear = Ear {
                supervisor: supervisor.clone(),
                event_log: event_log.clone(),
                tab: tab.id.clone(),
                names: Arc::new(Names::random()),
            };
            let names = Arc::clone(&ear.names);
            heard.insert(tab.id.clone(), Heard { names, _end: end });
            let scripts = uncaught::scripts(&ear.names);
            // Before they are in place: nothing that they say is missed.
            let events = supervisor.connection().subscribe();
            tokio::spawn(ear.run(events, ended));
            Some(supervisor.set_overrides(session, PURPOSE, scripts))
        };
        drop(heard);
        async move {
            match stood {
                Some(stood) => stood.await,
                None => Ok(()),
            }
        }
    }

    /// Listens on in a browser that was started again: the scripts stand in its tabs already.
    pub(crate) fn again(&self, supervisor: &Supervisor, event_log: &EventLog) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.retain(|id, _| supervisor.has_tab(id));
        for (id, heard) in heard.iter_mut() {
            let (end, ended) = oneshot::channel();
            heard._end = end;
            let ear = Ear {
                supervisor: supervisor.clone(),
                event_log: event_log.clone(),
                tab: id.clone(),
                names: Arc::clone(&heard.names),
            };
            let events = supervisor.connection().subscribe();
            // Documents that came before anybody listened have kept what they have to say.
            for session in ear.sessions() {
                let (connection, names) = (supervisor.connection().clone(), Arc::clone(&ear.names));
                tokio::spawn(async move {
                    uncaught::open_all(&connection, &session, &names).await;
                });
            }
            tokio::spawn(ear.run(events, ended));
        }
    }
}

impl Ear {
    async fn run(self, mut events: Subscription, mut ended: oneshot::Receiver<()>) {
        let mut changes = self.supervisor.changes();
        loop {
            let event = tokio::select! {
                // The capture has ended.
                _ = &mut ended => break,
                event = events.recv() => event,
                Ok(()) = changes.changed() => {
                    if self.supervisor.has_tab(&self.tab) {
                        continue;
                    }
                    return;
                }
            };
            match event {
                Ok(event) => self.hear(&event),
                // The event log reports it. A document that came meanwhile is not heard.
                Err(SubscriptionError::Lagged(_)) => {}
                Err(SubscriptionError::Closed) => return,
            }
        }
        let connection = self.supervisor.connection();
        for session in self.sessions() {
            uncaught::close(connection, &session, &self.names);
        }
    }

    fn hear(&self, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        if let Some(problem) = uncaught::problem(&self.names, event) {
            self.event_log.trouble(Some(self.tab.clone()), problem);
        } else if self.is_ours(session)
            && let Some(frame) = uncaught::new_document(event)
        {
            let connection = self.supervisor.connection().clone();
            let (session, names) = (session.clone(), Arc::clone(&self.names));
            // A page that is blocked must not keep the others waiting.
            tokio::spawn(async move {
                uncaught::open(&connection, &session, &names, &frame).await;
            });
        }
    }

    /// Whether a session is with something in the tab. Targets are known before they load anything.
    fn is_ours(&self, session: &SessionId) -> bool {
        self.supervisor.tab_of(session).as_ref() == Some(&self.tab)
    }

    /// The sessions with everything in the tab.
    fn sessions(&self) -> Vec<SessionId> {
        let targets = self.supervisor.targets().into_iter();
        let sessions = targets.map(|target| target.session);
        sessions.filter(|session| self.is_ours(session)).collect()
    }
}
