//! Web pages of other origins that the server was told to answer (`--origin`): they send a token in a header
//! as every program does, and never the cookie of the dashboard.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// How long a browser may remember the answer to its question, in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
const ASKED_WITH: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, idempotency-key, last-event-id, szk-client, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
);
const SEEN: HeaderValue = HeaderValue::from_static("link, location, retry-after, mcp-session-id");

/// Marks the request of a page of a named origin.
#[derive(Debug, Clone)]
pub(crate) struct Foreign(HeaderValue);

impl Foreign {
    /// The origin of a request, if it is a named one.
    pub(crate) fn of(headers: &HeaderMap, named: &[String]) -> Option<Self> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else {
            return None;
        };
        let is_named = named.iter().any(|one| one.as_bytes() == origin.as_bytes());
        is_named.then(|| Self(origin.clone()))
    }

    /// The answer to a browser that asks first whether it may send a request.
    pub(crate) fn asked_first(&self, method: &Method, headers: &HeaderMap) -> Option<Response> {
        let asks = headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if method != Method::OPTIONS || !asks {
            return None;
        }
        let answer = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, ASKED_WITH),
            (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
        ];
        Some((StatusCode::NO_CONTENT, answer).into_response())
    }

    /// Lets the page read an answer.
    pub(crate) fn show(self, answer: &mut Response) {
        let headers = answer.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, self.0);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, SEEN);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_origin_that_is_named_counts() {
        let named = ["https://app.example".to_owned()];
        let of = |origins: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for origin in origins {
                headers.append(header::ORIGIN, HeaderValue::from_static(origin));
            }
            Foreign::of(&headers, &named).is_some()
        };
        assert!(of(&["https://app.example"]));
        assert!(!of(&[]) && !of(&["null"]) && !of(&["http://app.example"]));
        assert!(!of(&["https://app.example", "https://app.example"]));
        assert!(!of(&["https://app.example.evil.example"]));
    }
}
