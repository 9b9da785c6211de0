//! What client and keeper say to each other: HTTP/1.1 over the keeper's Unix socket.
//!
//! `POST /v1/op/<operation>` carries the input as JSON ([`szk_tools::Call::encode`]) and answers with [`Line`]s as
//! `application/x-ndjson`: progress, then exactly one result. Dropping the connection cancels the
//! operation. `POST /v1/file` says that a person opens a file in a terminal: pages may be at it then; no
//! operation says that. `GET /v1/presence` stays open for as long as a client is there. `GET /v1/info` says who
//! the keeper is. A keeper that is started gets [`Start`] on standard input and answers [`Hello`] lines on
//! standard output until it is ready.
//!
//! What both ends must do alike is here too: how options of a call are read, what names are taken, and how
//! errors of store, configuration and secrets become failures ([`failure`]).

pub mod failure;
pub mod names;
pub mod options;
pub mod socket;

mod clock;

use std::path::PathBuf;

pub use clock::shared_clock_ms;

use serde::{Deserialize, Serialize};
use szk_config::CallOptions;
use szk_tools::session::Tab;
use szk_tools::{Failure, Progress, Response};

/// Header that names the client.
pub const CLIENT_HEADER: &str = "x-szk-client";
/// Header that says when the client gives the call up, by [`shared_clock_ms`]: what a keeper that was
/// stopped reads later is not begun any more.
pub const UNTIL_HEADER: &str = "x-szk-until";
/// Header that says how the client found the session: a word of [`Found`].
pub const FOUND_HEADER: &str = "x-szk-found";
/// Where operations are asked for, followed by their names.
pub const OPERATION_PATH: &str = "/v1/op/";
/// Where a keeper says who it is.
pub const INFO_PATH: &str = "/v1/info";
/// Where a client stays.
pub const PRESENCE_PATH: &str = "/v1/presence";
/// Where the keeper of a clone gets the state of the original.
pub const STATE_PATH: &str = "/v1/state";
/// Where a person's file is named.
pub const FILE_PATH: &str = "/v1/file";
/// What is answered there.
pub type Opened = Result<(), Failure>;
/// Longest line of an answer, in bytes: a full-page picture in base64 fits well.
pub const LONGEST_LINE: usize = 256 << 20;

/// How a client found the session of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Found {
    /// Open.
    #[default]
    Open,
    /// Closed: its keeper was started for this call.
    Closed,
    /// Nowhere: its profile was made for this call.
    Nowhere,
}

impl Found {
    /// The word in the header.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Nowhere => "nowhere",
        }
    }

    /// Reads the header; whoever sends none has found it open.
    #[must_use]
    pub fn read(word: Option<&str>) -> Self {
        let all = [Self::Open, Self::Closed, Self::Nowhere];
        let found = all.into_iter().find(|found| Some(found.word()) == word);
        found.unwrap_or_default()
    }
}

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
    pub life: Lifecycle,
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
pub enum Lifecycle {
    /// Starting, or starting its browser again.
    Starting,
    /// Working.
    Running,
    /// On its way out.
    Closing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_say_has_found_it_open() {
        for found in [Found::Open, Found::Closed, Found::Nowhere] {
            assert_eq!(Found::read(Some(found.word())), found);
        }
        assert_eq!(Found::read(None), Found::Open);
        assert_eq!(Found::read(Some("elsewhere")), Found::Open);
    }
}
