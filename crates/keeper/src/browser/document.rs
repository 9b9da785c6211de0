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
/// With the name of an event it is read once the page's own listeners of that event have run: a message
/// to itself comes after them, and is not slowed down as timers are.
const READ: &str = "async function (event) {
  const entry = performance.getEntriesByType('navigation')[0];
  const ended = { load: 'loadEventEnd', DOMContentLoaded: 'domContentLoadedEventEnd' }[event];
  if (ended && (entry ? !entry[ended] : document.readyState !== 'complete')) {
    await new Promise((read) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); read(); };
      addEventListener(event, () => port2.postMessage(0), { once: true });
    });
  }
  return { url: location.href, title: document.title.slice(0, 1000), status: entry ? entry.responseStatus : 0, hidden: document.hidden };
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

/// How long what is read ahead may still take when it should be there.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

/// Documents that are being read while they load.
pub(super) type Ahead = JoinSet<Option<Document>>;

/// Takes what was read ahead, else reads the tab's document, or says what is known of it when it does not
/// answer: a script that runs for long, or a dialog, is no reason to hide where the tab is.
pub(super) async fn read_or_known(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    mut ahead: Ahead,
) -> Result<Document, CallError> {
    let supervisor = &running.supervisor;
    let reading = async {
        // Err: it is read now; so it is where nothing was read, or the document went.
        match tokio::time::timeout(ON_ITS_WAY, ahead.join_next()).await {
            Ok(Some(Ok(Some(document)))) => Ok(document),
            _ => read(keeper, supervisor.connection(), tab).await,
        }
    };
    let stands = dialogs::held(&keeper.event_log, &tab.page.target_id);
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

/// Reads a document that came just now, in a new world of ours, once it has had an event; at once without
/// one. None if it went before.
pub(super) async fn read_ahead(
    keeper: &Keeper,
    connection: &Connection,
    tab: &Tab,
    event: Option<&str>,
) -> Option<Document> {
    let read = keeper.worlds.renew(connection, tab, READ, event).await;
    read.ok()?.result.read().ok()
}

/// Reads the tab's document.
pub(super) async fn read(
    keeper: &Keeper,
    connection: &Connection,
    tab: &Tab,
) -> Result<Document, CallError> {
    let evaluated = keeper.worlds.call(connection, tab, READ, &[]).await?;
    Ok(evaluated.result.read().unwrap_or_default())
}
