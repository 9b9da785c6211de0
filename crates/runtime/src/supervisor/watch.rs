//! What every target is asked to tell us, so that journals are complete from its first request on.
//!
//! None of it can be seen by a page (`docs/stealth.md`); `Runtime` and `Fetch` are absent on purpose.

use szk_cdp::Request;
use szk_cdp::protocol::page::SetLifecycleEventsEnabledParams;
use szk_cdp::protocol::{dom_storage, log, network};

/// Bytes of bodies that Chromium keeps for a target, so that they can be asked for later.
const BODIES: i64 = 16 << 20;
/// Bytes of one body that are kept.
const BODY: i64 = 4 << 20;

/// Commands for a target of this kind.
pub(super) fn of(kind: &str) -> Vec<Request> {
    let network = Request::of(&network::EnableParams {
        max_total_buffer_size: Some(BODIES),
        max_resource_buffer_size: Some(BODY),
        max_post_data_size: Some(65_536),
        ..network::EnableParams::default()
    });
    let log = Request::of(&log::EnableParams::default());
    // Told of each milestone of a document, with its loader.
    let lifecycle = Request::of(&SetLifecycleEventsEnabledParams::new(true));
    let storage = Request::of(&dom_storage::EnableParams::default());
    match kind {
        // Tells when a page writes to its storage, so that only such pages are looked at for saving.
        "page" => vec![storage, lifecycle, network, log],
        "iframe" => vec![network, log],
        kind if kind.contains("worker") => vec![network],
        _ => Vec::new(),
    }
}
