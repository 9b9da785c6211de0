//! Keeps the pages that a client works in painted.
//!
//! A page behind another tab of its window comes to the front when a client sends it input, or runs code in
//! it that does not end at once: such code may wait for an animation frame, which a hidden page never gets.
//! Code that ends at once leaves the page where it is. If the page is sent to the back again right away,
//! another program or a person is using the window. Fighting would help neither, so the page is made to
//! believe that it is in front for as long as this client is attached.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use szk_cdp::SessionId;
use szk_cdp::protocol::dom::ScrollIntoViewIfNeededParams;
use szk_cdp::protocol::emulation::SetFocusEmulationEnabledParams;
use szk_cdp::protocol::page::BringToFrontParams;
use szk_cdp::protocol::runtime::{AwaitPromiseParams, CallFunctionOnParams, EvaluateParams};
use tokio::time::Instant;

use super::client::Client;
use super::commands::Addressed;
use super::end::End;
use crate::{SharedBrowser, visibility};

/// Code that waits for nothing has finished by then, unless the page is busy.
const GLANCE: Duration = Duration::from_millis(150);

/// How often to check a page that the client works in.
const EVERY: Duration = Duration::from_millis(250);

/// How long a page may take to say whether it is hidden.
const PATIENCE: Duration = Duration::from_secs(2);

/// A page that was in front this recently has a rival.
const RIVALRY: Duration = Duration::from_secs(3);

/// How often a page may come to the front in that time, whoever sends it to the back.
const OFTEN: usize = 3;

/// The pages that a client works in, which must be painted.
#[derive(Default)]
pub(super) struct Foreground {
    pages: HashMap<String, Page>,
    pub(super) steps: FuturesUnordered<BoxFuture<'static, Step>>,
    /// The page that this client brought to the front last.
    last: Option<String>,
}

#[derive(Default)]
struct Page {
    /// Whether a step is in progress.
    watched: bool,
    /// The last command when the step began.
    mark: u64,
    /// The command that has waited longer than that.
    waits: Option<u64>,
    /// When it was last seen not to be hidden.
    seen: Option<Instant>,
    /// When it recently came to the front.
    fronts: VecDeque<Instant>,
}

/// The result of watching a page.
pub(super) enum Step {
    /// Time to check whether there is still work.
    Due(String),
    /// Whether it is hidden.
    Looked(String, bool),
}

/// How to make a hidden page paint.
#[derive(Debug, PartialEq, Eq)]
enum WakeBy {
    /// Bring it to the front, as a person would.
    BringToFront,
    /// Leave it where it is, but make it believe that it has the focus.
    EmulateFocus,
}

impl Foreground {
    /// The client runs code in a page, by the command with this number.
    fn used(&mut self, target: &str, number: u64) {
        if !self.pages.contains_key(target) {
            self.pages.insert(target.to_owned(), Page::default());
        }
        let Some(page) = self.pages.get_mut(target) else {
            return;
        };
        if !std::mem::replace(&mut page.watched, true) {
            page.mark = number;
            self.wait(target.to_owned(), GLANCE);
        }
    }

    fn wait(&self, target: String, time: Duration) {
        self.steps.push(Box::pin(async move {
            tokio::time::sleep(time).await;
            Step::Due(target)
        }));
    }

    /// Whether it was seen a moment ago.
    fn is_seen(&self, target: &str) -> bool {
        let seen = self.pages.get(target).and_then(|page| page.seen);
        seen.is_some_and(|seen| seen.elapsed() < EVERY)
    }

    /// Checks the page if the `oldest` unanswered command was sent before the step began; `last` is the
    /// last one that was sent.
    fn due(&mut self, target: String, oldest: Option<u64>, last: u64, browser: &SharedBrowser) {
        let Some(page) = self.pages.get_mut(&target) else {
            return;
        };
        let mark = std::mem::replace(&mut page.mark, last);
        page.waits = oldest.filter(|oldest| *oldest <= mark);
        if page.waits.is_some() {
            let browser = Arc::clone(browser);
            self.steps.push(Box::pin(async move {
                let hidden = visibility::is_hidden(browser, &target, PATIENCE).await;
                Step::Looked(target, hidden)
            }));
        } else if oldest.is_some() {
            self.wait(target, GLANCE);
        } else {
            page.watched = false;
        }
    }

    /// The page was checked, and will be again in a while. Returns the command that it was checked for.
    fn looked(&mut self, target: &str, hidden: bool) -> Option<u64> {
        let page = self.pages.get_mut(target)?;
        page.seen = (!hidden).then(Instant::now);
        let waits = page.waits.take();
        self.wait(target.to_owned(), EVERY);
        waits
    }

    /// How to wake a hidden page.
    fn wake(&mut self, target: &str, now: Instant) -> WakeBy {
        let last = self.last.replace(target.to_owned());
        let page = self.pages.entry(target.to_owned()).or_default();
        page.seen = Some(now);
        let fronts = &mut page.fronts;
        fronts.retain(|at| now.duration_since(*at) < RIVALRY);
        let mine = last.as_deref() == Some(target);
        if fronts.len() >= OFTEN || (mine && !fronts.is_empty()) {
            return WakeBy::EmulateFocus;
        }
        fronts.push_back(now);
        WakeBy::BringToFront
    }

    /// Forgets a target that is gone.
    pub(super) fn forget(&mut self, target: &str) {
        self.pages.remove(target);
    }
}

impl Client {
    /// Whether a command runs code in a page that can run.
    pub(super) fn works(&self, command: &Addressed) -> bool {
        works(&command.method) && !self.targets.pauses(&command.session)
    }

    /// Watches the page that a command runs code in.
    pub(super) fn attend(&mut self, session: &SessionId, number: u64) {
        if let Some(page) = self.targets.page_around(session) {
            self.foreground.used(page, number);
        }
    }

    /// The page that gets the input, unless it was seen a moment ago.
    pub(super) fn unseen(&self, session: &SessionId) -> Option<&str> {
        let page = self.targets.page_around(session)?;
        (!self.targets.pauses(session) && !self.foreground.is_seen(page)).then_some(page)
    }

    /// Continues to watch a page.
    pub(super) fn watch(&mut self, step: Step) -> Result<(), End> {
        match step {
            Step::Due(target) => {
                let oldest = self.oldest(&target);
                let last = self.pending.last();
                self.foreground.due(target, oldest, last, &self.browser);
                Ok(())
            }
            Step::Looked(target, hidden) => {
                // The page could answer by now, so an unanswered command waits for something.
                let command = self.foreground.looked(&target, hidden);
                let waits = command.is_some_and(|number| self.pending.holds(number));
                if hidden && waits {
                    self.wake(&target)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Wakes a hidden page. Later commands of this client find it awake.
    pub(super) fn wake(&mut self, target: &str) -> Result<(), End> {
        let wake = self.foreground.wake(target, Instant::now());
        tracing::debug!(target, ?wake, "a client works in a page that is hidden");
        if wake == WakeBy::EmulateFocus
            && let Some(session) = self.targets.session_with(target)
        {
            return self.tell(&session, &SetFocusEmulationEnabledParams::new(true));
        }
        if let Some(session) = self.browser.page_session(target) {
            let connection = self.browser.connection();
            connection.tell(Some(&session), &BringToFrontParams::default());
        }
        Ok(())
    }

    /// The oldest unanswered command that runs code in a page.
    fn oldest(&self, target: &str) -> Option<u64> {
        let working = self.pending.working();
        let in_page = working.filter(|(_, session)| {
            let session = session.unwrap_or(&self.root);
            self.targets.page_around(session) == Some(target)
        });
        in_page.map(|(number, _)| number).min()
    }
}

/// Whether a command runs code in a page or sends it input: what it starts may wait for the page to be
/// painted.
fn works(method: &str) -> bool {
    const WORK: [&str; 4] = [
        EvaluateParams::IDENTIFIER,
        CallFunctionOnParams::IDENTIFIER,
        AwaitPromiseParams::IDENTIFIER,
        ScrollIntoViewIfNeededParams::IDENTIFIER,
    ];
    method.starts_with("Input.") || WORK.contains(&method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_page_with_a_rival_gets_emulated_focus() {
        let mut awake = Foreground::default();
        let start = Instant::now();
        let mut at = |ms, target| awake.wake(target, start + Duration::from_millis(ms));
        assert_eq!(at(0, "a"), WakeBy::BringToFront);
        assert_eq!(at(250, "a"), WakeBy::EmulateFocus, "hidden again at once");
        assert_eq!(
            at(4000, "a"),
            WakeBy::BringToFront,
            "later it is another matter"
        );
        // The client's own pages, one after the other.
        assert_eq!(at(5000, "b"), WakeBy::BringToFront);
        assert_eq!(at(5500, "a"), WakeBy::BringToFront);
        assert_eq!(at(5750, "b"), WakeBy::BringToFront);
        assert_eq!(at(6000, "a"), WakeBy::BringToFront);
        assert_eq!(at(6250, "b"), WakeBy::BringToFront);
        assert_eq!(at(6500, "a"), WakeBy::EmulateFocus, "and not for ever");
    }
}
