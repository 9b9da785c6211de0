//! A tab that a workflow opens for itself.

use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

/// Closed however the call ends.
pub(super) struct OwnTab {
    pub(super) running: Running,
    pub(super) tab: Tab,
    closed: bool,
}

impl OwnTab {
    pub(super) fn new(running: Running, tab: Tab) -> Self {
        Self {
            running,
            tab,
            closed: false,
        }
    }

    /// Closes it before the call ends.
    pub(super) async fn close(&mut self) {
        self.closed = self.running.supervisor.close_tab(&self.tab).await.is_ok();
    }
}

impl Drop for OwnTab {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let (supervisor, tab) = (self.running.supervisor.clone(), self.tab.clone());
        tokio::spawn(async move {
            if let Err(error) = supervisor.close_tab(&tab).await {
                tracing::debug!(%error, "cannot close a tab");
            }
        });
    }
}
