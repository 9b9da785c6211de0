//! What a document says of itself.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::{CallError, Connection};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use tokio::task::JoinSet;

use crate::context::Keeper;
use crate::dialogs;

/// Read in our world. The status is that of the document's own request, and 0 where there was none.
const READ: &str = "function () {
  const entry = performance.getEntriesByType('navigation')[0];
  return { url: location.href, title: document.title, status: entry ? entry.responseStatus : 0, hidden: document.hidden };
}";

/// How long a document may take to say what it is.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// A document's address, title and status.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Document {
    pub(super) url: String,
    pub(super) title: String,
    status: u16,
    pub(super) hidden: bool,
}

impl Document {
    /// The HTTP status, where there was one.
    pub(super) fn status(&self) -> Option<u16> {
        (self.status != 0).then_some(self.status)
    }
}

/// Reads the tab's document, or says what is known of it when it does not answer: a script that runs
/// for long, or a dialog, is no reason to hide where the tab is. If our world is being made in it, that
/// comes first.
pub(super) async fn read_or_known(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    mut world: JoinSet<()>,
) -> Result<Document, CallError> {
    let supervisor = &running.supervisor;
    let reading = async {
        while world.join_next().await.is_some() {}
        read(keeper, supervisor.connection(), tab).await
    };
    let stands = dialogs::held(&keeper.journal, &tab.page.target_id);
    let read = tokio::select! {
        biased;
        () = stands => None,
        read = tokio::time::timeout(PATIENCE, reading) => read.ok(),
    };
    if let Some(document) = read {
        let document = document?;
        supervisor.saw(tab, &document.url, &document.title);
        return Ok(document);
    }
    let known = supervisor.tab(&tab.id).ok_or(CallError::SessionGone)?;
    Ok(Document {
        url: known.page.url,
        title: known.page.title,
        ..Document::default()
    })
}

/// Reads the tab's document.
pub(super) async fn read(
    keeper: &Keeper,
    connection: &Connection,
    tab: &Tab,
) -> Result<Document, CallError> {
    let evaluated = keeper.worlds.call(connection, tab, READ, &[]).await?;
    Ok(evaluated
        .result
        .value
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default())
}
