//! `browser_navigate`.

mod address;

use std::pin::{Pin, pin};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use szk_cdp::{CallError, Connection, SessionId, Subscription};
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{History, Navigate, NavigateInput, NavigateOutput, Wait};
use szk_tools::{Code, Done, Failure, Response};

use address::complete;

use super::document;
use super::shown;
use super::world::command;
use crate::context::Keeper;
use crate::{dialogs, failure, policy};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Navigated {
    loader_id: Option<String>,
    error_text: Option<String>,
    is_download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HistoryList {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

/// The parts of `Page.lifecycleEvent`, `Page.frameNavigated` and `Page.navigatedWithinDocument` that
/// matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageEvent {
    frame_id: String,
    loader_id: String,
    name: String,
    r#type: String,
    frame: Option<Frame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Frame {
    id: String,
    loader_id: String,
    /// Where it should have gone, when what is shown is the browser's own page about the failure.
    unreachable_url: Option<String>,
}

pub(crate) async fn navigate(
    keeper: &Arc<Keeper>,
    input: &NavigateInput,
) -> Result<Response, Failure> {
    let target = match (&input.url, input.history) {
        (Some(url), None) => Target::Url(complete(url)?),
        (None, Some(history)) => Target::History(history),
        (Some(_), Some(_)) => return Err(Failure::invalid("give `url` or `history`, not both")),
        (None, None) => {
            return Err(Failure::invalid("`url` is missing")
                .hint("or move with `history`: back, forward or reload"));
        }
    };
    if let Target::Url(url) = &target {
        policy::page(keeper.policy(), url)?;
    }
    // From wherever it is: this is the way out of a page that may not be.
    let (running, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let connection = running.supervisor.connection();
    let wait = input.wait.unwrap_or_default();
    let loaded = match go(keeper, connection, &tab, &target, wait).await? {
        Arrival::Loaded => true,
        Arrival::Stayed => false,
        Arrival::Unreachable(url) => {
            let text = error_code(keeper, connection, &tab).await;
            return Err(failed(&url, &text));
        }
    };
    let page = document::read_or_known(keeper, &running, &tab)
        .await
        .map_err(|error| {
            failure::cdp(
                "the page was loaded, but could not be read",
                &error,
                Done::Done,
            )
        })?;
    let output = NavigateOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        status: page.status().filter(|_| loaded),
        url: page.url,
        title: page.title,
        loaded,
    };
    let status = output
        .status
        .map(|status| format!(" (status {status})"))
        .unwrap_or_default();
    let summary = if output.loaded {
        format!(
            "{} is at {}{status}\ntitle: {}",
            output.tab,
            shown(&output.url),
            output.title
        )
    } else {
        format!(
            "no new document was loaded; {} is at {}",
            output.tab,
            shown(&output.url)
        )
    };
    Response::of::<Navigate>(summary, &output)
}

enum Target {
    Url(String),
    History(History),
}

/// What became of a navigation.
enum Arrival {
    /// A new document is there.
    Loaded,
    /// The document is the one that was there: it moved within itself, or what came was no document.
    Stayed,
    /// The browser shows its own page, which says why this address could not be loaded.
    Unreachable(String),
}

/// A document on its way into the tab.
struct Document {
    loader: String,
    /// It has replaced the one before.
    there: bool,
}

/// What the browser's own page says of a load that failed, as in `net::ERR_CONNECTION_REFUSED`.
async fn error_code(keeper: &Keeper, connection: &Connection, tab: &Tab) -> String {
    const READ: &str =
        "function () { return document.querySelector('.error-code')?.textContent ?? '' }";
    let read = keeper.worlds.call(connection, tab, READ, &[]);
    let code = match tokio::time::timeout(document::PATIENCE, read).await {
        Ok(Ok(evaluated)) => evaluated.result.value,
        _ => None,
    };
    match code.as_ref().and_then(Value::as_str) {
        Some(code) if code.starts_with("ERR_") => format!("net::{code}"),
        _ => "the browser shows an error page".to_owned(),
    }
}

/// Starts the navigation and waits for what becomes of it.
async fn go(
    keeper: &Keeper,
    connection: &Connection,
    tab: &Tab,
    target: &Target,
    wait: Wait,
) -> Result<Arrival, Failure> {
    let session = &tab.page.session;
    let target_id = &tab.page.target_id;
    let _leaving = keeper.slots.leaving(target_id);
    // A dialog of the old document goes with it.
    let old = dialogs::open(&keeper.journal, target_id).map(|prompt| prompt.id);
    let asked = pin!(dialogs::another_held(&keeper.journal, target_id, old));
    // Before the navigation, so that no event is missed.
    let mut events = connection.subscribe();
    // Not awaited: Chromium holds back what is meant for a page while the page is on its way somewhere.
    drop(connection.post_raw(
        Some(session),
        "Page.setLifecycleEventsEnabled",
        RawValue::from_string(json!({"enabled": true}).to_string()).ok(),
    ));
    let mut on_its_way = OnItsWay {
        connection: connection.clone(),
        session: session.clone(),
        armed: true,
    };
    let mut there = false;
    let loader = match target {
        Target::Url(url) => {
            let navigated = command(connection, session, "Page.navigate", &json!({"url": url}))
                .await
                .map_err(|error| refused(url, &error));
            on_its_way.armed = false;
            match navigated? {
                Navigated {
                    is_download: true, ..
                } => return Ok(Arrival::Stayed),
                // A 204 answer or a download ends the navigation without a document.
                Navigated {
                    error_text: Some(text),
                    ..
                } if text == "net::ERR_ABORTED" => return Ok(Arrival::Stayed),
                Navigated {
                    error_text: Some(text),
                    ..
                } => return Err(failed(url, &text)),
                Navigated {
                    loader_id: None, ..
                } => return Ok(Arrival::Stayed),
                Navigated {
                    loader_id: Some(loader),
                    ..
                } => loader,
            }
        }
        Target::History(history) => {
            move_in_history(connection, tab, *history).await?;
            let document = next_document(&mut events, tab).await;
            on_its_way.armed = false;
            match document? {
                Some(Frame {
                    unreachable_url: Some(url),
                    ..
                }) => return Ok(Arrival::Unreachable(url)),
                Some(_) if wait == Wait::Commit => return Ok(Arrival::Loaded),
                Some(frame) => {
                    there = true;
                    frame.loader_id
                }
                None => return Ok(Arrival::Stayed),
            }
        }
    };
    let milestone = match wait {
        Wait::Commit => None,
        Wait::Domcontentloaded => Some("DOMContentLoaded"),
        Wait::Load => Some("load"),
    };
    let after = Document { loader, there };
    reached(&mut events, tab, after, milestone, asked).await?;
    Ok(Arrival::Loaded)
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
            drop(
                self.connection
                    .post_raw(Some(&self.session), "Page.stopLoading", None),
            );
        }
    }
}

fn refused(url: &str, error: &CallError) -> Failure {
    match error {
        CallError::Remote { message, .. } if message.contains("invalid URL") => {
            Failure::invalid(format!("`{}` is not a URL", shown(url)))
        }
        error => failure::cdp("the browser refused to navigate", error, Done::None),
    }
}

async fn move_in_history(
    connection: &Connection,
    tab: &Tab,
    history: History,
) -> Result<(), Failure> {
    let session = &tab.page.session;
    let refused =
        |error: &CallError| failure::cdp("the browser refused to navigate", error, Done::None);
    let back = match history {
        History::Reload => {
            let _: Value = command(connection, session, "Page.reload", &json!({}))
                .await
                .map_err(|error| refused(&error))?;
            return Ok(());
        }
        History::Back => true,
        History::Forward => false,
    };
    let list: HistoryList = command(connection, session, "Page.getNavigationHistory", &json!({}))
        .await
        .map_err(|error| refused(&error))?;
    let index = if back {
        list.current_index.checked_sub(1)
    } else {
        list.current_index.checked_add(1)
    };
    let Some(entry) = index.and_then(|index| list.entries.get(index)) else {
        let place = if back { "before" } else { "after" };
        return Err(Failure::new(
            Code::NotFound,
            format!("the history of {} has no page {place} this one", tab.id),
        )
        .hint("give a `url` instead"));
    };
    let _: Value = command(
        connection,
        session,
        "Page.navigateToHistoryEntry",
        &json!({"entryId": entry.id}),
    )
    .await
    .map_err(|error| refused(&error))?;
    Ok(())
}

/// The frame of the next document, or `None` when the page moved within its document or came back
/// whole from the back/forward cache.
async fn next_document(events: &mut Subscription, tab: &Tab) -> Result<Option<Frame>, Failure> {
    loop {
        let (method, event) = next(events, tab).await?;
        match method.as_str() {
            "Page.frameNavigated" => {
                if let Some(frame) = event.frame.filter(|frame| frame.id == tab.page.target_id) {
                    return Ok((event.r#type != "BackForwardCacheRestore").then_some(frame));
                }
            }
            "Page.navigatedWithinDocument" if event.frame_id == tab.page.target_id => {
                return Ok(None);
            }
            _ => {}
        }
    }
}

/// Waits for the milestone of a document; without one, for the document to be there. Milestones of the
/// document before are told again when asking for them, and do not count. A document that stands still
/// for a question reaches none: then `asked` ends, and the answer tells of the dialog.
async fn reached(
    events: &mut Subscription,
    tab: &Tab,
    document: Document,
    milestone: Option<&str>,
    mut asked: Pin<&mut impl Future<Output = ()>>,
) -> Result<(), Failure> {
    let Document {
        mut loader,
        mut there,
    } = document;
    loop {
        let (method, event) = tokio::select! {
            biased;
            event = next(events, tab) => event?,
            () = &mut asked, if there => return Ok(()),
        };
        match method.as_str() {
            "Page.frameNavigated" => {
                if let Some(frame) = event.frame.filter(|frame| frame.id == tab.page.target_id) {
                    if milestone.is_none() {
                        return Ok(());
                    }
                    there = true;
                    // The page may go on before this document is done; then the next one is waited for.
                    loader = frame.loader_id;
                }
            }
            "Page.lifecycleEvent" => {
                let ours = event.frame_id == tab.page.target_id && event.loader_id == loader;
                if ours && milestone == Some(event.name.as_str()) {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

/// The next event of the tab that has the shape of a page event.
async fn next(events: &mut Subscription, tab: &Tab) -> Result<(String, PageEvent), Failure> {
    loop {
        match events.recv().await {
            Ok(event) => {
                let watched = [
                    "Page.lifecycleEvent",
                    "Page.frameNavigated",
                    "Page.navigatedWithinDocument",
                ];
                if event.session.as_ref() == Some(&tab.page.session)
                    && watched.contains(&event.method.as_str())
                {
                    return Ok((
                        event.method.clone(),
                        event.read::<PageEvent>().unwrap_or_default(),
                    ));
                }
                if event.method == "Target.detachedFromTarget"
                    && event.params.get().contains(tab.page.session.as_str())
                {
                    return Err(Failure::new(
                        Code::NotFound,
                        format!("tab {} was closed while it loaded", tab.id),
                    )
                    .hint("`session_list` shows the tabs")
                    .effect(Done::Unknown));
                }
            }
            Err(szk_cdp::SubscriptionError::Lagged(_)) => {}
            Err(szk_cdp::SubscriptionError::Closed) => {
                return Err(Failure::new(
                    Code::BrowserCrashed,
                    "Chromium ended while the page loaded",
                )
                .hint("it is being started again: repeat the call")
                .retryable()
                .effect(Done::Unknown));
            }
        }
    }
}

fn failed(url: &str, text: &str) -> Failure {
    let failure = Failure::new(
        Code::NavigationFailed,
        format!("`{}` did not load: {text}", shown(url)),
    )
    .effect(Done::Done);
    match text {
        // Only the policy blocks: extensions' blockers have another code.
        "net::ERR_BLOCKED_BY_CLIENT" => Failure::new(
            Code::PolicyDenied,
            format!(
                "`{}` led to an origin that `[policy]` does not allow",
                shown(url)
            ),
        )
        .effect(Done::Done)
        .hint("only the person who wrote the configuration can change that"),
        "net::ERR_NAME_NOT_RESOLVED" => {
            failure.hint("there is no such host, or no network: check the URL")
        }
        "net::ERR_CONNECTION_REFUSED" => failure
            .hint("nothing listens there: is the server running?")
            .retryable(),
        "net::ERR_INTERNET_DISCONNECTED"
        | "net::ERR_TIMED_OUT"
        | "net::ERR_CONNECTION_TIMED_OUT" => {
            failure.hint("check the network or the proxy").retryable()
        }
        text if text.contains("CERT") => {
            failure.hint("the site's certificate is not trusted by this machine")
        }
        text if text.contains("PROXY") || text.contains("TUNNEL") => {
            failure.hint("check the profile's `proxy`")
        }
        _ => failure.hint("`browser_screenshot` shows what is there now"),
    }
}
