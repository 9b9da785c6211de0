//! Hand-offs: a live view of the browser in the person's own browser.
//!
//! At most one hand-off is open per session. It has its own listener on the loopback interface, with a
//! token that is made for it and ends with it. [`server`] checks requests, [`view`] shows pages and
//! passes on what the person does, and [`input`] turns that into mouse and keyboard events. [`peer`] tells
//! whether a viewer is a person, who may approve calls.

mod input;
mod listener;
mod peer;
mod server;
mod view;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use szk_store::Token;
use szk_tools::session::HandoffEnd;
use szk_tools::{LiveView, Progress, Response};
use szk_wire::Waiting;
use szk_wire::events::Happening;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::context::Keeper;
use crate::events::Feed;

/// The hand-off of a session, if there is one.
#[derive(Default)]
pub(crate) struct Handoffs {
    // A std mutex: nothing awaits under it.
    open: Mutex<Option<Open>>,
    /// The last one, if a call ended it: the next caller to wait does not know yet.
    unheard: Mutex<Option<Arc<Handoff>>>,
}

/// One hand-off.
struct Open {
    handoff: Arc<Handoff>,
    /// Ends with the hand-off.
    _server: AbortOnDropHandle<()>,
}

/// Shared by its viewers and those who wait for its end.
pub(crate) struct Handoff {
    /// What the person should do.
    pub(crate) reason: String,
    /// The tab to show first.
    tab: String,
    since: Timestamp,
    token: Token,
    port: u16,
    /// How many viewers may approve calls.
    deciders: AtomicUsize,
    /// Grows with every viewer: the latest one has the view.
    viewers: watch::Sender<u64>,
    end: watch::Sender<Option<End>>,
}

/// The live view whose link a call, or a step of it, gives to its caller.
#[derive(Clone, Default)]
pub(crate) struct NamedView(
    // A std mutex: nothing awaits under it.
    Arc<Mutex<Option<LiveView>>>,
);

impl NamedView {
    fn is(&self, view: LiveView) {
        // A call that hands off twice replaces the first hand-off, whose link is good no more.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(view);
    }

    fn get(&self) -> Option<LiveView> {
        let view = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        view.clone()
    }

    /// The answer, with the live view that it names.
    pub(crate) fn answer(&self, response: Response) -> Response {
        Response {
            live_view: self.get(),
            ..response
        }
    }

    /// The step, with the live view that it names.
    pub(crate) fn step(&self, step: Progress) -> Progress {
        Progress {
            live_view: self.get(),
            ..step
        }
    }
}

/// How it ended.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) how: HandoffEnd,
    pub(crate) note: Option<String>,
    /// Whether a call ended it, not the person in the live view.
    pub(crate) by_call: bool,
}

impl Handoffs {
    /// Opens a hand-off, which replaces the previous one.
    ///
    /// # Errors
    /// No port can be opened.
    pub(crate) async fn begin(
        &self,
        keeper: &Arc<Keeper>,
        tab: String,
        reason: String,
    ) -> std::io::Result<Arc<Handoff>> {
        let (listener, port) = server::listen().await?;
        let began = Happening::HandoffBegan {
            tab: tab.clone(),
            reason: reason.clone(),
        };
        let handoff = Arc::new(Handoff {
            reason,
            tab,
            since: Timestamp::now(),
            token: Token::fresh()?,
            port,
            deciders: AtomicUsize::new(0),
            viewers: watch::Sender::new(0),
            end: watch::Sender::new(None),
        });
        let serving = server::run(listener, keeper.weak(), Arc::clone(&handoff));
        let open = Open {
            handoff: Arc::clone(&handoff),
            _server: AbortOnDropHandle::new(tokio::spawn(serving)),
        };
        self.take_unheard();
        let before = self.lock().replace(open);
        keeper.events.tell(began);
        tokio::spawn(tell_of_the_end(Arc::clone(&handoff), keeper.events.clone()));
        if let Some(before) = before {
            before.handoff.end_by_call(HandoffEnd::GivenUp);
        }
        Ok(handoff)
    }

    /// The open hand-off, or the last one until someone has learned of its end.
    pub(crate) fn current(&self) -> Option<Arc<Handoff>> {
        self.lock().as_ref().map(|open| Arc::clone(&open.handoff))
    }

    /// The hand-off that waits for a person, for lists.
    pub(crate) fn waiting(&self) -> Option<Waiting> {
        let open = self.current().filter(|open| open.ended().is_none())?;
        Some(Waiting {
            tab: open.tab.clone(),
            reason: open.reason.clone(),
            since: open.since,
            url: open.url(),
        })
    }

    /// Whether a person looks who may approve calls.
    pub(crate) fn somebody_decides(&self) -> bool {
        let open = self.lock();
        open.as_ref().is_some_and(|open| {
            open.handoff.ended().is_none() && open.handoff.deciders.load(Ordering::Relaxed) > 0
        })
    }

    /// Closes the listener of one that a call ended, and keeps it for the next caller to wait.
    pub(crate) fn retire(&self, handoff: &Arc<Handoff>) {
        self.forget(handoff);
        *self.unheard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(handoff));
    }

    /// The one that a call ended, if no one has learned of it yet.
    pub(crate) fn take_unheard(&self) -> Option<Arc<Handoff>> {
        self.unheard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Forgets one whose end someone has learned of, and closes its listener.
    pub(crate) fn forget(&self, handoff: &Arc<Handoff>) {
        let mut open = self.lock();
        if open
            .as_ref()
            .is_some_and(|open| Arc::ptr_eq(&open.handoff, handoff))
        {
            *open = None;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn tell_of_the_end(handoff: Arc<Handoff>, events: Feed) {
    let how = handoff.end().await.how;
    events.tell(Happening::HandoffEnded { how });
}

/// As long as this lives, its viewer may approve calls.
struct Decides(Arc<Handoff>);

impl Decides {
    fn begin(handoff: &Arc<Handoff>) -> Self {
        handoff.deciders.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(handoff))
    }
}

impl Drop for Decides {
    fn drop(&mut self) {
        self.0.deciders.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Handoff {
    /// The link for the person, to be put into the answer or the progress of this call. Front ends learn
    /// from it which live view that is, as their clients may reach it at another address.
    pub(crate) fn link(&self, keeper: &Keeper) -> String {
        let link = self.url();
        keeper.named_view.is(LiveView {
            session: keeper.session.name().to_string(),
            token: self.token.reveal().to_owned(),
            link: link.clone(),
        });
        link
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token.reveal())
    }

    /// The person ends it in the live view.
    pub(crate) fn finish(&self, how: HandoffEnd, note: Option<String>) {
        self.over(End {
            how,
            note,
            by_call: false,
        });
    }

    /// A call ends it.
    pub(crate) fn end_by_call(&self, how: HandoffEnd) {
        self.over(End {
            how,
            note: None,
            by_call: true,
        });
    }

    /// Only the first end counts.
    fn over(&self, how: End) {
        self.end.send_if_modified(|end| {
            let first = end.is_none();
            if first {
                *end = Some(how);
            }
            first
        });
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&self) -> Option<End> {
        self.end.borrow().clone()
    }

    /// Waits until it ends.
    pub(crate) async fn end(&self) -> End {
        let mut end = self.end.subscribe();
        match end.wait_for(Option::is_some).await {
            Ok(end) => end.clone(),
            Err(_) => None,
        }
        .unwrap_or(End {
            how: HandoffEnd::GivenUp,
            note: None,
            by_call: true,
        })
    }
}
