//! Uncaught errors of documents: opens the way out of the relay that [`szk_cdp::uncaught`] has placed there.

use serde::Deserialize;
use szk_cdp::frames::{Frame, FrameTree, IsolatedWorld};
use szk_cdp::protocol::page::{EventDocumentOpened, EventFrameNavigated};
use szk_cdp::protocol::runtime::{EventBindingCalled, RemoveBindingParams};
use szk_cdp::uncaught::{Names, Thrown};
use szk_cdp::{Connection, Event, Request, SessionId};

use super::Problem;

/// The scripts for each new document: the relay first, so that it is there when the listener speaks.
#[must_use]
pub fn scripts(names: &Names) -> Vec<Request> {
    let scripts = [names.relay_script(), names.listener_script()];
    scripts.iter().map(Request::of).collect()
}

/// The frame that has a new document, if an event announces one.
#[must_use]
pub fn new_document(event: &Event) -> Option<String> {
    #[derive(Deserialize)]
    struct Navigated {
        frame: Frame,
    }
    let announces = [
        EventFrameNavigated::IDENTIFIER,
        EventDocumentOpened::IDENTIFIER,
    ]
    .contains(&event.method.as_str());
    let Navigated { frame } = event.read().ok().filter(|_| announces)?;
    (!frame.is_nowhere()).then_some(frame.id)
}

/// The uncaught error that an event tells of.
#[must_use]
pub fn problem(names: &Names, event: &Event) -> Option<Problem> {
    if event.method != EventBindingCalled::IDENTIFIER {
        return None;
    }
    Thrown::read(&names.payload(event)?).map(Problem::from)
}

/// Opens the way out of a document's relay, if the document is still there.
pub async fn open(connection: &Connection, session: &SessionId, names: &Names, frame: &str) {
    let made = IsolatedWorld::make_universal(connection, session, frame, &names.world).await;
    let Ok(world) = made else {
        return;
    };
    for command in names.opening(world.execution_context_id) {
        connection.tell(Some(session), &command);
    }
}

/// Does so in all documents that a session has now; a worker has none.
pub async fn open_all(connection: &Connection, session: &SessionId, names: &Names) {
    let Ok(tree) = FrameTree::of(connection, session).await else {
        return;
    };
    for frame in tree.iter().filter(|frame| !frame.is_nowhere()) {
        open(connection, session, names, &frame.id).await;
    }
}

/// Closes it: what the listeners in documents that are there still say goes nowhere.
pub fn close(connection: &Connection, session: &SessionId, names: &Names) {
    let params = RemoveBindingParams::new(names.binding.as_str());
    connection.tell(Some(session), &params);
}

impl From<Thrown> for Problem {
    fn from(thrown: Thrown) -> Self {
        let from_one = |number: i64| u32::try_from(number).ok().filter(|number| *number > 0);
        let text = thrown.told();
        // Where a promise was rejected is not known; its document is.
        let (url, line) = if thrown.url.is_empty() {
            (thrown.document, None)
        } else {
            (thrown.url, from_one(thrown.line))
        };
        Self {
            source: "exception".into(),
            level: "error".into(),
            text,
            url,
            column: line.and_then(|_| from_one(thrown.column)),
            line,
            promise: thrown.promise,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of(thrown: &Value) -> Value {
        let thrown = Thrown::read(&thrown.to_string()).unwrap();
        serde_json::to_value(Problem::from(thrown)).unwrap()
    }

    #[test]
    fn an_error_has_its_place_and_a_promise_its_document() {
        let error = of(
            &json!({"promise": false, "kind": "error", "text": "Uncaught Error: x",
            "url": "http://a/a.js", "line": 3, "column": 7, "document": "http://a/"}),
        );
        assert_eq!(
            error,
            json!({"source": "exception", "level": "error", "text": "Uncaught Error: x",
                "url": "http://a/a.js", "line": 3, "column": 7})
        );
        let promise =
            of(&json!({"promise": true, "kind": "string", "text": "no", "document": "http://a/"}));
        assert_eq!(
            promise,
            json!({"source": "exception", "level": "error", "text": "Uncaught (in promise) no",
                "url": "http://a/", "promise": true})
        );
    }
}
