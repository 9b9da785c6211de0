//! Why a page did not come.

use szk_cdp::CallError;
use szk_tools::{Code, Done, Failure};

use super::super::shown;
use crate::failure;

/// How the browser's own page says that a response was an error and nothing else.
pub(super) const HTTP_ERROR: &str = "HTTP ERROR ";

/// The browser did not even begin.
pub(super) fn refused(url: &str, error: &CallError) -> Failure {
    match error {
        CallError::Remote { message, .. } if message.contains("invalid URL") => {
            Failure::invalid(format!("`{}` is not a URL", shown(url)))
        }
        error => failure::not_navigated(error),
    }
}

/// What the browser says of a load that failed.
pub(crate) fn failed(url: &str, text: &str) -> Failure {
    if let Some(status) = text.strip_prefix(HTTP_ERROR) {
        return Failure::new(
            Code::NavigationFailed,
            format!(
                "`{}` answered with status {status} and no content",
                shown(url)
            ),
        )
        .effect(Done::Done)
        .hint("the server says no more: check the URL, or what it asked for with `browser_logs`, `kind` network");
    }
    let failure = Failure::new(
        Code::NavigationFailed,
        format!("`{}` did not load: {text}", shown(url)),
    )
    .effect(Done::Done);
    match text {
        // Only the policy blocks: extensions' blockers have another code.
        "net::ERR_BLOCKED_BY_CLIENT" => Failure::new(
            Code::PolicyDenied,
            format!(
                "`{}` led to an origin that `[policy]` does not allow",
                shown(url)
            ),
        )
        .effect(Done::Done)
        .hint("ask the person who maintains the configuration to allow it"),
        "net::ERR_NAME_NOT_RESOLVED" => {
            failure.hint("there is no such host, or no network: check the URL")
        }
        "net::ERR_CONNECTION_REFUSED" => failure
            .hint("nothing listens there: is the server running?")
            .retryable(),
        "net::ERR_INTERNET_DISCONNECTED"
        | "net::ERR_TIMED_OUT"
        | "net::ERR_CONNECTION_TIMED_OUT" => {
            failure.hint("check the network or the proxy").retryable()
        }
        text if text.contains("CERT") => {
            failure.hint("the site's certificate is not trusted by this machine")
        }
        text if text.contains("PROXY") || text.contains("TUNNEL") => {
            failure.hint("check the profile's `proxy`")
        }
        text if text.contains("AUTH_CREDENTIALS") => failure.hint(
            "the site requires HTTP authentication: give user name and password with `browser_arm`, `event` auth, then go there again",
        ),
        _ => failure.hint("see what is there now with `browser_screenshot`"),
    }
}

/// The server answered without a document, or something else stopped the navigation.
pub(super) fn nothing_came(url: &str) -> Failure {
    Failure::new(
        Code::NavigationFailed,
        format!("`{}` loaded no document; the tab has not moved", shown(url)),
    )
    .hint("the server sent no content, or the page navigated elsewhere meanwhile: check with `browser_logs`, `kind` network")
    .effect(Done::Done)
}
