//! Calls that must not leave certain origins: those of a task.

use szk_config::OriginPattern;
use szk_tools::{Call, Failure, Progress, Response};

use crate::{Approver, Client};

tokio::task_local! {
    /// The header of the current task's calls.
    static HEADER: String;
}

/// The header of the current task's calls, if they have one.
pub(crate) fn header() -> Option<String> {
    HEADER.try_with(Clone::clone).ok()
}

/// The origins that a task may work in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    patterns: Vec<OriginPattern>,
}

impl Origins {
    /// Reads patterns as `[policy] allowed_origins` takes them.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an invalid one.
    pub fn read(patterns: &[String]) -> Result<Self, Failure> {
        let read = |text: &String| {
            OriginPattern::read(text).map_err(|error| Failure::invalid(error.to_string()))
        };
        let patterns = patterns.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }

    /// Whether a document at this address is within them.
    #[must_use]
    pub fn hold(&self, url: &str) -> bool {
        szk_config::stays_within(&self.patterns, url)
    }

    /// As they are written.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.patterns.iter().map(ToString::to_string).collect()
    }
}

impl Client {
    /// Runs an operation whose tab stays within these origins while it runs, and that a person may have to
    /// approve.
    ///
    /// # Errors
    /// The operation's own failures; `POLICY_DENIED` for what would have left them, `NEEDS_APPROVAL` as
    /// [`Client::call_approved`].
    pub async fn call_within(
        &self,
        call: Call,
        origins: &Origins,
        approver: Approver<'_>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let header = serde_json::to_string(&origins.words())
            .map_err(|error| Failure::internal(format!("cannot write the origins: {error}")))?;
        let called = self.call_approved(call, approver, progress);
        HEADER.scope(header, called).await
    }
}
