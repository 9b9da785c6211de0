//! `szk login`

use std::io::{IsTerminal, Read};

use clap::{Arg, ArgAction};
use szk_tools::session::{Handoff, HandoffInput, HandoffState};
use szk_tools::workflow::{Hidden, Login, LoginInput, LoginOutcome, LoginOutput};
use szk_tools::{Code, Failure, Response};

use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Form, Table, Terminal, Typed};

/// Longest password, in bytes.
const LONGEST: u64 = 64 << 10;

impl Terminal for Login {
    fn table() -> Table {
        Table::new(&[
            "szk login https://example.com/login --username jane --secret shop",
            "szk login https://example.com/login --username-secret shop-user --secret shop --success-url '/account'",
            "szk login https://example.com --username jane --ask",
        ])
        .about("Sign in to a site")
        .details(
            "Handles single-page and multi-step logins, also in frames. The password is a secret stored \
             with `szk secret set`, or comes from a hidden prompt or stdin; it is never an argument. If a \
             person is needed (second factor, captcha), prints a link to a live view and waits. Exits \
             with 0 if signed in, 10 if the site refused, 4 otherwise.",
        )
        .positions(&["url"])
        .made("password", "from a prompt: an argument would be visible to every program")
        .form("handoff", Form::No("no-handoff"))
        .arg("username", |arg| arg.short('u').conflicts_with("username_secret"))
        .arg("params", super::recipes::param)
        .value("username_secret", "SECRET")
        .arg("secret", |arg| arg.conflicts_with("password"))
        .value("username_field", "CSS")
        .value("password_field", "CSS")
        .value("submit", "CSS")
        .help("password_field", "CSS selector of the password field")
        .help("submit", "CSS selector of the submit button")
        .value("success_url", "PART")
        .value("success_text", "TEXT")
        .value("success_selector", "CSS")
        .help("handoff", "Do not hand off to a person")
        .own(|command| {
            let ask = Arg::new("password").long("ask").action(ArgAction::SetTrue);
            command.arg(ask.help("Ask for the password, or read it from stdin"))
        })
    }

    fn context(global: &Global) -> Result<Context, Failure> {
        Context::new(global, Presence::Stay)
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
        if typed.flag("password") {
            input.password = Some(Hidden(ask()?));
        }
        let context = &typed.context;
        let (mut response, mut output) = once(context, &input).await?;
        while let Some(url) = output.handoff_url.clone() {
            context.ui.talk(&format!(
                "open this link, or send it to whoever is taking over:\n\n  {url}\n"
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
        typed.summary(&response)?;
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
