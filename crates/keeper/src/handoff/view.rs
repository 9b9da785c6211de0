//! One viewer: sends pictures of the page, and receives the person's input.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::protocol::page::{
    BringToFrontParams, EventJavascriptDialogClosed, EventJavascriptDialogOpening,
    EventScreencastFrame, GetNavigationHistoryParams, NavigateToHistoryEntryParams, ReloadParams,
    ScreencastFrameAckParams, StartScreencastFormat, StartScreencastParams, StopScreencastParams,
};
use szk_cdp::{Command, Connection, Event, SubscriptionError};
use szk_page::event_log::{EventLog, Prompted};
use szk_runtime::supervisor::{Supervisor, Tab};
use szk_tools::session::HandoffEnd;
use szk_wire::Client;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::input::{Move, ViewerMessage};
use super::{Decides, Handoff};
use crate::approval::Question;
use crate::context::Keeper;
use crate::dialogs;

/// Maximum length of a person's note, in characters.
const NOTE: usize = 2000;

/// How long a viewer may leave messages unread before it counts as gone.
const UNREAD: std::time::Duration = std::time::Duration::from_secs(20);

/// How often a viewer is asked whether it is still there: a page that does not change sends no pictures.
const PING: std::time::Duration = std::time::Duration::from_secs(20);

/// Unanswered questions after which it counts as gone.
const UNANSWERED: u32 = 2;

/// A picture, as Chromium sends it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Picture {
    data: String,
    session_id: i64,
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    device_width: f64,
    device_height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Opening {
    r#type: String,
    message: String,
    default_prompt: String,
}

/// Shows the browser until the hand-off ends, another viewer comes, or this one leaves.
/// `decides` says that it may approve calls.
pub(super) async fn show<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: WebSocketStream<S>,
    keeper: Arc<Keeper>,
    handoff: Arc<Handoff>,
    decides: bool,
) {
    let decides = decides.then(|| Decides::begin(&handoff));
    let number = {
        handoff.viewers.send_modify(|count| *count += 1);
        *handoff.viewers.borrow()
    };
    let last = match viewing(&mut socket, &keeper, &handoff, number, decides).await {
        Left::Ended(how) => json!({"t": "ended", "how": how}),
        Left::Replaced => json!({"t": "ended", "how": "replaced"}),
        Left::Browser(why) => json!({"t": "ended", "how": "browser", "why": why}),
        Left::Gone => return,
    };
    // None: the viewer left at the same time.
    if sent(&mut socket, Message::text(last.to_string()))
        .await
        .is_some()
    {
        sent(&mut socket, Message::Close(None)).await;
    }
}

/// Sends a message, however little of it the viewer reads; `None` if it has gone.
async fn sent<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    message: Message,
) -> Option<()> {
    let sent = tokio::time::timeout(UNREAD, socket.send(message)).await;
    sent.ok()?.ok()
}

/// Why a view ended.
enum Left {
    Ended(HandoffEnd),
    Replaced,
    Browser(String),
    Gone,
}

struct View<'a, S> {
    socket: &'a mut WebSocketStream<S>,
    /// Pings since the viewer was last heard of.
    pings: u32,
    supervisor: Supervisor,
    event_log: EventLog,
    tab: Tab,
    /// Pictures on their way to the viewer. Chromium sends two, then waits for an acknowledgement.
    unseen: VecDeque<i64>,
    /// The list of tabs that was sent last.
    told: Value,
    keeper: &'a Keeper,
    /// It may approve calls.
    decides: bool,
}

async fn viewing<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    keeper: &Arc<Keeper>,
    handoff: &Arc<Handoff>,
    number: u64,
    decides: Option<Decides>,
) -> Left {
    let _here = keeper.clients.enter(Client::named("person"));
    let (running, tab) = match keeper.tab_to_show(Some(&handoff.tab)).await {
        Ok(found) => found,
        // The tab is gone; any other will do.
        Err(_) => match keeper.tab_to_show(None).await {
            Ok(found) => found,
            Err(failure) => return Left::Browser(failure.to_string()),
        },
    };
    let mut events = running.supervisor.connection().subscribe();
    let mut tabs = running.supervisor.changes();
    let mut viewers = handoff.viewers.subscribe();
    let mut questions = keeper.people.watch();
    questions.mark_changed();
    let mut view = View {
        socket,
        pings: 0,
        supervisor: running.supervisor.clone(),
        event_log: keeper.event_log.clone(),
        tab,
        unseen: VecDeque::new(),
        told: Value::Null,
        keeper,
        decides: decides.is_some(),
    };
    let reason = json!({"t": "reason", "text": handoff.reason, "session": keeper.session.name().to_string()});
    if view.say(&reason).await.is_none() {
        return Left::Gone;
    }
    if view.start().await.is_none() {
        return Left::Gone;
    }
    let mut silence = interval_at(Instant::now() + PING, PING);
    silence.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let left = loop {
        if view.tell_tabs().await.is_none() {
            break Left::Gone;
        }
        let step = tokio::select! {
            event = events.recv() => match event {
                Ok(event) => view.saw(&event).await,
                Err(SubscriptionError::Lagged(_)) => view.start().await.map(|()| None),
                Err(SubscriptionError::Closed) => break Left::Browser("the browser exited".to_owned()),
            },
            Ok(()) = tabs.changed() => Some(None),
            Ok(()) = questions.changed() => {
                let open = questions.borrow_and_update().clone();
                view.tell_questions(&open).await
            }
            message = view.socket.next() => {
                view.pings = 0;
                match message {
                    Some(Ok(Message::Text(text))) => view.heard(text.as_str()).await,
                    Some(Ok(Message::Close(_))) | Some(Err(_)) | None => break Left::Gone,
                    Some(Ok(_)) => Some(None),
                }
            }
            _ = silence.tick() => view.ping().await.map(|()| None),
            end = handoff.end() => break Left::Ended(end.how),
            () = replaced(&mut viewers, number) => break Left::Replaced,
        };
        match step {
            None => break Left::Gone,
            Some(Some((how, note))) => handoff.finish(how, note),
            Some(None) => {}
        }
    };
    // Another viewer has its own pictures of the same tab.
    if matches!(left, Left::Replaced) {
        view.forget();
    } else {
        view.stop();
    }
    left
}

/// Completes when a later viewer has come.
async fn replaced(viewers: &mut watch::Receiver<u64>, number: u64) {
    // Err: the hand-off is over, which is reported elsewhere.
    let gone = viewers.wait_for(|count| *count != number).await.is_err();
    if gone {
        std::future::pending::<()>().await;
    }
}

/// `None`: the viewer is gone. `Some(Some(…))`: the person is done.
type Step = Option<Option<(HandoffEnd, Option<String>)>>;

impl<S: AsyncRead + AsyncWrite + Unpin> View<'_, S> {
    fn connection(&self) -> &Connection {
        self.supervisor.connection()
    }

    /// Not awaited: pictures come as events, and a busy page answers late.
    fn post(&self, command: &impl Command) {
        self.connection()
            .tell(Some(&self.tab.page.session), command);
    }

    async fn say(&mut self, message: &Value) -> Option<()> {
        sent(self.socket, Message::text(message.to_string())).await
    }

    /// Asks whether the viewer is still there; a browser answers by itself.
    async fn ping(&mut self) -> Option<()> {
        if self.pings >= UNANSWERED {
            return None;
        }
        self.pings += 1;
        sent(self.socket, Message::Ping(Default::default())).await
    }

    async fn start(&mut self) -> Option<()> {
        self.supervisor.use_tab(&self.tab);
        self.post(&BringToFrontParams::default());
        // A screencast that already runs, for an earlier viewer, would send nothing while the page does
        // not change.
        self.post(&StopScreencastParams::default());
        self.post(&StartScreencastParams {
            format: Some(StartScreencastFormat::Jpeg),
            quality: Some(80),
            every_nth_frame: Some(1),
            ..StartScreencastParams::default()
        });
        // Questions that the page asked before are not reported again.
        let open = dialogs::open(&self.event_log, &self.tab.page.target_id);
        let message = match open.map(|prompt| prompt.what) {
            Some(Prompted::Dialog {
                r#type,
                message,
                text,
            }) => json!({"t": "dialog", "kind": r#type, "message": message, "text": text}),
            _ => json!({"t": "dialog_closed"}),
        };
        self.say(&message).await
    }

    fn stop(&mut self) {
        self.post(&StopScreencastParams::default());
        self.forget();
    }

    /// Counts pictures on their way as seen: the count is Chromium's, and outlives a view.
    fn forget(&mut self) {
        while let Some(picture) = self.unseen.pop_front() {
            self.seen(picture);
        }
    }

    fn seen(&self, picture: i64) {
        self.post(&ScreencastFrameAckParams::new(picture));
    }

    /// Sends the list of tabs if it has changed. A newly opened tab comes to the front, as in a window.
    async fn tell_tabs(&mut self) -> Option<()> {
        let tabs = self.supervisor.tabs();
        let known = |id: &str| {
            self.told["tabs"]
                .as_array()
                .is_none_or(|told| told.iter().any(|tab| tab["id"] == id))
        };
        let opened = tabs.iter().find(|tab| !known(&tab.id)).cloned();
        let still = tabs.iter().any(|tab| tab.id == self.tab.id);
        let next = opened.or_else(|| tabs.last().filter(|_| !still).cloned());
        if let Some(next) = next {
            self.turn_to(next).await?;
        }
        let rows: Vec<Value> = tabs
            .iter()
            .map(|tab| json!({"id": tab.id, "title": crate::browser::told::title(&tab.page.title), "url": crate::browser::shown(&tab.page.url)}))
            .collect();
        let now = json!({"t": "tabs", "tabs": rows, "current": self.tab.id});
        if now != self.told {
            self.say(&now).await?;
            self.told = now;
        }
        Some(())
    }

    /// Sends the calls that wait for an approval, to who may give it.
    async fn tell_questions(&mut self, open: &[Arc<Question>]) -> Step {
        if self.decides {
            let row =
                |one: &Arc<Question>| json!({"id": one.id, "client": one.client, "what": one.what});
            let rows: Vec<Value> = open.iter().map(row).collect();
            self.say(&json!({"t": "approvals", "waiting": rows}))
                .await?;
        }
        Some(None)
    }

    async fn turn_to(&mut self, tab: Tab) -> Option<()> {
        self.stop();
        self.tab = tab;
        self.start().await
    }

    async fn saw(&mut self, event: &Event) -> Step {
        if event.session.as_ref() != Some(&self.tab.page.session) {
            return Some(None);
        }
        match event.method.as_str() {
            EventScreencastFrame::IDENTIFIER => {
                if let Ok(picture) = event.read::<Picture>() {
                    self.picture(picture).await?;
                }
            }
            EventJavascriptDialogOpening::IDENTIFIER => {
                let dialog = event.read::<Opening>().unwrap_or_default();
                let message = json!({
                    "t": "dialog", "kind": dialog.r#type, "message": dialog.message, "text": dialog.default_prompt,
                });
                self.say(&message).await?;
            }
            EventJavascriptDialogClosed::IDENTIFIER => {
                self.say(&json!({"t": "dialog_closed"})).await?;
            }
            _ => {}
        }
        Some(None)
    }

    async fn picture(&mut self, picture: Picture) -> Option<()> {
        let Ok(jpeg) = BASE64_STANDARD.decode(&picture.data) else {
            self.seen(picture.session_id);
            return Some(());
        };
        let size = json!({
            "t": "picture", "width": picture.metadata.device_width, "height": picture.metadata.device_height,
        });
        self.say(&size).await?;
        sent(self.socket, Message::binary(jpeg)).await?;
        self.unseen.push_back(picture.session_id);
        Some(())
    }

    async fn heard(&mut self, text: &str) -> Step {
        let Ok(said) = serde_json::from_str::<ViewerMessage>(text) else {
            tracing::warn!("a viewer sent an unknown message");
            return Some(None);
        };
        if let Some(command) = said.command() {
            self.post(&command);
            return Some(None);
        }
        match said {
            ViewerMessage::Shown => {
                if let Some(picture) = self.unseen.pop_front() {
                    self.seen(picture);
                }
            }
            ViewerMessage::Tab { id } => {
                if let Some(tab) = self.supervisor.tab(&id) {
                    self.turn_to(tab).await?;
                }
            }
            ViewerMessage::Approve { id, yes } if self.decides => {
                self.keeper.people.answer(id, yes);
            }
            ViewerMessage::Go { to: Move::Reload } => self.post(&ReloadParams::default()),
            ViewerMessage::Go { to: Move::Back } => self.back().await,
            ViewerMessage::End { how, note } => {
                let note = note
                    .map(|note| note.trim().chars().take(NOTE).collect::<String>())
                    .filter(|note| !note.is_empty());
                return Some(Some((how, note)));
            }
            _ => {}
        }
        Some(None)
    }

    async fn back(&mut self) {
        let session = &self.tab.page.session;
        let asked = GetNavigationHistoryParams::default();
        let history: Result<History, _> = self.connection().ask(Some(session), &asked).await;
        let Ok(history) = history else { return };
        let before = history.current_index.checked_sub(1);
        if let Some(entry) = before.and_then(|before| history.entries.get(before)) {
            self.post(&NavigateToHistoryEntryParams::new(entry.id));
        }
    }
}
