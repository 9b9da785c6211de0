//! What went wrong, said for whoever must act next.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The one shape of an error on every front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Which kind of failure; decides exit code and HTTP status.
    pub code: Code,
    /// What happened, a lower-case fragment with literal values in backticks.
    pub message: String,
    /// The next step: an operation or a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call may succeed if it is made again unchanged.
    pub retryable: bool,
    /// Whether anything was done before it failed.
    pub effect: Done,
}

/// What a failed call had already done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// Nothing: repeating is safe.
    None,
    /// The effect took place; only what followed failed.
    Done,
    /// It cannot be known from here.
    Unknown,
}

/// The closed list of failure kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// No profile of that name, or it is not open.
    SessionNotFound,
    /// The session is starting, closing or restarting.
    SessionBusy,
    /// The session is open with other launch options than were asked for.
    OptionsDiffer,
    /// As many sessions are open as the configuration allows.
    SessionLimit,
    /// Somebody else holds the profile.
    ProfileLocked,
    /// The profile's own files cannot be used as they are.
    ProfileUnusable,
    /// No usable Chromium.
    BrowserNotFound,
    /// Chromium ended, or did not start.
    BrowserCrashed,
    /// The page did not load.
    NavigationFailed,
    /// JavaScript of the caller threw.
    ScriptFailed,
    /// A named thing (tab, element, file) is not there.
    NotFound,
    /// A name fits several things.
    Ambiguous,
    /// The element of a ref is gone, or has become something else.
    RefStale,
    /// Something else is where the click would go.
    ClickIntercepted,
    /// The element is hidden, disabled, read-only or moving.
    NotActionable,
    /// The input is not what the operation takes.
    InvalidInput,
    /// A configuration file or variable is wrong.
    InvalidConfig,
    /// The disk refused: full, read-only, no permission.
    Storage,
    /// Refused by `[policy]`.
    PolicyDenied,
    /// No or a wrong token.
    Unauthorized,
    /// The time budget of the call ran out.
    Timeout,
    /// The caller went away or cancelled.
    Cancelled,
    /// A defect of szk.
    Internal,
}

impl Code {
    /// All of them, for reference pages.
    pub const ALL: [Self; 20] = [
        Self::SessionNotFound,
        Self::SessionBusy,
        Self::OptionsDiffer,
        Self::SessionLimit,
        Self::ProfileLocked,
        Self::ProfileUnusable,
        Self::BrowserNotFound,
        Self::BrowserCrashed,
        Self::NavigationFailed,
        Self::ScriptFailed,
        Self::NotFound,
        Self::Ambiguous,
        Self::InvalidInput,
        Self::InvalidConfig,
        Self::Storage,
        Self::PolicyDenied,
        Self::Unauthorized,
        Self::Timeout,
        Self::Cancelled,
        Self::Internal,
    ];

    /// The process exit code of a CLI call that fails so; documented in the README.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::InvalidInput => 2,
            Self::SessionNotFound | Self::NotFound => 3,
            Self::SessionBusy
            | Self::SessionLimit
            | Self::OptionsDiffer
            | Self::ProfileLocked
            | Self::Ambiguous
            | Self::RefStale
            | Self::ClickIntercepted
            | Self::NotActionable => 4,
            Self::BrowserNotFound | Self::BrowserCrashed => 5,
            Self::NavigationFailed | Self::ScriptFailed => 6,
            Self::Timeout => 7,
            Self::InvalidConfig | Self::ProfileUnusable => 8,
            Self::Storage => 9,
            Self::PolicyDenied | Self::Unauthorized => 10,
            Self::Cancelled => 130,
            Self::Internal => 70,
        }
    }

    /// The HTTP status of a call that fails so.
    #[must_use]
    pub fn http_status(self) -> u16 {
        match self {
            Self::InvalidInput | Self::ScriptFailed => 400,
            Self::Unauthorized => 401,
            Self::PolicyDenied => 403,
            Self::SessionNotFound | Self::NotFound => 404,
            Self::SessionBusy
            | Self::OptionsDiffer
            | Self::ProfileLocked
            | Self::ProfileUnusable
            | Self::Ambiguous
            | Self::RefStale
            | Self::ClickIntercepted
            | Self::NotActionable => 409,
            Self::BrowserNotFound => 424,
            Self::SessionLimit => 429,
            Self::Cancelled => 499,
            Self::Internal | Self::InvalidConfig => 500,
            Self::BrowserCrashed | Self::NavigationFailed => 502,
            Self::Timeout => 504,
            Self::Storage => 507,
        }
    }

    /// The name on the wire, e.g. `SESSION_NOT_FOUND`.
    #[must_use]
    pub fn name(self) -> String {
        // A unit variant always serialises to a string.
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            _ => String::from("INTERNAL"),
        }
    }
}

impl Failure {
    /// A failure before anything was done, that repeating does not cure.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            effect: Done::None,
        }
    }

    /// A defect of szk itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
            .hint("this is a defect of szk: run `szk doctor` and report it with keeper.log")
    }

    /// Wrong input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that repeating may help.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Says what had been done.
    #[must_use]
    pub fn effect(mut self, effect: Done) -> Self {
        self.effect = effect;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_screaming_snake_case() {
        assert_eq!(Code::SessionNotFound.name(), "SESSION_NOT_FOUND");
        assert_eq!(Code::InvalidInput.name(), "INVALID_INPUT");
    }

    #[test]
    fn a_failure_survives_the_wire() {
        let failure = Failure::new(Code::Timeout, "no answer in `5000` ms")
            .hint("raise `timeout_ms`")
            .retryable()
            .effect(Done::Unknown);
        let wire = serde_json::to_string(&failure).unwrap();
        assert_eq!(
            serde_json::from_str::<Failure>(&wire).unwrap(),
            failure,
            "{wire}"
        );
    }
}
