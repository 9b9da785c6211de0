//! Which commands still work on a page whose renderer has died.
//!
//! What its renderer would have to answer, Chromium answers at the page's next navigation, with "Target
//! crashed" (Chromium 156).

use crate::protocol::page::{
    BringToFrontParams, CloseParams, GetNavigationHistoryParams, HandleJavaScriptDialogParams,
    NavigateParams, NavigateToHistoryEntryParams, ReloadParams, StopLoadingParams,
};

/// Domains of the browser's own process.
const DOMAINS: [&str; 5] = ["Browser.", "Fetch.", "Network.", "Storage.", "Target."];
/// Commands of `Page` that the browser's own process carries out, beside those that lead out.
const PAGE: [&str; 5] = [
    BringToFrontParams::IDENTIFIER,
    CloseParams::IDENTIFIER,
    GetNavigationHistoryParams::IDENTIFIER,
    HandleJavaScriptDialogParams::IDENTIFIER,
    StopLoadingParams::IDENTIFIER,
];

/// Whether a command gives the page another renderer.
pub(crate) fn leads_out(method: &str) -> bool {
    [
        NavigateParams::IDENTIFIER,
        NavigateToHistoryEntryParams::IDENTIFIER,
        ReloadParams::IDENTIFIER,
    ]
    .contains(&method)
}

/// Whether a command needs no renderer.
pub(crate) fn survives(method: &str) -> bool {
    leads_out(method)
        || PAGE.contains(&method)
        || DOMAINS.iter().any(|domain| method.starts_with(domain))
}
