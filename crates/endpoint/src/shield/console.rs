//! Console messages, as `Runtime` would report them.
//!
//! The `Console` domain reports the text of a message, with all arguments joined as by `String()`,
//! without inspecting them: Chromium makes that text for its own log anyway. So the client gets one
//! argument, a string. Handles on the arguments exist only while `Runtime` is enabled.

use jiff::Timestamp;
use serde_json::{Value, json};
use szk_cdp::SessionId;

use super::Shield;
use super::act::Act;

/// Number of messages that may wait for their context; the browser keeps as many.
const WAITING: usize = 1000;

impl Shield {
    /// A message for the client: now, or once its context is known.
    pub(super) fn said(&mut self, session: &SessionId, said: &Value) -> Option<Act> {
        let realm = self.realms.get_mut(session).filter(|realm| realm.enabled)?;
        let mut message = message(&said["message"])?;
        match realm.main() {
            Some(main) => {
                message["executionContextId"] = main.id.into();
                Some(Act::tell(session, "Runtime.consoleAPICalled", &message))
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
                Act::tell(session, "Runtime.consoleAPICalled", &message)
            })
            .collect()
    }
}

/// The parameters of `Runtime.consoleAPICalled`, except for the context.
fn message(said: &Value) -> Option<Value> {
    if said["source"] != "console-api" {
        return None;
    }
    let kind = match said["level"].as_str()? {
        level @ ("debug" | "info" | "error" | "warning") => level,
        _ => "log",
    };
    // Lines and columns count from 1 there, and from 0 here.
    let place = |key: &str| said[key].as_i64().unwrap_or(1).max(1) - 1;
    let frame = json!({
        "functionName": "",
        "scriptId": "0",
        "url": said["url"].as_str().unwrap_or_default(),
        "lineNumber": place("line"),
        "columnNumber": place("column"),
    });
    Some(json!({
        "type": kind,
        "args": [{"type": "string", "value": said["text"]}],
        "timestamp": now(),
        "stackTrace": {"callFrames": [frame]},
    }))
}

/// Milliseconds since 1970, as the protocol's timestamps.
pub(super) fn now() -> f64 {
    Timestamp::now().as_microsecond() as f64 / 1000.0
}
