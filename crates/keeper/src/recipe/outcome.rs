//! What a step is expected to have done to its own element, or to the page at all, and what a run leaves open.

use szk_page::event_log::Prompted;
use szk_page::snapshot::Handle;
use szk_recipes::{Expect, Identity, Step};
use szk_tools::Failure;
use szk_tools::browser::ActDialog;

use super::look;
use super::run::Run;
use super::save;
use crate::browser;
use crate::dialogs;

/// Most of a dialog's text, in characters.
const DIALOG: usize = 500;

/// The last step that acted on the page.
#[derive(Default)]
pub(super) struct Acted {
    /// Its element, with what it was looked for by.
    on: Option<(Handle, Identity)>,
    /// Whether it is known to have changed something.
    stirred: bool,
}

impl Run<'_> {
    /// Notes the element that a step is about to act on, if something is expected of it.
    pub(super) async fn acts_on(&mut self, step: &Step, reference: &str, wanted: &Identity) {
        let expects = step
            .expect
            .as_ref()
            .is_some_and(|expect| !expect.state.is_empty() || !expect.place.is_empty());
        if !expects {
            return;
        }
        if let Some((running, tab)) = self.keeper.peek(Some(&self.tab)) {
            let shared = self.keeper.views.of(&running, &tab);
            let handle = shared.lock().await.handle(reference);
            self.acted.on = handle.map(|handle| (handle, wanted.clone()));
        }
    }

    /// Notes whether the act that was just carried out has changed something.
    pub(super) fn has_acted(&mut self, step: &Step) {
        let asked = step.expect.as_ref().and_then(|expect| expect.changes);
        if asked.is_some() {
            let acts = save::since(self.keeper, &self.tab, 0);
            self.acted.stirred = acts.last().is_some_and(|(_, acted)| acted.effect.visible);
        }
    }

    /// What of all that a step is expected to have done is not so.
    pub(super) async fn undone(&mut self, expect: &Expect) -> Result<Option<String>, Failure> {
        if expect.changes == Some(true) && !self.acted.stirred {
            let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
            self.acted.stirred = browser::stirs(self.keeper, &running, &tab).await;
            if !self.acted.stirred {
                return Ok(Some("nothing changed".to_owned()));
            }
        }
        if expect.state.is_empty() && expect.place.is_empty() {
            return Ok(None);
        }
        let Some((handle, wanted)) = &self.acted.on else {
            return Ok(Some("nothing is known of its element".to_owned()));
        };
        let (running, tab) = self.keeper.tab(Some(&self.tab)).await?;
        let shared = self.keeper.views.of(&running, &tab);
        let ask = async |handle| {
            let view = shared.lock().await;
            let asked = view.condition(handle, false, Some(&expect.place)).await;
            // Its document is gone, or on its way out.
            asked.ok().flatten()
        };
        let mut now = ask(*handle).await;
        if now.is_none() {
            // Whoever draws a page anew puts another element in its place.
            now = match look::again(self.keeper, &running, &tab, wanted).await {
                Some(heir) => ask(heir).await,
                None => None,
            };
        }
        let Some(now) = now else {
            return Ok(Some(
                "the page does not show its element any more".to_owned(),
            ));
        };
        if let Some(unmet) = expect.state.unmet(&now.state) {
            return Ok(Some(format!("the element is {unmet}")));
        }
        let mut texts = expect.place.texts();
        let astray = texts.find(|(name, _)| now.astray.iter().any(|one| one == name));
        Ok(astray.map(|(name, text)| format!("the element is not {name} {text:?}")))
    }
}

/// The dialog that the run leaves open in its tab; it holds up whatever comes next.
pub(super) fn left_open(run: &Run<'_>) -> Vec<ActDialog> {
    let open = run
        .keeper
        .peek(Some(&run.tab))
        .and_then(|(_, tab)| dialogs::open(&run.keeper.event_log, &tab.page.target_id));
    let open = open.filter(|prompt| prompt.held);
    let told = open.and_then(|prompt| match prompt.what {
        Prompted::Dialog {
            r#type, message, ..
        } => Some(ActDialog {
            kind: r#type,
            message: szk_text::line(&message, DIALOG),
            accepted: None,
        }),
        Prompted::Chooser(_) | Prompted::Download { .. } => None,
    });
    told.into_iter().collect()
}
