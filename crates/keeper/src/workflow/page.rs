//! The page that a workflow works on.

use std::sync::Arc;
use std::time::Duration;

use szk_page::act::{Act, ActError, Answering, Clicking, Did, Failed, Target};
use szk_page::forms::{self, Survey, Wanted};
use szk_page::snapshot::{Handle, ReadError};
use szk_tools::{Code, Failure};
use tokio::time::Instant;

use crate::browser::{How, act_failure, page, perform, unread};
use crate::context::Keeper;
use crate::dialogs;

/// How long reading a document may take; a page that is being replaced is read again.
const READING: Duration = Duration::from_secs(10);
/// Pause before a page that was being replaced is read again.
const AGAIN: Duration = Duration::from_millis(100);

/// How what has no button was submitted.
pub(super) const ENTER: &str = "pressed Enter";

/// A tab, and the time limit of the call.
pub(super) struct WorkflowPage<'a> {
    pub(super) keeper: &'a Arc<Keeper>,
    /// The tab's id.
    pub(super) tab: String,
    /// When the call's time is up.
    pub(super) whole: Instant,
}

/// The result of an act.
pub(super) enum Done {
    /// It was done.
    Did(Box<Did>),
    /// Its element was gone before anything was done.
    Gone,
}

impl WorkflowPage<'_> {
    /// Reads the controls of all documents.
    pub(super) async fn survey(&self, wanted: &Wanted) -> Result<Survey, Failure> {
        let end = (Instant::now() + READING).min(self.whole);
        loop {
            // Looked up each time: a page that navigates may change its process.
            let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
            let shared = self.keeper.views.of(&running, &tab);
            let page = page(&running, &tab);
            let mut view = shared.lock().await;
            let reading = forms::survey(&mut view, &page, wanted);
            let reading = tokio::time::timeout_at(end, reading);
            let log = &self.keeper.event_log;
            let read = dialogs::unless_held(log, &tab.page.target_id, reading).await;
            let Some(read) = read else {
                return Err(dialogs::blocked(log, &tab));
            };
            let error = match read {
                Ok(Ok(survey)) => return Ok(survey),
                Ok(Err(ReadError::Script(error))) if error.0.contains("SyntaxError") => {
                    return Err(Failure::invalid("a selector is not valid CSS"));
                }
                Ok(Err(error)) => unread(&error),
                Err(_) => Failure::new(Code::SessionBusy, "the page does not answer")
                    .hint("see its state with `browser_screenshot`")
                    .retryable(),
            };
            if Instant::now() + AGAIN >= end || !error.retryable {
                return Err(error);
            }
            drop(view);
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Performs one act on a node that was read before.
    pub(super) async fn act(&self, act: Act, node: Handle) -> Result<Done, Failed> {
        let Ok((running, tab)) = self.keeper.tab(Some(&self.tab)).await else {
            return Ok(Done::Gone);
        };
        let found = {
            let shared = self.keeper.views.of(&running, &tab);
            let view = shared.lock().await;
            view.node(node).await
        };
        let Ok(Some(node)) = found else {
            return Ok(Done::Gone);
        };
        let how = How {
            pace: None,
            answering: Answering {
                alone: true,
                ..Answering::default()
            },
            whole: self.whole,
            logged: true,
            known: None,
        };
        let target = Some(Target::Ref(node));
        let done = perform(self.keeper, &running, &tab, act, target, how).await;
        match done {
            Ok(did) => Ok(Done::Did(Box::new(did))),
            Err(failed) if !failed.begun && is_gone(&failed) => Ok(Done::Gone),
            Err(failed) => Err(failed),
        }
    }

    /// The dialog that blocks the page, in words.
    pub(super) fn blocking(&self) -> Option<String> {
        let tab = self
            .keeper
            .session
            .tabs()
            .into_iter()
            .find(|tab| tab.id == self.tab)?;
        let prompt = dialogs::open(&self.keeper.event_log, &tab.page.target_id)?;
        let failure = dialogs::busy(&prompt, &self.tab);
        Some(match failure.hint {
            Some(hint) => format!("{}; {hint}", failure.message),
            None => failure.message,
        })
    }

    /// The failure of an act, with the dialog that is its reason, if one is.
    pub(super) fn failure(&self, failed: Failed) -> Failure {
        let open = match failed.error {
            ActError::Dialog => self.keeper.session.tabs().into_iter().find_map(|tab| {
                let ours = tab.id == self.tab;
                ours.then(|| dialogs::open(&self.keeper.event_log, &tab.page.target_id))?
            }),
            _ => None,
        };
        let busy = open.map(|prompt| dialogs::busy(&prompt, &self.tab));
        act_failure(failed, None, busy)
    }

    /// The same, if any failure ends the call.
    pub(super) async fn must(&self, act: Act, node: Handle) -> Result<Done, Failure> {
        let done = self.act(act, node).await;
        done.map_err(|failed| self.failure(failed))
    }

    /// Submits a form with its button, or else with a key in the field. Says how.
    pub(super) async fn send(
        &self,
        button: Option<(Handle, &str)>,
        field: Handle,
    ) -> Result<(Done, String), Failure> {
        if let Some((button, name)) = button {
            match self.act(Act::Click(Clicking::default()), button).await {
                Ok(done) => return Ok((done, format!("pressed {}", shown(name)))),
                // The button waits for something that never comes.
                Err(failed) if !failed.begun => {}
                Err(failed) => return Err(self.failure(failed)),
            }
        }
        let enter = "Enter"
            .parse()
            .map_err(|_| Failure::internal("`Enter` is not a key"))?;
        let done = self.must(Act::Press(enter, 1), field).await?;
        Ok((done, ENTER.to_owned()))
    }
}

fn is_gone(failed: &Failed) -> bool {
    matches!(failed.error, ActError::Stale | ActError::Gone)
}

/// A name from the page, on one line.
pub(super) fn shown(name: &str) -> String {
    szk_text::quoted(name, 60)
}
