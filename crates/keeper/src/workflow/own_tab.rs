//! A tab that a workflow opens for itself.

use std::time::Duration;

use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use crate::context::Keeper;
use crate::sharing::Sharing;

/// How long a call waits for its tab to close: what it has read is worth more.
const CLOSING: Duration = Duration::from_secs(2);

/// Closed however the call ends. Until then, no call gets it that does not name it.
pub(super) struct OwnTab {
    pub(super) running: Running,
    pub(super) tab: Tab,
    sharing: Sharing,
    closed: bool,
}

impl OwnTab {
    pub(super) fn new(keeper: &Keeper, running: Running, tab: Tab) -> Self {
        keeper.sharing.keep_private(&tab.id, true);
        Self {
            running,
            tab,
            sharing: keeper.sharing.clone(),
            closed: false,
        }
    }

    /// Closes it before the call ends.
    pub(super) async fn close(&mut self) {
        let closing = self.running.supervisor.close_tab(&self.tab);
        self.closed = matches!(tokio::time::timeout(CLOSING, closing).await, Ok(Ok(())));
        if self.closed {
            self.sharing.keep_private(&self.tab.id, false);
        }
    }
}

impl Drop for OwnTab {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let (supervisor, tab) = (self.running.supervisor.clone(), self.tab.clone());
        let sharing = self.sharing.clone();
        tokio::spawn(async move {
            if let Err(error) = supervisor.close_tab(&tab).await {
                tracing::debug!(%error, "cannot close a tab");
            }
            sharing.keep_private(&tab.id, false);
        });
    }
}
