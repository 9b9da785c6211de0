//! `szk login`

use std::io::{IsTerminal, Read};

use clap::Args;
use szk_tools::session::{Handoff, HandoffInput, HandoffState};
use szk_tools::workflow::{Hidden, Login, LoginInput, LoginOutcome, LoginOutput};
use szk_tools::{Code, Failure, Response};

use super::pick::Page;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Sign in to a site
///
/// Handles single-page and multi-step logins, also in frames. The password is a secret stored with
/// `szk secret set`, or comes from a hidden prompt or stdin; it is never an argument. If a person is
/// needed (second factor, captcha), prints a link to a live view and waits. Exits with 0 if signed in,
/// 10 if the site refused, 4 otherwise.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk login https://example.com/login --username jane --secret shop\n  szk login https://example.com/login --username-secret shop-user --secret shop --success-url '/account'\n  szk login https://example.com --username jane --ask"
)]
pub(crate) struct LoginArgs {
    /// Login page [default: the current page]
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// User name
    #[arg(short, long, value_name = "NAME", conflicts_with = "username_secret")]
    username: Option<String>,
    /// Secret that holds the user name
    #[arg(long, value_name = "SECRET")]
    username_secret: Option<String>,
    /// Secret that holds the password
    #[arg(long, value_name = "SECRET", conflicts_with = "password")]
    secret: Option<String>,
    /// Ask for the password, or read it from stdin
    #[arg(id = "password", long = "ask")]
    ask: bool,
    /// CSS selector of the user name field, if szk does not find it
    #[arg(long, value_name = "CSS")]
    username_field: Option<String>,
    /// CSS selector of the password field
    #[arg(long, value_name = "CSS")]
    password_field: Option<String>,
    /// CSS selector of the submit button
    #[arg(long, value_name = "CSS")]
    submit: Option<String>,
    /// Success: part of the address, or a pattern with `*`
    #[arg(long, value_name = "PART")]
    success_url: Option<String>,
    /// Success: visible text
    #[arg(long, value_name = "TEXT")]
    success_text: Option<String>,
    /// Success: CSS selector of a visible element
    #[arg(long, value_name = "CSS")]
    success_selector: Option<String>,
    /// Do not hand off to a person
    #[arg(id = "handoff", long = "no-handoff", action = clap::ArgAction::SetFalse)]
    handoff: bool,
    #[command(flatten)]
    page: Page,
}

/// Longest password, in bytes.
const LONGEST: u64 = 64 << 10;

impl LoginArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let password = match self.ask {
            true => Some(Hidden(ask()?)),
            false => None,
        };
        let mut input = LoginInput {
            session: self.page.session,
            tab: self.page.tab,
            url: self.url,
            username: self.username,
            username_secret: self.username_secret,
            secret: self.secret,
            password,
            username_field: self.username_field,
            password_field: self.password_field,
            submit: self.submit,
            success_url: self.success_url,
            success_text: self.success_text,
            success_selector: self.success_selector,
            handoff: Some(self.handoff),
            timeout_ms: self.page.timeout_ms,
        };
        let (mut response, mut output) = once(context, &input).await?;
        while let Some(url) = output.handoff_url.clone() {
            context.ui.talk(&format!(
                "open this link, or give it to whoever shall go on:\n\n  {url}\n"
            ));
            let wait = HandoffInput {
                session: Some(output.session.clone()),
                wait: Some(true),
                ..HandoffInput::default()
            };
            let told = context.output::<Handoff>(&wait).await?;
            if told.state != HandoffState::Done {
                break;
            }
            // From where the person left the page.
            input.url = None;
            input.session = Some(output.session.clone());
            input.tab = Some(output.tab.clone());
            (response, output) = once(context, &input).await?;
        }
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(match output.outcome {
            LoginOutcome::LoggedIn => Exit::OK,
            LoginOutcome::Refused => Exit::of_code(Code::Unauthorized),
            LoginOutcome::NeedsPerson | LoginOutcome::Unknown => Exit::of_code(Code::NotActionable),
        })
    }
}

async fn once(context: &Context, input: &LoginInput) -> Result<(Response, LoginOutput), Failure> {
    let response = context.call::<Login>(input).await?;
    let output = response.read::<Login>()?;
    Ok((response, output))
}

/// From a hidden prompt, or the first line of stdin.
fn ask() -> Result<String, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::invalid(format!("cannot read the password: {error}"));
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return rpassword::prompt_password("password: ").map_err(unreadable);
    }
    let mut text = String::new();
    stdin
        .lock()
        .take(LONGEST)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    let line = text.lines().next().unwrap_or_default();
    match line {
        "" => Err(Failure::invalid("the password is empty")),
        line => Ok(line.to_owned()),
    }
}
