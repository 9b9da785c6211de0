//! The protocol between client and keeper: HTTP/1.1 over the keeper's Unix socket.
//!
//! `POST /v1/op/<operation>` carries the input as JSON ([`szk_tools::Call::encode`]) and answers with
//! [`Line`]s as `application/x-ndjson`: progress, then exactly one result. Dropping the connection
//! cancels the operation. `POST /v1/file` says that a person opens a file in a terminal, which lets
//! pages be at its address; no operation can do that. `GET /v1/presence` stays open for as long as a
//! client is connected. `GET /v1/events` tells what happens ([`events`]). `GET /v1/info` identifies the
//! keeper. A starting keeper gets [`Start`] on
//! standard input, and writes [`Hello`] lines to standard output until it is ready.
//!
//! What both ends must do alike is here too: giving out approvals ([`approvals`]), reading options of a call, checking names, and turning
//! errors of store, configuration and secrets into failures ([`failure`]).

pub mod approvals;
pub mod events;
pub mod failure;
pub mod names;
pub mod options;
pub mod socket;

mod client;
mod clock;

use std::fmt;
use std::path::PathBuf;

pub use client::{Client, IDENTITY_HEADER, Process};
pub use clock::shared_clock_ms;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use szk_config::CallOptions;
use szk_tools::failure::Approval;
use szk_tools::session::Tab;
use szk_tools::{Failure, Progress, Response};

/// Header that names the client, for keepers that do not know [`IDENTITY_HEADER`].
pub const CLIENT_HEADER: &str = "x-szk-client";
/// Header that says when the client gives up the call, by [`shared_clock_ms`]. A keeper that was stopped
/// does not start calls that it reads after that.
pub const UNTIL_HEADER: &str = "x-szk-until";
/// Header that says how the client found the session: a word of [`Found`].
pub const FOUND_HEADER: &str = "x-szk-found";
/// Header of a front end that can ask a person: [`CAN_ASK`], or the token of the approval that the person
/// gave. No input has it, because whoever chooses inputs is whom approvals are about.
pub const APPROVAL_HEADER: &str = "x-szk-approval";
/// Header with the origins that the call must not leave, as a JSON list of patterns. Documents of other
/// origins do not load in its tab while it runs.
pub const WITHIN_HEADER: &str = "x-szk-within";
/// Nothing is approved yet, but a person can be asked.
pub const CAN_ASK: &str = "ask";
/// Path of operations, followed by the name.
pub const OPERATION_PATH: &str = "/v1/op/";
/// Path of [`Info`].
pub const INFO_PATH: &str = "/v1/info";
/// Path where clients stay connected.
pub const PRESENCE_PATH: &str = "/v1/presence";
/// Header at [`PRESENCE_PATH`] of a client that has not called for long: it is no longer there for others,
/// but the session stays open for it.
pub const AWAY_HEADER: &str = "x-szk-away";
/// Path where the keeper of a clone gets the original's state.
pub const STATE_PATH: &str = "/v1/state";
/// Path where a person's file is announced.
pub const FILE_PATH: &str = "/v1/file";
/// The answer at [`FILE_PATH`].
pub type Opened = Result<(), Failure>;
/// Longest line of an answer in bytes: a full-page picture in base64 fits easily.
pub const LONGEST_LINE: usize = 256 << 20;

/// How a client found the session of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Found {
    /// Open.
    #[default]
    Open,
    /// Closed; this call started its keeper.
    Closed,
    /// Nowhere; this call created its profile.
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

    /// Reads the header. Without one, the session counts as open.
    #[must_use]
    pub fn read(word: Option<&str>) -> Self {
        let all = [Self::Open, Self::Closed, Self::Nowhere];
        let found = all.into_iter().find(|found| Some(found.word()) == word);
        found.unwrap_or_default()
    }
}

/// The start message: everything a new keeper needs to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    /// Folder of the profile store.
    pub store: PathBuf,
    /// Profile to open; for a clone its own new name.
    pub session: String,
    /// The profile to copy.
    pub clone_of: Option<String>,
    /// Whether to open the endpoint at once.
    #[serde(default)]
    pub share: bool,
    /// Whether a page is opened right after the start: it comes before the tabs of the last time.
    #[serde(default)]
    pub page_first: bool,
    /// The call's options.
    pub options: CallOptions,
    /// The caller's working directory, where the search for configuration starts.
    pub cwd: PathBuf,
}

/// What a starting keeper writes, one JSON object per line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hello {
    /// Still starting.
    Progress(Progress),
    /// It answers on its socket.
    Ready,
    /// It failed and exits.
    Error(Failure),
}

/// One line of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// Still running.
    Progress(Progress),
    /// Success.
    Ok(Response),
    /// Failure.
    Error(Failure),
    /// Nothing was done: the front end asks its person and calls again.
    Approval {
        /// What a person is to approve.
        failure: Failure,
        /// With what to call again.
        approval: Box<Approval>,
    },
}

/// The answer of `/v1/info`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Info {
    /// Version of szk that the keeper runs.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// The session.
    pub session: String,
    /// Its state.
    pub life: Lifecycle,
    /// Whether it is an ephemeral clone.
    pub ephemeral: bool,
    /// Open tabs.
    pub tabs: Vec<Tab>,
    /// Connected clients: front ends by name, then clients of the endpoint.
    pub clients: Vec<String>,
    /// Whether the endpoint is open.
    pub endpoint_open: bool,
    /// The hand-off that waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Waiting>,
}

/// A hand-off that waits for a person.
#[derive(Clone, Serialize, Deserialize)]
pub struct Waiting {
    /// The tab to show first.
    pub tab: String,
    /// What the person should do.
    pub reason: String,
    /// When it began.
    pub since: Timestamp,
    /// The live view, which controls the browser.
    pub url: String,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("tab", &self.tab)
            .finish_non_exhaustive()
    }
}

/// The state of a keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// Starting, or restarting its browser.
    Starting,
    /// Working.
    Running,
    /// Closing.
    Closing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_header_the_session_counts_as_open() {
        for found in [Found::Open, Found::Closed, Found::Nowhere] {
            assert_eq!(Found::read(Some(found.word())), found);
        }
        assert_eq!(Found::read(None), Found::Open);
        assert_eq!(Found::read(Some("elsewhere")), Found::Open);
    }
}
