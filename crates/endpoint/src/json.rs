//! The answers under `/json`, from the browser on the root session.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use szk_cdp::protocol::browser::GetVersionParams;
use szk_cdp::protocol::target::{GetTargetInfoParams, GetTargetsParams};
use szk_cdp::{CallError, Command, Done};
use szk_config::Action;

use super::access::{Admitted, UNSHIELDED};
use super::http::{Failed, Response, respond, text};
use super::listener::{Live, Shared};
use super::{INTERNAL_KINDS, create};

/// How long the browser may take to answer.
const LIMIT: Duration = Duration::from_secs(10);

/// The base of the addresses in an answer, as the client addressed us.
pub(super) struct Base(String);

impl Base {
    pub(super) fn new(shared: &Shared, pass: &Admitted<'_>) -> Self {
        let prefix = if pass.shown {
            shared.guard.prefix()
        } else {
            String::new()
        };
        let choice = if pass.unshielded {
            format!("/{UNSHIELDED}")
        } else {
            String::new()
        };
        Self(format!("ws://{}{prefix}{choice}/devtools", pass.host))
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    protocol_version: String,
    product: String,
    revision: String,
    user_agent: String,
    js_version: String,
}

pub(super) async fn version(
    live: &Live,
    base: &Base,
    browser_id: &str,
) -> Result<Response, Failed> {
    let version: Version = ask(live, &GetVersionParams::default()).await?;
    Ok(body(&json!({
        "Browser": version.product,
        "Protocol-Version": version.protocol_version,
        "User-Agent": version.user_agent,
        "V8-Version": version.js_version,
        "WebKit-Version": format!("537.36 ({})", version.revision),
        "webSocketDebuggerUrl": format!("{}/browser/{browser_id}", base.0),
    })))
}

#[derive(Deserialize)]
struct Targets {
    #[serde(rename = "targetInfos")]
    all: Vec<Target>,
}

#[derive(Deserialize)]
struct OneTarget {
    #[serde(rename = "targetInfo")]
    target: Target,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "targetId")]
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    #[serde(default, rename = "parentId")]
    parent: Option<String>,
}

#[derive(Serialize)]
struct Entry<'a> {
    description: &'static str,
    id: &'a str,
    #[serde(rename = "parentId", skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
    title: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    url: &'a str,
    #[serde(rename = "webSocketDebuggerUrl")]
    socket: String,
}

impl Target {
    fn entry<'a>(&'a self, base: &Base) -> Entry<'a> {
        let Self {
            id,
            kind,
            title,
            url,
            parent,
        } = self;
        Entry {
            description: "",
            id,
            parent: parent.as_deref(),
            title,
            kind,
            url,
            socket: format!("{}/page/{id}", base.0),
        }
    }
}

pub(super) async fn list(shared: &Shared, live: &Live, base: &Base) -> Result<Response, Failed> {
    let mut targets: Targets = ask(live, &GetTargetsParams::default()).await?;
    let order = live.browser.tab_order();
    let place = |target: &Target| order.iter().position(|id| *id == target.id);
    targets
        .all
        .sort_by_cached_key(|target| place(target).unwrap_or(order.len()));
    let shown = targets
        .all
        .iter()
        .filter(|target| !INTERNAL_KINDS.contains(&&*target.kind) && shared.shows(&target.id));
    Ok(body(
        &shown.map(|target| target.entry(base)).collect::<Vec<_>>(),
    ))
}

#[derive(Deserialize)]
struct Created {
    #[serde(rename = "targetId")]
    target: String,
}

pub(super) async fn new(
    shared: &Shared,
    live: &Live,
    base: &Base,
    query: &str,
) -> Result<Response, Failed> {
    let url = unescape(query);
    if let Err(denied) = shared.rules.bounds.check(Action::Visit(&url)) {
        return Ok(text(StatusCode::FORBIDDEN, &format!("refused: {denied}")));
    }
    live.windows.look(&live.browser).await;
    let Created { target } = ask(live, &live.windows.new_window()).await?;
    shared.note_opened(&target);
    create::settle(Arc::clone(&live.browser), &target, &url)
        .await
        .map_err(|error| Failed::Browser(error.to_string()))?;
    let describe = GetTargetInfoParams {
        target_id: Some(target.into()),
    };
    let OneTarget { target } = ask(live, &describe).await?;
    Ok(body(&target.entry(base)))
}

pub(super) async fn order(
    live: &Live,
    command: &impl Command,
    target: &str,
    done: &str,
) -> Result<Response, Failed> {
    match ask(live, command).await {
        Ok(Done) => Ok(text(StatusCode::OK, done)),
        Err(Failed::Browser(_)) => Err(Failed::NoTarget(target.to_owned())),
        Err(failed) => Err(failed),
    }
}

async fn ask<T: DeserializeOwned>(live: &Live, command: &impl Command) -> Result<T, Failed> {
    let connection = live.browser.connection();
    match tokio::time::timeout(LIMIT, connection.ask(None, command)).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(CallError::Remote { message, .. })) => Err(Failed::Browser(message)),
        Ok(Err(error @ CallError::Unreadable { .. })) => Err(Failed::Browser(error.to_string())),
        Ok(Err(_)) | Err(_) => Err(Failed::NoBrowser),
    }
}

fn body(value: &impl Serialize) -> Response {
    match serde_json::to_string_pretty(value) {
        Ok(body) => respond(StatusCode::OK, "application/json; charset=UTF-8", body),
        Err(error) => Failed::Browser(error.to_string()).into_response(),
    }
}

/// The query of `/json/new` is the URL itself, either percent-encoded as a whole or not at all.
fn unescape(query: &str) -> String {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &rest[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    // A hex digit is below 16.
    char::from(digit).to_digit(16).map(|digit| digit as u8)
}
