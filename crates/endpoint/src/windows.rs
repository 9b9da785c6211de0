//! Windows: those that clients own, and what clients do to windows that they share.
//!
//! Tabs of one window hide each other, so a page that a client opens gets a window of its own, in the
//! profile's size. When a client that has resized a window leaves, the window gets its earlier size
//! back, so that the next client finds the profile unchanged.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use szk_cdp::protocol::browser::{
    self, GetWindowForTargetParams, SetContentsSizeParams, SetWindowBoundsParams, WindowId,
};
use szk_cdp::protocol::target::CreateTargetParams;
use szk_cdp::world;
use szk_cdp::{CallError, Connection, json};

use super::{SharedBrowser, create};

/// The bounds of a window, as Chromium reports them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bounds {
    left: i64,
    top: i64,
    width: i64,
    height: i64,
    window_state: String,
}

impl Bounds {
    fn is_normal(&self) -> bool {
        self.window_state == "normal"
    }

    /// What brings a window back to these bounds: only a normal window has a size of its own.
    fn restored(&self) -> browser::Bounds {
        let state = browser::Bounds {
            window_state: self.window_state.parse().ok(),
            ..browser::Bounds::default()
        };
        if !self.is_normal() {
            return state;
        }
        browser::Bounds {
            left: Some(self.left),
            top: Some(self.top),
            width: Some(self.width),
            height: Some(self.height),
            ..state
        }
    }
}

#[derive(Deserialize)]
struct Window {
    bounds: Bounds,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    window_id: i64,
    bounds: Bounds,
}

/// How long a page may take to get the size of its window.
const SIZED: Duration = Duration::from_secs(6);

/// Waits until the page has a size, which a hidden page gets only when it is shown; returns whether it
/// has.
const HAS: &str = "text => {
  const [width, height] = JSON.parse(text);
  return new Promise(done => {
    const fits = () => innerWidth === width && innerHeight === height;
    const end = has => { removeEventListener('resize', look); clearTimeout(limit); done(JSON.stringify(has)); };
    const look = () => { if (document.hidden || fits()) end(true); };
    const limit = setTimeout(() => end(false), 5000);
    addEventListener('resize', look);
    look();
  });
}";

/// The windows of one browser.
#[derive(Default)]
pub(super) struct Windows {
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The bounds of an ordinary window of the profile.
    usual: Option<Bounds>,
    last: u64,
    changed: HashMap<i64, Changed>,
}

/// A window that clients have changed.
#[derive(Default)]
struct Changed {
    before: Option<Bounds>,
    by: HashSet<u64>,
}

impl Windows {
    /// A number for a client.
    pub(super) fn join(&self) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        state.last
    }

    /// Records the bounds of the profile's window, before any client changes one.
    pub(super) async fn look(&self, browser: &SharedBrowser) {
        if self.lock().usual.is_some() {
            return;
        }
        let Some(page) = browser.tab_order().into_iter().next() else {
            return;
        };
        let window_of = GetWindowForTargetParams {
            target_id: Some(page.into()),
        };
        if let Ok(Window { bounds }) = browser.connection().ask(None, &window_of).await {
            self.lock().usual.get_or_insert(bounds);
        }
    }

    /// The command that opens a blank page in a window of its own, in the profile's size.
    pub(super) fn new_window(&self) -> CreateTargetParams {
        let mut params = CreateTargetParams::new(create::BLANK);
        params.new_window = Some(true);
        match &self.lock().usual {
            Some(usual) if usual.is_normal() => {
                params.left = Some(usual.left);
                params.top = Some(usual.top);
                params.width = Some(usual.width);
                params.height = Some(usual.height);
            }
            Some(usual) => params.window_state = usual.window_state.parse().ok(),
            None => {}
        }
        params
    }

    /// A client is about to change a window; returns whether it is still unchanged.
    pub(super) fn changes(&self, client: u64, window: i64) -> bool {
        let mut state = self.lock();
        let changed = state.changed.entry(window).or_default();
        changed.by.insert(client);
        changed.before.is_none()
    }

    /// Records the earlier bounds of a window: the answer to `Browser.getWindowBounds`.
    pub(super) fn was(&self, window: i64, answer: &RawValue) {
        if let Ok(Window { bounds }) = json::read(answer.get())
            && let Some(changed) = self.lock().changed.get_mut(&window)
        {
            changed.before.get_or_insert(bounds);
        }
    }

    /// Resizes a window so that its page has this size, in CSS pixels; completes once it does.
    pub(super) async fn size(
        &self,
        client: u64,
        browser: &SharedBrowser,
        page: &str,
        (width, height): (i64, i64),
    ) -> Result<(), CallError> {
        let connection = browser.connection();
        let asked = GetWindowForTargetParams {
            target_id: Some(page.to_owned().into()),
        };
        let Found { window_id, bounds } = connection.ask(None, &asked).await?;
        self.changes(client, window_id);
        if let Some(changed) = self.lock().changed.get_mut(&window_id) {
            changed.before.get_or_insert(bounds);
        }
        let sized = SetContentsSizeParams {
            width: Some(width),
            height: Some(height),
            ..SetContentsSizeParams::new(WindowId::new(window_id))
        };
        connection.run(None, &sized).await?;
        let session = browser.page_session(page).ok_or(CallError::SessionGone)?;
        let size = [width, height];
        let has = world::run::<_, bool>(&connection, &session, page, HAS, &size);
        // No answer: the page is busy, and gets the size later.
        if let Ok(Ok(false)) = tokio::time::timeout(SIZED, has).await {
            return Err(CallError::Remote {
                code: 0,
                message: "the page has a different size".to_owned(),
                data: None,
            });
        }
        Ok(())
    }

    /// A client left: restores what only it has changed.
    pub(super) fn left(&self, client: u64, connection: &Connection) {
        let mut state = self.lock();
        for changed in state.changed.values_mut() {
            changed.by.remove(&client);
        }
        let over = |_: &i64, changed: &mut Changed| changed.by.is_empty();
        for (window, changed) in state.changed.extract_if(over) {
            let Some(before) = changed.before else {
                continue;
            };
            let restore = SetWindowBoundsParams::new(WindowId::new(window), before.restored());
            // It may be closed already.
            connection.tell(None, &restore);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
