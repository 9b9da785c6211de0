//! The document that a tab shows, for answers.

use std::time::Duration;

use szk_cdp::CallError;
use szk_page::document::Document;
use szk_page::navigation::Arrived;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use super::super::view;
use crate::context::Keeper;
use crate::dialogs;

/// How long a document may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// How long a read that began while the document loaded may still take.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

/// Takes what the browser's process says of a document that is there: the page itself is busy being painted.
/// Otherwise takes what was read ahead, or reads the tab's document. If that does not answer, because a script
/// runs for long or a dialog is open, returns what the supervisor knows: where the tab is must not depend on it.
pub(super) async fn read_or_known(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    arrived: Arrived,
) -> Result<Document, CallError> {
    let supervisor = &running.supervisor;
    let Arrived { mut ahead, status } = arrived;
    if let Some(status) = status
        && let Some((url, title)) = supervisor.ask_document(tab).await
    {
        // It also makes the world in which the next call reads the page; so does what is begun now.
        ahead.detach_all();
        let (worlds, page) = (keeper.worlds.clone(), view::page(running, tab));
        tokio::spawn(async move { worlds.prepare(&page).await });
        return Ok(Document::told(url, &title, status));
    }
    let page = view::page(running, tab);
    let reading = async {
        // Err: it is read now; so it is where nothing was read, or the document went.
        match tokio::time::timeout(ON_ITS_WAY, ahead.join_next()).await {
            Ok(Some(Ok(Some(document)))) => Ok(document),
            _ => Document::read(&keeper.worlds, &page).await,
        }
    };
    let held = dialogs::held(&keeper.event_log, &tab.page.target_id);
    let read = tokio::select! {
        biased;
        () = held => None,
        read = tokio::time::timeout(PATIENCE, reading) => read.ok(),
    };
    if let Some(document) = read {
        let document = document?;
        supervisor.saw(tab, &document.url, &document.title);
        return Ok(document);
    }
    let known = supervisor.tab(&tab.id).ok_or(CallError::SessionGone)?;
    Ok(Document::known(known.page.url, known.page.title))
}
