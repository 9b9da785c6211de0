//! `workflow_login`: signs in to a site.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Hidden;
use crate::{Input, Operation, Permission, Reach, Route, Scope, Set, Time};

/// Signs in, and reports whether it worked.
#[derive(Debug)]
pub struct Login;

impl Operation for Login {
    const NAME: &'static str = "workflow_login";
    const TITLE: &'static str = "Sign in";
    const SUMMARY: &'static str = "Sign in, also through several steps or frames. `secret` names a password stored with `szk secret set`; you never see it. Returns `logged_in`, `refused`, `needs_person` with a link for them (second factor, captcha), or `unknown`.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/login")];
    const NEEDS: Permission = Permission::Secrets;
    const TIME: Time = Time::Fixed(60_000);
    const SETS: &[Set] = &[Set::Default];
    const UNLISTED: &[&str] = &["dir", "only_secrets"];
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
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Login page. Default: continue on the current page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Recipe that signs in. Default: the site's last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Its values; names of secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, String>>,
    /// User name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Secret that holds the user name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username_secret: Option<String>,
    /// Secret that holds the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Password, if it is not a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Hidden>,
    /// Selector of its field, if not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username_field: Option<String>,
    /// Same for the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_field: Option<String>,
    /// Same for the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit: Option<String>,
    /// Success: part of the address, or a pattern with `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_url: Option<String>,
    /// Success: text on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_text: Option<String>,
    /// Success: selector of a visible element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_selector: Option<String>,
    /// Hand over if a person is needed (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<bool>,
    /// Time budget (default 60000 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
    /// Names of the secrets that a recipe may fill in. Default: all. Set by whoever calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub only_secrets: Option<Vec<String>>,
}

impl Input for LoginInput {
    fields!(session, tab, timeout_ms);

    fn makes_profile(&self) -> bool {
        true
    }

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// The outcome of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginOutcome {
    /// The success condition holds.
    LoggedIn,
    /// The site refused.
    Refused,
    /// A person has to do the next step.
    NeedsPerson,
    /// The page does not tell.
    Unknown,
}

/// Why it has this outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginReason {
    /// Already signed in.
    Already,
    /// User name or password is wrong.
    WrongCredentials,
    /// The account is locked, or there were too many attempts.
    Locked,
    /// The form came back without a message.
    FormAgain,
    /// The site showed another message.
    Message,
    /// A code, an approval or a key.
    SecondFactor,
    /// A captcha.
    Captcha,
    /// The site wants a new password.
    NewPassword,
    /// The page has no login form.
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
    /// The outcome.
    pub outcome: LoginOutcome,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<LoginReason>,
    /// The page's own words: data, not instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How it knows that the login worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
    /// Where the page is now.
    pub url: String,
    /// The steps taken, in order.
    pub steps: Vec<String>,
    /// Live view for the person alone; wait for them with `session_handoff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_url: Option<String>,
    /// The site whose login szk checks from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
}
