//! A page on a scripted browser, for the tests of this crate.

use serde_json::{Value, json};
use szk_cdp::testing::{Peer, Script};

use crate::Page;

/// A browser whose pages let worlds be created in them.
pub(crate) fn pages() -> Script {
    Script::new()
        .answer("Page.createIsolatedWorld", json!({"executionContextId": 7}))
        .answer("Runtime.evaluate", json!({"result": {"objectId": "world"}}))
}

/// A page whose scripts all return this.
pub(crate) fn says(value: &Value) -> Script {
    pages().answer(
        "Runtime.callFunctionOn",
        json!({"result": {"type": "object", "value": value}}),
    )
}

/// The page of session `S` and target `T`.
pub(crate) fn page(script: Script) -> (Page, Peer) {
    let (connection, mut events, peer) = script.start();
    // A full queue would end the connection.
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    peer.attach(None, "S", "page");
    (Page::new(connection, "S".into(), "T", |_| None), peer)
}
