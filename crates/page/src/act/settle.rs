//! Watches what an act causes, and waits until that is over.
//!
//! Nothing here waits for a fixed time: a navigation is over when it has arrived, requests when they
//! are answered, the document when it has not changed for a few turns of its event loop. All of it
//! within limits, because some pages never settle.

mod absorb;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use szk_cdp::protocol::page::GetNavigationHistoryParams;
use szk_cdp::{Connection, Event, SessionId, Subscription, SubscriptionError};
use tokio::time::Instant;

use super::ActError;
use super::actor::FieldValue;
use super::look::Press;
use super::outcome::{Journey, Navigation, Outcome, Refusal};
use super::world::World;
use crate::input::Ack;

/// Completes when a dialog of the page stays open and will not be answered soon.
pub type BlockedByDialog<'a> = std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Longest wait for the effects of an act: some pages never settle.
const SETTLES: Duration = Duration::from_secs(10);
/// Longest wait for script requests.
const REQUESTS: Duration = Duration::from_secs(3);
/// How long the reply to a click may take once the click has opened a window.
const WINDOW: Duration = Duration::from_millis(500);
/// How long Chromium may take to report a download whose navigation has ended with a response.
const TOLD: Duration = Duration::from_secs(2);
/// The same if we do not know whether there was a response. A busy browser takes a while to say.
const UNSURE: Duration = Duration::from_secs(1);
/// Response statuses that bring neither a document nor a file.
const NOTHING: [u16; 2] = [204, 205];
/// How long a requested window may take to appear.
const OPENING: Duration = Duration::from_secs(2);
/// Turns of the page's event loop without a change that count as settled, if there is time for them.
/// After a click Chromium holds timers back until the next frame, so even one turn costs a frame: the
/// fast pace sees at once what the page did and what its requests brought.
const TURNS: u32 = 3;
/// Milliseconds after which we give up on a document that never settles.
const RESTLESS: u32 = 250;

/// Follows a tab's events from before the first input.
pub(super) struct Watch<'a> {
    events: Subscription,
    /// The session of the page, and that of the frame we act in.
    sessions: Vec<SessionId>,
    target_id: String,
    /// Set with the first input: anything before it is not an effect.
    begun: Arc<AtomicBool>,
    deadline: Instant,
    /// Skip waiting for turns of the event loop.
    quick: bool,
    /// `None` once it has completed.
    asked: Option<BlockedByDialog<'a>>,
    /// The page is blocked by a dialog that stays open.
    pub(super) asks: bool,
    pub(super) outcome: Outcome,
    /// Navigating frames, and where to.
    leaving: BTreeMap<String, String>,
    requests: HashSet<String>,
    /// The response status of each frame's last requested document.
    answers: HashMap<String, u16>,
    /// Why documents could not be loaded, by their requests.
    failures: HashMap<String, String>,
    /// That of the navigation in the outcome, if it ended without a document.
    answered: Option<u16>,
    /// Requested downloads.
    pub(super) downloads: usize,
    /// Where the button was released, if not where it was pressed.
    pub(super) slipped: Option<String>,
    /// What was pressed got no click, as the page had replaced it.
    pub(super) replaced: bool,
    /// A tab was requested and has not appeared yet.
    expects_tab: bool,
    /// A `javascript:` address was followed, which runs after the event that led to it.
    ran_address: bool,
    /// The page's new document has not been parsed yet.
    parsing: bool,
    /// Its id, which is also that of its request.
    document: String,
    /// A question about the field that was written into, to be asked once the document is quiet.
    pub(super) question: Option<Value>,
    /// Its answer, if nothing was waited for since.
    pub(super) field: Option<FieldValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Rest {
    changes: u64,
    /// Of these, what looks as if it changed by itself.
    ticks: u64,
    /// Of these, `input` and `change` events.
    own: u64,
    /// What changed says that the page is at work.
    working: bool,
    focus: Option<String>,
    /// The target of a press has it.
    led: bool,
    selection: Option<String>,
    /// A form was submitted.
    sent: bool,
    /// The page wants to be printed.
    printed: bool,
    /// Download links that were clicked.
    downloads: usize,
    press: Option<Press>,
    refused: Option<Refusal>,
    field: Option<FieldValue>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        connection: &Connection,
        session: &SessionId,
        target_id: &str,
        begun: Arc<AtomicBool>,
        deadline: Instant,
        quick: bool,
        asked: BlockedByDialog<'a>,
    ) -> Self {
        Self {
            events: connection.subscribe(),
            sessions: vec![session.clone()],
            target_id: target_id.to_owned(),
            begun,
            deadline,
            quick,
            asked: Some(asked),
            asks: false,
            outcome: Outcome::default(),
            leaving: BTreeMap::new(),
            requests: HashSet::new(),
            answers: HashMap::new(),
            failures: HashMap::new(),
            answered: None,
            downloads: 0,
            slipped: None,
            replaced: false,
            expects_tab: false,
            ran_address: false,
            parsing: false,
            document: String::new(),
            question: None,
            field: None,
        }
    }

    /// Also takes the events of a frame's own process.
    pub(super) fn also(&mut self, session: &SessionId) {
        if !self.sessions.contains(session) {
            self.sessions.push(session.clone());
        }
    }

    /// Whether there is nothing left to watch: the tab is gone, or blocked by a dialog.
    pub(super) fn over(&self) -> bool {
        self.outcome.closed || self.asks
    }

    /// Does some work while taking in events. `None` if the tab is gone, blocked by a dialog, or out
    /// of time.
    pub(super) async fn follow<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let deadline = self.deadline;
        self.follow_until(deadline, work).await
    }

    async fn follow_until<T>(
        &mut self,
        deadline: Instant,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                () = self.next() => {}
                done = &mut work => return Some(done),
                () = tokio::time::sleep_until(deadline) => return None,
            }
            if self.over() {
                return None;
            }
        }
    }

    /// Takes in events until `enough` returns true or the deadline passes; returns which.
    async fn until(&mut self, deadline: Instant, enough: impl Fn(&Self) -> bool) -> bool {
        while !enough(self) {
            self.field = None;
            tokio::select! {
                () = self.next() => {}
                () = tokio::time::sleep_until(deadline) => return false,
            }
            if self.over() {
                return true;
            }
        }
        true
    }

    /// Waits until the effects are over: `ack` is the reply to the last event, `world` the one that
    /// watches the document.
    pub(super) async fn settle(&mut self, ack: Option<Ack>, world: Option<&World>) {
        let whole = self.deadline;
        self.deadline = whole.min(Instant::now() + SETTLES);
        self.effects(ack, world).await;
        // A second attempt, and reading fields back, have the time of the call.
        self.deadline = whole;
    }

    async fn effects(&mut self, ack: Option<Ack>, world: Option<&World>) {
        if let Some(ack) = ack {
            self.answer(ack).await;
        }
        let limit = self.deadline.min(Instant::now() + REQUESTS);
        for nth in 0..4 {
            if self.over() {
                break;
            }
            if let Some(world) = world
                && self.leaving.is_empty()
                && !self.outcome.late
            {
                let turns = if self.quick && nth == 0 { 0 } else { TURNS };
                self.rest(world, turns).await;
                if self.ran_address && self.nothing_yet() {
                    self.rest(world, TURNS).await;
                    self.browser_heard(world).await;
                }
            }
            if self.expects_tab && self.outcome.tabs.is_empty() {
                let limit = self.deadline.min(Instant::now() + OPENING);
                self.until(limit, |watch| !watch.outcome.tabs.is_empty())
                    .await;
                self.expects_tab = false;
            }
            if self.outcome.downloads.len() < self.downloads {
                // Reported when the server responds, and not before.
                self.until(limit, |watch| {
                    watch.outcome.downloads.len() >= watch.downloads
                })
                .await;
            }
            if !self.leaving.is_empty() || self.parsing {
                self.arrivals(limit).await;
                break;
            }
            if self.requests.is_empty() {
                break;
            }
            self.until(limit, |watch| {
                watch.requests.is_empty() || !watch.leaving.is_empty()
            })
            .await;
            if Instant::now() >= limit {
                break;
            }
        }
        // Also for one that ended while something else was waited for.
        self.download_told().await;
        if self.outcome.navigation.is_none()
            && let Some((frame, url)) = self.leaving.first_key_value()
        {
            self.outcome.navigation = Some(Navigation {
                url: url.clone(),
                journey: Journey::Started,
                in_frame: *frame != self.target_id,
                status: None,
                failed: None,
            });
        }
    }

    /// Waits until what navigates has arrived; what only frames load, not beyond `limit`.
    async fn arrivals(&mut self, limit: Instant) {
        let all = |watch: &Self| watch.leaving.is_empty() && !watch.parsing;
        let page = |watch: &Self| !watch.leaving.contains_key(&watch.target_id) && !watch.parsing;
        if !self.until(limit, all).await {
            let deadline = self.deadline;
            self.until(deadline, page).await;
        }
    }

    /// A navigation that ended without a document may have become a download, which is reported next.
    async fn download_told(&mut self) {
        if !self.ended() {
            return;
        }
        let patience = match self.answered {
            Some(status) if NOTHING.contains(&status) => return,
            Some(_) => TOLD,
            None => UNSURE,
        };
        let limit = self.deadline.min(Instant::now() + patience);
        // Loading also stops, at times, just before a page comes out of the back/forward cache.
        self.until(limit, |watch| {
            !watch.outcome.downloads.is_empty() || !watch.ended()
        })
        .await;
        if self.parsing {
            self.arrivals(self.deadline.min(Instant::now() + REQUESTS))
                .await;
        }
    }

    /// Whether the navigation ended without a document, as far as is known.
    fn ended(&self) -> bool {
        let navigation = self.outcome.navigation.as_ref();
        navigation.is_some_and(|navigation| navigation.journey == Journey::Ended)
    }

    /// Waits for the reply to the last event, which is late if that opened a window.
    async fn answer(&mut self, ack: Ack) {
        let mut ack = std::pin::pin!(ack);
        let first = self.deadline;
        loop {
            tokio::select! {
                biased;
                () = self.next() => {}
                _ = &mut ack => return,
                () = tokio::time::sleep_until(first) => break,
            }
            if self.over() {
                return;
            }
            if !self.outcome.tabs.is_empty() {
                let limit = self.deadline.min(Instant::now() + WINDOW);
                if self.follow_until(limit, ack).await.is_none() {
                    break;
                }
                return;
            }
        }
        self.outcome.late = !self.over();
    }

    /// Waits until the document is quiet.
    async fn rest(&mut self, world: &World, turns: u32) {
        let asked = [json!(turns), json!(RESTLESS), json!(self.question)];
        let asked = world.ask::<Rest>("rest", &asked);
        let limit = self.deadline.min(Instant::now() + REQUESTS);
        match self.follow_until(limit, asked).await {
            Some(Ok(rest)) => {
                self.outcome.changes = rest.changes;
                self.outcome.ticks = rest.ticks;
                self.outcome.own = rest.own;
                self.outcome.working = rest.working;
                self.outcome.printed = rest.printed;
                self.outcome.focus_led = rest.led && rest.focus.is_some();
                self.outcome.focus = rest.focus;
                self.outcome.selection = rest.selection;
                self.downloads = rest.downloads;
                self.field = rest.field;
                self.outcome.refused = rest.refused;
                let press = rest.press.unwrap_or_default();
                (self.slipped, self.replaced) = (press.slipped, press.replaced);
                if rest.sent && self.outcome.navigation.is_none() {
                    let limit = self.deadline.min(Instant::now() + WINDOW);
                    self.until(limit, |watch| {
                        !watch.leaving.is_empty()
                            || watch.expects_tab
                            || watch.outcome.navigation.is_some()
                    })
                    .await;
                }
            }
            // The document is gone: what replaces it has been announced, or is about to be.
            Some(Err(ActError::Gone | ActError::Closed)) if self.leaving.is_empty() => {
                let limit = self.deadline.min(Instant::now() + WINDOW);
                self.until(limit, |watch| {
                    watch.outcome.navigation.is_some() || watch.outcome.frames_removed > 0
                })
                .await;
            }
            Some(Err(error)) => tracing::debug!(%error, "cannot tell what changed in the page"),
            None => self.outcome.late = !self.over(),
        }
    }

    /// Whether no effect is known.
    fn nothing_yet(&self) -> bool {
        let outcome = &self.outcome;
        !self.over()
            && !outcome.late
            && outcome.changes == 0
            && outcome.navigation.is_none()
            && outcome.tabs.is_empty()
            && self.leaving.is_empty()
            && self.requests.is_empty()
            && !self.expects_tab
    }

    /// Waits until the browser's process has dealt with what the page asked of it: it alone tells that the page
    /// goes back in the history, which may be a moment after the page is quiet.
    async fn browser_heard(&mut self, world: &World) {
        let limit = self.deadline.min(Instant::now() + WINDOW);
        let asked = GetNavigationHistoryParams::default();
        let asked = world.command::<IgnoredAny>(&asked);
        // Err: the page is gone, which other events tell of.
        let _ = self.follow_until(limit, asked).await;
    }

    /// Takes in the next event.
    async fn next(&mut self) {
        let asked = async {
            match &mut self.asked {
                Some(asked) => asked.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = self.events.recv() => self.take(event),
            () = asked => {
                self.asked = None;
                self.asks = true;
            }
        }
    }

    /// Waits until the open dialog is reported here, too.
    pub(super) async fn dialog_told(&mut self) {
        let told = |watch: &Self| {
            let open = watch.outcome.dialogs.last();
            open.is_some_and(|dialog| dialog.accepted.is_none())
        };
        let limit = Instant::now() + OPENING;
        while self.asks && !told(self) && !self.outcome.closed {
            tokio::select! {
                () = self.next() => {}
                () = tokio::time::sleep_until(limit) => return,
            }
        }
    }

    fn take(&mut self, event: Result<Arc<Event>, SubscriptionError>) {
        match event {
            Ok(event) => self.absorb(&event),
            Err(SubscriptionError::Lagged(_)) => {}
            Err(SubscriptionError::Closed) => self.outcome.closed = true,
        }
    }
}
