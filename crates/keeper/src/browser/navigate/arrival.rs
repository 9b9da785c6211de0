//! What the browser tells of a page on its way.

use std::pin::Pin;
use std::sync::Arc;

use serde::Deserialize;
use szk_cdp::protocol::network::EventLoadingFailed;
use szk_cdp::protocol::page::{
    EventFrameNavigated, EventFrameStoppedLoading, EventLifecycleEvent,
    EventNavigatedWithinDocument,
};
use szk_cdp::protocol::target::EventDetachedFromTarget;
use szk_cdp::{Connection, Subscription, SubscriptionError};
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Done, Failure};

use super::super::arm::Leaving;
use super::super::document::{self, Ahead};
use crate::context::Keeper;

/// The parts of the `WATCHED` events that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageEvent {
    frame_id: String,
    loader_id: String,
    request_id: String,
    name: String,
    r#type: String,
    frame: Option<Frame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Frame {
    id: String,
    pub(super) loader_id: String,
    /// Where it should have gone, when what is shown is the browser's own page about the failure.
    pub(super) unreachable_url: Option<String>,
}

/// The milestone of a document that asks for nothing any more.
pub(super) const IDLE: &str = "networkIdle";

/// Events of a page on its way.
const WATCHED: [&str; 5] = [
    EventLifecycleEvent::IDENTIFIER,
    EventFrameNavigated::IDENTIFIER,
    EventFrameStoppedLoading::IDENTIFIER,
    EventNavigatedWithinDocument::IDENTIFIER,
    EventLoadingFailed::IDENTIFIER,
];

/// How a journey ended.
#[derive(PartialEq, Eq)]
pub(super) enum End {
    /// The document is where the caller wants it.
    There,
    /// It will not come: the process that was to show it has died, or somebody stopped it.
    Stopped,
}

/// What a move in the history brings.
pub(super) enum Next {
    /// A document that loads.
    Document(Frame),
    /// One from the back/forward cache, as it was left.
    Restored,
    /// Another place in the same document.
    Within,
}

/// A document on its way into the tab.
pub(super) struct Awaited {
    pub(super) loader: String,
    /// It has replaced the one before.
    pub(super) there: bool,
}

/// A tab whose page is on its way.
pub(super) struct Journey<'a> {
    keeper: &'a Arc<Keeper>,
    connection: &'a Connection,
    tab: &'a Tab,
    events: Subscription,
    /// What is waited for: an event of the document, or none when it is enough that it is there.
    milestone: Option<&'static str>,
    /// Until the document that is left is gone.
    departing: Option<Leaving<'a>>,
    /// Reads the document that just came, at its milestone: to ask it then costs several ways there and
    /// back, while the page is busy with being painted.
    ahead: Ahead,
}

impl<'a> Journey<'a> {
    /// Begins before the navigation does, so that no event is missed.
    pub(super) fn begin(
        keeper: &'a Arc<Keeper>,
        connection: &'a Connection,
        tab: &'a Tab,
        milestone: Option<&'static str>,
    ) -> Self {
        Self {
            keeper,
            connection,
            tab,
            events: connection.subscribe(),
            departing: None,
            milestone,
            ahead: Ahead::new(),
        }
    }

    /// Holds this until the next document is there.
    pub(super) fn departs(&mut self, departing: Leaving<'a>) {
        self.departing = Some(departing);
    }

    /// What comes next into the tab.
    pub(super) async fn next_document(&mut self) -> Result<Next, Failure> {
        loop {
            let (method, event) = self.next().await?;
            match method.as_str() {
                EventFrameNavigated::IDENTIFIER => {
                    if let Some(frame) = event.frame.filter(|frame| self.is_ours(&frame.id)) {
                        if event.r#type == "BackForwardCacheRestore" {
                            return Ok(Next::Restored);
                        }
                        self.read_ahead();
                        return Ok(Next::Document(frame));
                    }
                }
                EventNavigatedWithinDocument::IDENTIFIER if self.is_ours(&event.frame_id) => {
                    return Ok(Next::Within);
                }
                _ => {}
            }
        }
    }

    /// Waits for the milestone of a document; without one, for the document to be there. Milestones of
    /// the document before are told again when asking for them, and do not count. A document that stands
    /// still for a question reaches none: then `asked` ends, and the answer tells of the dialog.
    pub(super) async fn reached(
        &mut self,
        document: Awaited,
        mut asked: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<End, Failure> {
        let Awaited {
            mut loader,
            mut there,
        } = document;
        let mut failed = false;
        loop {
            let (method, event) = tokio::select! {
                biased;
                event = self.next() => event?,
                () = &mut asked, if there => return Ok(End::There),
            };
            match method.as_str() {
                EventFrameNavigated::IDENTIFIER => {
                    if let Some(frame) = event.frame.filter(|frame| self.is_ours(&frame.id)) {
                        self.read_ahead();
                        if self.milestone.is_none() {
                            return Ok(End::There);
                        }
                        there = true;
                        // The page may go on before this document is done; then the next one is
                        // waited for.
                        loader = frame.loader_id;
                    }
                }
                EventLifecycleEvent::IDENTIFIER => {
                    let ours = self.is_ours(&event.frame_id) && event.loader_id == loader;
                    if ours && self.milestone == Some(event.name.as_str()) {
                        return Ok(End::There);
                    }
                }
                // Told of the document as of any request.
                EventLoadingFailed::IDENTIFIER => failed |= !there && event.request_id == loader,
                // Another navigation that takes its place goes on loading.
                EventFrameStoppedLoading::IDENTIFIER if failed && self.is_ours(&event.frame_id) => {
                    return Ok(End::Stopped);
                }
                _ => {}
            }
        }
    }

    /// What is read of the document that came.
    pub(super) fn end(self) -> Ahead {
        self.ahead
    }

    /// Has the document that is there now read.
    fn read_ahead(&mut self) {
        self.departing = None;
        let (keeper, connection, tab, milestone) = (
            Arc::clone(self.keeper),
            self.connection.clone(),
            self.tab.clone(),
            self.milestone,
        );
        // What was read of a document before is of no use.
        self.ahead = Ahead::new();
        if milestone == Some(IDLE) {
            // No event of the page: it is read once that is reached.
            return;
        }
        self.ahead.spawn(async move {
            document::read_ahead(&keeper, &connection, &tab, milestone).await
        });
    }

    /// Whether this is the page's main frame, which has the id of its target.
    fn is_ours(&self, frame: &str) -> bool {
        frame == self.tab.page.target_id
    }

    /// The next event of the tab that has the shape of a page event.
    async fn next(&mut self) -> Result<(String, PageEvent), Failure> {
        loop {
            match self.events.recv().await {
                Ok(event) => {
                    if event.session.as_ref() == Some(&self.tab.page.session)
                        && WATCHED.contains(&event.method.as_str())
                    {
                        return Ok((
                            event.method.clone(),
                            event.read::<PageEvent>().unwrap_or_default(),
                        ));
                    }
                    if event.method == EventDetachedFromTarget::IDENTIFIER
                        && event.params.get().contains(self.tab.page.session.as_str())
                    {
                        return Err(Failure::new(
                            Code::NotFound,
                            format!("tab {} was closed while it loaded", self.tab.id),
                        )
                        .hint("list the tabs with `session_list`")
                        .effect(Done::Unknown));
                    }
                }
                Err(SubscriptionError::Lagged(_)) => {}
                Err(SubscriptionError::Closed) => {
                    return Err(Failure::new(
                        Code::BrowserCrashed,
                        "Chromium exited while the page loaded",
                    )
                    .hint("szk is restarting it: repeat the call")
                    .retryable()
                    .effect(Done::Unknown));
                }
            }
        }
    }
}
