//! What an act did, said in a few lines.

use std::time::Duration;

use szk_page::act::{Did, Refusal};
use szk_runtime::launch::Mode;
use szk_runtime::supervisor::{Supervisor, Tab};
use szk_text::quoted;
use szk_tools::browser::{Act, ActDialog, ActInput, ActKind, ActOutput, ElementState};
use szk_tools::{Code, Done, Failure, Response};

use super::changes::Changed;
use super::navigated::{led_to, navigated};
use crate::browser::arm::Chosen;
use crate::browser::seen::AttachedSnapshot;
use crate::browser::{navigate, page_text};
use crate::context::Keeper;

/// How long a new tab may take to be known by its number.
const KNOWN: Duration = Duration::from_secs(2);
/// What to do about a file chooser that is open.
const CHOOSER: &str =
    "a file chooser is open: give it files with `browser_arm`, `event` chooser, `paths`";
/// Why a file picker is not.
const PICKER: &str = "the page asked for files with `showOpenFilePicker`, which szk cannot answer: it told the page that no file was chosen";
/// What became of a page that opened the print dialog.
const PRINTED: &str = "the page opened the print dialog, which was cancelled because nobody can see it; `browser_pdf` saves the page as a file";
/// What has the focus when nothing else has.
const BODY: &str = "<body>";
/// What a box holds that is neither checked nor not.
const MIXED: &str = "mixed";
/// A value longer than this, in characters, is cut in the summary.
const SHOWN: usize = 300;
/// A value longer than this, in characters, is cut in the data.
const VALUE: usize = 20_000;

/// What an answer says about the page after an act.
pub(super) enum After {
    /// What is different since the caller was told last.
    Changed(Changed),
    /// All of it.
    Seen(AttachedSnapshot),
}

impl Default for After {
    fn default() -> Self {
        Self::Changed(Changed::default())
    }
}

pub(super) async fn answer(
    keeper: &Keeper,
    supervisor: &Supervisor,
    tab: &Tab,
    input: &ActInput,
    did: Did,
    chosen: Option<Chosen>,
    after: After,
) -> Result<Response, Failure> {
    let (changed, attached) = match after {
        After::Changed(changed) => (changed, AttachedSnapshot::default()),
        After::Seen(attached) => (Changed::default(), attached),
    };
    let Changed {
        diff,
        waited: late,
        partly,
        ..
    } = changed;
    let outcome = did.outcome;
    let mut new_tabs = Vec::new();
    for target_id in &outcome.tabs {
        new_tabs.extend(number(supervisor, target_id).await);
    }
    if !new_tabs.is_empty() {
        // A tab that is opened becomes the current one; the caller said which it works in.
        supervisor.use_tab(tab);
    }
    let mut notes = did.notes;
    if outcome.late {
        notes.push("the page is busy and has not answered yet".to_owned());
    }
    if outcome.picker {
        notes.push(PICKER.to_owned());
    }
    if outcome.printed && keeper.session.mode() == Mode::Headless {
        notes.push(PRINTED.to_owned());
    }
    notes.extend(outcome.refused.as_ref().map(refused));
    // Who goes elsewhere takes the frames along.
    if diff.is_none() && outcome.navigation.is_none() && !outcome.closed {
        notes.extend(removed(outcome.frames_removed));
    }
    match chosen {
        Some(Chosen::Given) => notes.push("the file chooser got the armed files".to_owned()),
        Some(Chosen::Refused) => notes.push("the file chooser was refused, as armed".to_owned()),
        Some(Chosen::Open | Chosen::Gone) | None => {}
    }
    notes.extend(late);
    notes.extend(partly.map(str::to_owned));
    let changed = outcome.happened() || diff.is_some();
    let open = outcome.open_dialog().is_some();
    let mut output = ActOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        target: did.target,
        x: did.at.map(|at| at.0),
        y: did.at.map(|at| at.1),
        value: did.value.map(|value| szk_text::head(&value, VALUE)),
        changed,
        navigation: outcome.navigation.as_ref().map(navigated),
        new_tabs,
        dialogs: outcome
            .dialogs
            .into_iter()
            .map(|dialog| ActDialog {
                kind: dialog.kind,
                message: page_text::message(&dialog.message),
                accepted: dialog.accepted,
            })
            .collect(),
        downloads: outcome
            .downloads
            .into_iter()
            .map(|download| page_text::title(&download.filename))
            .collect(),
        requests: outcome.requests,
        selection: outcome.selection.map(|text| page_text::title(&text)),
        focus: outcome.focus,
        closed: outcome.closed,
        notes,
        diff,
        snapshot: attached.data,
    };
    let context = ActContext {
        kind: input.kind,
        waited: waited(input),
        already: did.already,
        differs: did.differs,
        unclicked: did.unclicked,
        changes: match input.deferred {
            // Those of a batch are told at its end.
            true => 0,
            false => outcome.changes.saturating_sub(outcome.ticks + outcome.own),
        },
    };
    if context.differs {
        return Err(unmet(&context, &output));
    }
    if let Some(failure) = unreachable(&context, &output) {
        return Err(failure);
    }
    let summary = summary(&context, &output);
    if open {
        // In the text, the line about everything that is open says it.
        output.notes.push(next(keeper));
    }
    if chosen == Some(Chosen::Open) {
        output.notes.push(CHOOSER.to_owned());
    }
    Response::of::<Act>(summary + &attached.lines, &output)
}

/// The note about a field because of which a form was not sent.
fn refused(refusal: &Refusal) -> String {
    let message = quoted(&refusal.message, SHOWN);
    format!("the browser refused {}: {message}", refusal.field)
}

/// The note about removed frames, which no comparison shows.
fn removed(frames: usize) -> Option<String> {
    match frames {
        0 => None,
        1 => Some("a frame was removed from the page".to_owned()),
        frames => Some(format!("{frames} frames were removed from the page")),
    }
}

/// What to do about a dialog that is open.
fn next(keeper: &Keeper) -> String {
    let how = "answer the dialog with `browser_arm`, `event` dialog: `accept` false refuses it, `text` answers a prompt";
    if keeper.seen() {
        return how.to_owned();
    }
    let seconds = keeper.session.resolved().settings.session.dialog_seconds;
    format!("{how}; szk dismisses it after {seconds} s")
}

/// What the output does not say.
struct ActContext {
    kind: ActKind,
    /// How the summary says that a wait is over.
    waited: String,
    already: bool,
    differs: bool,
    /// It was pressed, and got no click.
    unclicked: bool,
    /// What the document did beside what its controls report, if no one else tells it.
    changes: u64,
}

/// How a wait ended, which it does only when what was waited for is so.
fn waited(input: &ActInput) -> String {
    let thing = input.r#ref.is_some() || input.selector.is_some() || input.text.is_some();
    match (input.state.unwrap_or_default(), input.time_ms, &input.url) {
        (_, Some(ms), None) if !thing => format!("waited {ms} ms"),
        (_, _, Some(_)) if !thing => "the address matches".to_owned(),
        (ElementState::Hidden, ..) => "it is hidden or gone".to_owned(),
        (ElementState::Detached, ..) => "it is gone".to_owned(),
        (ElementState::Enabled, ..) => "it is enabled".to_owned(),
        (ElementState::Networkidle, ..) => "the network is idle".to_owned(),
        (ElementState::Visible | ElementState::Attached, ..) => "it is present".to_owned(),
    }
}

/// What was asked for was done, and is not so afterwards.
fn unmet(context: &ActContext, output: &ActOutput) -> Failure {
    let target = output.target.as_deref().unwrap_or("the page");
    let value = output.value.as_deref().unwrap_or_default();
    let now = match context.kind {
        ActKind::Check | ActKind::Uncheck if value == MIXED => {
            format!("{target} is still partly checked")
        }
        ActKind::Check => format!("{target} is still not checked"),
        ActKind::Uncheck => format!("{target} is still checked"),
        ActKind::Select if output.value.is_none() => {
            format!("nothing shows that {target} took the choice")
        }
        ActKind::Upload if value.is_empty() => format!("{target} did not take the files"),
        ActKind::Resize => format!("the viewport is {value}, not what you asked for"),
        _ => format!(
            "{target} holds {}, not what you asked for",
            quoted(value, SHOWN)
        ),
    };
    let hint = match context.kind {
        ActKind::Check | ActKind::Uncheck => {
            "the page does not let it change: look with `browser_snapshot` for what must be done first"
        }
        ActKind::Select if output.value.is_none() => {
            "the entry was clicked and nothing changed: look with `browser_snapshot`, and try the keyboard with kind `press`"
        }
        ActKind::Select => "the page chose something else: check with `browser_snapshot`",
        ActKind::Upload => "check with `browser_snapshot` what the page asks for",
        ActKind::Resize => {
            "a viewport has a least and a largest size: go on with this one, or ask for another"
        }
        _ => {
            "the field may limit its characters, or the page reformatted the value: check with `browser_snapshot`"
        }
    };
    let mut said = vec![now];
    said.extend(came_of_it(output));
    Failure::new(Code::NotActionable, said.join("; "))
        .hint(hint)
        .effect(Done::Done)
}

/// The act was done, and led to a page that did not load: the same failure as that of going there.
fn unreachable(context: &ActContext, output: &ActOutput) -> Option<Failure> {
    let navigation = output.navigation.as_ref();
    let navigation = navigation.filter(|navigation| !navigation.in_frame)?;
    let failure = navigate::failed(&navigation.url, navigation.error.as_deref()?);
    let done = did(context, output);
    let message = format!("{done}; {}", failure.message);
    Some(Failure { message, ..failure })
}

/// What was done, in one line.
fn did(context: &ActContext, output: &ActOutput) -> String {
    let done = match context.kind {
        ActKind::Click if context.unclicked => "pressed",
        ActKind::Click => "clicked",
        ActKind::Type => "typed into",
        ActKind::Fill => "filled",
        ActKind::Press => "pressed in",
        ActKind::Hover => "pointer on",
        ActKind::Down => "button down on",
        ActKind::Move => "pointer moved to",
        ActKind::Up => "button up over",
        ActKind::Drag => "dragged",
        ActKind::Select => "selected in",
        ActKind::Check => "checked",
        ActKind::Uncheck => "unchecked",
        ActKind::Scroll => "scrolled",
        ActKind::Upload => "gave files to",
        ActKind::Wait => return context.waited.clone(),
        ActKind::Resize => "resized",
        ActKind::Focus => "focused",
    };
    let target = output.target.as_deref().unwrap_or(match context.kind {
        ActKind::Click
        | ActKind::Hover
        | ActKind::Drag
        | ActKind::Down
        | ActKind::Move
        | ActKind::Up => "the place",
        _ => "the page",
    });
    format!("{done} {target}")
}

fn summary(context: &ActContext, output: &ActOutput) -> String {
    if context.kind == ActKind::Wait {
        return waited_for(context, output);
    }
    let mut lines = vec![did(context, output)];
    if context.already {
        let target = output.target.as_deref().unwrap_or("the page");
        let state = match context.kind {
            ActKind::Check => "checked",
            ActKind::Uncheck => "unchecked",
            _ => "as asked for",
        };
        lines[0] = format!("{target} is already {state}; nothing to do");
    }
    if let Some(value) = &output.value {
        lines.push(match value.as_str() {
            "" => "its value is empty".to_owned(),
            value => format!("value: {}", szk_text::line(value, SHOWN)),
        });
    }
    lines.extend(came_of_it(output));
    lines.extend(output.notes.iter().cloned());
    let quiet = matches!(
        context.kind,
        ActKind::Hover
            | ActKind::Scroll
            | ActKind::Resize
            | ActKind::Focus
            | ActKind::Down
            | ActKind::Move
    );
    if !output.changed && !context.already && !quiet && output.value.is_none() {
        lines.push("nothing changed in the document so far".to_owned());
    } else if context.changes > 0 && lines.len() == 1 && output.diff.is_none() {
        let noun = if context.changes == 1 {
            "change"
        } else {
            "changes"
        };
        lines.push(format!("{} {noun} in the document", context.changes));
    }
    if let Some(diff) = &output.diff {
        lines.push(format!("changed since you last looked:\n{diff}"));
    }
    lines.join("\n")
}

/// How a wait ended, and what came meanwhile: that is what was waited for.
fn waited_for(context: &ActContext, output: &ActOutput) -> String {
    let mut lines = vec![context.waited.clone()];
    let changed = output.diff.as_ref();
    lines.extend(changed.map(|diff| format!("changed since you last looked:\n{diff}")));
    lines.join("\n")
}

/// Where it led, and what opened, began or ended, a line each.
fn came_of_it(output: &ActOutput) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(navigation) = &output.navigation {
        lines.push(led_to(&output.tab, navigation));
    }
    for tab in &output.new_tabs {
        lines.push(format!("opened tab {tab}"));
    }
    for dialog in &output.dialogs {
        let answer = match dialog.accepted {
            Some(true) => "was accepted",
            Some(false) => "was dismissed",
            None => "is open",
        };
        let message = quoted(&dialog.message, SHOWN);
        lines.push(format!("{} {message} {answer}", dialog.kind));
    }
    for name in &output.downloads {
        lines.push(format!("download of {} started", quoted(name, SHOWN)));
    }
    if output.closed {
        lines.push("the tab was closed".to_owned());
    }
    if let Some(text) = &output.selection {
        lines.push(format!("selected text: {}", quoted(text, SHOWN)));
    }
    // What was acted on has the focus mostly.
    let focus = output.focus.as_ref();
    let elsewhere = focus.filter(|focus| output.target.as_ref() != Some(focus) && *focus != BODY);
    lines.extend(elsewhere.map(|focus| format!("focus: {focus}")));
    lines
}

/// The number of a tab, as soon as the supervisor has set it up.
async fn number(supervisor: &Supervisor, target_id: &str) -> Option<String> {
    let mut changes = supervisor.changes();
    let found = async {
        loop {
            changes.borrow_and_update();
            let tabs = supervisor.tabs();
            if let Some(tab) = tabs.into_iter().find(|tab| tab.page.target_id == target_id) {
                return Some(tab.id);
            }
            if changes.changed().await.is_err() {
                return None;
            }
        }
    };
    tokio::time::timeout(KNOWN, found).await.ok().flatten()
}

#[cfg(test)]
mod tests;
