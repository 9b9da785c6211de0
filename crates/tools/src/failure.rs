//! The one error type of all front ends, for whoever must act next.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error, the same in every front end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Which kind of failure; decides exit code and HTTP status.
    pub code: Code,
    /// What happened, as a lower-case fragment with literal values in backticks.
    pub message: String,
    /// The next step: an operation or a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call, unchanged, may succeed if repeated.
    pub retryable: bool,
    /// Whether anything was done before it failed.
    pub effect: Done,
    /// The fields of the input that the message names; what else it has in backticks are values.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub fields: Box<[String]>,
    /// The step of a batch that it is about, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<NonZeroU32>,
    /// The kinds of steps that a person has to approve, in the words of `[policy] approve`.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub approve: Box<[String]>,
    /// The run of a task that failed after it began: it can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub run: Option<Box<FailedRun>>,
    /// With what a front end repeats the call once a person has agreed. Only the front end knows it: it
    /// is part of no answer.
    #[serde(skip)]
    pub approval: Option<Box<Approval>>,
}

/// The name of a run that failed. Behind a pointer, as failures are returned by value everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FailedRun(String);

impl From<&str> for Box<FailedRun> {
    fn from(name: &str) -> Self {
        Self::new(FailedRun(name.to_owned()))
    }
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The keeper's offer to let one call through after a person has agreed to it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Names the call to the keeper; good for that call, once.
    pub token: String,
    /// For how many seconds.
    pub seconds: u64,
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approval").finish_non_exhaustive()
    }
}

/// What a failed call had already done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// Nothing: repeating is safe.
    None,
    /// The effect took place, and something after it failed.
    Done,
    /// szk cannot tell.
    Unknown,
}

/// Makes the list of codes with name, exit code of the process and HTTP status. Each code has one row
/// with everything about it, so no list can miss one.
macro_rules! codes {
    ($($(#[$about:meta])+ $name:ident => $exit:literal, $status:literal;)+) => {
        /// The closed list of failure kinds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum Code {
            $($(#[$about])+ $name,)+
        }

        impl Code {
            /// All codes, for reference pages.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The exit code of a CLI call that fails with this code; documented in the README.
            #[must_use]
            pub fn exit_code(self) -> u8 {
                match self {
                    $(Self::$name => $exit,)+
                }
            }

            /// The HTTP status of a call that fails with this code.
            #[must_use]
            pub fn http_status(self) -> u16 {
                match self {
                    $(Self::$name => $status,)+
                }
            }
        }
    };
}

codes! {
    /// There is no profile of that name, or it is not open.
    SessionNotFound => 3, 404;
    /// The session is starting, closing or restarting.
    SessionBusy => 4, 409;
    /// The session is open with other launch options than requested.
    OptionsDiffer => 4, 409;
    /// The configured number of sessions is already open.
    SessionLimit => 4, 429;
    /// The server's limits on requests or sessions are reached.
    LimitReached => 4, 429;
    /// The server is about to end and opens no more sessions.
    Draining => 4, 503;
    /// Another process holds the profile.
    ProfileLocked => 4, 409;
    /// The profile's own files are unusable as they are.
    ProfileUnusable => 8, 409;
    /// No usable Chromium.
    BrowserNotFound => 5, 424;
    /// Chromium exited or did not start.
    BrowserCrashed => 5, 502;
    /// The page did not load.
    NavigationFailed => 6, 502;
    /// The caller's JavaScript threw.
    ScriptFailed => 6, 400;
    /// A named tab, element or file does not exist.
    NotFound => 3, 404;
    /// A name matches several things.
    Ambiguous => 4, 409;
    /// The element of a ref is gone or has become a different one.
    RefStale => 4, 409;
    /// A recipe no longer fits the page.
    RecipeStale => 4, 409;
    /// Another element would receive the click.
    ClickIntercepted => 4, 409;
    /// The element is hidden, disabled, read-only or moving.
    NotActionable => 4, 409;
    /// Another client works in the tab.
    TabTaken => 4, 409;
    /// The input does not fit the operation.
    InvalidInput => 2, 400;
    /// A configuration file or variable is wrong.
    InvalidConfig => 8, 500;
    /// The disk is full, read-only or denies access.
    Storage => 9, 507;
    /// `[policy]` refused it.
    PolicyDenied => 10, 403;
    /// `[policy] approve` wants a person to approve it first.
    NeedsApproval => 10, 403;
    /// The token is missing or wrong.
    Unauthorized => 10, 401;
    /// The model that carries out a task gave no usable answer.
    ModelFailed => 6, 502;
    /// The time budget of the call ran out.
    Timeout => 7, 504;
    /// The caller went away or cancelled.
    Cancelled => 130, 499;
    /// A bug in szk.
    Internal => 70, 500;
}

impl Code {
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
    /// A failure before anything was done; repeating the call does not help.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            retryable: false,
            effect: Done::None,
            fields: Box::default(),
            step: None,
            approve: Box::default(),
            run: None,
            approval: None,
        }
    }

    /// A person has to approve these kinds of steps first: what they would do.
    pub fn needs_approval(approve: Vec<String>, what: &str) -> Self {
        let kinds = approve.join(", ");
        let message = format!("a person has to approve this (`[policy] approve`: {kinds}): {what}");
        Self {
            approve: approve.into(),
            ..Self::new(Code::NeedsApproval, message)
        }
    }

    /// A bug in szk.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
            .hint("this is a bug in szk: run `szk doctor`, and report it with keeper.log")
    }

    /// Invalid input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }

    /// Says which fields of the input the message names.
    #[must_use]
    pub fn about<const N: usize>(self, fields: [&str; N]) -> Self {
        Self {
            fields: fields.map(str::to_owned).into(),
            ..self
        }
    }

    /// Says which step of a batch it is about, in front of the message too.
    #[must_use]
    pub fn in_step(self, number: NonZeroU32) -> Self {
        Self {
            message: format!("step {number}: {}", self.message),
            step: Some(number),
            ..self
        }
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Marks it as worth repeating.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Sets what had been done.
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
            .effect(Done::Unknown)
            .about(["timeout_ms"])
            .in_step(NonZeroU32::MIN);
        let wire = serde_json::to_string(&failure).unwrap();
        assert_eq!(
            serde_json::from_str::<Failure>(&wire).unwrap(),
            failure,
            "{wire}"
        );
    }
}
