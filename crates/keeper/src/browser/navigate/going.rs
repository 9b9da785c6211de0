//! A navigation, from its start until the document is where the caller wants it.

use std::pin::{Pin, pin};
use std::sync::Arc;

use szk_page::Page;
use szk_page::navigation::{
    self, Arrival, Arrived, Awaited, End, Milestone, Move, MoveError, NO_CONTENT, Next,
    PendingStart, Started, WatchError,
};
use szk_runtime::session::SessionError;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{History, Wait};
use szk_tools::{Code, Done, Failure};

use super::super::arm::Leaving;
use super::error_text;
use super::leaving::close_dialogs;
use super::refused::{HTTP_ERROR, failed, nothing_came, refused};
use crate::context::Keeper;
use crate::{dialogs, failure};

/// Where to.
pub(super) enum Target {
    Url(String),
    History(History),
}

/// What became of a navigation.
pub(super) enum Outcome {
    /// A new document is there; it is being read.
    Loaded(Arrived),
    /// The document is the one that was there, and moved within itself, or a frame of it did.
    Within,
    /// An earlier document is there again, as it was left.
    Restored,
    /// What came is a download: the document is the one that was there.
    Download,
    /// The browser shows its own page, which says why this address could not be loaded.
    Unreachable(String),
}

/// Starts the navigation and waits for what becomes of it.
pub(super) async fn go(
    keeper: &Arc<Keeper>,
    page: &Page,
    tab: &Tab,
    target: &Target,
    wait: Wait,
) -> Result<Outcome, Failure> {
    let target_id = &tab.page.target_id;
    let _leaving = keeper.slots.leaving(target_id);
    close_dialogs(keeper, page, tab).await;
    // A dialog of the old document goes with it.
    let old = dialogs::open(&keeper.event_log, target_id).map(|prompt| prompt.id);
    let dialog = pin!(dialogs::another_held(&keeper.event_log, target_id, old));
    let milestone = match wait {
        Wait::Commit => Milestone::Commit,
        Wait::Domcontentloaded => Milestone::DomContentLoaded,
        Wait::Load => Milestone::Load,
        Wait::Networkidle => Milestone::NetworkIdle,
    };
    // A dialog that is open goes with its document; what a loop opens after it is answered.
    let departing = keeper.slots.departing(target_id);
    let journey = Journey {
        keeper,
        page,
        tab,
        arrival: Arrival::watch(&keeper.worlds, page, milestone, departing),
        pending: PendingStart::new(page),
    };
    match target {
        Target::Url(url) => journey.to(url, dialog).await,
        Target::History(history) => journey.through(*history, milestone, dialog).await,
    }
}

/// One navigation of a tab.
struct Journey<'a> {
    keeper: &'a Arc<Keeper>,
    page: &'a Page,
    tab: &'a Tab,
    arrival: Arrival<Leaving<'a>>,
    pending: PendingStart,
}

impl Journey<'_> {
    /// To an address. A navigation that was lost with a process of the browser begins once more.
    async fn to(
        mut self,
        url: &str,
        mut dialog: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Outcome, Failure> {
        let session = &self.keeper.session;
        let mut retry = true;
        loop {
            self.pending.arm();
            let losses = session.losses();
            let started = self.start(url).await;
            self.pending.disarm();
            let loader = match started? {
                Started::Document(loader) => loader,
                Started::Within => return Ok(Outcome::Within),
                Started::Download => return Ok(Outcome::Download),
                Started::Failed(text) if text == NO_CONTENT => {
                    let shown = error_text(self.keeper, self.page).await;
                    let says = shown.starts_with(HTTP_ERROR);
                    return Err(failed(url, if says { &shown } else { &text }));
                }
                Started::Failed(text) => return Err(failed(url, &text)),
                Started::Nothing => return Err(nothing_came(url)),
                Started::Lost if retry => {
                    retry = false;
                    continue;
                }
                // The browser itself may be about to end.
                Started::Lost => return Err(nothing_came(url).retryable()),
            };
            let document = Awaited {
                loader,
                committed: false,
            };
            let end = self.arrival.reached(document, dialog.as_mut()).await;
            match end.map_err(|error| cut_off(self.tab, error))? {
                // It was loaded without the cookies or storage that are back now.
                End::There
                    if retry && (session.stores_back().await || session.losses() != losses) =>
                {
                    retry = false;
                }
                End::There => return Ok(Outcome::Loaded(self.arrival.end())),
                End::Stopped if retry => retry = false,
                End::Stopped => return Err(nothing_came(url).retryable()),
            }
        }
    }

    /// Sends the page on its way, once its cookies and storage are back after a crash: before that it
    /// would be logged out, or find older entries.
    async fn start(&self, url: &str) -> Result<Started, Failure> {
        let session = &self.keeper.session;
        session.stores_back().await;
        let started = navigation::start(self.page, url).await;
        let started = started.map_err(|error| refused(url, &error))?;
        if !matches!(started, Started::Nothing | Started::Lost) {
            return Ok(started);
        }
        if session.stops().await {
            return Err(failure::session(&SessionError::Closing));
        }
        Ok(match session.stores_back().await {
            true => Started::Lost,
            false => started,
        })
    }

    /// Back, forward, or the same again.
    async fn through(
        mut self,
        history: History,
        milestone: Milestone,
        dialog: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Outcome, Failure> {
        self.keeper.session.stores_back().await;
        let step = match history {
            History::Back => Move::Back,
            History::Forward => Move::Forward,
            History::Reload => Move::Reload,
        };
        let moved = navigation::history(self.page, step).await;
        let entry = moved.map_err(|error| not_moved(self.tab, step, &error))?;
        let next = self.arrival.next_document(entry).await;
        self.pending.disarm();
        let loader = match next.map_err(|error| cut_off(self.tab, error))? {
            Next::Unreachable(url) => return Ok(Outcome::Unreachable(url)),
            Next::Restored => return Ok(Outcome::Restored),
            Next::Within => return Ok(Outcome::Within),
            Next::Download => return Ok(Outcome::Download),
            Next::Nothing(url) => return Err(nothing_came(&url)),
            Next::There => return Ok(Outcome::Loaded(self.arrival.end())),
            Next::Document(_) if milestone == Milestone::Commit => {
                return Ok(Outcome::Loaded(self.arrival.end()));
            }
            Next::Document(loader) => loader,
        };
        let document = Awaited {
            loader,
            committed: true,
        };
        let end = self.arrival.reached(document, dialog).await;
        end.map_err(|error| cut_off(self.tab, error))?;
        Ok(Outcome::Loaded(self.arrival.end()))
    }
}

fn not_moved(tab: &Tab, step: Move, error: &MoveError) -> Failure {
    let place = match step {
        Move::Back => "before",
        Move::Forward | Move::Reload => "after",
    };
    match error {
        MoveError::End => Failure::new(
            Code::NotFound,
            format!("the history of {} has no page {place} this one", tab.id),
        )
        .hint("give a `url` instead"),
        MoveError::Call(error) => failure::not_navigated(error),
    }
}

/// The document cannot come any more.
fn cut_off(tab: &Tab, error: WatchError) -> Failure {
    let failure = match error {
        WatchError::TabClosed => Failure::new(
            Code::NotFound,
            format!("tab {} was closed while it loaded", tab.id),
        )
        .hint("list the tabs with `browser_tabs`"),
        WatchError::BrowserEnded => Failure::new(Code::BrowserCrashed, error.to_string())
            .hint("szk is restarting it: see what was done before you repeat the call")
            .retryable(),
    };
    failure.effect(Done::Unknown)
}
