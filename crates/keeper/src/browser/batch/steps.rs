//! Carries out the steps of a batch: conditions, repeats, and when to stop.

use std::path::PathBuf;
use std::sync::Arc;

use szk_page::snapshot::Pattern;
use szk_tools::browser::{Act, ActKind, BatchDone, BatchInput, BatchStep};
use szk_tools::{Call, Failure, Image, Operation, Part, Progress};

use super::{document, view};
use crate::context::Keeper;
use crate::handle;

/// Most times for one step, and how many it is until a text shows unless the step says.
const MOST: u32 = 50;
const UNTIL: u32 = 20;
/// Most operations of a call, repeats included.
const ALL: u32 = 200;

/// Where a batch is.
struct At<'a> {
    number: u32,
    /// Nothing comes after this, or a wait for the address that it leads to.
    may_move: bool,
    tab: Option<&'a str>,
}

/// Who waits for an address expects the tab to move.
fn waits_for_address(call: &Call) -> bool {
    matches!(call, Call::BrowserAct(input) if input.kind == ActKind::Wait && input.url.is_some())
}

/// A batch under way.
pub(super) struct Steps<'a> {
    keeper: &'a Arc<Keeper>,
    through: bool,
    tab: Option<&'a str>,
    total: u32,
    runs: u32,
    pub(super) done: Vec<BatchDone>,
    /// What is said of the steps.
    pub(super) parts: Vec<Part>,
    pub(super) stopped: Option<String>,
    /// Tabs in which acts were carried out.
    pub(super) acted: Vec<String>,
    pub(super) images: Vec<Image>,
    pub(super) files: Vec<PathBuf>,
}

impl<'a> Steps<'a> {
    pub(super) fn of(keeper: &'a Arc<Keeper>, input: &'a BatchInput) -> Self {
        Self {
            keeper,
            through: input.through_navigation.unwrap_or(false),
            tab: input.tab.as_deref(),
            total: input.steps.len() as u32,
            runs: 0,
            done: Vec::new(),
            parts: Vec::new(),
            stopped: None,
            acted: Vec::new(),
            images: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Carries out one step, as often as it says.
    pub(super) async fn step(
        &mut self,
        number: u32,
        step: &BatchStep,
        call: &Call,
        next: Option<&Call>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) {
        progress(Progress {
            message: step.title().to_owned(),
            done: number - 1,
            total: self.total,
            ..Progress::default()
        });
        let tab = call.input().tab().or(self.tab).map(str::to_owned);
        let mut done = BatchDone {
            tool: step.tool.clone(),
            name: step.name.clone(),
            times: None,
            data: None,
            error: None,
        };
        if let Some(why) = self.skipped(step, tab.as_deref()).await {
            self.tell(number, step, &format!("skipped, as {why}"));
            done.times = Some(0);
            self.done.push(done);
            return;
        }
        let until = step.until_text.as_deref();
        let most = step
            .repeat
            .unwrap_or(if until.is_some() { UNTIL } else { 1 });
        let mut times = 0;
        let mut shows = false;
        let before = self.parts.len();
        while self.stopped.is_none() {
            if let Some(text) = until {
                shows = self.shows(text, tab.as_deref()).await;
            }
            if shows || times >= most {
                break;
            }
            if self.runs >= ALL {
                self.stopped = Some(format!("the batch ran {ALL} operations"));
                break;
            }
            times += 1;
            self.runs += 1;
            // Of an act that is repeated, the last time says enough.
            if step.tool == Act::NAME {
                self.parts.truncate(before);
            }
            let may_move = next.is_none_or(waits_for_address) && until.is_none() && times == most;
            let at = At {
                number,
                may_move,
                tab: tab.as_deref(),
            };
            self.run(at, step, call.clone(), &mut done, progress).await;
        }
        if let (Some(text), None, false) = (until, &self.stopped, shows) {
            let text = view::quoted(text);
            self.stopped = Some(format!(
                "the page does not show {text} after step {number} was run {}",
                szk_text::counted(times.into(), "time")
            ));
        }
        if times != 1 {
            done.times = Some(times);
            self.repeated(before, number, step, times);
        }
        self.done.push(done);
    }

    /// Adds what is said of a step.
    fn tell(&mut self, number: u32, step: &BatchStep, text: &str) {
        self.parts.push(Part {
            step: number,
            text: line(number, step, text),
            failure: None,
        });
    }

    /// Says how often a step was done, in the part about its last time if that is all there is.
    fn repeated(&mut self, before: usize, number: u32, step: &BatchStep, times: u32) {
        let run = format!("run {}", szk_text::counted(times.into(), "time"));
        match &mut self.parts[before..] {
            [only] => {
                let title = format!("{number}. {}:", named(step));
                let told = only.text.split_off(title.len());
                only.text = format!("{title} {run}:{told}");
            }
            _ => self.tell(number, step, &run),
        }
    }

    async fn run(
        &mut self,
        At {
            number,
            may_move,
            tab,
        }: At<'_>,
        step: &BatchStep,
        call: Call,
        done: &mut BatchDone,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) {
        // These are meant to; and another tab that comes to the front is no other document.
        let meant = matches!(call, Call::BrowserNavigate(_) | Call::BrowserTabs(_))
            || waits_for_address(&call);
        let before = document(self.keeper, tab).await;
        let result = Box::pin(handle::step(self.keeper, call, progress)).await;
        match result {
            Ok(response) => {
                self.tell(number, step, &response.summary);
                self.images.extend(response.images);
                self.files.extend(response.files);
                if response.unmet {
                    self.stopped = Some(format!("step {number} reported a failure"));
                }
                self.note_tab(step, &response.data);
                done.data = Some(response.data);
            }
            Err(failure) => {
                self.parts.push(Part {
                    step: number,
                    text: line(number, step, ""),
                    failure: Some(failure.clone()),
                });
                self.stopped = Some(format!("step {number} failed"));
                done.error = Some(failure);
            }
        }
        if self.stopped.is_none() && !may_move && !self.through && !meant {
            let same = before.as_ref().map(|(tab, _)| tab.as_str());
            let after = document(self.keeper, tab.or(same)).await;
            // A document that a dialog blocks counts as the same.
            let stands = matches!(after, Some((_, None)));
            if matches!(before, Some((_, Some(_)))) && !stands && after != before {
                self.stopped = Some(format!("step {number} moved the tab to another document"));
            }
        }
    }

    /// Why the step is not carried out, if it is not.
    async fn skipped(&self, step: &BatchStep, tab: Option<&str>) -> Option<String> {
        if let Some(text) = &step.if_text
            && !self.shows(text, tab).await
        {
            return Some(format!("the page does not show {}", view::quoted(text)));
        }
        if let Some(text) = &step.unless_text
            && self.shows(text, tab).await
        {
            return Some(format!("the page shows {}", view::quoted(text)));
        }
        None
    }

    /// Whether a tab shows a text. A page that cannot be read shows none.
    async fn shows(&self, text: &str, tab: Option<&str>) -> bool {
        let (Some((running, tab)), Ok(Some(pattern))) =
            (self.keeper.peek(tab), Pattern::written(text))
        else {
            return false;
        };
        let shared = self.keeper.views.of(&running, &tab);
        let mut known = shared.lock().await;
        let page = view::page(&running, &tab);
        let found = known
            .find(&page, &pattern, None, 1, self.keeper.redactor())
            .await;
        found.is_ok_and(|found| found.total > 0)
    }

    /// Notes the tab of a step that acts.
    fn note_tab(&mut self, step: &BatchStep, data: &serde_json::Value) {
        let tab = data.get("tab").and_then(|tab| tab.as_str());
        if let (Act::NAME, Some(tab)) = (step.tool.as_str(), tab)
            && !self.acted.iter().any(|known| known == tab)
        {
            self.acted.push(tab.to_owned());
        }
    }
}

/// Whether a step says how often in a way that can be followed.
pub(super) fn sensible(step: &BatchStep) -> Result<(), Failure> {
    let wrong = |why: String| Err(Failure::invalid(why).about(["repeat"]));
    match step.repeat {
        Some(0) => wrong("`repeat` is 1 or more".to_owned()),
        Some(times) if times > MOST => wrong(format!("`repeat` is {MOST} at most")),
        _ => conditions(step),
    }
}

/// Whether the texts of its conditions parse, where they are regular expressions.
fn conditions(step: &BatchStep) -> Result<(), Failure> {
    let texts = [&step.if_text, &step.unless_text, &step.until_text];
    for text in texts.into_iter().flatten() {
        if text.trim().is_empty() {
            let why =
                "`if_text`, `unless_text` and `until_text` take text of the page, not an empty one";
            return Err(Failure::invalid(why).about(["if_text", "unless_text", "until_text"]));
        }
        Pattern::written(text)
            .map_err(|why| Failure::invalid(format!("`{text}` does not parse: {why}")))?;
    }
    Ok(())
}

/// A step's line in the summary. A fence must begin a line of its own.
fn line(number: u32, step: &BatchStep, summary: &str) -> String {
    let between = if summary.starts_with("```") {
        "\n"
    } else {
        " "
    };
    format!("{number}. {}:{between}{summary}", named(step))
}

fn named(step: &BatchStep) -> String {
    szk_text::line(step.title(), 100)
}
