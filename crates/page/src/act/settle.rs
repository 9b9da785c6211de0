//! Watching what an act causes, and waiting until that is over.
//!
//! Nothing here waits for a fixed time: a navigation is waited for until it has arrived, requests until
//! they are answered, the document until it has not changed for a few turns of its event loop. All of
//! it within limits, because some pages never rest.

mod absorb;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::protocol::network::EnableParams;
use szk_cdp::{Connection, Event, SessionId, Subscription, SubscriptionError};
use tokio::time::Instant;

use super::ActError;
use super::look::Press;
use super::outcome::{Journey, Navigation, Outcome};
use super::world::World;
use crate::input::Ack;

/// Ends when a dialog of the page stays open: nobody answers it soon.
pub type Asked<'a> = std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// How long what an act caused is waited for at most: some pages never rest.
const SETTLES: Duration = Duration::from_secs(10);
/// How long requests of scripts are waited for.
const REQUESTS: Duration = Duration::from_secs(3);
/// How long the answer to a click may take once the click has opened a window.
const WINDOW: Duration = Duration::from_millis(500);
/// How long a download may take to be told of, once its navigation has ended with an answer.
const TOLD: Duration = Duration::from_secs(2);
/// The same when it is not known whether there was an answer. A busy browser takes its time to say so.
const UNSURE: Duration = Duration::from_secs(1);
/// Statuses of answers that are neither a document nor a file.
const NOTHING: [u16; 2] = [204, 205];
/// How long a window that was asked for may take to be there.
const OPENING: Duration = Duration::from_secs(2);
/// Turns of the page's event loop without a change that count as quiet, when there is time for them.
/// After a click Chromium holds timers back until the next frame, so that even one turn costs a frame:
/// who is fast sees what the page did at once, and what its requests brought.
const TURNS: u32 = 3;
/// Milliseconds after which a document that never rests is left as it is.
const RESTLESS: u32 = 250;

/// Follows the events of a tab from before the first input.
pub(super) struct Watch<'a> {
    connection: Connection,
    events: Subscription,
    /// The page's session, and that of the frame that is acted in.
    sessions: Vec<SessionId>,
    target_id: String,
    /// Set with the first input: what happens before it was not caused by it.
    begun: Arc<AtomicBool>,
    deadline: Instant,
    /// Do not wait for turns of the event loop.
    quick: bool,
    /// Nothing once it has ended.
    asked: Option<Asked<'a>>,
    /// The page shows a dialog that stays open, and stands still.
    pub(super) asks: bool,
    pub(super) outcome: Outcome,
    /// Frames on their way, and where to.
    leaving: BTreeMap<String, String>,
    requests: HashSet<String>,
    /// The status of the answer to the document that each frame asked for last.
    answers: HashMap<String, u16>,
    /// That of the navigation in the outcome, where it ended without a document.
    answered: Option<u16>,
    /// Downloads that were asked for.
    pub(super) downloads: usize,
    /// Where the button was let go, if that is not where it was pressed.
    pub(super) slipped: Option<String>,
    /// A tab was asked for and is not there yet.
    expects_tab: bool,
    /// The page's new document has not been parsed yet.
    parsing: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Rest {
    changes: u64,
    focus: Option<String>,
    /// A form was sent.
    sent: bool,
    /// Links that are downloads were clicked.
    downloads: usize,
    press: Option<Press>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        connection: &Connection,
        session: &SessionId,
        target_id: &str,
        begun: Arc<AtomicBool>,
        deadline: Instant,
        quick: bool,
        asked: Asked<'a>,
    ) -> Self {
        // Requests are told to whoever asks, and pages cannot see that somebody did.
        connection.tell(Some(session), &EnableParams::default());
        Self {
            connection: connection.clone(),
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
            answered: None,
            downloads: 0,
            slipped: None,
            expects_tab: false,
            parsing: false,
        }
    }

    /// Takes the events of a frame's own process in, too.
    pub(super) fn also(&mut self, session: &SessionId) {
        if !self.sessions.contains(session) {
            self.connection
                .tell(Some(session), &EnableParams::default());
            self.sessions.push(session.clone());
        }
    }

    /// Whether there is nothing left to watch: the tab is gone, or stands still for a dialog.
    pub(super) fn over(&self) -> bool {
        self.outcome.closed || self.asks
    }

    /// Does some work while events are taken in. `None` when the tab is gone, when it stands still for a
    /// dialog, or when the time is over.
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

    /// Takes events in until `enough` says so, or until the deadline; answers whether it said so.
    async fn until(&mut self, deadline: Instant, enough: impl Fn(&Self) -> bool) -> bool {
        while !enough(self) {
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

    /// Waits until what was caused is over: `ack` answers the last event, `world` is the one that
    /// watches the document.
    pub(super) async fn settle(&mut self, ack: Option<Ack>, world: Option<&World>) {
        if self.quick {
            // Who takes time for each key has the whole of it.
            self.deadline = self.deadline.min(Instant::now() + SETTLES);
        }
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
            }
            if self.expects_tab && self.outcome.tabs.is_empty() {
                let limit = self.deadline.min(Instant::now() + OPENING);
                self.until(limit, |watch| !watch.outcome.tabs.is_empty())
                    .await;
                self.expects_tab = false;
            }
            if self.outcome.downloads.len() < self.downloads {
                // Told when the server answers; before that nothing is.
                self.until(limit, |watch| {
                    watch.outcome.downloads.len() >= watch.downloads
                })
                .await;
            }
            if !self.leaving.is_empty() || self.parsing {
                let deadline = self.deadline;
                self.until(deadline, |watch| watch.leaving.is_empty() && !watch.parsing)
                    .await;
                self.download_told().await;
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
        if self.outcome.navigation.is_none()
            && let Some((frame, url)) = self.leaving.first_key_value()
        {
            self.outcome.navigation = Some(Navigation {
                url: url.clone(),
                journey: Journey::Started,
                in_frame: *frame != self.target_id,
            });
        }
    }

    /// A navigation that ended without a document may have become a download, which is told next.
    async fn download_told(&mut self) {
        let ended = self.outcome.navigation.as_ref();
        if ended.is_none_or(|navigation| navigation.journey != Journey::Ended) {
            return;
        }
        let patience = match self.answered {
            Some(status) if NOTHING.contains(&status) => return,
            Some(_) => TOLD,
            None => UNSURE,
        };
        let limit = self.deadline.min(Instant::now() + patience);
        self.until(limit, |watch| !watch.outcome.downloads.is_empty())
            .await;
    }

    /// Waits for the answer to the last event, which comes late when that opened a window.
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
        let asked = world.ask::<Rest>("rest", &[json!(turns), json!(RESTLESS)]);
        let limit = self.deadline.min(Instant::now() + REQUESTS);
        match self.follow_until(limit, asked).await {
            Some(Ok(rest)) => {
                self.outcome.changes = rest.changes;
                self.outcome.focus = rest.focus;
                self.downloads = rest.downloads;
                self.slipped = rest.press.and_then(|press| press.slipped);
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
            // The document is gone: what comes instead has been announced, or is about to be.
            Some(Err(ActError::Gone | ActError::Closed)) if self.leaving.is_empty() => {
                let limit = self.deadline.min(Instant::now() + WINDOW);
                self.until(limit, |watch| watch.outcome.navigation.is_some())
                    .await;
            }
            Some(Err(error)) => tracing::debug!(%error, "the page could not say what changed"),
            None => self.outcome.late = !self.over(),
        }
    }

    /// Takes in what happens next.
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

    /// Waits for the dialog that stays open to be told here, too.
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
