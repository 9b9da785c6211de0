//! `browser_batch`.

use std::sync::Arc;
use std::time::Duration;

use szk_page::document;
use szk_tools::browser::{Act, Batch, BatchDone, BatchInput, BatchOutput, BatchStep};
use szk_tools::{Call, Done, Failure, Operation, Progress, Response};
use szk_wire::Found;

use super::act::changed_in;
use super::view;
use crate::context::Keeper;
use crate::dialogs;
use crate::handle;

/// Most steps of a call.
const MOST: usize = 50;
/// Milliseconds that the page may go on moving after the last step, and how long it may take to say so.
const SETTLES: u32 = 400;
const PATIENCE: Duration = Duration::from_millis(800);

pub(crate) async fn batch(
    keeper: &Arc<Keeper>,
    input: BatchInput,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    // All of them are understood before the first one is carried out.
    let calls = understood(&input)?;
    let through = input.through_navigation.unwrap_or(false);
    let total = calls.len() as u32;
    let mut steps = Vec::new();
    let mut lines = Vec::new();
    let mut stopped = None;
    let mut acted: Vec<String> = Vec::new();
    let (mut images, mut files) = (Vec::new(), Vec::new());
    for (number, (step, call)) in (1u32..).zip(input.steps.iter().zip(calls)) {
        progress(Progress {
            message: step.tool.clone(),
            done: number - 1,
            total,
        });
        let tab = call.input().tab().or(input.tab.as_deref());
        let tab = tab.map(str::to_owned);
        // These are meant to; and another tab that comes to the front is no other document.
        let meant = matches!(call, Call::BrowserNavigate(_) | Call::BrowserTabs(_));
        let before = document(keeper, tab.as_deref()).await;
        let result = Box::pin(handle::call(keeper, call, Found::Open, progress)).await;
        let (data, error) = match result {
            Ok(response) => {
                lines.push(line(number, &step.tool, &response.summary));
                images.extend(response.images);
                files.extend(response.files);
                if response.unmet {
                    stopped = Some(format!("step {number} reported a failure"));
                }
                acted_in(&mut acted, step, &response.data);
                (Some(response.data), None)
            }
            Err(failure) => {
                lines.push(format!("{number}. {}: {failure}", step.tool));
                stopped = Some(format!("step {number} failed"));
                (None, Some(failure))
            }
        };
        steps.push(BatchDone {
            tool: step.tool.clone(),
            data,
            error,
        });
        let last = number == total;
        if stopped.is_none() && !last && !through && !meant {
            let same = before.as_ref().map(|(tab, _)| tab.as_str());
            let after = document(keeper, tab.as_deref().or(same)).await;
            // A document that a dialog blocks counts as the same.
            let stands = matches!(after, Some((_, None)));
            if matches!(before, Some((_, Some(_)))) && !stands && after != before {
                stopped = Some(format!("step {number} moved the tab to another document"));
            }
        }
        if stopped.is_some() {
            break;
        }
    }
    if let Some(why) = &stopped {
        let left = total as usize - steps.len();
        let left = match left {
            1 => "1 step was".to_owned(),
            left => format!("{left} steps were"),
        };
        lines.push(format!("stopped: {why}; {left} not run"));
    }
    let diff = changed(keeper, &acted).await;
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
    response.images = images;
    response.files = files;
    // Steps that were asked for and not carried out are no success.
    response.unmet = output.stopped.is_some();
    // A failure keeps what was done before it: it is a failure of the whole call only when it is first.
    match &output.steps[..] {
        [
            BatchDone {
                error: Some(failure),
                ..
            },
        ] => Err(failure.clone()),
        _ => Ok(response),
    }
}

/// Notes the tab of a step that acts.
fn acted_in(tabs: &mut Vec<String>, step: &BatchStep, data: &serde_json::Value) {
    let tab = data.get("tab").and_then(|tab| tab.as_str());
    if let (Act::NAME, Some(tab)) = (step.tool.as_str(), tab)
        && !tabs.iter().any(|known| known == tab)
    {
        tabs.push(tab.to_owned());
    }
}

/// What the acts changed, once for all of them.
async fn changed(keeper: &Keeper, tabs: &[String]) -> Option<String> {
    let mut told = Vec::new();
    for id in tabs {
        let Some((running, tab)) = keeper.peek(Some(id)) else {
            continue;
        };
        let page = view::page(&running, &tab);
        let settled = document::late(&keeper.worlds, &page, document::Expected::Rest, SETTLES);
        // What changed so far is told even when the page does not answer.
        let _ = tokio::time::timeout(PATIENCE, settled).await;
        if let Some(diff) = changed_in(keeper, &running, &tab, None).await {
            match tabs.len() {
                1 => told.push(diff),
                _ => told.push(format!("{id}:\n{diff}")),
            }
        }
    }
    (!told.is_empty()).then(|| told.join("\n"))
}

/// A step's line in the summary. A fence must begin a line of its own.
fn line(number: u32, tool: &str, summary: &str) -> String {
    let between = if summary.starts_with("```") {
        "\n"
    } else {
        " "
    };
    format!("{number}. {tool}:{between}{summary}")
}

fn understood(input: &BatchInput) -> Result<Vec<Call>, Failure> {
    if input.steps.is_empty() || input.steps.len() > MOST {
        return Err(Failure::invalid(format!("give 1 to {MOST} `steps`")));
    }
    let one = |(number, step): (usize, &BatchStep)| {
        let at = |failure: Failure| Failure {
            message: format!("step {number}: {}", failure.message),
            effect: Done::None,
            ..failure
        };
        if !step.tool.starts_with("browser_") || step.tool == "browser_batch" {
            return Err(at(Failure::invalid(format!(
                "`{}` cannot be a step",
                step.tool
            ))
            .hint("steps are browser_* operations other than `browser_batch`")));
        }
        let mut call = step.call().map_err(at)?;
        if call.input().session().is_some() {
            return Err(at(Failure::invalid(
                "a step cannot name another `session` than its batch",
            )));
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
    (1..).zip(&input.steps).map(one).collect()
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
