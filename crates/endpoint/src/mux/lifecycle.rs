//! Pages that come back from the back/forward cache, as they were left.
//!
//! Such a page has had all of its milestones, and Chromium tells of none. A client that waits for its load
//! would wait for ever: Playwright starts its own Chromium without that cache, and an ordinary browser has
//! it. When a client asks to hear of milestones, Chromium tells those that were; so it is asked again.

use serde::Deserialize;
use serde_json::json;
use szk_cdp::{Event, raw};

use super::client::Client;
use super::commands::{Addressed, read};
use super::end::End;

/// What a client says and Chromium tells with.
const SET_LIFECYCLE_EVENTS: &str = "Page.setLifecycleEventsEnabled";

#[derive(Deserialize)]
struct Enabled {
    enabled: bool,
}

#[derive(Deserialize)]
struct Navigated {
    r#type: String,
}

impl Client {
    /// Remembers whether a client hears of milestones in a session.
    pub(super) fn note_lifecycle_events(&mut self, command: &Addressed) {
        if command.method != SET_LIFECYCLE_EVENTS {
            return;
        }
        match read(command) {
            Some(Enabled { enabled: true }) => {
                self.lifecycle_sessions.insert(command.session.clone());
            }
            Some(Enabled { enabled: false }) | None => {
                self.lifecycle_sessions.remove(&command.session);
            }
        }
    }

    /// Has the milestones of a page told that came back as it was left.
    pub(super) fn replay_lifecycle_events(&mut self, event: &Event) -> Result<(), End> {
        let Some(session) = &event.session else {
            return Ok(());
        };
        if event.method != "Page.frameNavigated" || !self.lifecycle_sessions.contains(session) {
            return Ok(());
        }
        let navigated = serde_json::from_str::<Navigated>(event.params.get());
        if !navigated.is_ok_and(|navigated| navigated.r#type == "BackForwardCacheRestore") {
            return Ok(());
        }
        self.tell(
            session.clone(),
            SET_LIFECYCLE_EVENTS,
            raw(&json!({"enabled": true})),
        )
    }
}
