//! Why documents did not load.

use std::collections::VecDeque;

use serde::Deserialize;
use szk_cdp::Event;
use szk_cdp::net_error::NO_CONTENT;

/// Failures that are remembered: the browser's own page for a document comes soon after its failure.
const MOST: usize = 32;

/// What a page could not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable {
    /// The address.
    pub url: String,
    /// The browser's error, as in `net::ERR_CONNECTION_REFUSED`, if it is known.
    pub reason: Option<String>,
}

/// The last documents that did not load: the ids of their requests, and why.
#[derive(Debug, Default)]
pub(super) struct LoadFailures(VecDeque<(String, String)>);

/// `Network.loadingFailed`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LoadingFailed {
    request_id: String,
    r#type: String,
    error_text: String,
}

impl LoadFailures {
    pub(super) fn learn(&mut self, event: &Event) {
        let failed: LoadingFailed = event.read().unwrap_or_default();
        let says_why = !failed.error_text.is_empty() && failed.error_text != NO_CONTENT;
        if failed.r#type != "Document" || !says_why {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((failed.request_id, failed.error_text));
    }

    /// Why the document of this request did not load.
    pub(super) fn of(&mut self, request: &str) -> Option<String> {
        let at = self.0.iter().rposition(|(id, _)| id == request)?;
        self.0.remove(at).map(|(_, text)| text)
    }
}
