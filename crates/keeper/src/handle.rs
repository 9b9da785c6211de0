//! One handler per operation: it does not compile without one.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use szk_tools::browser::Runner;
use szk_tools::{Call, Code, Done, Failure, Progress, Reach, Response, Spec, Subject};
use szk_wire::Found;
use szk_wire::approvals::Approver;
use tokio::time::Instant;

use crate::context::Keeper;
use crate::notices::Notices;
use crate::redacted::AnswerRedactor;
use crate::{approval, bound, browser, dialogs, policy, recipe, session, workflow};

/// Maximum characters of a failure's message and of its hint.
const MESSAGE: usize = 20_000;

/// Runs a call within its time budget.
pub(crate) async fn call(
    keeper: &Arc<Keeper>,
    call: Call,
    found: Found,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    run(keeper, call, found, false, progress).await
}

/// Runs a step of a batch, which itself tells what else happened.
pub(crate) async fn step(
    keeper: &Arc<Keeper>,
    call: Call,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    run(keeper, call, Found::Open, true, progress).await
}

async fn run(
    keeper: &Arc<Keeper>,
    call: Call,
    found: Found,
    is_step: bool,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let started = matches!(call, Call::SessionOpen(_)) && found != Found::Open;
    policy::check(keeper, &call)?;
    let keeper = &keeper.for_call(&call);
    let progress = &|step| progress(keeper.named_view.step(step));
    let spec = call.spec();
    let (began, whole) = (Instant::now(), call.budget());
    let mut refused = None;
    if let Err(failure) = approval::check(keeper, &call, whole).await {
        if started && opens_anyway(keeper) {
            refused = Some(failure);
        } else {
            let failure = match started {
                true => without_page(keeper, failure),
                false => failure,
            };
            return visible(AnswerRedactor::of(keeper.redactor(), spec).take_out(Err(failure)));
        }
    }
    // A person in the live view takes their time from that of the call.
    let asks = !keeper.bounds().policy().approve.is_empty();
    let budget = match asks {
        true => whole.saturating_sub(began.elapsed()),
        false => whole,
    };
    let notices = (!is_step).then(|| Notices::since_now(keeper, spec));
    let made = found == Found::Nowhere && call.input().makes_profile();
    let (on_page, named) = (
        on_page(keeper, &call),
        call.input().tab().map(str::to_owned),
    );
    let work = carry_out(keeper, call, found, refused, budget, progress);
    // On the heap: a call can be a step of another one.
    let work = unless_blocked(keeper, on_page, Box::pin(work));
    match tokio::time::timeout(budget, work).await {
        Ok(result) => {
            let told = result.map(|mut response| {
                if made {
                    // Shows the name, in case of a typo.
                    let name = keeper.session.name();
                    response
                        .summary
                        .push_str(&format!("; `{name}` is a new profile"));
                }
                response = keeper.named_view.answer(response);
                for line in keeper.visit.told() {
                    response.summary.push_str(&format!("\n{line}"));
                }
                match notices {
                    Some(notices) => notices.add_to(response),
                    None => response,
                }
            });
            let told = told.map_err(|failure| with_told(keeper, failure));
            let shown = AnswerRedactor::of(keeper.redactor(), spec).take_out(told);
            visible(bound::bounded(keeper, spec.name, shown).await)
        }
        Err(_) => {
            let effect = if spec.reach == Reach::Read {
                Done::None
            } else {
                Done::Unknown
            };
            let failure = Failure::new(
                Code::Timeout,
                format!(
                    "`{}` did not finish within {} ms",
                    spec.name,
                    whole.as_millis()
                ),
            )
            .hint("raise `timeout_ms`, or look at the page with `browser_screenshot`")
            .retryable()
            .effect(effect);
            let failure = with_dialog(keeper, spec, named.as_deref(), failure);
            Err(with_told(keeper, failure))
        }
    }
}

/// Whether to open a session that was started for this call without its page, because its caller has no
/// person to ask.
fn opens_anyway(keeper: &Keeper) -> bool {
    matches!(keeper.approver, Approver::Nobody)
}

/// Why a session that was started for this call has not gone to its page: the browser runs, whether or not a
/// person lets the call go on.
fn without_page(keeper: &Keeper, mut failure: Failure) -> Failure {
    // Nothing else is about to take the first tab, unless the call comes again.
    keeper.session.page_has_first_tab(false);
    let name = keeper.session.name();
    let open = format!("; `{name}` was opened for this call, and is open without the page");
    failure.message.push_str(&open);
    failure.effect(Done::Done)
}

/// A failure that also says which tab was opened or taken for the call: it is about that one.
fn with_told(keeper: &Keeper, mut failure: Failure) -> Failure {
    for line in keeper.visit.told() {
        failure.message.push_str(&format!(" ({line})"));
    }
    failure
}

/// A failure that also names the dialog that is open in the tab of the call: nothing goes on until it is answered.
fn with_dialog(keeper: &Keeper, spec: &Spec, named: Option<&str>, mut failure: Failure) -> Failure {
    if spec.subject != Subject::Tabs {
        return failure;
    }
    let tab = keeper.peek(named).map(|(_, tab)| tab);
    let open = tab.and_then(|tab| {
        let prompt = dialogs::open(&keeper.event_log, &tab.page.target_id)?;
        Some(dialogs::busy(&prompt, &tab.id))
    });
    if let Some(open) = open {
        failure.message.push_str(&format!(": {}", open.message));
        failure.hint = open.hint;
    }
    failure
}

/// What has been done if a dialog blocks the page during a call; none where the handler itself deals with
/// dialogs.
fn on_page(keeper: &Keeper, call: &Call) -> Option<Done> {
    match call {
        Call::BrowserSnapshot(_)
        | Call::BrowserFind(_)
        | Call::BrowserExtract(_)
        | Call::BrowserScreenshot(_)
        | Call::BrowserPdf(_) => Some(Done::None),
        Call::BrowserRunCode(input) if input.reads == Some(true) => Some(Done::None),
        // A script of Playwright's answers dialogs by itself.
        Call::BrowserRunCode(input) if input.runner == Some(Runner::Playwright) => None,
        // It may ask the person who sees the page.
        Call::BrowserRunCode(_) if keeper.seen() => None,
        Call::BrowserRunCode(_) | Call::BrowserEmulate(_) => Some(Done::Unknown),
        _ => None,
    }
}

/// Does the work of a call, until a dialog that stays open blocks its page: waiting longer would be in vain.
async fn unless_blocked(
    keeper: &Keeper,
    on_page: Option<Done>,
    work: impl Future<Output = Result<Response, Failure>>,
) -> Result<Response, Failure> {
    let Some(effect) = on_page else {
        return work.await;
    };
    tokio::select! {
        biased;
        done = work => done,
        blocked = keeper.blocked() => Err(blocked.effect(effect)),
    }
}

/// Removes control characters that steer terminals or reverse text from all answers, in case a handler
/// did not quote them. Also keeps a message of several lines from being mistaken for what follows it.
fn visible(result: Result<Response, Failure>) -> Result<Response, Failure> {
    let below = |text: &mut String| {
        *text = szk_text::visible(&szk_text::head(text, MESSAGE)).replace('\n', "\n  ");
    };
    match result {
        Ok(mut response) => {
            if let Cow::Owned(text) = szk_text::visible(&response.summary) {
                response.summary = text;
            }
            for part in &mut response.parts {
                part.text = szk_text::visible(&part.text).into_owned();
                if let Some(failure) = &mut part.failure {
                    let texts = [Some(&mut failure.message), failure.hint.as_mut()];
                    for text in texts.into_iter().flatten() {
                        *text = szk_text::visible(text).into_owned();
                    }
                }
            }
            Ok(response)
        }
        Err(mut failure) => {
            below(&mut failure.message);
            failure.hint.iter_mut().for_each(below);
            Err(failure)
        }
    }
}

async fn carry_out(
    keeper: &Arc<Keeper>,
    call: Call,
    found: Found,
    refused: Option<Failure>,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    // The program's time; the rest of the budget is for its exit.
    let limit = budget.saturating_sub(call.input().ending());
    // Where they go is not what a person typed.
    let goes = matches!(
        call,
        Call::BrowserNavigate(_)
            | Call::BrowserTabs(_)
            | Call::SessionOpen(_)
            | Call::WorkflowScrape(_)
            | Call::WorkflowCrawl(_)
    );
    // Only who opens a page comes before the saved tabs.
    if !matches!(&call, Call::SessionOpen(input) if input.url.is_some()) {
        keeper.session.restore_tabs().await;
    }
    let _own = goes.then(|| keeper.recipes.recorder.working(None));
    match call {
        Call::SessionOpen(input) => session::open(keeper, &input, found, refused, progress).await,
        Call::SessionClose(input) => session::close(keeper, &input).await,
        Call::SessionEndpoint(input) => session::endpoint(keeper, &input).await,
        Call::SessionState(input) => session::state(keeper, &input, found).await,
        Call::SessionHandoff(input) => session::handoff(keeper, &input, progress).await,
        Call::WorkflowLogin(input) => workflow::login(keeper, &input, budget, progress).await,
        Call::WorkflowFillForm(input) => workflow::fill_form(keeper, &input, budget).await,
        Call::WorkflowScrape(input) => workflow::scrape(keeper, &input, budget, progress).await,
        Call::WorkflowCrawl(input) => workflow::crawl(keeper, &input, budget, progress).await,
        Call::BrowserNavigate(input) => browser::navigate(keeper, &input).await,
        Call::BrowserSnapshot(input) => browser::snapshot(keeper, &input).await,
        Call::BrowserFind(input) => browser::find(keeper, &input).await,
        Call::BrowserExtract(input) => browser::extract(keeper, &input).await,
        Call::BrowserAct(input) => browser::act(keeper, &input, budget).await,
        Call::BrowserRunCode(input) => browser::run_code(keeper, input, limit).await,
        Call::BrowserRunFile(input) => browser::run_file(keeper, &input, limit).await,
        Call::BrowserRunTest(input) => {
            browser::run_test(keeper, &input.tests, limit, progress).await
        }
        Call::SessionRunTest(input) => session::run_test(keeper, &input, limit, progress).await,
        Call::BrowserScreenshot(input) => browser::screenshot(keeper, &input).await,
        Call::BrowserPdf(input) => browser::pdf(keeper, &input).await,
        Call::BrowserTabs(input) => browser::tabs(keeper, &input).await,
        Call::BrowserEmulate(input) => browser::emulate(keeper, &input).await,
        Call::BrowserLogs(input) => browser::logs(keeper, &input).await,
        Call::BrowserArm(input) => browser::arm(keeper, input).await,
        Call::BrowserBatch(input) => browser::batch(keeper, input, progress).await,
        Call::RecipeList(input) => recipe::list(keeper, &input),
        Call::RecipeShow(input) => recipe::show(keeper, &input),
        Call::RecipeRecord(input) => recipe::record(keeper, &input).await,
        Call::RecipeSave(input) => recipe::save(keeper, &input).await,
        Call::RecipeRun(input) => recipe::run(keeper, &input, budget, progress).await,
        Call::RecipeCheck(input) => recipe::check(keeper, &input).await,
        Call::RecipeExport(input) => recipe::export(keeper, &input),
        Call::RecipeDelete(input) => recipe::delete(keeper, &input),
        Call::SessionList(_) | Call::SessionDelete(_) | Call::AgentRun(_) => {
            let name = call.spec().name;
            Err(
                Failure::invalid(format!("`{name}` cannot be a step of another call"))
                    .hint("call it by itself"),
            )
        }
    }
}

#[cfg(test)]
mod tests;
