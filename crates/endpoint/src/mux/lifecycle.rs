//! Lifecycle events that a client would miss. Chromium repeats past events when a client enables lifecycle
//! events, so the endpoint enables them again.
//!
//! - Chromium sends none for a page that comes back from the back/forward cache, because it had them before.
//!   A client that waits for the page to load would wait for ever: Playwright starts its own Chromium without
//!   that cache, but an ordinary browser has it.
//! - A popup may load while a client is still setting it up, because another client has resumed it. Playwright
//!   ignores the events up to the end of its setup: alone in a browser, it knows that nothing has loaded by then.

use serde::Deserialize;
use szk_cdp::protocol::page::{EventFrameNavigated, SetLifecycleEventsEnabledParams};
use szk_cdp::{Event, SessionId};

use super::client::Client;
use super::commands::{Addressed, read};
use super::end::End;

#[derive(Deserialize)]
struct Enabled {
    enabled: bool,
}

#[derive(Deserialize)]
struct Navigated {
    r#type: String,
}

impl Client {
    /// Records whether a client has lifecycle events enabled in a session.
    pub(super) fn note_lifecycle_events(&mut self, command: &Addressed) {
        if command.method != SetLifecycleEventsEnabledParams::IDENTIFIER {
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

    /// Has Chromium repeat the lifecycle events of a page that came back from the cache.
    pub(super) fn replay_lifecycle_events(&mut self, event: &Event) -> Result<(), End> {
        let Some(session) = &event.session else {
            return Ok(());
        };
        if event.method != EventFrameNavigated::IDENTIFIER
            || !self.lifecycle_sessions.contains(session)
        {
            return Ok(());
        }
        let navigated = event.read::<Navigated>();
        if !navigated.is_ok_and(|navigated| navigated.r#type == "BackForwardCacheRestore") {
            return Ok(());
        }
        self.repeat_lifecycle_events(session)
    }

    /// Has Chromium repeat the lifecycle events of a page, if the client has them enabled there.
    pub(super) fn repeat_lifecycle_events(&mut self, session: &SessionId) -> Result<(), End> {
        if !self.lifecycle_sessions.contains(session) {
            return Ok(());
        }
        self.tell(session, &SetLifecycleEventsEnabledParams::new(true))
    }
}
