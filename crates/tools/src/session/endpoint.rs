//! `session_endpoint`: the shared DevTools endpoint.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Reach, Scope, Time, budget};

/// Opens the door of a session's shared DevTools endpoint and says how to use it.
#[derive(Debug)]
pub struct Endpoint;

impl Operation for Endpoint {
    const NAME: &'static str = "session_endpoint";
    const TITLE: &'static str = "Share the browser with CDP tools";
    const SUMMARY: &'static str = "Let Playwright, Puppeteer or another CDP tool join the same live browser: get the shared endpoint's URLs (loopback, with a token), environment and snippets.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
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
    /// Addresses with a real `Runtime.enable`, which pages can notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_shield: Option<bool>,
    /// Also open a port without a token, for Selenium, nodriver and others that know only host and
    /// port. Only programs of this user get in. Linux only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_port: Option<bool>,
    /// Number of a connected client to disconnect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disconnect: Option<u64>,
}

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
    /// Port that needs no token from this user's programs, if it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_port: Option<u16>,
    /// Environment for programs that join.
    pub env: BTreeMap<String, String>,
    /// Ready-made lines per tool.
    pub snippets: Vec<Snippet>,
    /// Clients connected to the endpoint now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<EndpointClient>,
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
    /// What it is, by what it says of itself or by what it asked for first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it connected to: `browser` or a page's target id.
    pub scope: String,
    /// Whether pages are shielded from it.
    #[serde(default = "yes")]
    pub shield: bool,
    /// Its `User-Agent` header, if it sent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

fn yes() -> bool {
    true
}
