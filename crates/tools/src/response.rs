//! The answer of an operation, for front ends to render.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Done, Failure, LiveView, Operation, Output as _, Reach, SessionChange};

/// The answer to a successful call: a summary first, then data, pictures and files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// One to a few lines for a person or a model.
    pub summary: String,
    /// The beginning of a batch's summary, in parts: each is about a step, and they are lines of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The operation's output type as JSON; always an object.
    pub data: serde_json::Value,
    /// Pictures to show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Files written, as absolute paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// The file with the whole answer as `{"text", "data"}`, if this answer is truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<PathBuf>,
    /// Whether the operation ran and found a fault: failing tests. Front ends report it as a failure,
    /// with the whole answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmet: bool,
    /// The session that the call was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What became of that session as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SessionChange>,
    /// The live view whose link the summary and the data hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_view: Option<LiveView>,
}

/// What a batch says of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which step, counted from 1.
    pub step: u32,
    /// What is said, or what comes before the failure.
    pub text: String,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.failure {
            Some(failure) => failure.fmt(f),
            None => Ok(()),
        }
    }
}

/// A picture inside a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Media type, e.g. `image/png`.
    pub mime: String,
    /// The bytes in base64 (RFC 4648, padded).
    pub base64: String,
}

/// Progress of a running operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The current step.
    pub message: String,
    /// Steps done; grows with every report of one call.
    pub done: u32,
    /// Total steps.
    pub total: u32,
    /// The live view whose link the message holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_view: Option<LiveView>,
}

impl Response {
    /// A response carrying the output type of operation `O`.
    ///
    /// # Errors
    /// `INTERNAL` if the output cannot be written as JSON.
    pub fn of<O: Operation>(
        summary: impl Into<String>,
        output: &O::Output,
    ) -> Result<Self, Failure> {
        let data = serde_json::to_value(output).map_err(|error| {
            Failure::internal(format!(
                "cannot encode the answer of `{}`: {error}",
                O::NAME
            ))
        })?;
        Ok(Self {
            summary: summary.into(),
            data,
            session: output.session().map(str::to_owned),
            change: output.change(),
            ..Self::default()
        })
    }

    /// Sets the file with the whole answer, if this one is truncated.
    #[must_use]
    pub fn whole(&self) -> Option<&std::path::Path> {
        self.whole.as_deref()
    }

    /// Reads the data back as the output type of operation `O`.
    ///
    /// # Errors
    /// `INTERNAL` if keeper and front end are of different versions and disagree.
    pub fn read<O: Operation>(&self) -> Result<O::Output, Failure> {
        serde_json::from_value(self.data.clone()).map_err(|error| {
            Failure::internal(format!(
                "cannot decode the answer to `{}`: {error}",
                O::NAME
            ))
            // The call did run; only its answer is lost.
            .effect(if O::REACH == Reach::Read {
                Done::None
            } else {
                Done::Done
            })
            .hint("the keeper may run another version of szk: close the session with `szk close`, then open it again")
        })
    }
}
