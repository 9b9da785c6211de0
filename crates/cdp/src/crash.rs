//! Which commands still work on a page whose renderer has died.
//!
//! Chromium answers the other ones only at the page's next navigation, with "Target crashed". The lists
//! are from trying them on a crashed page (Chromium 156).

use crate::protocol::network::{
    ClearBrowserCacheParams, ClearBrowserCookiesParams, DeleteCookiesParams, GetCookiesParams,
    SetCookieParams, SetCookiesParams,
};
use crate::protocol::page::{
    BringToFrontParams, GetNavigationHistoryParams, HandleJavaScriptDialogParams, NavigateParams,
    NavigateToHistoryEntryParams, ReloadParams, StopLoadingParams,
};

/// Domains that the browser process handles.
const DOMAINS: [&str; 4] = ["Browser.", "Fetch.", "Storage.", "Target."];
/// Commands of `Network` that the browser process handles; what sets a page's network up, `enable` among
/// it, needs its renderer.
const NETWORK: [&str; 6] = [
    ClearBrowserCacheParams::IDENTIFIER,
    ClearBrowserCookiesParams::IDENTIFIER,
    DeleteCookiesParams::IDENTIFIER,
    GetCookiesParams::IDENTIFIER,
    SetCookieParams::IDENTIFIER,
    SetCookiesParams::IDENTIFIER,
];
/// Commands of `Page` that the browser process handles, besides those that replace the renderer.
const PAGE: [&str; 4] = [
    BringToFrontParams::IDENTIFIER,
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
        || NETWORK.contains(&method)
        || PAGE.contains(&method)
        || DOMAINS.iter().any(|domain| method.starts_with(domain))
}
