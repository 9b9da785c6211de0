//! Console messages, as `Runtime` would report them.
//!
//! The `Console` domain reports the text of a message, with all arguments joined as by `String()`,
//! without inspecting them: Chromium makes that text for its own log anyway. So the client gets one
//! argument, a string. Handles on the arguments exist only while `Runtime` is enabled.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::SessionId;
use szk_cdp::protocol::runtime::EventConsoleApiCalled;

use super::Shield;
use super::act::Act;

/// Number of messages that may wait for their context; the browser keeps as many.
const WAITING: usize = 1000;

/// The event of the `Console` domain.
#[derive(Deserialize)]
pub(super) struct Said {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    source: String,
    level: String,
    text: String,
    #[serde(default)]
    url: String,
    /// From 1.
    #[serde(default)]
    line: i64,
    /// From 1.
    #[serde(default)]
    column: i64,
}

impl Shield {
    /// A message for the client: now, or once its context is known.
    pub(super) fn said(&mut self, session: &SessionId, said: &Said) -> Option<Act> {
        let realm = self.realms.get_mut(session).filter(|realm| realm.enabled)?;
        let mut message = message(&said.message)?;
        match realm.main() {
            Some(main) => {
                message["executionContextId"] = main.id.into();
                Some(Act::tell(
                    session,
                    EventConsoleApiCalled::IDENTIFIER,
                    &message,
                ))
            }
            None => {
                if realm.messages.len() < WAITING {
                    realm.messages.push_back(message);
                }
                None
            }
        }
    }

    /// The context is known: reports the messages that waited for it.
    pub(super) fn flush(&mut self, session: &SessionId) -> Vec<Act> {
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        let Some(id) = realm.main().map(|main| main.id) else {
            return Vec::new();
        };
        let waiting = realm.messages.drain(..);
        waiting
            .map(|mut message| {
                message["executionContextId"] = id.into();
                Act::tell(session, EventConsoleApiCalled::IDENTIFIER, &message)
            })
            .collect()
    }
}

/// The parameters of `Runtime.consoleAPICalled`, except for the context.
fn message(said: &Message) -> Option<Value> {
    if said.source != "console-api" {
        return None;
    }
    let kind = match &*said.level {
        level @ ("debug" | "info" | "error" | "warning") => level,
        _ => "log",
    };
    // Lines and columns count from 1 there, and from 0 here.
    let frame = json!({
        "functionName": "",
        "scriptId": "0",
        "url": said.url,
        "lineNumber": said.line.max(1) - 1,
        "columnNumber": said.column.max(1) - 1,
    });
    Some(json!({
        "type": kind,
        "args": [{"type": "string", "value": said.text}],
        "timestamp": now(),
        "stackTrace": {"callFrames": [frame]},
    }))
}

/// Milliseconds since 1970, as the protocol's timestamps.
pub(super) fn now() -> f64 {
    Timestamp::now().as_microsecond() as f64 / 1000.0
}
