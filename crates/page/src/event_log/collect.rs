//! The task that reads events and keeps what they report.

use std::collections::HashMap;

use szk_cdp::own::EventConsoleMessageAdded;
use szk_cdp::protocol::log::EventEntryAdded;
use szk_cdp::protocol::page::{
    EventFileChooserOpened, EventFrameDetached, EventFrameNavigated, EventJavascriptDialogClosed,
    EventJavascriptDialogOpening,
};
use szk_cdp::protocol::target::{EventAttachedToTarget, EventDetachedFromTarget};
use szk_cdp::{Connection, Event, SessionId, Subscription, SubscriptionError};

use super::entry::{Console, Dialog, Entry, Kind, Problem, What};
use super::events::{
    Attached, ChooserOpened, ConsoleAdded, Detached, DialogClosed, DialogOpening, LogAdded,
    LogEntry, Navigated,
};
use super::left::Open;
use super::prompt::{Chooser, Prompt, Prompted};
use super::{EventLog, Names, Placing, redact, shortened};
use crate::prompts::files::FileField;

/// Within this many milliseconds, the workers around a worker repeat its error.
const AGAIN: f64 = 20.0;

/// Reads one browser's events.
pub(super) struct Collector {
    pub(super) event_log: EventLog,
    connection: Connection,
    names: Names,
    pub(super) placing: Placing,
    /// The page above each session; `None` for workers without one.
    pub(super) owners: HashMap<SessionId, Owner>,
    /// Entries of unfinished requests, by session and CDP's id.
    pub(super) requests: HashMap<(SessionId, String), Open>,
    /// Entries of unfinished downloads and the site's names for them, by CDP's id.
    pub(super) downloads: HashMap<String, (u64, String)>,
    /// The last error of a worker: which worker, what and when.
    of_worker: Option<(String, Problem, f64)>,
}

#[derive(Clone)]
pub(super) struct Owner {
    pub(super) page: Option<(SessionId, String)>,
    /// Of a shared or service worker, which outlives documents.
    pub(super) outlives: bool,
}

/// The page in which something happened.
pub(super) struct Source {
    /// The page's session and target.
    pub(super) page: Option<(SessionId, String)>,
    /// The page's tab.
    pub(super) tab: Option<String>,
}

impl Collector {
    pub(super) fn new(
        event_log: EventLog,
        connection: Connection,
        names: Names,
        placing: Placing,
    ) -> Self {
        Self {
            event_log,
            connection,
            names,
            placing,
            owners: HashMap::new(),
            requests: HashMap::new(),
            downloads: HashMap::new(),
            of_worker: None,
        }
    }

    pub(super) async fn run(mut self, mut events: Subscription) {
        loop {
            match events.recv().await {
                Ok(event) => self.handle(&event),
                Err(SubscriptionError::Lagged(missed)) => {
                    let text = match missed {
                        1 => "1 event was missed: too many came at once".to_owned(),
                        _ => format!("{missed} events were missed: too many came at once"),
                    };
                    self.add(
                        &self.place(None),
                        What::Error(Problem {
                            source: "journal".into(),
                            level: "warning".into(),
                            text,
                            ..Problem::default()
                        }),
                    );
                }
                Err(SubscriptionError::Closed) => break,
            }
        }
        drop(self.connection);
    }

    fn handle(&mut self, event: &Event) {
        let session = event.session.as_ref();
        match event.method.as_str() {
            EventAttachedToTarget::IDENTIFIER => self.attached(event),
            EventDetachedFromTarget::IDENTIFIER => self.detached(event),
            EventConsoleMessageAdded::IDENTIFIER => {
                if let Ok(ConsoleAdded { message }) = event.read() {
                    self.add(
                        &self.place(session),
                        What::Console(Console {
                            level: message.level,
                            text: shortened(&redact::text(&message.text)),
                            url: redact::url(&message.url),
                            line: message.line,
                        }),
                    );
                }
            }
            EventEntryAdded::IDENTIFIER => {
                if let Ok(LogAdded { entry }) = event.read() {
                    self.log(session, entry);
                }
            }
            EventJavascriptDialogOpening::IDENTIFIER => self.dialog_opens(event),
            EventJavascriptDialogClosed::IDENTIFIER => self.dialog_closed(event),
            EventFileChooserOpened::IDENTIFIER => self.chooser_opens(event),
            EventFrameNavigated::IDENTIFIER => self.navigated(event),
            EventFrameDetached::IDENTIFIER => {
                if let (Ok(detached), Some(session)) = (event.read(), session) {
                    self.frame_detached(session, &detached);
                }
            }
            method if method.starts_with("Network.") => self.network(event),
            method if method.contains(".download") => self.download(event),
            _ => {}
        }
    }

    /// Messages of the browser itself. They include uncaught errors of dedicated workers, reported by
    /// their page, once for every worker around them.
    fn log(&mut self, session: Option<&SessionId>, entry: LogEntry) {
        let problem = Problem {
            source: entry.source,
            level: entry.level,
            text: entry.text,
            url: entry.url,
            line: entry.line_number.map(|line| line.saturating_add(1)),
            ..Problem::default()
        };
        if let Some(worker) = entry.worker_id {
            let now = (worker, problem.clone(), entry.timestamp);
            let again = self.of_worker.as_ref().is_some_and(|before| {
                (&before.0, &before.1) == (&now.0, &now.1) && now.2 - before.2 < AGAIN
            });
            self.of_worker = Some(now);
            if again {
                return;
            }
        }
        self.event_log.trouble(self.place(session).tab, problem);
    }

    fn attached(&mut self, event: &Event) {
        let Ok(attached) = event.read::<Attached>() else {
            return;
        };
        let session = SessionId::from(attached.session_id);
        // A page is below one of the browser's tabs, and everything else below a page.
        let page = if attached.target_info.r#type == "page" {
            let target = attached.target_info.target_id.clone();
            Some((session.clone(), target))
        } else {
            let parent = event.session.as_ref();
            parent.and_then(|parent| self.owners.get(parent)?.page.clone())
        };
        let kind = attached.target_info.r#type;
        let outlives = matches!(kind.as_str(), "service_worker" | "shared_worker");
        self.owners.insert(session, Owner { page, outlives });
    }

    /// Its page's questions no longer matter, and its loads are over.
    fn detached(&mut self, event: &Event) {
        let Ok(Detached { session_id }) = event.read() else {
            return;
        };
        let session = SessionId::from(session_id);
        self.owners.remove(&session);
        let over: Vec<u64> = self
            .requests
            .extract_if(|(of, _), _| *of == session)
            .map(|(_, open)| open.entry)
            .collect();
        for id in over {
            self.given_up(id, "the page is gone");
        }
        let mut state = self.event_log.state();
        state.pending.retain(|prompt| prompt.session != session);
    }

    fn dialog_opens(&mut self, event: &Event) {
        let Ok(opening) = event.read::<DialogOpening>() else {
            return;
        };
        let place = self.place(event.session.as_ref());
        let dialog = Dialog {
            r#type: opening.r#type.clone(),
            message: shortened(&redact::text(&opening.message)),
            accepted: None,
            unanswered: false,
        };
        let message = dialog.message.clone();
        let id = self.add(&place, What::Dialog(dialog));
        let what = Prompted::Dialog {
            r#type: opening.r#type,
            message,
            text: opening.default_prompt,
        };
        self.prompt(id, place, what, true);
    }

    fn dialog_closed(&mut self, event: &Event) {
        let (Ok(closed), Some(session)) = (event.read::<DialogClosed>(), &event.session) else {
            return;
        };
        let mut state = self.event_log.state();
        let is_it = |prompt: &Prompt| {
            prompt.session == *session && matches!(prompt.what, Prompted::Dialog { .. })
        };
        let Some(at) = state.pending.iter().position(is_it) else {
            return;
        };
        let id = state.pending.remove(at).id;
        drop(state);
        self.change(Kind::Dialogs, id, true, |entry| {
            if let What::Dialog(dialog) = &mut entry.what {
                dialog.accepted = Some(closed.result);
            }
        });
    }

    fn chooser_opens(&mut self, event: &Event) {
        let Ok(opened) = event.read::<ChooserOpened>() else {
            return;
        };
        let (Some(backend_node), Some(frame_session)) =
            (opened.backend_node_id, event.session.clone())
        else {
            return;
        };
        let place = self.place(Some(&frame_session));
        let multiple = opened.mode == "selectMultiple";
        let id = self.add(
            &place,
            What::Dialog(Dialog {
                r#type: "filechooser".into(),
                message: if multiple { "files" } else { "file" }.into(),
                accepted: None,
                unanswered: false,
            }),
        );
        let chooser = Chooser {
            field: FileField {
                session: frame_session,
                frame: opened.frame_id,
                node: backend_node,
            },
            multiple,
        };
        self.prompt(id, place, Prompted::Chooser(chooser), true);
    }

    /// A chooser goes away with its document, and so do requests.
    fn navigated(&mut self, event: &Event) {
        let (Ok(Navigated { frame }), Some(session)) = (event.read(), &event.session) else {
            return;
        };
        if frame.parent_id.is_some() {
            self.frame_left(session, &frame);
        } else {
            self.page_left(session, &frame);
            let mut state = self.event_log.state();
            let is_its = |prompt: &Prompt| {
                prompt.session == *session && matches!(prompt.what, Prompted::Chooser(_))
            };
            state.pending.retain(|prompt| !is_its(prompt));
            drop(state);
            self.event_log.told();
        }
    }

    /// Passes a prompt on to be answered; also remembers one that stays open.
    pub(super) fn prompt(&self, id: u64, place: Source, what: Prompted, stays: bool) {
        let Some((session, target)) = place.page else {
            return;
        };
        let prompt = Prompt {
            id,
            session,
            target,
            tab: place.tab,
            what,
            held: false,
        };
        if stays {
            let mut state = self.event_log.state();
            // A page has one chooser: the previous one is gone.
            if matches!(prompt.what, Prompted::Chooser(_)) {
                state.pending.retain(|other| {
                    other.session != prompt.session || !matches!(other.what, Prompted::Chooser(_))
                });
            }
            state.pending.push(prompt.clone());
        }
        // Err: no one answers prompts here.
        let _ = self.event_log.inner.prompts.send(prompt);
    }

    pub(super) fn place(&self, session: Option<&SessionId>) -> Source {
        let page = session
            .and_then(|session| self.owners.get(session))
            .and_then(|owner| owner.page.clone());
        let tab = page.as_ref().and_then(|(_, target)| (self.names)(target));
        Source { page, tab }
    }

    /// The page whose main frame this is.
    pub(super) fn place_of_frame(&self, frame: &str) -> Source {
        let page = self
            .owners
            .values()
            .find_map(|owner| owner.page.clone().filter(|(_, target)| target == frame));
        let tab = page.as_ref().and_then(|(_, target)| (self.names)(target));
        Source { page, tab }
    }

    pub(super) fn add(&self, place: &Source, what: What) -> u64 {
        self.event_log.add(place.tab.clone(), what)
    }

    /// Changes an entry; writes a finished one to the file.
    pub(super) fn change(&self, kind: Kind, id: u64, over: bool, change: impl FnOnce(&mut Entry)) {
        let mut guard = self.event_log.state();
        let state = &mut *guard;
        let covered = |entry: &mut Entry| {
            change(entry);
            entry.what.cover(self.event_log.redactor());
        };
        let entry = state.rings.change(kind, id, covered);
        if over && let (Some(entry), Some(file)) = (entry, &state.file) {
            file.write(entry);
        }
        drop(guard);
        self.event_log.told();
    }
}
