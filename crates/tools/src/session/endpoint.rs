//! `session_endpoint`: the shared DevTools endpoint.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Input, Operation, Output, Permission, Reach, Route, Scope, Set, Subject, Time, budget,
};

/// Opens the shared DevTools endpoint of a session and says how to use it.
#[derive(Debug)]
pub struct Endpoint;

impl Operation for Endpoint {
    const NAME: &'static str = "session_endpoint";
    const TITLE: &'static str = "Share the browser with CDP tools";
    const SUMMARY: &'static str = "Let Playwright, Puppeteer or another CDP tool join the browser: URLs (with a token), environment, snippets.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/endpoint")];
    const NEEDS: Permission = Permission::Cdp;
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    const SETS: &[Set] = &[Set::Default];
    type Input = EndpointInput;
    type Output = EndpointOutput;
}

/// Input of `session_endpoint`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointInput {
    /// Open session. Default: the only open one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// URLs with a real `Runtime.enable`, which pages can detect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_shield: Option<bool>,
    /// Also open a port without a token, for this user's programs. Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_port: Option<bool>,
    /// Number of a client to disconnect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnect: Option<u64>,
}

audited!(EndpointInput {
    session: Session,
    no_shield: Number,
    plain_port: Number,
    disconnect: Number,
});

impl Input for EndpointInput {
    fields!(session);
}

/// Output of `session_endpoint`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EndpointOutput {
    /// The session.
    pub session: String,
    /// HTTP base URL with the token; for `connectOverCDP` and `browserURL`.
    pub http_url: String,
    /// WebSocket URL of the browser.
    pub ws_url: String,
    /// Port in use.
    pub port: u16,
    /// Port that this user's programs can use without a token, if it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_port: Option<u16>,
    /// Environment for programs that join.
    pub env: BTreeMap<String, String>,
    /// Ready-made lines per tool.
    pub snippets: Vec<Snippet>,
    /// Clients connected now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<EndpointClient>,
}

impl Output for EndpointOutput {
    about_session!();
}

/// How one tool joins.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Snippet {
    /// Tool, e.g. `Playwright`.
    pub tool: String,
    /// Code or command.
    pub code: String,
}

/// One connected client.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EndpointClient {
    /// Number of the connection in this session.
    pub id: u64,
    /// What it is, by its own account or by its first requests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it connected to: `browser` or a page's target id.
    pub scope: String,
    /// Whether its `Runtime.enable` is shielded from pages.
    #[serde(default = "yes")]
    pub shield: bool,
    /// Its `User-Agent` header, if it sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

fn yes() -> bool {
    true
}
