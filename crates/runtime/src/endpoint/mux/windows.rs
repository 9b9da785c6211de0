//! A client's words about windows.

use serde::Deserialize;
use serde_json::json;

use super::client::Client;
use super::commands::{Addressed, read};
use super::end::End;
use super::waiting::{Then, Waiting};
use crate::stealth::raw;

/// How much bigger than its page drivers take a window to be, at most: Playwright adds what it has
/// measured on some system.
const FRAME: (i64, i64) = (40, 140);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounds {
    window_id: i64,
    bounds: Option<Size>,
}

/// The size that a client gave a window.
#[derive(Deserialize)]
pub(super) struct Size {
    width: Option<i64>,
    height: Option<i64>,
}

#[derive(Deserialize)]
struct Metrics {
    width: i64,
    height: i64,
}

impl Client {
    /// A viewport is not emulated. Playwright makes the window for it first, by what it guesses that a
    /// window has around the page; Chromium knows that, and gives the page its size.
    pub(super) fn wants_viewport(&mut self, command: &Addressed) -> Result<(), End> {
        if command.method == "Emulation.setDeviceMetricsOverride"
            && let Some((window, size)) = self.resized.take()
            && let Some(Metrics { width, height }) = read(command)
            && width > 0
            && height > 0
            && size.holds(width, height)
        {
            let size = json!({ "windowId": window, "width": width, "height": height });
            let session = self.lease.session.clone();
            return self.tell(session, "Browser.setContentsSize", raw(&size));
        }
        Ok(())
    }

    /// Changes a window, once it is known what it was like before.
    pub(super) fn resize(&mut self, command: Addressed) -> Result<(), End> {
        let Some(Bounds { window_id, bounds }) = read(&command) else {
            return self.forward(command, Then::Pass);
        };
        if self.lease.windows.changes(self.lease.number, window_id) {
            let number = self.waiting.insert(Waiting {
                id: 0,
                named: None,
                then: Then::Window(window_id),
            });
            let params = raw(&json!({ "windowId": window_id }));
            let sent = self.lease.member.send(
                number,
                Some(self.lease.session.clone()),
                "Browser.getWindowBounds",
                Some(params),
            );
            if sent.is_err() {
                self.waiting.take(number);
            }
        }
        self.resized = bounds.map(|size| (window_id, size));
        self.forward(command, Then::Pass)
    }
}

impl Size {
    /// Whether it is that of a window around a page of this size.
    fn holds(&self, width: i64, height: i64) -> bool {
        let (Some(outer_width), Some(outer_height)) = (self.width, self.height) else {
            return false;
        };
        (0..=FRAME.0).contains(&(outer_width - width))
            && (0..=FRAME.1).contains(&(outer_height - height))
    }
}
