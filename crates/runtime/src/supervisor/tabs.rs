//! Tabs as operations see them: lists, selects and opens them.

use std::time::{Duration, Instant};

use serde::Deserialize;
use szk_cdp::protocol::browser::GetWindowForTargetParams;
use szk_cdp::protocol::emulation::{
    ClearDeviceMetricsOverrideParams, ClearGeolocationOverrideParams, SetEmulatedMediaParams,
    SetTouchEmulationEnabledParams,
};
use szk_cdp::protocol::page::NavigateParams;
use szk_cdp::protocol::target::{CloseTargetParams, CreateTargetParams};
use szk_cdp::{CallError, Done, Request, SessionId};
use tokio::sync::watch;

use super::{NewTarget, Supervisor, SupervisorError, Tab, TargetInfo, Unreachable};

/// How often to try to open a tab whose renderer dies.
const TRIES: usize = 3;
/// How much longer than its page a closed tab may exist.
const GONE: Duration = Duration::from_secs(3);
/// How long a tab may take to close before it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct Window {
    bounds: WindowBounds,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WindowBounds {
    left: Option<i64>,
    top: Option<i64>,
    width: Option<i64>,
    height: Option<i64>,
    #[serde(default)]
    window_state: String,
}

impl Supervisor {
    /// Open tabs, oldest first.
    #[must_use]
    pub fn tabs(&self) -> Vec<Tab> {
        self.targets.tabs()
    }

    /// The tab with this id.
    #[must_use]
    pub fn tab(&self, id: &str) -> Option<Tab> {
        self.tabs().into_iter().find(|tab| tab.id == id)
    }

    /// The tab that was opened or used last.
    #[must_use]
    pub fn current_tab(&self) -> Option<Tab> {
        self.targets.current()
    }

    /// Whether the process of a tab's page has died. It cannot answer until it navigates.
    #[must_use]
    pub fn has_crashed(&self, tab: &Tab) -> bool {
        self.targets.has_crashed(&tab.page.target_id)
    }

    /// What a tab's page could not load, while it shows the browser's own page instead.
    #[must_use]
    pub fn unreachable(&self, tab: &Tab) -> Option<Unreachable> {
        self.targets.unreachable(&tab.page.target_id)
    }

    /// Waits until the process of a page dies.
    pub(super) async fn crash_of(&self, target_id: &str) {
        let mut changes = self.changes();
        while !self.targets.has_crashed(target_id) {
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Opens a blank tab in place of a page whose process has died.
    pub(super) async fn replace(&self, target_id: &str) -> Result<(), SupervisorError> {
        tracing::warn!(
            target_id,
            "the renderer of the first page has died; replacing the tab"
        );
        self.open_tab().await?;
        // It is gone already, or stays behind: there is a new one now.
        self.connection
            .tell(None, &CloseTargetParams::new(target_id.to_owned()));
        Ok(())
    }

    /// When the last tab closed, if none is open.
    #[must_use]
    pub fn emptied(&self) -> Option<Instant> {
        self.targets.emptied()
    }

    /// Records what someone has just read in a tab; Chromium reports it a little later.
    pub fn saw(&self, tab: &Tab, url: &str, title: &str) {
        self.targets.seen(&tab.page.target_id, url, title);
    }

    /// Makes a tab the default for calls without a tab. Changes nothing on the screen.
    pub fn use_tab(&self, tab: &Tab) {
        self.targets.use_tab(&tab.page.target_id);
    }

    /// Number of the next tab; the next browser of the same session continues with it.
    #[must_use]
    pub fn next_tab(&self) -> u32 {
        self.targets.next_tab()
    }

    /// Notified when a target comes, goes, or changes URL or title.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.targets.changes()
    }

    /// Opens a blank tab and sets it up. Chromium does not hold a target that it creates with a URL, so
    /// tabs start blank and are navigated afterwards.
    ///
    /// # Errors
    /// [`SupervisorError::Tab`].
    pub async fn open_tab(&self) -> Result<Tab, SupervisorError> {
        self.create(&CreateTargetParams::new("about:blank")).await
    }

    /// Opens a blank tab behind the one in front. Calls without a tab go on where they were.
    ///
    /// # Errors
    /// [`SupervisorError::Tab`].
    pub(crate) async fn open_tab_behind(&self) -> Result<Tab, SupervisorError> {
        let current = self.current_tab();
        let mut params = CreateTargetParams::new("about:blank");
        params.background = Some(true);
        let opened = self.create(&params).await?;
        if let Some(current) = current {
            self.use_tab(&current);
        }
        Ok(opened)
    }

    /// Opens a blank tab in a window of its own, as large as that of the current tab.
    ///
    /// # Errors
    /// [`SupervisorError::Tab`].
    pub async fn open_window(&self) -> Result<Tab, SupervisorError> {
        let mut params = CreateTargetParams::new("about:blank");
        params.new_window = Some(true);
        // Without a tab to go by, Chromium decides.
        if let Some(tab) = self.current_tab()
            && let Some(bounds) = self.bounds_of(&tab).await
        {
            params.left = bounds.left;
            params.top = bounds.top;
            params.width = bounds.width;
            params.height = bounds.height;
        }
        self.create(&params).await
    }

    /// The bounds of a tab's window, unless it is maximized or the like.
    async fn bounds_of(&self, tab: &Tab) -> Option<WindowBounds> {
        let asked = GetWindowForTargetParams {
            target_id: Some(tab.page.target_id.clone().into()),
        };
        let window: Window = self.connection.ask(None, &asked).await.ok()?;
        (window.bounds.window_state == "normal").then_some(window.bounds)
    }

    /// Creates a tab, again if its renderer dies before it is set up: such a page answers only once it
    /// navigates, and without its stealth it must not.
    async fn create(&self, params: &CreateTargetParams) -> Result<Tab, SupervisorError> {
        let trouble = |reason: String| SupervisorError::Tab { reason };
        for _ in 0..TRIES {
            let new = NewTarget::create(&self.connection, params)
                .await
                .map_err(|error| trouble(error.to_string()))?;
            let target_id = new.id();
            let set_up = tokio::select! {
                biased;
                set_up = self.gate.acked(target_id) => set_up,
                () = self.crash_of(target_id) => {
                    tracing::warn!(target_id, "the renderer of a new tab has died; replacing the tab");
                    continue;
                }
                _ = self.connection.closed() => return Err(trouble("the browser has exited".into())),
            };
            if set_up.is_err() {
                let reason = self.targets.trouble(target_id);
                return Err(trouble(
                    reason.unwrap_or_else(|| "it closed, or its setup timed out".into()),
                ));
            }
            let tab = self
                .tabs()
                .into_iter()
                .find(|tab| tab.page.target_id == target_id)
                .ok_or_else(|| trouble("it was closed at once".into()))?;
            new.keep();
            return Ok(tab);
        }
        Err(trouble("its renderer dies again and again".into()))
    }

    /// Opens a blank tab in place of one whose page cannot be left, and closes that one. The new tab
    /// gets its id and overrides; the history and sessionStorage of the old one are lost.
    ///
    /// # Errors
    /// [`SupervisorError::Tab`].
    pub async fn replace_tab(&self, tab: &Tab) -> Result<Tab, SupervisorError> {
        let overrides = self.overrides().remove(&tab.id).unwrap_or_default();
        // Open it before closing the other: a browser should never be without tabs.
        let another = self.open_tab().await?;
        let closed = self.close_tab(tab).await;
        closed.map_err(|error| SupervisorError::Tab {
            reason: error.to_string(),
        })?;
        // The tab closes a moment after its page.
        let mut changes = self.changes();
        let gone =
            async { while self.targets.is_taken(&tab.id) && changes.changed().await.is_ok() {} };
        let _ = tokio::time::timeout(GONE, gone).await;
        let tab = self.continues(another, &tab.id, &overrides).await;
        self.use_tab(&tab);
        Ok(tab)
    }

    /// Records where a blank tab is navigating to, to show until Chromium reports where it is.
    pub fn heads_for(&self, tab: &Tab, url: &str, title: &str) {
        self.targets.heads_for(&tab.page.target_id, url, title);
    }

    /// Navigates a page without waiting for it to arrive.
    ///
    /// # Errors
    /// [`CallError`] if the page is gone.
    pub fn send_to(
        &self,
        session: &SessionId,
        url: &str,
    ) -> impl Future<Output = Result<(), CallError>> + Send + use<> {
        let reply = self
            .connection
            .post::<Done>(Some(session), &NavigateParams::new(url));
        async move { reply.await.map(drop) }
    }

    /// Resets a page's emulation to that of its identity, which may be none.
    ///
    /// # Errors
    /// [`CallError`] if the page is gone.
    pub async fn as_ordered(&self, session: &SessionId) -> Result<(), CallError> {
        let post = |command: &Request| self.connection.post::<Done>(Some(session), command);
        // In one go and in this order: what is cleared is set again before a page can notice.
        let cleared = [
            Request::of(&ClearDeviceMetricsOverrideParams::default()),
            Request::of(&SetTouchEmulationEnabledParams::new(false)),
            Request::of(&ClearGeolocationOverrideParams::default()),
            Request::of(&SetEmulatedMediaParams {
                media: Some(String::new()),
                features: Some(Vec::new()),
            }),
        ]
        .map(|command| post(&command));
        let ordered: Vec<_> = self
            .stealth
            .orders(crate::stealth::Kind::Page)
            .iter()
            .filter(|order| order.method().starts_with("Emulation."))
            .filter(|order| self.targets.orders_in(session, order.method()))
            .map(|order| post(&order.command))
            .collect();
        for reply in cleared {
            reply.await?;
        }
        for reply in ordered {
            // A locale that is already set for the process is refused, which does no harm.
            match reply.await {
                Ok(_) | Err(CallError::Remote { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The id of the tab that a session is in: as its page, below the page, or as a page that the tab
    /// may navigate to.
    #[must_use]
    pub fn tab_of(&self, session: &SessionId) -> Option<String> {
        self.targets.tab_of(session)
    }

    /// The id of the tab that a target is in.
    #[must_use]
    pub fn tab_of_target(&self, target_id: &str) -> Option<String> {
        let session = self.page_session(target_id)?;
        self.tab_of(&session)
    }

    /// Whether there is such a tab, whichever page it shows.
    #[must_use]
    pub fn has_tab(&self, id: &str) -> bool {
        self.targets.has_tab(id)
    }

    /// Out-of-process frames and workers below a page, at any depth.
    #[must_use]
    pub fn below(&self, page: &SessionId) -> Vec<TargetInfo> {
        self.targets.below(page)
    }

    /// Asks a tab to close and waits until it is gone. Chromium forgets to close a page whose document is being
    /// replaced, as by the page that says why a load failed: it is asked again.
    ///
    /// # Errors
    /// [`CallError`] if the browser refuses.
    pub async fn close_tab(&self, tab: &Tab) -> Result<(), CallError> {
        let mut changes = self.changes();
        let close = CloseTargetParams::new(tab.page.target_id.clone());
        loop {
            match self.connection.run(None, &close).await {
                // Someone else was faster.
                Err(CallError::Remote { message, .. }) if message.contains("No target") => {
                    return Ok(());
                }
                other => drop(other?),
            }
            let gone = async {
                while self.page_session(&tab.page.target_id).is_some() {
                    if changes.changed().await.is_err() {
                        break;
                    }
                }
            };
            if tokio::time::timeout(ASK_AGAIN, gone).await.is_ok() {
                return Ok(());
            }
        }
    }
}
