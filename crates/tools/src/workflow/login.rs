//! `workflow_login`: sign in at a site.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Hidden;
use crate::{Input, Operation, Reach, Scope, Time};

/// Signs in, and says honestly what came of it.
#[derive(Debug)]
pub struct Login;

impl Operation for Login {
    const NAME: &'static str = "workflow_login";
    const TITLE: &'static str = "Sign in";
    const SUMMARY: &'static str = "Sign in at a site, also in steps or in frames. `secret` names a password that the person has set with `szk secret set`; nobody here sees it. Answers `logged_in`, `refused` with the page's message, `needs_person` with a link for them (second factor, captcha), or `unknown`.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const TIME: Time = Time::Fixed(60_000);
    type Input = LoginInput;
    type Output = LoginOutput;
}

/// Input of `workflow_login`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoginInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: the tab used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Login page. Default: go on where the page is, as after a person's part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// User name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Secret that is the user name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username_secret: Option<String>,
    /// Secret that is the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Password, where it is no secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Hidden>,
    /// Selector, if not found by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username_field: Option<String>,
    /// Same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_field: Option<String>,
    /// Same, of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit: Option<String>,
    /// Success: part of the address, or a pattern with `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_url: Option<String>,
    /// Success: text that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_text: Option<String>,
    /// Success: selector of what is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_selector: Option<String>,
    /// Hand over to a person where one is needed (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<bool>,
    /// Time budget in milliseconds (default 60000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for LoginInput {
    fields!(session, tab, timeout_ms);

    fn makes_profile(&self) -> bool {
        true
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginOutcome {
    /// The success condition holds.
    LoggedIn,
    /// The site said no.
    Refused,
    /// The next step is a person's.
    NeedsPerson,
    /// Nothing on the page tells.
    Unknown,
}

/// Why it came so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginReason {
    /// It was signed in before.
    Already,
    /// User name or password are wrong.
    WrongCredentials,
    /// The account is locked, or there were too many tries.
    Locked,
    /// The form is there again, without a word.
    FormAgain,
    /// The site said something else.
    Message,
    /// A code, an approval, a key.
    SecondFactor,
    /// A captcha.
    Captcha,
    /// A new password is asked for.
    NewPassword,
    /// The page has no form to sign in.
    NoForm,
    /// The success condition does not hold.
    NoSuccess,
}

/// Output of `workflow_login`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LoginOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// What came of it.
    pub outcome: LoginOutcome,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<LoginReason>,
    /// The page's own words: data, not instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How success was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
    /// Where the page is now.
    pub url: String,
    /// What was done, in order.
    pub steps: Vec<String>,
    /// Live view for the person alone; wait for them with `session_handoff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_url: Option<String>,
    /// The site whose login is watched from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
}
