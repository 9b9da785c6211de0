//! The router: one route for each address of each operation, and the few pages of the server itself.

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, any, get, on};
use sha2::{Digest as _, Sha256};
use szk_tools::{Call, Failure, Method, Route, Spec, specs};

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::events::{Report, Running};
use crate::idempotency::{Answered, Turn};
use crate::reply::{Wanted, reply};
use crate::request::ApiRequest;
use crate::{
    access, admin, app, cdp, dashboard, events, files, idempotency, live_view, mcp, openapi,
    panics, reference, request, session_events, status,
};

/// Everything that the server answers.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut calls = Router::new();
    for spec in specs() {
        for route in spec.routes {
            calls = calls.route(
                route.path,
                on(filter(route.method), move |app, path, request| {
                    operation(spec, route, app, path, request)
                }),
            );
        }
    }
    let behind_token = calls
        .route("/v1/sessions/{session}/cdp", any(cdp::root))
        .route("/v1/sessions/{session}/cdp/{*path}", any(cdp::below))
        .route("/v1/sessions/{session}/events", get(session_events::serve))
        .merge(files::routes())
        .merge(admin::routes())
        .route("/mcp", any(mcp::serve))
        .route("/metrics", get(status::metrics))
        .route("/dashboard/me", get(dashboard::me))
        .layer(from_fn_with_state(Arc::clone(&app), access::authorize));
    let open = Router::new()
        .route("/", get(status::root))
        .route("/healthz", get(status::health))
        .route("/readyz", get(status::ready))
        .route("/openapi.json", get(openapi::serve))
        .route("/docs", get(reference::serve));
    let router = open
        .merge(dashboard::routes())
        .merge(live_view::routes())
        .merge(behind_token)
        .fallback(async |uri: Uri| ErrorReply::no_route(uri.path()))
        .method_not_allowed_fallback(async || ErrorReply::no_method())
        // Here the route is known; what panics before it is caught below.
        .layer(from_fn(panics::answer))
        .layer(from_fn(access::readable))
        .layer(from_fn_with_state(Arc::clone(&app), access::guard))
        .with_state(app);
    // Around all routes, because it changes the path by which they are found.
    Router::new()
        .fallback_service(router)
        .layer(map_request(access::token_out_of_path))
        .layer(from_fn(panics::answer))
}

fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// Answers one request for an operation.
async fn operation(
    spec: &'static Spec,
    route: &'static Route,
    State(app): State<Arc<App>>,
    path: RawPathParams,
    request: Request,
) -> Response {
    match answer(spec, route, app, path, request).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn answer(
    spec: &'static Spec,
    route: &'static Route,
    app: Arc<App>,
    path: RawPathParams,
    request: Request,
) -> Result<Response, ErrorReply> {
    let (parts, body) = request.into_parts();
    // The layer around every operation puts it there.
    let Some(mut who) = parts.extensions.get::<Who>().cloned() else {
        return Err(Failure::internal("a request came past the check of its token").into());
    };
    let wanted = Wanted::of(&parts.headers);
    let key = parts.headers.get(idempotency::HEADER);
    let key = key.filter(|_| route.method == Method::Post);
    let ApiRequest { call, mut uploads } =
        request::call(spec, route, &path, &parts, body, (&app, &who)).await?;
    who.brought = uploads.paths().into();
    if wanted == Wanted::Events || key.is_some() {
        // Known before the first byte, so that the status can say it; and what another request was answered
        // is only for those who could have made it.
        app::allowed(&who, &call).await?;
    }
    let ours = !names_files(&call);
    let (report, reports): (Report, _) = match wanted {
        Wanted::Events => {
            let (report, reports) = events::reports();
            (report, Some(reports))
        }
        _ => (Box::new(|_| {}), None),
    };
    let request = key.map(|_| uploads.told(&call)).transpose()?;
    let (running, made_by) = (Arc::clone(&app), who.clone());
    let work = async move {
        let outcome = running.run(&made_by, call, &*report).await;
        uploads.used(&outcome);
        outcome
    };
    let running: Running = match key.zip(request) {
        Some((key, request)) => once(&app.answered, &who.key, key, &request, work)?,
        None => Box::pin(work),
    };
    if let Some(reports) = reports {
        return Ok(events::answer(running, reports));
    }
    let outcome = running.await;
    let outcome = outcome?;
    let links = files::links(&who, &outcome);
    let location = location(&outcome);
    let mut response = reply(outcome, wanted, ours).await?;
    for (name, link) in links {
        response.headers_mut().append(name, link);
    }
    if response.status() == StatusCode::CREATED
        && let Some(location) = location
    {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Runs a call once for all requests with this key, to its end even if they all hang up: whoever repeats the
/// request wants its answer.
fn once(
    answered: &Arc<Answered>,
    who: &app::Key,
    key: &HeaderValue,
    request: &str,
    work: impl Future<Output = Result<szk_tools::Response, Failure>> + Send + 'static,
) -> Result<Running, ErrorReply> {
    let key = String::from_utf8_lossy(key.as_bytes());
    let request = Sha256::digest(request.as_bytes()).into();
    let waiting = match answered.turn(who, &key, request)? {
        Turn::Repeated(waiting) => waiting,
        Turn::First(ticket, waiting) => {
            tokio::spawn(async move { ticket.end(work.await) });
            waiting
        }
    };
    Ok(Box::pin(waiting.outcome()))
}

/// Whether the caller chose where files go or come from.
fn names_files(call: &Call) -> bool {
    let mut named = false;
    call.clone().input_mut().each_path(&mut |_| named = true);
    named
}

/// Where the session of an answer is.
fn location(answer: &szk_tools::Response) -> Option<HeaderValue> {
    let session = answer.data["session"].as_str()?;
    HeaderValue::from_str(&format!("/v1/sessions/{session}")).ok()
}
