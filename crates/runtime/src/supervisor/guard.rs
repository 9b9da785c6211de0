//! Requests to origins that the policy forbids do not leave the browser.
//!
//! Asked once at the root, `Fetch` shows every request of every page, frame, popup and worker, redirects
//! included, from the first one on; headers and their order stay as they were (measured on 156).
//! WebSockets are not among them: [`crate::launch`] keeps their hosts from being found.

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::{Connection, Event};
use szk_config::Policy;

use crate::stealth::raw;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Paused {
    request_id: String,
    request: Request,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Request {
    url: String,
}

/// The command that makes requests wait for an answer.
pub(super) fn order() -> (&'static str, Value) {
    ("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]}))
}

/// Lets a request go on, or not. Nobody waits for the answer: a request may be gone meanwhile.
pub(super) fn answer(connection: &Connection, policy: &Policy, event: &Event) {
    let paused = match event.read::<Paused>() {
        Ok(paused) => paused,
        // It stays where it is: closed by mistake rather than open by mistake.
        Err(error) => return tracing::error!(%error, "a request could not be read"),
    };
    let id = paused.request_id;
    let (method, params) = if policy.allows(&paused.request.url) {
        ("Fetch.continueRequest", json!({"requestId": id}))
    } else {
        (
            "Fetch.failRequest",
            json!({"requestId": id, "errorReason": "BlockedByClient"}),
        )
    };
    drop(connection.post_raw(None, method, Some(raw(&params))));
}
