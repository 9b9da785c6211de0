//! Which commands still work on a page whose renderer has died.
//!
//! Chromium answers the other ones only at the page's next navigation, with "Target crashed" (Chromium
//! 156).

use crate::protocol::page::{
    BringToFrontParams, CloseParams, GetNavigationHistoryParams, HandleJavaScriptDialogParams,
    NavigateParams, NavigateToHistoryEntryParams, ReloadParams, StopLoadingParams,
};

/// Domains that the browser process handles.
const DOMAINS: [&str; 5] = ["Browser.", "Fetch.", "Network.", "Storage.", "Target."];
/// Commands of `Page` that the browser process handles, besides those that replace the renderer.
const PAGE: [&str; 5] = [
    BringToFrontParams::IDENTIFIER,
    CloseParams::IDENTIFIER,
    GetNavigationHistoryParams::IDENTIFIER,
    HandleJavaScriptDialogParams::IDENTIFIER,
    StopLoadingParams::IDENTIFIER,
];

/// Whether a command gives the page a new renderer.
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
