//! The document that a tab shows, for answers.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use szk_cdp::CallError;
use szk_page::Page;
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

/// How often a document that is replaced while it is read is read again, and after how long.
const AGAIN: (u32, Duration) = (10, Duration::from_millis(50));

/// Whether two addresses are of one document.
fn is_same(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|url| url.split_once('#').map_or(url, |(url, _)| url));
    one == other
}

/// Reads what the page shows, also if a document is just being replaced by the next one.
async fn read(keeper: &Keeper, page: &Page) -> Result<Document, CallError> {
    let (most, pause) = AGAIN;
    for _ in 0..most {
        match Document::read(&keeper.worlds, page).await {
            Err(error) if szk_page::is_gone(&error) => tokio::time::sleep(pause).await,
            read => return read,
        }
    }
    Document::read(&keeper.worlds, page).await
}

/// Takes what was read ahead, or what the browser's process says of a document that a server sent, whichever comes
/// first: either may be busy with painting the page. Otherwise reads the tab's document. If that does not answer,
/// because a script runs for long or a dialog is open, returns what the supervisor knows: where the tab is must not
/// depend on it.
pub(super) async fn read_or_known(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    arrived: Arrived,
) -> Result<Document, CallError> {
    let supervisor = &running.supervisor;
    let Arrived {
        mut ahead,
        status,
        url: came,
        ..
    } = arrived;
    // The status is that of the document that came, which the page may have left for another one.
    let has_status = |url: &str| came.as_deref().is_none_or(|came| is_same(came, url));
    let told = async {
        let status = status?;
        let (url, title) = supervisor.ask_document(tab).await?;
        has_status(&url).then(|| Document::told(url, &title, status))
    };
    let page = view::page(running, tab);
    let nothing_ahead = ahead.is_empty();
    let held = dialogs::held(&keeper.event_log, &tab.page.target_id);
    let reading = async {
        // Err: it is read now; so it is where nothing was read, or the document went.
        let reading = async {
            match tokio::time::timeout(ON_ITS_WAY, ahead.join_next()).await {
                Ok(Some(Ok(Some(document)))) => Ok(document),
                _ => read(keeper, &page).await,
            }
        };
        tokio::select! {
            biased;
            () = held => None,
            read = tokio::time::timeout(PATIENCE, reading) => read.ok(),
        }
    };
    let (told, read) = {
        let (mut told, mut reading) = (pin!(told), pin!(reading));
        let first = match nothing_ahead {
            true => Either::Left(told.as_mut().await),
            // What was read ahead may be there: then there is nothing to ask.
            false => match select(reading.as_mut(), told.as_mut()).await {
                Either::Left((read, _)) => Either::Right(read),
                Either::Right((told, _)) => Either::Left(told),
            },
        };
        match first {
            Either::Left(Some(document)) => (Some(document), None),
            Either::Left(None) => (None, reading.await),
            Either::Right(Some(Ok(document))) => (None, Some(Ok(document))),
            Either::Right(read) => (told.await, read),
        }
    };
    // For the next call, which reads the page in a world: that of what was read ahead is one.
    let worlds = keeper.worlds.clone();
    tokio::spawn(async move {
        while ahead.join_next().await.is_some() {}
        worlds.prepare(&page).await
    });
    if let Some(document) = told {
        return Ok(document);
    }
    if let Some(document) = read {
        let document = document?;
        supervisor.saw(tab, &document.url, &document.title);
        return Ok(match status.filter(|_| has_status(&document.url)) {
            Some(status) => Document::told(document.url, &document.title, status),
            None => document,
        });
    }
    let known = supervisor.tab(&tab.id).ok_or(CallError::SessionGone)?;
    Ok(Document::known(known.page.url, known.page.title))
}
