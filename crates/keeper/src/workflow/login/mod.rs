//! `workflow_login`.
//!
//! [`flow`] goes from step to step until the page shows how the login ended, which its `judge` decides;
//! [`evidence`] is what counts as success, [`remember`] records where the session is signed in, and
//! [`attempt`] keeps what is needed while a person has a part in it, and [`recipe`] signs in by one. A call sends a password only once,
//! so that it cannot lock an account.

mod attempt;
mod evidence;
mod flow;
mod recipe;
mod remember;

use std::sync::Arc;
use std::time::Duration;

use szk_store::LoginRecipe;
use szk_tools::browser::NavigateInput;
use szk_tools::workflow::{Login, LoginInput, LoginOutcome, LoginOutput, LoginReason};
use szk_tools::{Done, Failure, Progress, Response};
use tokio::time::Instant;

use super::page::WorkflowPage;
use super::secret::{self, BoundSecret};
use crate::browser::{navigate, shown};
use crate::context::Keeper;

pub(crate) use attempt::Logins;
use flow::{Flow, LoginEnd};

/// Time reserved for the answer.
const ANSWER: Duration = Duration::from_millis(1500);

/// The credentials.
#[derive(Debug, Clone, Default)]
struct Credentials {
    user: Option<BoundSecret>,
    password: Option<BoundSecret>,
}

pub(crate) async fn login(
    keeper: &Arc<Keeper>,
    input: &LoginInput,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let whole = Instant::now() + budget.saturating_sub(ANSWER);
    let given = credentials(keeper, input).await?;
    let (_, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let under_way = keeper.logins.take(&tab.id);
    let by = match under_way.is_none() || input.recipe.is_some() {
        true => recipe::chosen(keeper, input, &tab.page.url)?,
        false => None,
    };
    if let Some(by) = by {
        return recipe::sign_in(keeper, input, &tab.id, by, whole, progress).await;
    }
    if under_way.is_none() {
        somebody_signs_in(input, &given)?;
    }
    let mut steps = Vec::new();
    if let Some(url) = &input.url {
        let there = NavigateInput {
            tab: Some(tab.id.clone()),
            url: Some(url.clone()),
            ..NavigateInput::default()
        };
        progress(step(&format!("going to {}", shown(url)), 0));
        navigate(keeper, &there).await?;
        steps.push(format!("went to {}", shown(url)));
    }
    let page = WorkflowPage {
        keeper,
        tab: tab.id.clone(),
        whole,
    };
    // Navigating to the form starts anew; otherwise, what a person has done meanwhile counts.
    let attempt = under_way
        .filter(|_| input.url.is_none())
        .unwrap_or_default();
    let mut flow = Flow::new(&page, input, given, attempt, steps, progress);
    let ending = flow.run().await.map_err(|failure| match flow.begun() {
        true => failure.effect(Done::Unknown),
        false => failure,
    })?;
    let (attempt, steps) = flow.into_parts();
    answer(keeper, input, &tab.id, ending, attempt, steps, None).await
}

async fn credentials(keeper: &Keeper, input: &LoginInput) -> Result<Credentials, Failure> {
    let user = match (&input.username, &input.username_secret) {
        (Some(_), Some(_)) => {
            return Err(
                Failure::invalid("give `username` or `username_secret`, not both")
                    .about(["username", "username_secret"]),
            );
        }
        // As given, and not redacted: it is not a secret.
        (Some(name), None) => Some(BoundSecret::given(name)),
        (None, Some(name)) => Some(secret::of_name(keeper, name).await?),
        (None, None) => None,
    };
    let password = match (&input.secret, &input.password) {
        (Some(_), Some(_)) => {
            return Err(Failure::invalid("give `secret` or `password`, not both")
                .about(["secret", "password"]));
        }
        (Some(name), None) => Some(secret::of_name(keeper, name).await?),
        (None, Some(value)) => Some(secret::given(keeper, &value.0)),
        (None, None) => None,
    };
    Ok(Credentials { user, password })
}

/// Without credentials the call would watch the page for seconds and learn nothing. A success condition
/// alone is a question that the page can answer, and a person may continue where an earlier call ended.
fn somebody_signs_in(input: &LoginInput, given: &Credentials) -> Result<(), Failure> {
    let asks = [
        &input.success_url,
        &input.success_text,
        &input.success_selector,
    ];
    if given.user.is_some() || given.password.is_some() || asks.iter().any(|ask| ask.is_some()) {
        return Ok(());
    }
    Err(Failure::invalid(
        "cannot sign in: the call has neither a user name nor a password",
    )
    .hint(
        "give `username` and `secret`, the name of a password stored with `szk secret set NAME`, or a `recipe`, or let a person sign in with `session_handoff`",
    ))
}

fn step(message: &str, done: u32) -> Progress {
    Progress {
        message: message.to_owned(),
        done,
        total: 0,
        ..Progress::default()
    }
}

async fn answer(
    keeper: &Arc<Keeper>,
    input: &LoginInput,
    tab: &str,
    ending: LoginEnd,
    attempt: attempt::Attempt,
    steps: Vec<String>,
    by: Option<LoginRecipe>,
) -> Result<Response, Failure> {
    let (running, _) = keeper.tab_as_it_is(Some(tab)).await?;
    let mut site = None;
    let mut handoff_url = None;
    match ending.outcome {
        LoginOutcome::LoggedIn => {
            let cookies = attempt::cookies(running.supervisor.connection()).await;
            let before = attempt.before.as_ref();
            site = remember::remember(keeper, &ending.url, &cookies, before, by).await;
        }
        LoginOutcome::NeedsPerson => {
            keeper.logins.keep(tab, attempt);
            if input.handoff.unwrap_or(true) {
                let reason = ask(&ending);
                let open = keeper.handoffs.begin(keeper, tab.to_owned(), reason).await;
                let open = open.map_err(|error| {
                    Failure::internal(format!("cannot open a port for the live view: {error}"))
                })?;
                handoff_url = Some(open.link(keeper));
            }
        }
        LoginOutcome::Refused | LoginOutcome::Unknown => {}
    }
    let output = LoginOutput {
        session: keeper.session.name().to_string(),
        tab: tab.to_owned(),
        outcome: ending.outcome,
        reason: ending.reason,
        message: ending.message,
        checked: ending.checked,
        url: shown(&ending.url),
        steps,
        handoff_url,
        site,
    };
    Response::of::<Login>(summary(&output), &output)
}

/// What to ask the person for.
fn ask(ending: &LoginEnd) -> String {
    let site = remember::host(&ending.url).unwrap_or_else(|| "the site".to_owned());
    match ending.reason {
        Some(LoginReason::Captcha) => {
            format!(
                "{site} checks that you are human: please solve its challenge and continue until you are signed in."
            )
        }
        Some(LoginReason::NewPassword) => {
            format!(
                "{site} asks for a new password: please choose one and continue until you are signed in."
            )
        }
        _ => format!(
            "{site} asks for a second factor: please enter it and continue until you are signed in."
        ),
    }
}

fn summary(output: &LoginOutput) -> String {
    let reason = match output.reason {
        None => String::new(),
        Some(reason) => format!(" ({})", why(reason)),
    };
    let mut lines = vec![match output.outcome {
        LoginOutcome::LoggedIn => format!("logged in{reason}; {} is at {}", output.tab, output.url),
        LoginOutcome::Refused => format!("refused{reason}; {} is at {}", output.tab, output.url),
        LoginOutcome::NeedsPerson => format!("a person is needed{reason}"),
        LoginOutcome::Unknown => format!(
            "cannot tell whether the login worked{reason}; {} is at {}",
            output.tab, output.url
        ),
    }];
    if let Some(checked) = &output.checked {
        lines.push(format!("checked: {checked}"));
    }
    if let Some(message) = &output.message {
        let message = szk_text::quoted(message, 300);
        lines.push(format!("the page says: {message}"));
    }
    if let Some(url) = &output.handoff_url {
        lines.push(format!(
            "Show this link only to the person: {url}\nThen call `session_handoff` with `wait` true, and `workflow_login` again without `url`."
        ));
    } else if output.outcome == LoginOutcome::NeedsPerson {
        lines.push("hand the page to a person with `session_handoff`".to_owned());
    }
    if output.outcome == LoginOutcome::Unknown {
        lines.push("check with `browser_snapshot`, or give a success condition".to_owned());
    }
    lines.join("\n")
}

fn why(reason: LoginReason) -> &'static str {
    match reason {
        LoginReason::Already => "it already was",
        LoginReason::WrongCredentials => "wrong user name or password",
        LoginReason::Locked => "the account is locked, or there were too many attempts",
        LoginReason::FormAgain => "the form came back",
        LoginReason::Message => "see the page's message",
        LoginReason::SecondFactor => "second factor",
        LoginReason::Captcha => "captcha",
        LoginReason::NewPassword => "the site asks for a new password",
        LoginReason::NoForm => "the page has no login form",
        LoginReason::NoSuccess => "the success condition does not hold",
    }
}
