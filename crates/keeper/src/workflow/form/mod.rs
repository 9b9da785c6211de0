//! `workflow_fill_form`.
//!
//! [`plan`] finds all fields and checks the new values. Only if all of that succeeds, or the caller
//! allows a partial result, is the first field touched.

mod plan;

use std::sync::Arc;
use std::time::Duration;

use szk_page::act::Journey;
use szk_page::forms::{Survey, Wanted, button_of};
use szk_page::snapshot::Handle;
use szk_tools::browser::ActNavigation;
use szk_tools::workflow::{
    FieldState, FillForm, FillFormInput, FillFormOutput, FilledField, Submitted,
};
use szk_tools::{Code, Failure, Response};
use tokio::time::Instant;

use super::page::{Done, WorkflowPage};
use crate::browser::{settled, shown};
use crate::context::Keeper;
use plan::{Plan, Step};

/// Time reserved for the answer.
const ANSWER: Duration = Duration::from_millis(500);
/// Maximum fields of a call.
const MOST: usize = 200;

pub(crate) async fn fill_form(
    keeper: &Arc<Keeper>,
    input: &FillFormInput,
    budget: Duration,
) -> Result<Response, Failure> {
    let whole = Instant::now() + budget.saturating_sub(ANSWER);
    if input.fields.is_empty() || input.fields.len() > MOST {
        return Err(Failure::invalid(format!("give 1 to {MOST} `fields`")));
    }
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
    let before = survey.messages();
    let mut fields = Vec::new();
    let mut filled: Vec<Handle> = Vec::new();
    let mut stopped: Option<&str> = None;
    for (at, plan) in plans.into_iter().enumerate() {
        if let Some(why) = stopped {
            fields.push(report(&plan, FieldState::Skipped, Some(why)));
            continue;
        }
        let (field, handle, left) = fill(&page, plan, &input.fields[at]).await?;
        filled.extend(handle);
        if left {
            stopped = Some("the page navigated away");
        } else if field.state == FieldState::Failed && !partial {
            stopped = Some("an earlier field failed");
        }
        fields.push(field);
    }
    let well =
        |field: &FilledField| matches!(field.state, FieldState::Filled | FieldState::Already);
    let ready = stopped.is_none() && (partial || fields.iter().all(well));
    let wants = input.submit.unwrap_or(false) || input.button.is_some();
    let submitted = match wants && ready && !filled.is_empty() {
        true => Some(submit(&page, &survey, button, &filled).await?),
        false => None,
    };
    let after = page.survey(&Wanted::default()).await.unwrap_or_default();
    let failed = fields.iter().any(|field| field.state == FieldState::Failed);
    let diff = match submitted.is_some() || failed {
        true => consequences(keeper, &page).await,
        false => None,
    };
    let mut messages = after.messages();
    messages.retain(|text| !before.contains(text));
    let output = FillFormOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        fields,
        submitted,
        messages,
        diff,
        url: after
            .documents
            .first()
            .map(|page| shown(&page.url))
            .unwrap_or_default(),
    };
    // A caller who allows a partial result expects that some fields fail.
    let well = partial || output.fields.iter().all(well);
    let mut response = Response::of::<FillForm>(summary(&output, wants), &output)?;
    response.unmet = !well || (wants && output.submitted.is_none());
    Ok(response)
}

/// What came of filling and submitting, late effects included.
async fn consequences(keeper: &Keeper, page: &WorkflowPage<'_>) -> Option<String> {
    let (running, tab) = keeper.tab(Some(&page.tab)).await.ok()?;
    settled(keeper, &running, &tab).await
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

/// The button that the caller names.
fn button(survey: &Survey, input: &FillFormInput) -> Result<Option<(Handle, String)>, Failure> {
    let Some(wanted) = &input.button else {
        return Ok(None);
    };
    let plain = |text: &str| text.trim().to_lowercase();
    let by = |test: &dyn Fn(&szk_page::forms::Button) -> bool| {
        let found: Vec<_> = survey.buttons().filter(|button| test(button)).collect();
        match found.as_slice() {
            [one] => Some((one.handle, one.name.clone())),
            _ => None,
        }
    };
    let found = by(&|button| button.name == *wanted)
        .or_else(|| by(&|button| plain(&button.name) == plain(wanted)))
        .or_else(|| by(&|button| button.mark == "submit"));
    if found.is_some() {
        return Ok(found);
    }
    let names: Vec<String> = survey
        .buttons()
        .filter(|button| !button.name.is_empty())
        .map(|button| format!("`{}`", szk_text::line(&button.name, 60)))
        .take(20)
        .collect();
    Err(Failure::new(
        Code::NotFound,
        format!(
            "no button, or more than one, matches `{}`",
            wanted.chars().take(60).collect::<String>()
        ),
    )
    .hint(format!("buttons of the page: {}", names.join(", "))))
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

/// Fills one field: returns the result, its handle, and whether the page navigated away.
async fn fill(
    page: &WorkflowPage<'_>,
    plan: Plan,
    given: &szk_tools::workflow::FormField,
) -> Result<(FilledField, Option<Handle>, bool), Failure> {
    let (mut steps, mut tried) = (plan.steps.clone(), false);
    'again: loop {
        let todo = match &steps {
            Ok(todo) => todo.clone(),
            Err((state, why)) => return Ok((report(&plan, *state, Some(why)), None, false)),
        };
        let mut field = report(&plan, FieldState::Already, None);
        let (mut last, mut left) = (None, false);
        for Step { act, node } in todo {
            last = Some(node);
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
                    field.state = FieldState::Failed;
                    field.note = Some("it is no longer in the page".to_owned());
                    return Ok((field, None, false));
                }
                Err(failed) => {
                    let failure = page.failure(failed);
                    field.state = FieldState::Failed;
                    field.note = Some(match failure.hint {
                        Some(hint) => format!("{}; {hint}", failure.message),
                        None => failure.message,
                    });
                    return Ok((field, last, false));
                }
            };
            field.state = match (did.differs, did.already) {
                (true, _) => FieldState::Differs,
                (false, true) => field.state,
                (false, false) => FieldState::Filled,
            };
            if !plan.secret && did.value.is_some() {
                field.value = did.value;
            }
            if let Some(note) = did.notes.first() {
                field.note = Some(note.clone());
            }
            left = did.outcome.closed
                || did.outcome.navigation.as_ref().is_some_and(|navigation| {
                    navigation.journey == Journey::Arrived && !navigation.in_frame
                });
        }
        if let Some(value) = &plan.stands_for {
            field.value = Some(value.clone());
        }
        return Ok((field, last, left));
    }
}

async fn submit(
    page: &WorkflowPage<'_>,
    survey: &Survey,
    named: Option<(Handle, String)>,
    filled: &[Handle],
) -> Result<Submitted, Failure> {
    let of = |node: &Handle| {
        let documents = survey.documents.iter();
        let mut fields = documents.flat_map(|d| d.fields.iter().map(move |field| (d, field)));
        let (document, field) = fields.find(|(_, field)| field.handle == *node)?;
        let button = button_of(document, field)?;
        Some((button.handle, button.name.clone()))
    };
    let last = filled[filled.len() - 1];
    // The button of the form that contains the last filled field that is in one: a field may be in a
    // frame, or beside the form.
    let button = named.or_else(|| filled.iter().rev().find_map(of));
    let button = button.as_ref().map(|(node, name)| (*node, name.as_str()));
    let (done, by) = page.send(button, last).await?;
    let Done::Did(did) = done else {
        return Err(Failure::new(
            Code::NavigationFailed,
            "the form was gone before it was submitted",
        )
        .effect(szk_tools::Done::Unknown));
    };
    Ok(Submitted {
        by,
        changed: did.outcome.happened(),
        navigation: did.outcome.navigation.map(|navigation| ActNavigation {
            url: shown(&navigation.url),
            state: match navigation.journey {
                Journey::Started => "started",
                Journey::Arrived => "arrived",
                Journey::Within => "within",
                Journey::Ended => "ended",
            }
            .to_owned(),
            in_frame: navigation.in_frame,
        }),
    })
}

fn summary(output: &FillFormOutput, wants: bool) -> String {
    let well = output
        .fields
        .iter()
        .filter(|field| matches!(field.state, FieldState::Filled | FieldState::Already))
        .count();
    let mut lines = vec![format!("filled {well} of {} fields", output.fields.len())];
    for field in &output.fields {
        let state = match field.state {
            FieldState::Filled => "filled",
            FieldState::Already => "already set",
            FieldState::Differs => "holds something else",
            FieldState::NotFound => "not found",
            FieldState::Ambiguous => "several fit",
            FieldState::Failed => "failed",
            FieldState::Skipped => "not touched",
        };
        let value = field.value.as_ref().map(|value| {
            let value = szk_text::quoted(value, 100);
            format!(", now {value}")
        });
        let note = field.note.as_ref();
        let note = note.map(|note| format!(" ({})", szk_text::line(note, 500)));
        lines.push(format!(
            "- {}: {state}{}{}",
            field.field,
            value.unwrap_or_default(),
            note.unwrap_or_default()
        ));
    }
    match &output.submitted {
        Some(submitted) => {
            let to = submitted
                .navigation
                .as_ref()
                .map(|navigation| format!("; {} is at {}", output.tab, navigation.url));
            lines.push(format!(
                "submitted: {}{}",
                submitted.by,
                to.unwrap_or_default()
            ));
        }
        None if wants => lines.push("not submitted: not all fields are filled".to_owned()),
        None => {}
    }
    for message in &output.messages {
        let message = szk_text::quoted(message, 200);
        lines.push(format!("the page says: {message}"));
    }
    if let Some(diff) = &output.diff {
        lines.push(format!("changed since you last looked:\n{diff}"));
    }
    lines.join("\n")
}
