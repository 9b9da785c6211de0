//! The dashboard at `/`: a page of this server for the person who runs it. It uses the same API as every
//! other client; only its login is its own.

mod logins;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use szk_tools::{Code, Failure};

use crate::app::{App, Who};
use crate::error::ErrorReply;
pub(crate) use logins::Logins;

/// The header that the dashboard's own script sends with all that changes something: no form and no
/// foreign page can.
pub(crate) const HEADER: &str = "szk-dashboard";

/// The name of the client that makes its calls.
pub(crate) const CLIENT: &str = "dashboard";

/// The cookie with the id of a login. It is not the token: cookies of a host go to all its ports, so other
/// servers on this machine may see it.
const COOKIE: &str = "szk_dashboard";

/// What the page may load: its own files, and pictures that its script made.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES: &[(&str, &str, &str)] = &[
    (
        "app.js",
        "text/javascript",
        include_str!("dashboard/app.js"),
    ),
    (
        "api.js",
        "text/javascript",
        include_str!("dashboard/api.js"),
    ),
    (
        "cards.js",
        "text/javascript",
        include_str!("dashboard/cards.js"),
    ),
    (
        "details.js",
        "text/javascript",
        include_str!("dashboard/details.js"),
    ),
    (
        "element.js",
        "text/javascript",
        include_str!("dashboard/element.js"),
    ),
    (
        "programs.js",
        "text/javascript",
        include_str!("dashboard/programs.js"),
    ),
    (
        "recipes.js",
        "text/javascript",
        include_str!("dashboard/recipes.js"),
    ),
    (
        "stored.js",
        "text/javascript",
        include_str!("dashboard/stored.js"),
    ),
    (
        "waiting.js",
        "text/javascript",
        include_str!("dashboard/waiting.js"),
    ),
    ("style.css", "text/css", include_str!("dashboard/style.css")),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("dashboard/icon.svg"),
    ),
];

/// The files, and logging in and out.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard/login", post(log_in))
        .route("/dashboard/logout", post(log_out))
        .route("/dashboard/{file}", get(file))
}

/// The page itself.
pub(crate) fn page() -> Response {
    sent("text/html", include_str!("dashboard/index.html"))
}

async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(file, _, _)| *file == name) {
        Some((_, kind, text)) => sent(kind, text),
        None => ErrorReply::no_route(&format!("/dashboard/{name}")).into_response(),
    }
}

fn sent(kind: &str, text: &'static str) -> Response {
    let kind = HeaderValue::from_str(&format!("{kind}; charset=utf-8"));
    let fixed = HeaderValue::from_static;
    let headers = [
        (header::CONTENT_TYPE, kind.unwrap_or(fixed("text/plain"))),
        (header::CONTENT_SECURITY_POLICY, fixed(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        // A newer server brings newer files.
        (header::CACHE_CONTROL, fixed("no-cache")),
    ];
    (headers, text).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogIn {
    token: String,
}

/// Exchanges a token for a cookie.
async fn log_in(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Result<Json<LogIn>, axum::extract::rejection::JsonRejection>,
) -> Result<Response, ErrorReply> {
    from_dashboard(&headers)?;
    let Ok(Json(LogIn { token })) = body else {
        return Err(Failure::invalid("the body must be `{\"token\": \"…\"}`").into());
    };
    let Some(who) = app.who(&token, Some(CLIENT), String::new(), None)? else {
        let failure = Failure::new(
            Code::Unauthorized,
            "this token is wrong, expired or revoked",
        )
        .hint("`szk token create NAME` on the server makes one");
        return Err(ErrorReply::with_status(failure, StatusCode::UNAUTHORIZED));
    };
    let id = app
        .logins
        .add(token)
        .map_err(|error| Failure::internal(format!("the system has no random numbers: {error}")))?;
    let age = logins::LONGEST.as_secs();
    Ok((cookie(&headers, &id, age)?, Json(about(&who))).into_response())
}

async fn log_out(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ErrorReply> {
    from_dashboard(&headers)?;
    if let Some(id) = id(&headers) {
        app.logins.remove(id);
    }
    Ok((cookie(&headers, "", 0)?, Json(serde_json::json!({}))).into_response())
}

/// `/dashboard/me`, behind the check of the token: who is logged in.
pub(crate) async fn me(axum::Extension(who): axum::Extension<Who>) -> Json<serde_json::Value> {
    Json(about(&who))
}

fn about(who: &Who) -> serde_json::Value {
    serde_json::to_value(&*who.token).unwrap_or_default()
}

/// Refuses a change that is not asked for by the dashboard's own script.
pub(crate) fn from_dashboard(headers: &HeaderMap) -> Result<(), ErrorReply> {
    // That the origin is ours has been checked for every request that has one.
    if headers.contains_key(HEADER) && headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let message = "a change with the dashboard's cookie must come from the dashboard";
    Err(Failure::new(Code::PolicyDenied, message)
        .hint("programs send `Authorization: Bearer TOKEN`")
        .into())
}

/// The id of the login that a request's cookie names.
pub(crate) fn id(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

fn cookie(
    headers: &HeaderMap,
    value: &str,
    seconds: u64,
) -> Result<[(header::HeaderName, HeaderValue); 1], Failure> {
    let origin = headers.get(header::ORIGIN);
    let encrypted = origin.is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let secure = if encrypted { "; Secure" } else { "" };
    let text =
        format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    let text = HeaderValue::from_str(&text)
        .map_err(|error| Failure::internal(format!("the cookie is not a valid header: {error}")))?;
    Ok([(header::SET_COOKIE, text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_login_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        assert_eq!(id(&headers), None);
        let cookies = HeaderValue::from_static("a=b; szk_dashboard=abc; szk_dashboards=no");
        headers.insert(header::COOKIE, cookies);
        assert_eq!(id(&headers), Some("abc"));
    }

    #[test]
    fn every_file_that_the_page_loads_is_there() {
        let loaded = [
            include_str!("dashboard/index.html"),
            include_str!("dashboard/app.js"),
            include_str!("dashboard/cards.js"),
            include_str!("dashboard/details.js"),
        ];
        for (name, kind, _) in FILES {
            let known = loaded.iter().any(|text| text.contains(&format!("/{name}")));
            assert!(known, "{name} of type {kind} is loaded by nothing");
        }
    }
}
