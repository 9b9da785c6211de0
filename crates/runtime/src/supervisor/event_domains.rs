//! What every target is asked to tell us, so that journals are complete from its first request on.
//!
//! None of it can be seen by a page (`docs/stealth.md`); `Runtime` and `Fetch` are absent on purpose.

use serde_json::{Value, json};

/// Bytes of bodies that Chromium keeps for a target, so that they can be asked for later.
const BODIES: u64 = 16 << 20;
/// Bytes of one body that are kept.
const BODY: u64 = 4 << 20;

/// Commands for a target of this kind.
pub(super) fn commands_for(kind: &str) -> Vec<(&'static str, Value)> {
    let network = (
        "Network.enable",
        json!({"maxTotalBufferSize": BODIES, "maxResourceBufferSize": BODY, "maxPostDataSize": 65_536}),
    );
    let log = ("Log.enable", json!({}));
    // Told of each milestone of a document, with its loader.
    let lifecycle = ("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
    match kind {
        // Tells when a page writes to its storage, so that only such pages are looked at for saving.
        "page" => vec![("DOMStorage.enable", json!({})), lifecycle, network, log],
        "iframe" => vec![network, log],
        kind if kind.contains("worker") => vec![network],
        _ => Vec::new(),
    }
}
