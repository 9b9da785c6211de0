//! `browser_batch`.

mod last;
mod steps;

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use szk_page::document;
use szk_tools::browser::{Batch, BatchDone, BatchInput, BatchOutput, BatchStep};
use szk_tools::{Call, Done, Failure, Progress, Response};

use super::act::{changed_in, said, settle_late};
use super::view;
use crate::context::Keeper;
use crate::dialogs;
use last::Last;
use steps::Steps;

/// Most steps of a call.
const MOST: usize = 50;

pub(crate) async fn batch(
    keeper: &Arc<Keeper>,
    input: BatchInput,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    // All of them are understood before the first one is carried out.
    let calls = understood(&input)?;
    let total = calls.len();
    let mut run = Steps::of(keeper, &input);
    let last = Last::of(keeper, &calls);
    for (number, (step, call)) in (1u32..).zip(input.steps.iter().zip(&calls)) {
        last.before(keeper, number, call).await;
        let next = calls.get(number as usize);
        run.step(number, step, call, next, progress).await;
        if run.stopped.is_some() {
            break;
        }
    }
    let Steps {
        done: steps,
        parts,
        stopped,
        acted,
        images,
        files,
        ..
    } = run;
    let mut lines: Vec<String> = parts.iter().map(ToString::to_string).collect();
    if let Some(why) = &stopped {
        let left = total - steps.len();
        let left = match left {
            0 => String::new(),
            1 => "; 1 step was not run".to_owned(),
            left => format!("; {left} steps were not run"),
        };
        lines.push(format!("stopped: {why}{left}"));
    }
    let last = Some(last).filter(|_| stopped.is_none());
    let (diff, notes) = changed(keeper, &acted, last.as_ref()).await;
    lines.extend(notes);
    if let Some(diff) = &diff {
        lines.push(format!("changed since you last looked:\n{diff}"));
    }
    let output = BatchOutput {
        session: keeper.session.name().to_string(),
        steps,
        diff,
        stopped,
    };
    let mut response = Response::of::<Batch>(lines.join("\n"), &output)?;
    response.parts = parts;
    response.images = images;
    response.files = files;
    // Steps that were asked for and not carried out are no success.
    response.unmet = output.stopped.is_some();
    // A failure keeps what was done before it: it is a failure of the whole call only when it is first.
    match &output.steps[..] {
        [
            BatchDone {
                error: Some(failure),
                // It never worked, however often it was to be carried out.
                data: None,
                ..
            },
        ] => Err(failure.clone()),
        _ => Ok(response),
    }
}

/// What the acts changed, once for all of them, and how long was waited for it.
async fn changed(
    keeper: &Keeper,
    tabs: &[String],
    last: Option<&Last>,
) -> (Option<String>, BTreeSet<String>) {
    let (mut told, mut notes) = (Vec::new(), BTreeSet::new());
    for id in tabs {
        let Some((running, tab)) = keeper.peek(Some(id)) else {
            continue;
        };
        let expected = keeper.acting.take_pending(&tab);
        let expected = expected.unwrap_or(document::Expected::Rest);
        // What changed so far is told even when the page does not answer.
        let waited = settle_late(keeper, &running, &tab, expected).await;
        notes.extend(waited.and_then(said));
        let changed = changed_in(keeper, &running, &tab, None).await;
        notes.extend(changed.partly.map(str::to_owned));
        if let (Some(last), [_]) = (last, tabs) {
            last.led_to(keeper, &running, &tab, &changed).await;
        }
        if let Some(diff) = changed.diff {
            match tabs.len() {
                1 => told.push(diff),
                _ => told.push(format!("{id}:\n{diff}")),
            }
        }
    }
    ((!told.is_empty()).then(|| told.join("\n")), notes)
}

fn understood(input: &BatchInput) -> Result<Vec<Call>, Failure> {
    if input.steps.is_empty() || input.steps.len() > MOST {
        return Err(Failure::invalid(format!("give 1 to {MOST} `steps`")).about(["steps"]));
    }
    let one = |(number, step): (NonZeroU32, &BatchStep)| {
        let at = |failure: Failure| failure.in_step(number).effect(Done::None);
        if !step.tool.starts_with("browser_") || step.tool == "browser_batch" {
            return Err(at(Failure::invalid(format!(
                "`{}` cannot be a step",
                step.tool
            ))
            .hint("steps are browser_* operations other than `browser_batch`")));
        }
        steps::sensible(step).map_err(at)?;
        let mut call = step.call().map_err(at)?;
        if call.input().session().is_some() {
            return Err(at(Failure::invalid(
                "`session` is that of the batch: a step names none",
            )
            .about(["session"])));
        }
        if let Call::BrowserAct(act) = &mut call {
            act.deferred = act.snapshot.is_none();
        }
        // Listing tabs is about none of them.
        if let (None, Some(tab)) = (call.input().tab(), &input.tab)
            && !matches!(call, Call::BrowserTabs(_))
        {
            call.input_mut().set_tab(tab.clone());
        }
        Ok(call)
    };
    let numbers = (1..).map_while(NonZeroU32::new);
    numbers.zip(&input.steps).map(one).collect()
}

/// A tab and which document it shows; not the document when a dialog is open, nothing when it is gone.
async fn document(keeper: &Keeper, tab: Option<&str>) -> Option<(String, Option<String>)> {
    let (running, tab) = keeper.peek(tab)?;
    let page = view::page(&running, &tab);
    let id = tokio::select! {
        id = document::id(&page) => id.ok()?,
        () = dialogs::held(&keeper.event_log, &tab.page.target_id) => return Some((tab.id, None)),
    };
    Some((tab.id, Some(id)))
}

#[cfg(test)]
mod tests;
