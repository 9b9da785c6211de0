//! Watching a page until the document that was sent for is there.

use std::pin::{Pin, pin};

use serde::Deserialize;
use szk_cdp::own::EventPageDownloadWillBegin;
use szk_cdp::protocol::network::{EventLoadingFailed, EventResponseReceived};
use szk_cdp::protocol::page::{
    EventFrameNavigated, EventFrameStoppedLoading, EventLifecycleEvent,
    EventNavigatedWithinDocument,
};
use szk_cdp::protocol::target::EventDetachedFromTarget;
use szk_cdp::{Event, Subscription, SubscriptionError};
use tokio::task::JoinSet;

use super::history::arrives;
use crate::document::{Document, RESTORED};
use crate::{Page, Worlds};

/// How far a document must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Milestone {
    /// It has replaced the one before.
    Commit,
    /// Its `DOMContentLoaded` event has been dispatched.
    DomContentLoaded,
    /// Its `load` event has been dispatched.
    Load,
    /// It has requested nothing for half a second.
    NetworkIdle,
}

/// Reads of documents while they load; the last one counts.
pub type Ahead = JoinSet<Option<Document>>;

/// What is known of a document that has come.
#[derive(Debug, Default)]
pub struct Arrived {
    /// Its read, which may still be under way.
    pub ahead: Ahead,
    /// The HTTP status that the browser reported for its request.
    pub status: Option<u16>,
    /// The address that it came from.
    pub url: Option<String>,
    /// Why the rest of it did not come, such as `net::ERR_CONTENT_LENGTH_MISMATCH`.
    pub broke_off: Option<String>,
}

/// How a wait for a document ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The document has reached its milestone.
    There,
    /// It will not come: the process that was to show it died, or the load was stopped.
    Stopped,
}

/// What a move in the history brings.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// This document, which loads.
    Document(String),
    /// Chromium's own page, because this address cannot be loaded.
    Unreachable(String),
    /// A document from the back/forward cache, as it was left.
    Restored,
    /// Another place in the same document, or in a frame of it.
    Within,
    /// It is there, and what told of it was lost.
    There,
    /// None: the server answered the request for this address without a document.
    Nothing(String),
    /// None: what the server sent is a download.
    Download,
}

/// A document on its way into a tab.
#[derive(Debug)]
pub struct Awaited {
    /// Its id.
    pub loader: String,
    /// Whether it has replaced the one before.
    pub committed: bool,
}

/// The watch ended before the document came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The tab was closed.
    #[error("the tab was closed while it loaded")]
    TabClosed,
    /// The browser ended.
    #[error("Chromium ended while the page loaded")]
    BrowserEnded,
}

/// The parts that matter here of the events in [`WATCHED`].
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageEvent {
    frame_id: String,
    loader_id: String,
    request_id: String,
    name: String,
    r#type: String,
    frame: Option<Frame>,
    response: Option<Response>,
    error_text: String,
    canceled: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Response {
    url: String,
    #[serde(deserialize_with = "szk_cdp::json::or_default")]
    status: u16,
    mime_type: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Frame {
    id: String,
    loader_id: String,
    url: String,
    unreachable_url: Option<String>,
}

/// A document that a server has sent.
#[derive(Debug)]
struct Answered {
    loader: String,
    status: u16,
    /// Whether it says its title itself. Of a picture or a PDF the browser says it.
    is_html: bool,
}

/// Statuses of responses that bring no document: the tab stays where it is.
const NO_DOCUMENT: [u16; 2] = [204, 205];

/// Media types of documents that say their title themselves.
const HTML: [&str; 2] = ["text/html", "application/xhtml+xml"];

const WATCHED: [&str; 7] = [
    EventLifecycleEvent::IDENTIFIER,
    EventFrameNavigated::IDENTIFIER,
    EventFrameStoppedLoading::IDENTIFIER,
    EventNavigatedWithinDocument::IDENTIFIER,
    EventLoadingFailed::IDENTIFIER,
    EventResponseReceived::IDENTIFIER,
    EventPageDownloadWillBegin::IDENTIFIER,
];

impl Milestone {
    /// Chromium's name for it in lifecycle events; a commit has none.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Commit => None,
            Self::DomContentLoaded => Some("DOMContentLoaded"),
            Self::Load => Some("load"),
            Self::NetworkIdle => Some("networkIdle"),
        }
    }

    /// The event of the page that it waits for.
    fn event(self) -> Option<&'static str> {
        self.name().filter(|_| self != Self::NetworkIdle)
    }
}

/// Watches one navigation of a page. `D` is dropped when the document that the page leaves is gone.
pub struct Arrival<D> {
    worlds: Worlds,
    page: Page,
    events: Subscription,
    milestone: Milestone,
    departing: Option<D>,
    /// Reads the document that has just come, at its milestone: afterwards it would take several round
    /// trips, while the page is busy being painted. Empty where it is read afterwards.
    ahead: Ahead,
    /// The last document that a server has answered with.
    answered: Option<Answered>,
    /// The document that has reached its milestone.
    there: Option<String>,
    /// The address of the last document that came.
    url: Option<String>,
    /// Why the rest of that document did not come.
    broke_off: Option<String>,
    /// Events were lost, because too many came at once.
    lost: bool,
}

impl<D> Arrival<D> {
    /// Begins before the navigation does, so that it misses no event.
    #[must_use]
    pub fn watch(worlds: &Worlds, page: &Page, milestone: Milestone, departing: D) -> Self {
        Self {
            worlds: worlds.clone(),
            page: page.clone(),
            events: page.connection.subscribe(),
            milestone,
            departing: Some(departing),
            ahead: Ahead::new(),
            answered: None,
            there: None,
            url: None,
            broke_off: None,
            lost: false,
        }
    }

    /// Waits for whatever a move in the history brings into the tab, which leads to this entry.
    ///
    /// # Errors
    /// [`WatchError`].
    pub async fn next_document(&mut self, entry: Option<i64>) -> Result<Next, WatchError> {
        let page = self.page.clone();
        let mut there = pin!(arrives(&page, entry));
        loop {
            let (method, event) = tokio::select! {
                biased;
                event = self.next() => event?,
                () = &mut there => return Ok(if self.lost { Next::There } else { Next::Within }),
            };
            match method.as_str() {
                EventFrameNavigated::IDENTIFIER => {
                    let Some(frame) = event.frame.filter(|frame| self.is_main(&frame.id)) else {
                        continue;
                    };
                    if event.r#type == RESTORED {
                        return Ok(Next::Restored);
                    }
                    self.committed(&frame.loader_id, frame.url);
                    return Ok(match frame.unreachable_url {
                        Some(url) => Next::Unreachable(url),
                        None => Next::Document(frame.loader_id),
                    });
                }
                EventNavigatedWithinDocument::IDENTIFIER if self.is_main(&event.frame_id) => {
                    return Ok(Next::Within);
                }
                EventResponseReceived::IDENTIFIER if self.is_documents(&event) => {
                    let response = event.response.unwrap_or_default();
                    if NO_DOCUMENT.contains(&response.status) {
                        return Ok(Next::Nothing(response.url));
                    }
                }
                EventPageDownloadWillBegin::IDENTIFIER if self.is_main(&event.frame_id) => {
                    return Ok(Next::Download);
                }
                _ => {}
            }
        }
    }

    /// Waits until a document reaches the milestone. Milestones of the previous document, which Chromium
    /// may repeat, do not count. A document that a dialog blocks reaches none: then `dialog` completes, and
    /// the wait ends. So it does with a document that breaks off.
    ///
    /// # Errors
    /// [`WatchError`].
    pub async fn reached(
        &mut self,
        document: Awaited,
        mut dialog: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<End, WatchError> {
        let Awaited {
            mut loader,
            mut committed,
        } = document;
        let mut failed = false;
        loop {
            let (method, event) = tokio::select! {
                biased;
                event = self.next() => event?,
                () = &mut dialog, if committed => return Ok(End::There),
            };
            match method.as_str() {
                EventFrameNavigated::IDENTIFIER => {
                    let Some(frame) = event.frame.filter(|frame| self.is_main(&frame.id)) else {
                        continue;
                    };
                    if event.r#type == RESTORED {
                        self.restored(frame);
                        return Ok(End::There);
                    }
                    self.committed(&frame.loader_id, frame.url);
                    if self.milestone == Milestone::Commit {
                        return Ok(End::There);
                    }
                    committed = true;
                    // The page may go on before this document is done; then the next one counts.
                    loader = frame.loader_id;
                }
                EventLifecycleEvent::IDENTIFIER => {
                    let ours = self.is_main(&event.frame_id) && event.loader_id == loader;
                    if ours && self.milestone.name() == Some(event.name.as_str()) {
                        self.there = Some(loader);
                        return Ok(End::There);
                    }
                }
                // A document has the id of its request.
                EventLoadingFailed::IDENTIFIER if event.request_id == loader => {
                    failed |= !committed;
                    // A load that something else has stopped is followed by that.
                    if committed && !event.canceled {
                        self.broke_off = Some(event.error_text);
                    }
                }
                // It never has its events: what there is of it is all that comes.
                EventFrameStoppedLoading::IDENTIFIER
                    if self.broke_off.is_some() && self.is_main(&event.frame_id) =>
                {
                    // What was to be read at such an event is read now.
                    self.ahead = Ahead::new();
                    self.there = Some(loader);
                    return Ok(End::There);
                }
                // If another navigation took its place, the frame goes on loading.
                EventFrameStoppedLoading::IDENTIFIER if failed && self.is_main(&event.frame_id) => {
                    return Ok(End::Stopped);
                }
                _ => {}
            }
        }
    }

    /// What is known of the document that came. It has a status only once it reached the milestone: until
    /// then the browser may still describe the document before it.
    #[must_use]
    pub fn end(self) -> Arrived {
        let answered = self
            .answered
            .filter(|answered| Some(&answered.loader) == self.there.as_ref());
        Arrived {
            ahead: self.ahead,
            status: answered.map(|answered| answered.status),
            url: self.url.filter(|url| !url.is_empty()),
            broke_off: self.broke_off,
        }
    }

    /// A server has answered; a document has the id of its request.
    fn response(&mut self, event: &PageEvent) {
        if self.is_documents(event) {
            let (status, mime) = event.response.as_ref().map_or((0, ""), |response| {
                (response.status, response.mime_type.as_str())
            });
            self.answered = Some(Answered {
                loader: event.request_id.clone(),
                status,
                is_html: HTML.contains(&mime),
            });
        }
    }

    /// Whether the response of an event is that for the page's document.
    fn is_documents(&self, event: &PageEvent) -> bool {
        event.r#type == "Document" && self.is_main(&event.frame_id)
    }

    /// The page went back by itself, to a document that is as it was left: nothing more comes of it.
    fn restored(&mut self, frame: Frame) {
        self.departing = None;
        self.url = Some(frame.url);
        self.broke_off = None;
        self.ahead = Ahead::new();
        self.worlds.forget(&self.page.frame);
        self.there = Some(frame.loader_id);
    }

    /// The next document is there: reads it ahead, unless only the browser's process will know its title.
    fn committed(&mut self, loader: &str, url: String) {
        self.departing = None;
        self.url = Some(url);
        self.broke_off = None;
        // What was read of a document before is of no use, and neither is its world.
        self.ahead = Ahead::new();
        self.worlds.forget(&self.page.frame);
        match self.milestone {
            // No event of the page tells of it: the document is read afterwards.
            Milestone::NetworkIdle => return,
            Milestone::DomContentLoaded | Milestone::Load if self.is_no_html(loader) => return,
            _ => {}
        }
        let (worlds, page, event) = (
            self.worlds.clone(),
            self.page.clone(),
            self.milestone.event(),
        );
        self.ahead
            .spawn(async move { Document::read_ahead(&worlds, &page, event).await });
    }

    /// Whether a server has sent this document, and it is not one of HTML.
    fn is_no_html(&self, loader: &str) -> bool {
        let answered = self.answered.as_ref();
        answered.is_some_and(|answered| answered.loader == loader && !answered.is_html)
    }

    /// Whether this is the page's main frame.
    fn is_main(&self, frame: &str) -> bool {
        frame == self.page.frame
    }

    async fn next(&mut self) -> Result<(String, PageEvent), WatchError> {
        loop {
            let event = match self.events.recv().await {
                Ok(event) => event,
                Err(SubscriptionError::Lagged(_)) => {
                    self.lost = true;
                    continue;
                }
                Err(SubscriptionError::Closed) => return Err(WatchError::BrowserEnded),
            };
            if self.is_watched(&event) {
                let read = event.read::<PageEvent>().unwrap_or_default();
                if event.method == EventResponseReceived::IDENTIFIER {
                    self.response(&read);
                }
                return Ok((event.method.clone(), read));
            }
            if event.method == EventDetachedFromTarget::IDENTIFIER
                && event.params.get().contains(self.page.session.as_str())
            {
                return Err(WatchError::TabClosed);
            }
        }
    }

    fn is_watched(&self, event: &Event) -> bool {
        event.session.as_ref() == Some(&self.page.session)
            && WATCHED.contains(&event.method.as_str())
    }
}

#[cfg(test)]
mod tests;
