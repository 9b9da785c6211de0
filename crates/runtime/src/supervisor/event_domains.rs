//! The event domains that the supervisor enables in every target, so that the event log is complete from
//! its first request on.
//!
//! No page can see that they are enabled (`docs/stealth.md`); `Runtime` and `Fetch` are absent on purpose.

use szk_cdp::Request;
use szk_cdp::protocol::page::SetLifecycleEventsEnabledParams;
use szk_cdp::protocol::{dom_storage, log, network};

/// Bytes of response bodies that Chromium keeps for a target, so that they can be read later.
const BODIES: i64 = 16 << 20;
/// Bytes that Chromium keeps of one body.
const BODY: i64 = 4 << 20;

/// Commands for a target of this kind.
pub(super) fn commands_for(kind: &str) -> Vec<Request> {
    let network = Request::of(&network::EnableParams {
        max_total_buffer_size: Some(BODIES),
        max_resource_buffer_size: Some(BODY),
        max_post_data_size: Some(65_536),
        ..network::EnableParams::default()
    });
    let log = Request::of(&log::EnableParams::default());
    // Announces each lifecycle event of a document, with its loader.
    let lifecycle = Request::of(&SetLifecycleEventsEnabledParams::new(true));
    let storage = Request::of(&dom_storage::EnableParams::default());
    match kind {
        // Announces writes to storage, so that saving looks only at pages that wrote something.
        "page" => vec![storage, lifecycle, network, log],
        "iframe" => vec![network, log],
        kind if kind.contains("worker") => vec![network],
        _ => Vec::new(),
    }
}
