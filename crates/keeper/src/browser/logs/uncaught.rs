//! Uncaught errors and rejections of the tabs whose console is collected.
//!
//! The listener and the relay of [`szk_cdp::uncaught`] stand for the tab, whatever page it shows; a
//! task opens the way out of each new document and writes what comes into the event log. Of dedicated
//! workers the browser itself tells, captured or not; of shared and service workers nobody does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use szk_cdp::frames::{Frame, FrameTree, IsolatedWorld};
use szk_cdp::protocol::page::{EventDocumentOpened, EventFrameNavigated};
use szk_cdp::protocol::runtime::{EventBindingCalled, RemoveBindingParams};
use szk_cdp::uncaught::{Names, Thrown};
use szk_cdp::{CallError, Connection, Event, Request, SessionId, Subscription, SubscriptionError};
use szk_page::event_log::{EventLog, Problem};
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

#[derive(Deserialize)]
struct Navigated {
    frame: Frame,
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
            // The relay first: it is there when the listener speaks.
            let scripts = [ear.names.relay_script(), ear.names.listener_script()];
            let orders = scripts.map(|script| Request::of(&script));
            // Before they are in place: nothing that they say is missed.
            let events = supervisor.connection().subscribe();
            tokio::spawn(ear.run(events, ended));
            Some(supervisor.set_overrides(session, PURPOSE, orders.to_vec()))
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
                tokio::spawn(open_all(connection, session, names));
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
                // Nobody wants to hear any more.
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
        // The listeners in the documents that are there speak on, to nobody.
        let connection = self.supervisor.connection();
        for session in self.sessions() {
            let params = RemoveBindingParams::new(self.names.binding.as_str());
            connection.tell(Some(&session), &params);
        }
    }

    fn hear(&self, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        match &*event.method {
            EventFrameNavigated::IDENTIFIER | EventDocumentOpened::IDENTIFIER
                if self.is_ours(session) =>
            {
                if let Ok(Navigated { frame }) = event.read()
                    && !frame.is_nowhere()
                {
                    let connection = self.supervisor.connection().clone();
                    let names = Arc::clone(&self.names);
                    // A page that stands still must not keep the others waiting.
                    tokio::spawn(open(connection, session.clone(), names, frame.id));
                }
            }
            EventBindingCalled::IDENTIFIER => {
                let payload = self.names.payload(event);
                if let Some(thrown) = payload.and_then(|payload| Thrown::read(&payload)) {
                    let problem = problem(thrown);
                    self.event_log.trouble(Some(self.tab.clone()), problem);
                }
            }
            _ => {}
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

/// Opens the way out of a document's relay, if the document is still there.
async fn open(connection: Connection, session: SessionId, names: Arc<Names>, frame: String) {
    let made = IsolatedWorld::make_universal(&connection, &session, &frame, &names.world).await;
    let Ok(IsolatedWorld {
        execution_context_id,
    }) = made
    else {
        return;
    };
    for command in names.opening(execution_context_id) {
        connection.tell(Some(&session), &command);
    }
}

/// Does so in all documents that a session has now.
async fn open_all(connection: Connection, session: SessionId, names: Arc<Names>) {
    let Ok(tree) = FrameTree::of(&connection, &session).await else {
        // A worker.
        return;
    };
    for frame in tree.iter().filter(|frame| !frame.is_nowhere()) {
        let (connection, names) = (connection.clone(), Arc::clone(&names));
        open(connection, session.clone(), names, frame.id.clone()).await;
    }
}

fn problem(thrown: Thrown) -> Problem {
    let from_one = |number: i64| u32::try_from(number).ok().filter(|number| *number > 0);
    let text = thrown.told();
    // Where a promise was rejected is not known; its document is.
    let (url, line) = if thrown.url.is_empty() {
        (thrown.document, None)
    } else {
        (thrown.url, from_one(thrown.line))
    };
    Problem {
        source: "exception".into(),
        level: "error".into(),
        text,
        url,
        column: line.and_then(|_| from_one(thrown.column)),
        line,
        promise: thrown.promise,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(thrown: Value) -> Value {
        let thrown = Thrown::read(&thrown.to_string()).unwrap();
        serde_json::to_value(problem(thrown)).unwrap()
    }

    #[test]
    fn an_error_has_its_place_and_a_promise_its_document() {
        let error = of(
            json!({"promise": false, "kind": "error", "text": "Uncaught Error: x",
            "url": "http://a/a.js", "line": 3, "column": 7, "document": "http://a/"}),
        );
        assert_eq!(
            error,
            json!({"source": "exception", "level": "error", "text": "Uncaught Error: x",
                "url": "http://a/a.js", "line": 3, "column": 7})
        );
        let promise =
            of(json!({"promise": true, "kind": "string", "text": "no", "document": "http://a/"}));
        assert_eq!(
            promise,
            json!({"source": "exception", "level": "error", "text": "Uncaught (in promise) no",
                "url": "http://a/", "promise": true})
        );
    }
}
