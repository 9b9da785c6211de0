//! Keeps requests that the policy forbids from leaving the browser.
//!
//! Enabled once at the root, `Fetch` reports every request of every page, frame, popup and worker,
//! redirects included, from the first one on; headers and their order stay unchanged (measured on 156).
//! It does not cover WebSockets: [`crate::launch`] makes their hosts unresolvable.

use serde::Deserialize;
use szk_cdp::protocol::fetch::{
    ContinueRequestParams, EnableParams, FailRequestParams, FulfillRequestParams, RequestPattern,
};
use szk_cdp::protocol::network::{ErrorReason, ResourceType};
use szk_cdp::{Connection, Event};
use szk_config::{Action, Bounds, NeedsApproval, Resource};

/// Every field is required: anything unspecified is forbidden.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    request: Request,
    resource_type: String,
    /// Missing for what no page asked for.
    #[serde(default)]
    frame_id: String,
}

#[derive(Deserialize)]
struct Request {
    url: String,
}

/// The fields of a paused request that an answer needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Somebody {
    request_id: String,
}

/// The command that makes requests wait for an answer; `None` if there is no limit, because it costs
/// every request a detour. `documents` adds those of pages, for a fence.
pub(super) fn order(bounds: &Bounds, documents: bool) -> Option<EnableParams> {
    if bounds.policy().limits_origins() {
        return Some(every_request());
    }
    let mut patterns = Vec::new();
    if bounds.limits_files() {
        patterns.push(pattern("file://*"));
    }
    let kinds = bounds.blocked().iter();
    patterns.extend(kinds.map(|kind| RequestPattern {
        resource_type: Some(kind_of(*kind)),
        ..pattern("*")
    }));
    if documents || bounds.asks(NeedsApproval::Origin) {
        patterns.push(RequestPattern {
            resource_type: Some(ResourceType::Document),
            ..pattern("*")
        });
    }
    (!patterns.is_empty()).then(|| requests(patterns))
}

/// Makes every request wait for an answer.
pub(crate) fn every_request() -> EnableParams {
    requests(vec![pattern("*")])
}

fn requests(patterns: Vec<RequestPattern>) -> EnableParams {
    EnableParams {
        patterns: Some(patterns),
        ..EnableParams::default()
    }
}

fn pattern(urls: &str) -> RequestPattern {
    RequestPattern {
        url_pattern: Some(urls.to_owned()),
        ..RequestPattern::default()
    }
}

/// Not [`Event::read`], which replaces lone surrogates: that might produce a different address.
fn strict<T: for<'a> Deserialize<'a>>(event: &Event) -> serde_json::Result<T> {
    serde_json::from_str(event.params.get())
}

/// Answers for a document that its tab must not go to now: the page stays as it is.
const NO_CONTENT: i64 = 204;

/// Continues or fails a request; a document where its frame may not go by `may_go` becomes none. No one
/// waits for the answer: the request may be gone meanwhile.
pub(super) fn answer(
    connection: &Connection,
    bounds: &Bounds,
    event: &Event,
    may_go: &dyn Fn(&str, &str) -> bool,
) {
    let (id, allowed) = match strict::<Paused>(event) {
        Ok(paused) => {
            let allowed = allows(bounds, &paused);
            let document = paused.resource_type == "Document";
            if allowed && document && !may_go(&paused.frame_id, &paused.request.url) {
                let nothing = FulfillRequestParams::new(paused.request_id, NO_CONTENT);
                connection.tell(None, &nothing);
                return;
            }
            (paused.request_id, allowed)
        }
        Err(error) => {
            tracing::error!(%error, "cannot read a request");
            match strict::<Somebody>(event) {
                Ok(somebody) => (somebody.request_id, false),
                // It stays paused: wrongly blocked is better than wrongly allowed.
                Err(_) => return,
            }
        }
    };
    if allowed {
        connection.tell(None, &ContinueRequestParams::new(id));
    } else {
        let params = FailRequestParams::new(id, ErrorReason::BlockedByClient);
        connection.tell(None, &params);
    }
}

fn allows(bounds: &Bounds, paused: &Paused) -> bool {
    let url = &paused.request.url;
    let mut blocked = bounds.blocked().iter();
    if blocked.any(|kind| kind_of(*kind).as_ref() == paused.resource_type) {
        return false;
    }
    let action = match paused.resource_type.as_str() {
        "Document" => Action::Document(url),
        _ => Action::Request(url),
    };
    bounds.check(action).is_ok()
}

/// Chromium's name for the kind.
fn kind_of(resource: Resource) -> ResourceType {
    match resource {
        Resource::Image => ResourceType::Image,
        Resource::Media => ResourceType::Media,
        Resource::Font => ResourceType::Font,
        Resource::Stylesheet => ResourceType::Stylesheet,
        Resource::Script => ResourceType::Script,
        Resource::Texttrack => ResourceType::TextTrack,
        Resource::Manifest => ResourceType::Manifest,
        Resource::Prefetch => ResourceType::Prefetch,
        Resource::Ping => ResourceType::Ping,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};
    use szk_cdp::testing::{Peer, Script};
    use szk_config::{OriginPattern, Policy};

    use super::*;

    fn bounds(allowed: &str) -> Bounds {
        let policy = Policy {
            allowed_origins: Some(vec![OriginPattern::read(allowed).unwrap()]),
            ..Policy::open()
        };
        Bounds::new(policy, Vec::new())
    }

    /// What happens to a paused request.
    async fn answered(bounds: &Bounds, paused: Value) -> String {
        let (connection, mut events, peer): (_, _, Peer) = Script::new().start();
        peer.event(None, "Fetch.requestPaused", paused);
        let event = events.recv().await.unwrap();
        answer(&connection, bounds, &event, &|_, _| true);
        let call = async {
            tokio::select! {
                call = peer.call("Fetch.failRequest", 1) => call,
                call = peer.call("Fetch.continueRequest", 1) => call,
            }
        };
        let call = tokio::time::timeout(Duration::from_secs(10), call).await;
        let call = call.unwrap().unwrap();
        let expected = match call.method.as_str() {
            "Fetch.failRequest" => json!({"requestId": "R", "errorReason": "BlockedByClient"}),
            _ => json!({"requestId": "R"}),
        };
        assert_eq!(call.params, expected);
        call.method
    }

    #[tokio::test]
    async fn unspecified_fields_are_refused() {
        let bounds = bounds("bücher.example");
        let whole = json!({"requestId": "R", "resourceType": "Document", "request": {"url": "https://xn--bcher-kva.example/"}});
        assert_eq!(
            answered(&bounds, whole.clone()).await,
            "Fetch.continueRequest"
        );
        let other = json!({"requestId": "R", "resourceType": "Image", "request": {"url": "https://bucher.example/"}});
        assert_eq!(answered(&bounds, other).await, "Fetch.failRequest");
        for lost in ["resourceType", "request"] {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(lost);
            assert_eq!(answered(&bounds, less).await, "Fetch.failRequest", "{lost}");
        }
        for url in [json!({}), json!({"url": ""}), json!({"url": 5})] {
            let mut nowhere = whole.clone();
            nowhere["request"] = url;
            assert_eq!(answered(&bounds, nowhere).await, "Fetch.failRequest");
        }
    }

    #[tokio::test]
    async fn blocked_resource_types_are_refused() {
        let bounds = Bounds::open().blocking(vec![Resource::Image, Resource::Font]);
        let params = json!(order(&bounds, false).unwrap());
        let kinds = params["patterns"].as_array().unwrap().iter();
        let kinds: Vec<_> = kinds.map(|pattern| &pattern["resourceType"]).collect();
        assert_eq!(kinds, ["Image", "Font"]);
        for (kind, expected) in [
            ("Image", "Fetch.failRequest"),
            ("Script", "Fetch.continueRequest"),
        ] {
            let paused = json!({"requestId": "R", "resourceType": kind, "request": {"url": "https://a.example/"}});
            assert_eq!(answered(&bounds, paused).await, expected, "{kind}");
        }
    }

    #[test]
    fn without_limits_nothing_is_intercepted() {
        let open = Bounds::open();
        assert_eq!(order(&open, false), None);
        let all = json!(order(&bounds("a.example"), false).unwrap());
        assert_eq!(all, json!({"patterns": [{"urlPattern": "*"}]}));
        open.open_file("/tmp".as_ref());
        let params = json!(order(&open, false).unwrap());
        assert_eq!(params, json!({"patterns": [{"urlPattern": "file://*"}]}));
    }
}
