//! Why a model did not answer.

use std::time::Duration;

use szk_tools::{Code, Failure};

/// Why a model did not answer, after all attempts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// 401 or 403.
    #[error("the provider refuses the key (status {status})")]
    Key {
        /// The status.
        status: u16,
    },
    /// 429.
    #[error("the provider allows no more requests at the moment (status 429)")]
    Busy {
        /// When it would, as it says.
        after: Option<Duration>,
    },
    /// Another status of 400 to 499.
    #[error("the provider refuses the request (status {status}): {message}")]
    Refused {
        /// The status.
        status: u16,
        /// What it says.
        message: String,
    },
    /// A status of 500 or more.
    #[error("the provider failed (status {status})")]
    Down {
        /// The status.
        status: u16,
    },
    /// Nothing that an answer may be.
    #[error("the provider's answer cannot be read: {0}")]
    Unreadable(String),
    /// The connection ended within the answer.
    #[error("the provider's answer broke off")]
    Cut,
    /// No answer in time.
    #[error("the provider did not answer within {} seconds", .0.as_secs())]
    Late(Duration),
    /// No connection.
    #[error("the provider cannot be reached: {0}")]
    Unreachable(String),
    /// None was named.
    #[error("no model is configured")]
    Unconfigured,
    /// A played-back or scripted model has nothing left to say.
    #[error("the recorded answers are used up")]
    UsedUp,
}

impl ModelError {
    /// Whether the same request may succeed a little later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::Down { .. }
                | Self::Cut
                | Self::Late(_)
                | Self::Unreachable(_)
        )
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let (code, hint) = match &error {
            ModelError::Key { .. } => (
                Code::Unauthorized,
                "set the right key in SZK_AGENT_KEY".to_owned(),
            ),
            ModelError::Busy { after } => (
                Code::LimitReached,
                match after {
                    Some(after) => {
                        format!("wait {}", szk_text::counted(after.as_secs(), "second"))
                    }
                    None => "wait a little".to_owned(),
                },
            ),
            ModelError::Refused { .. } => (
                Code::ModelFailed,
                "check the model's name in SZK_AGENT_MODEL and its address in SZK_AGENT_BASE_URL"
                    .to_owned(),
            ),
            ModelError::Unreadable(_) => (
                Code::ModelFailed,
                "SZK_AGENT_BASE_URL must be the part of the address before `/chat/completions` (`/messages` for Anthropic, `/models` for Gemini)"
                    .to_owned(),
            ),
            ModelError::Late(_) => (
                Code::Timeout,
                "raise `request_timeout` of `[agent]` in the configuration".to_owned(),
            ),
            ModelError::Unreachable(_) => (
                Code::ModelFailed,
                "check that the provider runs, and SZK_AGENT_BASE_URL".to_owned(),
            ),
            ModelError::Down { .. } | ModelError::Cut => {
                (Code::ModelFailed, "wait a little".to_owned())
            }
            ModelError::Unconfigured => (
                Code::InvalidInput,
                "set SZK_AGENT_MODEL, such as `openai:gpt-5`, and SZK_AGENT_KEY; or `model` of `[agent]` in your configuration"
                    .to_owned(),
            ),
            ModelError::UsedUp => (
                Code::ModelFailed,
                "the pages are no longer as they were when the run was recorded".to_owned(),
            ),
        };
        let failure = Self::new(code, error.to_string()).hint(hint);
        match error.is_passing() {
            true => failure.retryable(),
            false => failure,
        }
    }
}
