//! A navigation, from its start until the document is where the caller wants it.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use szk_cdp::protocol::network::EventResponseReceived;
use szk_cdp::protocol::page::{NavigateParams, StopLoadingParams};
use szk_cdp::{CallError, Connection, SessionId, Subscription, SubscriptionError};
use szk_runtime::session::SessionError;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::{History, Wait};

use super::super::document::Ahead;
use super::arrival::{Awaited, End, Frame, IDLE, Journey, Next};
use super::history::move_in_history;
use super::leaving::close_dialogs;
use super::refused::{failed, nothing_came, refused};
use crate::context::Keeper;
use crate::{dialogs, failure};

/// Where to.
pub(super) enum Target {
    Url(String),
    History(History),
}

/// What became of a navigation.
pub(super) enum Arrival {
    /// A new document is there; it is being read.
    Loaded(Ahead),
    /// The document is the one that was there, and moved within itself.
    Within,
    /// An earlier document is there again, as it was left.
    Restored,
    /// What came is a download: the document is the one that was there.
    Download,
    /// The browser shows its own page, which says why this address could not be loaded.
    Unreachable(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Navigated {
    loader_id: Option<String>,
    error_text: Option<String>,
    is_download: bool,
}

/// How long a tab may be between two documents.
const BETWEEN: Duration = Duration::from_secs(3);
/// How often it is tried then.
const LOOK: Duration = Duration::from_millis(100);

/// How Chromium says that no document came.
const ABORTED: &str = "net::ERR_ABORTED";

/// What came of sending a page to an address.
enum Sent {
    /// A document is on its way.
    Document(String),
    /// No document will come, and that is as it should be.
    Elsewhere(Arrival),
    /// The server answered without a document, or another navigation took its place.
    Nothing,
    /// A process that was to bring it has died.
    Lost,
}

/// Sends a page on its way; the browser answers when it knows what comes.
async fn send_to(
    keeper: &Keeper,
    connection: &Connection,
    session: &SessionId,
    url: &str,
) -> Result<Sent, Failure> {
    // Before that it would be logged out, or find older entries.
    keeper.session.stores_back().await;
    let mut events = connection.subscribe();
    let navigated = start_between(connection, session, url)
        .await
        .map_err(|error| refused(url, &error))?;
    match navigated {
        Navigated {
            is_download: true, ..
        } => Ok(Sent::Elsewhere(Arrival::Download)),
        Navigated {
            error_text: Some(text),
            ..
        } if text == ABORTED => {
            if keeper.session.stops().await {
                return Err(failure::session(&SessionError::Closing));
            }
            let lost = keeper.session.stores_back().await || !has_nothing(&mut events, session);
            Ok(if lost { Sent::Lost } else { Sent::Nothing })
        }
        Navigated {
            error_text: Some(text),
            ..
        } => Err(failed(url, &text)),
        Navigated {
            loader_id: None, ..
        } => Ok(Sent::Elsewhere(Arrival::Within)),
        Navigated {
            loader_id: Some(loader),
            ..
        } => Ok(Sent::Document(loader)),
    }
}

/// What of an answer says that it has no document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answered {
    r#type: String,
    response: AnsweredWith,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AnsweredWith {
    #[serde(deserialize_with = "szk_cdp::json::or_default")]
    status: u16,
}

/// Whether a server has answered the page without a document (204, 205).
fn has_nothing(events: &mut Subscription, session: &SessionId) -> bool {
    loop {
        match events.try_recv() {
            Ok(Some(event)) => {
                let ours = event.method == EventResponseReceived::IDENTIFIER
                    && event.session.as_ref() == Some(session);
                let answered: Answered = match ours {
                    true => event.read().unwrap_or_default(),
                    false => continue,
                };
                if answered.r#type == "Document" && matches!(answered.response.status, 204 | 205) {
                    return true;
                }
            }
            // Some were missed: this may have been among them.
            Err(SubscriptionError::Lagged(_)) => return true,
            Ok(None) | Err(SubscriptionError::Closed) => return false,
        }
    }
}

/// Starts the navigation and waits for what becomes of it.
pub(super) async fn go(
    keeper: &Arc<Keeper>,
    connection: &Connection,
    tab: &Tab,
    target: &Target,
    wait: Wait,
) -> Result<Arrival, Failure> {
    let (session, target_id) = (&tab.page.session, &tab.page.target_id);
    let _leaving = keeper.slots.leaving(target_id);
    close_dialogs(keeper, connection, tab).await;
    // A dialog of the old document goes with it.
    let old = dialogs::open(&keeper.event_log, target_id).map(|prompt| prompt.id);
    let mut asked = pin!(dialogs::another_held(&keeper.event_log, target_id, old));
    let milestone = match wait {
        Wait::Commit => None,
        Wait::Domcontentloaded => Some("DOMContentLoaded"),
        Wait::Load => Some("load"),
        // Chromium's own: nothing in flight for half a second.
        Wait::Networkidle => Some(IDLE),
    };
    let mut journey = Journey::begin(keeper, connection, tab, milestone);
    // A dialog that is open goes with its document; what a loop opens after it is answered.
    journey.departs(keeper.slots.departing(target_id));
    let mut on_its_way = OnItsWay {
        connection: connection.clone(),
        session: session.clone(),
        armed: true,
    };
    let document = match target {
        Target::Url(url) => {
            let mut again = true;
            loop {
                on_its_way.armed = true;
                let losses = keeper.session.losses();
                let sent = send_to(keeper, connection, session, url).await;
                on_its_way.armed = false;
                let loader = match sent? {
                    Sent::Document(loader) => loader,
                    Sent::Elsewhere(arrival) => return Ok(arrival),
                    Sent::Lost if again => {
                        again = false;
                        continue;
                    }
                    // The browser itself may be about to end.
                    Sent::Lost => return Err(nothing_came(url).retryable()),
                    Sent::Nothing => return Err(nothing_came(url)),
                };
                let document = Awaited {
                    loader,
                    there: false,
                };
                match journey.reached(document, asked.as_mut()).await? {
                    // It was loaded without what is back now.
                    End::There
                        if again
                            && (keeper.session.stores_back().await
                                || keeper.session.losses() != losses) =>
                    {
                        again = false;
                    }
                    End::There => return Ok(Arrival::Loaded(journey.end())),
                    End::Stopped if again => again = false,
                    End::Stopped => return Err(nothing_came(url).retryable()),
                }
            }
        }
        Target::History(history) => {
            keeper.session.stores_back().await;
            move_in_history(connection, tab, *history).await?;
            let document = journey.next_document().await;
            on_its_way.armed = false;
            match document? {
                Next::Document(Frame {
                    unreachable_url: Some(url),
                    ..
                }) => return Ok(Arrival::Unreachable(url)),
                Next::Document(_) if wait == Wait::Commit => {
                    return Ok(Arrival::Loaded(journey.end()));
                }
                Next::Document(frame) => Awaited {
                    loader: frame.loader_id,
                    there: true,
                },
                Next::Restored => return Ok(Arrival::Restored),
                Next::Within => return Ok(Arrival::Within),
            }
        }
    };
    journey.reached(document, asked).await?;
    Ok(Arrival::Loaded(journey.end()))
}

/// Sends a page somewhere, and waits if its tab is just between two documents.
async fn start_between(
    connection: &Connection,
    session: &SessionId,
    url: &str,
) -> Result<Navigated, CallError> {
    let began = Instant::now();
    loop {
        match start(connection, session, url).await {
            Err(error) if failure::is_on_its_way(&error) && began.elapsed() < BETWEEN => {
                tokio::time::sleep(LOOK).await;
            }
            started => return started,
        }
    }
}

/// Sends a page somewhere. One that is on its way there already begins anew: Chromium would take the
/// second navigation for the first one, and say that nothing came of it.
async fn start(
    connection: &Connection,
    session: &SessionId,
    url: &str,
) -> Result<Navigated, CallError> {
    let params = NavigateParams::new(url);
    let navigated: Navigated = connection.ask(Some(session), &params).await?;
    if navigated.loader_id.is_some() || navigated.error_text.as_deref() != Some(ABORTED) {
        return Ok(navigated);
    }
    let stop = StopLoadingParams::default();
    connection.run(Some(session), &stop).await?;
    connection.ask(Some(session), &params).await
}

/// A navigation that has not got anywhere. Dropped like this (time is up, the caller went away), it is
/// stopped: until then Chromium would hold back everything else that is asked of the page.
struct OnItsWay {
    connection: Connection,
    session: SessionId,
    armed: bool,
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        if self.armed {
            let stop = StopLoadingParams::default();
            self.connection.tell(Some(&self.session), &stop);
        }
    }
}
