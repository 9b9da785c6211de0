//! A panic costs one request, not its connection: the client gets the same failure as for any other bug.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use szk_tools::{Done, Failure};

use crate::error::ErrorReply;

/// Answers a request although its handler panicked.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    let place = place(&request);
    caught(&place, async { Ok(next.run(request).await) })
        .await
        .unwrap_or_else(|failure| ErrorReply::from(failure).into_response())
}

/// The route of a request, never its path: that may hold a token, be it of the server or of a live view.
fn place(request: &Request) -> String {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("a request", MatchedPath::as_str);
    format!("{} {route}", request.method())
}

/// What `work` gives, or a failure if it panics. What the panic said goes to the log only: it may hold
/// anything.
pub(crate) async fn caught<T>(
    name: &str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.unwrap_or_else(|panic| {
        let said = said(panic.as_ref());
        tracing::error!(name, said, "panicked");
        Err(Failure::internal("the server panicked over this request")
            .hint("this is a bug in szk: report it with the server's log, which says where")
            .effect(Done::Unknown))
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("nothing")
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use hyper::service::Service as _;
    use hyper_util::service::TowerToHyperService;
    use serde_json::Value;

    use super::*;

    #[tokio::test]
    async fn no_path_is_shown() {
        let shown = async |request: Request, next: Next| {
            let place = place(&request);
            let _ = next.run(request).await;
            place
        };
        let inner = Router::new()
            .route("/handoff/{session}/{token}/{file}", get(async || ""))
            .layer(from_fn(shown));
        let outer = Router::new()
            .fallback_service(Router::new())
            .layer(from_fn(shown));
        for (router, expected) in [
            (inner, "GET /handoff/{session}/{token}/{file}"),
            (outer, "GET a request"),
        ] {
            let service = TowerToHyperService::new(router);
            let request = Request::get("/handoff/work/0123abc/x").body(Body::empty());
            let answer = service.call(request.unwrap()).await.unwrap();
            let body = to_bytes(Body::new(answer.into_body()), 10_000)
                .await
                .unwrap();
            assert_eq!(body, expected);
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered_and_the_next_request_too() {
        let router = Router::new()
            .route("/fine", get(async || "fine"))
            .route(
                "/broken",
                get(async || -> &'static str { panic!("it said a secret") }),
            )
            .layer(from_fn(answer));
        let service = TowerToHyperService::new(router);
        let ask = |path: &str| service.call(Request::get(path).body(Body::empty()).unwrap());
        let response = ask("/broken").await.unwrap();
        assert_eq!(response.status(), 500);
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let error = &body["error"];
        assert_eq!(
            (&error["code"], &error["effect"]),
            (&"INTERNAL".into(), &"unknown".into())
        );
        assert!(error["hint"].as_str().unwrap().contains("log"), "{error}");
        assert!(!body.to_string().contains("secret"), "{body}");
        assert_eq!(ask("/fine").await.unwrap().status(), 200);
    }
}
