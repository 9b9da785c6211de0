//! The event domains that the supervisor enables in every target, so that the event log is complete from
//! its first request on.
//!
//! No page can see that they are enabled (`docs/stealth.md`); `Runtime` and `Fetch` are absent on purpose.

use serde_json::{Value, json};

/// Bytes of response bodies that Chromium keeps for a target, so that they can be read later.
const BODIES: u64 = 16 << 20;
/// Bytes that Chromium keeps of one body.
const BODY: u64 = 4 << 20;

/// Commands for a target of this kind.
pub(super) fn commands_for(kind: &str) -> Vec<(&'static str, Value)> {
    let network = (
        "Network.enable",
        json!({"maxTotalBufferSize": BODIES, "maxResourceBufferSize": BODY, "maxPostDataSize": 65_536}),
    );
    let log = ("Log.enable", json!({}));
    // Announces each lifecycle event of a document, with its loader.
    let lifecycle = ("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
    match kind {
        // Announces writes to storage, so that saving looks only at pages that wrote something.
        "page" => vec![("DOMStorage.enable", json!({})), lifecycle, network, log],
        "iframe" => vec![network, log],
        kind if kind.contains("worker") => vec![network],
        _ => Vec::new(),
    }
}
