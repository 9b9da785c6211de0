//! Signs in by a recipe: what signed in once is how the login is renewed.

use std::sync::Arc;

use szk_page::forms::{Stage, Wanted, stage};
use szk_store::LoginRecipe;
use szk_tools::recipe::RunInput;
use szk_tools::workflow::{LoginInput, LoginOutcome, LoginReason};
use szk_tools::{Code, Failure, Progress, Response};
use tokio::time::Instant;

use super::attempt::{Attempt, CookieFingerprints, cookies};
use super::flow::{Flow, LoginEnd};
use super::{Credentials, answer, remember};
use crate::context::Keeper;
use crate::recipe;
use crate::workflow::page::WorkflowPage;

/// How a run words a step that the page made needless.
const NEEDLESS: &str = "not needed";

/// The recipe that the call names; without one and without credentials, the one that signed in at the
/// site before.
pub(super) fn chosen(
    keeper: &Keeper,
    input: &LoginInput,
    at: &str,
) -> Result<Option<LoginRecipe>, Failure> {
    let credentials = [&input.username, &input.username_secret, &input.secret];
    let given = credentials.iter().any(|one| one.is_some()) || input.password.is_some();
    if let Some(name) = &input.recipe {
        if given {
            return Err(
                Failure::invalid("give `recipe` with `params`, or credentials, not both")
                    .about(["recipe", "params"]),
            );
        }
        return Ok(Some(LoginRecipe {
            name: name.clone(),
            params: input.params.clone().unwrap_or_default(),
        }));
    }
    if input.params.is_some() {
        return Err(Failure::invalid("`params` needs `recipe`").about(["params", "recipe"]));
    }
    let asks = [
        &input.success_url,
        &input.success_text,
        &input.success_selector,
    ];
    if given || asks.iter().any(|ask| ask.is_some()) {
        return Ok(None);
    }
    let Some(site) = remember::host(input.url.as_deref().unwrap_or(at)) else {
        return Ok(None);
    };
    let known = keeper.session.profile().logins().unwrap_or_default();
    let known = known.into_iter().find(|login| login.site == site);
    Ok(known.and_then(|login| login.recipe))
}

pub(super) async fn sign_in(
    keeper: &Arc<Keeper>,
    input: &LoginInput,
    tab: &str,
    by: LoginRecipe,
    whole: Instant,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let (running, _) = keeper.tab_as_it_is(Some(tab)).await?;
    let before = CookieFingerprints::of(&cookies(running.supervisor.connection()).await);
    let run = RunInput {
        tab: Some(tab.to_owned()),
        name: by.name.clone(),
        params: Some(by.params.clone()),
        dir: input.dir.clone(),
        only_secrets: input.only_secrets.clone(),
        ..RunInput::default()
    };
    let left = whole.saturating_duration_since(Instant::now());
    let ran = recipe::run_to_end(keeper, &run, left, progress).await;
    let (steps, stopped) = match ran {
        Ok(ran) => (ran.steps, None),
        // The site may want something that it did not want before.
        Err(failure) if failure.code == Code::RecipeStale => (Vec::new(), Some(failure)),
        Err(failure) => return Err(failure),
    };
    let needless = steps.iter().any(|step| step.ends_with(NEEDLESS));
    let page = WorkflowPage {
        keeper,
        tab: tab.to_owned(),
        whole,
    };
    let attempt = Attempt {
        before: Some(before),
        form_url: String::new(),
        begun: true,
    };
    let mut flow = Flow::new(
        &page,
        input,
        Credentials::default(),
        attempt,
        steps,
        progress,
    );
    flow.all_is_sent();
    let mut ending = flow.run().await?;
    let (attempt, steps) = flow.into_parts();
    if let Some(failure) = stopped {
        return match ending.outcome {
            LoginOutcome::NeedsPerson | LoginOutcome::Refused => {
                answer(keeper, input, tab, ending, attempt, steps, None).await
            }
            LoginOutcome::LoggedIn | LoginOutcome::Unknown => Err(failure),
        };
    }
    if ending.outcome == LoginOutcome::Unknown && !input_asks(input) && !asks_again(&page).await? {
        ending = LoginEnd {
            outcome: LoginOutcome::LoggedIn,
            reason: None,
            checked: Some("the recipe came to its end, and the page has no login form".to_owned()),
            ..ending
        };
    }
    if ending.outcome == LoginOutcome::LoggedIn && needless {
        ending.reason = Some(LoginReason::Already);
    }
    answer(keeper, input, tab, ending, attempt, steps, Some(by)).await
}

fn input_asks(input: &LoginInput) -> bool {
    input.success_url.is_some() || input.success_text.is_some() || input.success_selector.is_some()
}

/// Whether the page still asks for something.
async fn asks_again(page: &WorkflowPage<'_>) -> Result<bool, Failure> {
    let survey = page.survey(&Wanted::default()).await?;
    Ok(!matches!(stage(&survey), Stage::Other { .. }))
}
