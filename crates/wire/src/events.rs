//! The keeper's event stream: `GET /v1/events?after=N` answers with one [`EventLine`] per line, as
//! `application/x-ndjson`, until the session is closed.
//!
//! The events of a profile are numbered from 1, and go on from one keeper to the next. A reader that comes back gives the number
//! of the last event it has; without one, it gets only new events. The keeper keeps the last [`KEPT`]
//! events and waits for no reader: one that was away for longer, or that reads too slowly, is told how
//! many it has missed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use szk_tools::session::HandoffEnd;

/// Path of the stream.
pub const EVENTS_PATH: &str = "/v1/events";
/// Parameter with the number of the last event that the reader has.
pub const AFTER: &str = "after";
/// How many events a keeper keeps.
pub const KEPT: usize = 1000;

/// One line of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventLine {
    /// Something happened.
    Event(Event),
    /// This many events are lost to the reader; the next one follows. Zero if the keeper cannot know, because one
    /// since the reader's last event was killed, or there is no such event.
    Missed(u64),
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its number.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    /// A tab opened.
    TabOpened {
        /// Its id.
        tab: String,
        /// Its address.
        url: String,
    },
    /// A tab closed.
    TabClosed {
        /// Its id.
        tab: String,
    },
    /// The page of a tab has another address.
    Navigated {
        /// The tab.
        tab: String,
        /// The new address.
        url: String,
    },
    /// A call changed the document of a tab.
    PageChanged {
        /// The tab.
        tab: String,
    },
    /// A call took a snapshot of a tab.
    SnapshotTaken {
        /// The tab.
        tab: String,
    },
    /// A page opened a dialog.
    DialogOpened {
        /// The page's tab, if it is in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<String>,
        /// `alert`, `confirm`, `prompt` or `beforeunload`; `filechooser` for a file chooser.
        kind: String,
        /// The page's text.
        message: String,
    },
    /// A dialog was answered.
    DialogClosed {
        /// The page's tab, if it is in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<String>,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// A download started, finished or was cancelled.
    Download {
        /// The page's tab, if it is in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tab: Option<String>,
        /// The file name from the site.
        name: String,
        /// `in_progress`, `completed` or `canceled`.
        state: String,
        /// The file, once it is complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// The session is no longer signed in to a site.
    LoginEnded {
        /// The site.
        site: String,
        /// The cookie that has expired or is gone.
        cookie: String,
    },
    /// A hand-off to a person began.
    HandoffBegan {
        /// The tab they see first.
        tab: String,
        /// What they should do.
        reason: String,
    },
    /// A hand-off ended.
    HandoffEnded {
        /// How.
        how: HandoffEnd,
    },
    /// A call waits for a person's approval.
    ApprovalAsked {
        /// The client whose call it is.
        client: String,
        /// What it would do.
        what: String,
    },
    /// How far a call of several steps is; at most once a second for each call.
    CallProgress {
        /// The client whose call it is.
        client: String,
        /// The operation.
        operation: String,
        /// Steps done.
        done: u32,
        /// All steps.
        total: u32,
    },
    /// A client connected.
    ClientCame {
        /// Its name.
        client: String,
    },
    /// A client left.
    ClientLeft {
        /// Its name.
        client: String,
    },
    /// A client works in a tab now.
    TabTaken {
        /// The tab.
        tab: String,
        /// The client's name.
        client: String,
        /// The client that had it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// A client imported cookies and storage, which changes the logins of all clients.
    StateImported {
        /// The client's name.
        client: String,
    },
    /// Chromium exited by itself; the keeper restarts it.
    BrowserExited {
        /// Why.
        why: String,
    },
    /// Chromium runs again, with its tabs and logins.
    BrowserRestarted,
    /// The session is closing.
    Closing {
        /// The client that closes it, if one does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
    },
    /// Something that this version of szk does not know.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_survives_the_wire_and_a_newer_one_is_unknown() {
        let event = Event {
            seq: 7,
            at: Timestamp::UNIX_EPOCH,
            what: Happening::TabClosed { tab: "t3".into() },
        };
        let line = serde_json::to_string(&EventLine::Event(event.clone())).expect("it encodes");
        assert_eq!(
            line,
            r#"{"event":{"seq":7,"at":"1970-01-01T00:00:00Z","event":"tab_closed","tab":"t3"}}"#
        );
        let read: EventLine = serde_json::from_str(&line).expect("it decodes");
        assert_eq!(read, EventLine::Event(event));
        let newer = line.replace("tab_closed", "tab_moved");
        let Ok(EventLine::Event(newer)) = serde_json::from_str(&newer) else {
            panic!("{newer} does not decode");
        };
        assert_eq!(newer.what, Happening::Unknown);
    }
}
