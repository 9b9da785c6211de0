//! `workflow_fill_form`.
//!
//! [`plan`] finds all fields and checks the new values. Only if all of that succeeds, or the caller
//! allows a partial result, is the first field touched.

mod plan;
mod submit;
mod summary;

use std::sync::Arc;
use std::time::Duration;

use szk_page::act::{Act, Failed, Journey, Navigation, Outcome};
use szk_page::forms::{Survey, Wanted};
use szk_page::snapshot::Handle;
use szk_tools::browser::ActKind;
use szk_tools::workflow::{FieldState, FillForm, FillFormInput, FillFormOutput, FilledField};
use szk_tools::{Code, Failure, Response};
use tokio::time::Instant;

use super::page::{Done, WorkflowPage, shown as shown_name};
use crate::browser::{Changed, settled, shown};
use crate::context::Keeper;
use plan::{Plan, Step};
use submit::{button, can_submit, no_button, submit};
use summary::summary;

/// Time reserved for the answer.
const ANSWER: Duration = Duration::from_millis(500);
/// Maximum fields of a call.
const MOST: usize = 200;

/// Refuses names of fields and of the button that are empty.
fn named(input: &FillFormInput) -> Result<(), Failure> {
    let empty = |text: &String| text.trim().is_empty();
    if input.fields.iter().any(|field| empty(&field.field)) {
        return Err(
            Failure::invalid("the `field` of one of the `fields` is empty")
                .about(["fields"])
                .hint("give its label, its ref such as `e5`, or a selector"),
        );
    }
    match input.button.as_ref().is_some_and(empty) {
        true => Err(Failure::invalid("`button` is empty")
            .about(["button"])
            .hint("give its name, or `submit` true for the one of the form")),
        false => Ok(()),
    }
}

pub(crate) async fn fill_form(
    keeper: &Arc<Keeper>,
    input: &FillFormInput,
    budget: Duration,
) -> Result<Response, Failure> {
    let whole = Instant::now() + budget.saturating_sub(ANSWER);
    if input.fields.is_empty() || input.fields.len() > MOST {
        return Err(Failure::invalid(format!("give 1 to {MOST} `fields`")).about(["fields"]));
    }
    named(input)?;
    let (_, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = WorkflowPage {
        keeper,
        tab: tab.id.clone(),
        whole,
    };
    let plans = plan::all(&page, &input.fields).await?;
    let survey = plan::survey(&page, input).await?;
    let button = button(&survey, input)?;
    let partial = input.partial.unwrap_or(false);
    if !partial && plans.iter().any(|plan| plan.steps.is_err()) {
        return Err(refused(&plans, &survey));
    }
    let wants = input.submit.unwrap_or(false) || input.button.is_some();
    if wants && button.is_none() {
        can_submit(&survey, &plans)?;
    }
    let (before, dialogs) = (survey.messages(), survey.dialogs());
    let mut fields = Vec::new();
    let mut filled: Vec<Handle> = Vec::new();
    let mut touched: Vec<Handle> = Vec::new();
    let mut last: Option<(ActKind, Outcome)> = None;
    let mut stopped: Option<&str> = None;
    for (at, plan) in plans.into_iter().enumerate() {
        if let Some(why) = stopped {
            fields.push(report(&plan, FieldState::Skipped, Some(why)));
            continue;
        }
        let done = fill(&page, plan, &input.fields[at], &dialogs).await?;
        let field = done.field;
        filled.extend(done.nodes.last());
        touched.extend(done.nodes);
        last = done.last.or(last);
        if last.as_ref().is_some_and(|(_, outcome)| leaves(outcome)) {
            stopped = Some("the page navigated away");
        } else if field.state == FieldState::Failed && !partial {
            stopped = Some("an earlier field failed");
        }
        fields.push(field);
    }
    let well =
        |field: &FilledField| matches!(field.state, FieldState::Filled | FieldState::Already);
    let ready = stopped.is_none() && (partial || fields.iter().all(well));
    let submitted = match wants && ready && !filled.is_empty() {
        true => {
            let (submitted, outcome) = submit(&page, &survey, button, &filled).await?;
            last = Some((ActKind::Click, outcome));
            Some(submitted)
        }
        false => None,
    };
    let last = last.as_ref().map(|(kind, outcome)| (*kind, outcome));
    let shows = last.is_some_and(|(_, outcome)| outcome.shows());
    let changed = consequences(keeper, &page, last, &touched).await;
    let (after, messages) = said(&page, &before).await;
    // The lines may tell of changes before this call.
    let in_vain = !shows && !changed.stirred && messages.is_empty();
    let led = submitted.as_ref().and_then(|led| led.navigation.as_ref());
    // The browser's own page, which says that it did not load, has another address.
    let lost = led.filter(|led| led.error.is_some() && !led.in_frame);
    let lost = lost.map(|led| led.url.clone());
    let led_nowhere = lost.is_some();
    let at = || after.documents.first().map(|page| shown(&page.url));
    let output = FillFormOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        fields,
        url: lost.or_else(at).unwrap_or_default(),
        submitted,
        messages,
        diff: changed.diff,
    };
    // A caller who allows a partial result expects that some fields fail.
    let well = partial || output.fields.iter().all(well);
    let notes: Vec<&str> = changed
        .waited
        .as_deref()
        .into_iter()
        .chain(changed.partly)
        .chain(
            in_vain
                .then(|| no_button(&survey, &filled, &output))
                .flatten(),
        )
        .collect();
    let summary = summary(&output, wants, &notes);
    let mut response = Response::of::<FillForm>(summary, &output)?;
    response.unmet = !well || led_nowhere || (wants && output.submitted.is_none());
    Ok(response)
}

/// What came of filling and submitting, late effects included.
async fn consequences(
    keeper: &Keeper,
    page: &WorkflowPage<'_>,
    last: Option<(ActKind, &Outcome)>,
    touched: &[Handle],
) -> Changed {
    match keeper.tab(Some(&page.tab)).await {
        Ok((running, tab)) => settled(keeper, &running, &tab, last, touched).await,
        Err(_) => Changed::default(),
    }
}

/// The page afterwards, and what it says that it did not say before; what is wrong with a field by the
/// field's name. A dialog that blocks the page is what there is to say.
async fn said(page: &WorkflowPage<'_>, before: &[String]) -> (Survey, Vec<String>) {
    if let Some(dialog) = page.blocking() {
        return (Survey::default(), vec![dialog]);
    }
    let after = page.survey(&Wanted::default()).await.unwrap_or_default();
    let complaints = after.complaints();
    let mut messages = Vec::new();
    for text in after.messages() {
        if before.contains(&text) {
            continue;
        }
        let named = complaints
            .iter()
            .filter(|(name, wrong)| *wrong == text && !name.is_empty());
        let named: Vec<String> = named
            .map(|(name, wrong)| format!("{name}: {wrong}"))
            .collect();
        match named.is_empty() {
            true => messages.push(text),
            false => messages.extend(named),
        }
    }
    (after, messages)
}

/// Whether the page went away.
fn leaves(outcome: &Outcome) -> bool {
    let arrived =
        |navigation: &Navigation| navigation.journey == Journey::Arrived && !navigation.in_frame;
    outcome.closed || outcome.navigation.as_ref().is_some_and(arrived)
}

/// What is wrong with the call as a whole; nothing has been touched.
fn refused(plans: &[Plan], survey: &Survey) -> Failure {
    let wrong: Vec<String> = plans
        .iter()
        .filter_map(|plan| {
            let (_, why) = plan.steps.as_ref().err()?;
            Some(format!("`{}`: {why}", plan.field))
        })
        .collect();
    let missing = |plan: &Plan| matches!(plan.steps, Err((FieldState::NotFound, _)));
    let code = match plans.iter().any(missing) {
        true => Code::NotFound,
        false
            if plans
                .iter()
                .any(|p| matches!(p.steps, Err((FieldState::Ambiguous, _)))) =>
        {
            Code::Ambiguous
        }
        false => Code::InvalidInput,
    };
    let names: Vec<String> = survey.fields().filter_map(plan::called).take(40).collect();
    Failure::new(code, format!("nothing was filled: {}", wrong.join("; "))).hint(format!(
        "fields of the page: {}; set `partial` to fill the ones that are found",
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    ))
}

fn report(plan: &Plan, state: FieldState, note: Option<&str>) -> FilledField {
    FilledField {
        field: plan.field.clone(),
        state,
        target: plan.target.clone(),
        value: None,
        note: note.map(str::to_owned),
    }
}

/// A field that was filled, or not.
struct FieldDone {
    field: FilledField,
    /// The controls that were used.
    nodes: Vec<Handle>,
    /// The last act on it, and what came of that.
    last: Option<(ActKind, Outcome)>,
}

/// Fills one field. `dialogs` were open before the first.
async fn fill(
    page: &WorkflowPage<'_>,
    plan: Plan,
    given: &szk_tools::workflow::FormField,
    dialogs: &[String],
) -> Result<FieldDone, Failure> {
    let (mut steps, mut tried) = (plan.steps.clone(), false);
    'again: loop {
        let todo = match &steps {
            Ok(todo) => todo.clone(),
            Err((state, why)) => {
                return Ok(FieldDone {
                    field: report(&plan, *state, Some(why)),
                    nodes: Vec::new(),
                    last: None,
                });
            }
        };
        let field = report(&plan, FieldState::Already, None);
        let mut done = FieldDone {
            field,
            nodes: Vec::new(),
            last: None,
        };
        for Step { act, node } in todo {
            done.nodes.push(node);
            let checks = match act {
                Act::Check(on) => Some(on),
                _ => None,
            };
            let kind = match act {
                Act::Fill(_) => ActKind::Fill,
                _ => ActKind::Select,
            };
            let did = match page.act(act, node).await {
                Ok(Done::Did(did)) => did,
                // Filling an earlier field has re-rendered the form: look the field up once more by its
                // name.
                Ok(Done::Gone) if !tried => {
                    tried = true;
                    let again = plan::all(page, std::slice::from_ref(given)).await?;
                    steps = again
                        .into_iter()
                        .next()
                        .map_or_else(|| plan.steps.clone(), |plan| plan.steps);
                    continue 'again;
                }
                Ok(Done::Gone) => {
                    done.field.state = FieldState::Failed;
                    done.field.note = Some("it is no longer in the page".to_owned());
                    done.nodes.clear();
                    return Ok(done);
                }
                Err(failed) => {
                    done.field.state = FieldState::Failed;
                    done.field.note = Some(why(page, failed, dialogs).await);
                    return Ok(done);
                }
            };
            let field = &mut done.field;
            field.state = match (did.differs, did.already, field.state) {
                // One box of a group that the page kept is enough.
                (true, ..) | (.., FieldState::Differs) => FieldState::Differs,
                (false, true, before) => before,
                (false, false, _) => FieldState::Filled,
            };
            if let Some(on) = checks.filter(|_| did.differs) {
                // A box by itself stands for its own state.
                let alone = plan.stands_for.as_deref() == Some(plan::word(on));
                kept(field, alone, did.target.as_deref(), on);
                done.last = Some((kind, did.outcome));
                continue;
            }
            if !plan.secret && did.value.is_some() {
                field.value = did.value;
            }
            if let Some(note) = did.notes.first() {
                field.note = Some(note.clone());
            }
            done.last = Some((kind, did.outcome));
        }
        // The value that was asked for, unless the page did not let the field take it.
        if let Some(value) = &plan.stands_for
            && done.field.state != FieldState::Differs
        {
            done.field.value = Some(value.clone());
        }
        return Ok(done);
    }
}

/// A box or an option that the page did not let change: it is still what it was.
fn kept(field: &mut FilledField, alone: bool, target: Option<&str>, on: bool) {
    let still = plan::word(!on);
    if alone {
        field.value = Some(still.to_owned());
        field.note = None;
    } else {
        let target = target.unwrap_or("an option");
        field.note = Some(format!("{target} is still {still}"));
    }
}

/// Why a field could not be filled: a dialog that opened since the first one, if there is any.
async fn why(page: &WorkflowPage<'_>, failed: Failed, dialogs: &[String]) -> String {
    let failure = page.failure(failed);
    let opened = match page.blocking() {
        Some(_) => None,
        None => {
            let now = page.survey(&Wanted::default()).await.unwrap_or_default();
            now.dialogs()
                .into_iter()
                .find(|name| !dialogs.contains(name))
        }
    };
    match (opened, failure.hint) {
        (Some(name), _) => {
            let name = shown_name(&name);
            format!(
                "{}: the dialog {name} has opened; work in it or close it, then fill the rest",
                failure.message
            )
        }
        (None, Some(hint)) => format!("{}; {hint}", failure.message),
        (None, None) => failure.message,
    }
}
