//! What only the person who runs the server does, for tokens that allow `admin`: tokens, the audit log, and
//! draining. None of it gives more than the token that asks has itself.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Path, Query, State, rejection::QueryRejection};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use szk_client::{TokenRow, token_expiry};
use szk_tools::{Code, Failure, Permission};

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::request;

/// Lines of the audit log in one answer, unless the request says how many.
const LINES: usize = 100;
/// Most of them.
const MOST_LINES: usize = 10_000;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/tokens", get(list).post(create))
        .route("/v1/tokens/{name}", delete(revoke))
        .route("/v1/audit", get(audit))
        .route("/v1/audit/check", get(check))
        .route("/v1/drain", post(drain))
}

/// The token to make.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    scopes: Option<Vec<Permission>>,
    sessions: Option<Vec<String>>,
    expires: Option<String>,
}

/// `GET /v1/tokens`: those that see no more sessions than the one that asks.
async fn list(Extension(who): Extension<Who>) -> Result<Json<Value>, ErrorReply> {
    who.needs(Permission::Admin)?;
    let mut tokens = who.client.tokens()?;
    tokens.retain(|row| within(&who.token, &row.sessions));
    Ok(Json(json!({ "tokens": tokens })))
}

async fn create(
    Extension(who): Extension<Who>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ErrorReply> {
    who.needs(Permission::Admin)?;
    let body = request::object(&headers, body).await?;
    let asked: Create = serde_json::from_value(Value::Object(body))
        .map_err(|error| Failure::invalid(format!("this makes no token: {error}")))?;
    let began = Instant::now();
    let made = make(&who, &asked);
    let what = vec![("name", json!(asked.name))];
    let failed = made.as_ref().err();
    who.client.audit("token_create", what, failed, began).await;
    let (row, token) = made?;
    Ok((
        StatusCode::CREATED,
        Json(json!({"token": token, "about": row})),
    )
        .into_response())
}

fn make(who: &Who, asked: &Create) -> Result<(TokenRow, String), Failure> {
    let own = &who.token;
    let usual = vec![Permission::Read, Permission::Write];
    let mut scopes = asked.scopes.clone().unwrap_or(usual);
    scopes.sort_unstable();
    scopes.dedup();
    let sessions = asked.sessions.as_ref().unwrap_or(&own.sessions);
    let given = asked.expires.as_deref().map(token_expiry).transpose();
    let given = given.map_err(Failure::invalid)?;
    // Its time ends with that of the one that makes it.
    let expires = match (given, own.expires) {
        (Some(given), Some(own)) => Some(given.min(own)),
        (given, own) => given.or(own),
    };
    if let Some(more) = scopes.iter().find(|scope| !who.allows(**scope)) {
        return Err(who.lacks(*more));
    }
    if !within(own, sessions) {
        return Err(Failure::new(
            Code::PolicyDenied,
            format!(
                "the token `{}` does not see all of these sessions",
                own.name
            ),
        )
        .hint(format!("choose among `{}`", own.sessions.join("`, `"))));
    }
    who.client
        .create_token(&asked.name, &scopes, sessions, expires)
}

async fn revoke(
    Extension(who): Extension<Who>,
    Path(name): Path<String>,
) -> Result<Json<Value>, ErrorReply> {
    who.needs(Permission::Admin)?;
    let began = Instant::now();
    let tokens = who.client.tokens()?;
    let other = |row: &TokenRow| row.name == name && !within(&who.token, &row.sessions);
    // One that sees more does not exist for this one.
    let revoked = match tokens.iter().any(other) {
        true => Err(TokenRow::unknown(&name)),
        false => who.client.revoke_token(&name),
    };
    let what = vec![("name", json!(name))];
    let failed = revoked.as_ref().err();
    who.client.audit("token_revoke", what, failed, began).await;
    revoked?;
    Ok(Json(json!({ "revoked": name })))
}

/// Which lines of the audit log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    session: Option<String>,
    after: Option<u64>,
    limit: Option<usize>,
}

/// `GET /v1/audit`: the last lines, or those after a number.
async fn audit(
    Extension(who): Extension<Who>,
    asked: Result<Query<Lines>, QueryRejection>,
) -> Result<Json<Value>, ErrorReply> {
    who.needs(Permission::Admin)?;
    let asked = asked
        .map_err(|error| Failure::invalid(error.body_text()))?
        .0;
    let limit = asked.limit.unwrap_or(LINES);
    if !(1..=MOST_LINES).contains(&limit) {
        return Err(Failure::invalid(format!("`limit` is 1 to {MOST_LINES}"))
            .about(["limit"])
            .into());
    }
    let all = sees_all(&who.token);
    let client = Arc::clone(&who.client);
    let read = tokio::task::spawn_blocking(move || {
        let mut lines = std::collections::VecDeque::new();
        client.audit_lines(asked.after.unwrap_or_default(), &mut |line| {
            let session = line.entry.session.as_deref();
            let visible = all || session.is_some_and(|session| client.sees(session));
            let wanted = asked.session.is_none() || asked.session.as_deref() == session;
            if !(visible && wanted) {
                return;
            }
            // With a number to begin after, a reader goes on from the last line of the answer.
            match asked.after {
                Some(_) if lines.len() == limit => return,
                None if lines.len() == limit => drop(lines.pop_front()),
                _ => {}
            }
            lines.push_back(line);
        })?;
        Ok::<_, Failure>(lines)
    });
    let read = read.await;
    let lines = read.map_err(|error| Failure::internal(format!("cannot read the log: {error}")))?;
    Ok(Json(json!({ "lines": lines? })))
}

/// `GET /v1/audit/check`: whether the log is as it was written.
async fn check(Extension(who): Extension<Who>) -> Result<Json<Value>, ErrorReply> {
    who.needs(Permission::Admin)?;
    let client = Arc::clone(&who.client);
    let checked = tokio::task::spawn_blocking(move || client.verify_audit()).await;
    let checked =
        checked.map_err(|error| Failure::internal(format!("cannot read the log: {error}")))??;
    Ok(Json(json!({
        "good": checked.broken.is_none(),
        "lines": checked.lines,
        "first": checked.first,
        "last": checked.last,
        "hash": checked.hash,
        "broken": checked.broken.map(|place| place.fault.to_string()),
    })))
}

/// `POST /v1/drain`, which answers at once.
async fn drain(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Who>,
) -> Result<Response, ErrorReply> {
    who.needs(Permission::Admin)?;
    if !sees_all(&who.token) {
        return Err(Failure::new(
            Code::PolicyDenied,
            format!(
                "the token `{}` is limited to some sessions, and a drain concerns all",
                who.token.name
            ),
        )
        .hint("use a token without `--session`")
        .into());
    }
    let began = Instant::now();
    app.drain.begin();
    who.client
        .audit("server_drain", Vec::new(), None, began)
        .await;
    Ok((StatusCode::ACCEPTED, Json(json!({"status": "draining"}))).into_response())
}

fn sees_all(own: &TokenRow) -> bool {
    own.sessions.iter().any(|pattern| pattern == "*")
}

/// Whether these patterns show nothing that the token does not see.
fn within(own: &TokenRow, patterns: &[String]) -> bool {
    sees_all(own) || patterns.iter().all(|one| own.sessions.contains(one))
}
