//! What an act did, said in a few lines.

use std::time::Duration;

use szk_page::act::{Did, Journey};
use szk_runtime::supervisor::{Supervisor, Tab};
use szk_tools::browser::{Act, ActDialog, ActInput, ActKind, ActNavigation, ActOutput};
use szk_tools::{Failure, Response};

use crate::browser::shown;
use crate::context::Keeper;

/// How long a new tab may take to be known by its number.
const KNOWN: Duration = Duration::from_secs(2);
/// A value longer than this, in characters, is cut in the summary.
const SHOWN: usize = 300;

pub(super) async fn answer(
    keeper: &Keeper,
    supervisor: &Supervisor,
    tab: &Tab,
    input: &ActInput,
    did: Did,
    diff: Option<String>,
) -> Result<Response, Failure> {
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
        notes.push("the page has not answered yet: it is busy".to_owned());
    }
    let changed = outcome.happened();
    let open = outcome.open_dialog().is_some();
    let mut output = ActOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        target: did.target,
        x: did.at.map(|at| at.0),
        y: did.at.map(|at| at.1),
        value: did.value,
        changed,
        navigation: outcome.navigation.map(|navigation| ActNavigation {
            url: navigation.url,
            state: state(navigation.journey).to_owned(),
            in_frame: navigation.in_frame,
        }),
        new_tabs,
        dialogs: outcome
            .dialogs
            .into_iter()
            .map(|dialog| ActDialog {
                kind: dialog.kind,
                message: dialog.message,
                accepted: dialog.accepted,
            })
            .collect(),
        downloads: outcome
            .downloads
            .into_iter()
            .map(|download| download.filename)
            .collect(),
        requests: outcome.requests,
        focus: outcome.focus,
        closed: outcome.closed,
        notes,
        diff,
    };
    let asked = Asked {
        kind: input.kind,
        already: did.already,
        differs: did.differs,
        changes: outcome.changes,
    };
    let summary = summary(&asked, &output);
    if open {
        // In the text, the line about everything that is open says it.
        output.notes.push(next(keeper));
    }
    Response::of::<Act>(summary, &output)
}

/// What to do about a dialog that is open.
fn next(keeper: &Keeper) -> String {
    let how = "answer the dialog with `browser_arm`: `event` dialog, `accept` true or false, `text` for a prompt";
    if keeper.seen() {
        return how.to_owned();
    }
    let seconds = keeper.session.resolved().settings.session.dialog_seconds;
    format!("{how}; after {seconds} s it is dismissed")
}

/// What the output does not say.
struct Asked {
    kind: ActKind,
    already: bool,
    differs: bool,
    changes: u64,
}

fn summary(asked: &Asked, output: &ActOutput) -> String {
    let done = match asked.kind {
        ActKind::Click => "clicked",
        ActKind::Type => "typed into",
        ActKind::Fill => "filled",
        ActKind::Press => "pressed in",
        ActKind::Hover => "pointer on",
        ActKind::Drag => "dragged",
        ActKind::Select => "selected in",
        ActKind::Check => "checked",
        ActKind::Uncheck => "unchecked",
        ActKind::Scroll => "scrolled",
        ActKind::Upload => "gave files to",
        ActKind::Wait => return "it is there".to_owned(),
        ActKind::Resize => "resized",
        ActKind::Focus => "focused",
    };
    let target = output.target.as_deref().unwrap_or(match asked.kind {
        ActKind::Click | ActKind::Hover | ActKind::Drag => "the place",
        _ => "the page",
    });
    let mut lines = vec![format!("{done} {target}")];
    if asked.already {
        lines[0] = format!("{target} is so already; nothing was done");
    }
    if let Some(value) = &output.value {
        let cut: String = value.chars().take(SHOWN).collect();
        let dots = if cut.len() < value.len() { "…" } else { "" };
        let but = if asked.differs {
            ", not what was asked for"
        } else {
            ""
        };
        lines.push(format!("value: {cut}{dots}{but}"));
    }
    if let Some(navigation) = &output.navigation {
        let who = if navigation.in_frame {
            "a frame"
        } else {
            &output.tab
        };
        let url = shown(&navigation.url);
        lines.push(match navigation.state.as_str() {
            "arrived" => format!("{who} is at {url}"),
            "within" => format!("{who} is at {url}, in the same document"),
            "started" => format!("{who} is on its way to {url}"),
            _ => format!("{url} was asked for and loaded no document"),
        });
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
        lines.push(format!("{} \"{}\" {answer}", dialog.kind, dialog.message));
    }
    for name in &output.downloads {
        lines.push(format!("download of `{name}` began"));
    }
    if output.closed {
        lines.push("the tab was closed".to_owned());
    }
    if let Some(focus) = &output.focus {
        lines.push(format!("focus: {focus}"));
    }
    lines.extend(output.notes.iter().cloned());
    let quiet = matches!(
        asked.kind,
        ActKind::Hover | ActKind::Scroll | ActKind::Resize | ActKind::Focus
    );
    if !output.changed && !asked.already && !quiet && output.value.is_none() {
        lines.push("nothing changed in the document so far".to_owned());
    } else if asked.changes > 0 && lines.len() == 1 {
        lines.push(format!("{} changes in the document", asked.changes));
    }
    if let Some(diff) = &output.diff {
        lines.push(format!("changed in the snapshot:\n{diff}"));
    }
    lines.join("\n")
}

fn state(journey: Journey) -> &'static str {
    match journey {
        Journey::Started => "started",
        Journey::Arrived => "arrived",
        Journey::Within => "within",
        Journey::Ended => "ended",
    }
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
