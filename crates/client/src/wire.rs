//! What client and keeper say to each other: HTTP/1.1 over the keeper's Unix socket.
//!
//! `POST /v1/op/<operation>` carries the input as JSON and answers with [`Line`]s as
//! `application/x-ndjson`: progress, then exactly one result. Dropping the connection cancels the
//! operation. `POST /v1/file` says that a person opens a file in a terminal: pages may be at it then; no
//! operation says that. `GET /v1/presence` stays open for as long as a client is there. `GET /v1/info` says who
//! the keeper is. A keeper that is started gets [`Start`] on standard input and answers [`Hello`] lines on
//! standard output until it is ready.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use szk_config::CallOptions;
use szk_tools::session::Tab;
use szk_tools::{Failure, Progress, Response};

/// Header that names the client.
pub const CLIENT_HEADER: &str = "x-szk-client";
/// Header that says when the client gives the call up, by [`crate::shared_clock_ms`]: what a keeper that was
/// stopped reads later is not begun any more.
pub const UNTIL_HEADER: &str = "x-szk-until";
/// Where a person's file is named.
pub const FILE_PATH: &str = "/v1/file";
/// What is answered there.
pub type Opened = Result<(), Failure>;
/// Longest line of an answer, in bytes: a full-page picture in base64 fits well.
pub const LONGEST_LINE: usize = 256 << 20;

/// Everything a new keeper must know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// Folder of the profile store.
    pub store: PathBuf,
    /// Profile to open; for a clone its own new name.
    pub session: String,
    /// The profile to copy from.
    pub clone_of: Option<String>,
    /// Whether the endpoint is wanted at once.
    #[serde(default)]
    pub share: bool,
    /// What the call asks for.
    pub options: CallOptions,
    /// Working directory of the caller, from which configuration is looked for.
    pub cwd: PathBuf,
}

/// What a starting keeper writes, one JSON object a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hello {
    /// Not yet.
    Progress(Progress),
    /// It answers on its socket.
    Ready,
    /// It ends.
    Error(Failure),
}

/// One line of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// Not yet.
    Progress(Progress),
    /// Success.
    Ok(Response),
    /// Failure.
    Error(Failure),
}

/// Answer of `/v1/info`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Info {
    /// Version of szk that the keeper runs.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// The session.
    pub session: String,
    /// How it is.
    pub life: Life,
    /// Whether it is an ephemeral clone.
    pub ephemeral: bool,
    /// Open tabs.
    pub tabs: Vec<Tab>,
    /// Clients that are there: fronts by name, then clients of the endpoint.
    pub clients: Vec<String>,
    /// Whether the endpoint's door is open.
    pub endpoint_open: bool,
}

/// How a keeper is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// Starting, or starting its browser again.
    Starting,
    /// Working.
    Running,
    /// On its way out.
    Closing,
}
