//! Network errors as Chromium names them, in `Network.loadingFailed` and in the answer to `Page.navigate`.

/// A response with an error status and no content: Chromium shows a page of its own, which says the status.
pub const NO_CONTENT: &str = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";
