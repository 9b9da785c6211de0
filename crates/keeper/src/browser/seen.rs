//! The page as an operation left it, in the same answer.

use std::sync::Arc;
use std::time::Duration;

use szk_page::document;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::{Seen, Snapshot, SnapshotInput, SnapshotMode};

use super::snapshot::snapshot;
use super::view;
use crate::context::Keeper;
use crate::dialogs;

/// When a document counts as settled, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settling {
    /// How long it must not have changed.
    quiet: u32,
    /// How long it may keep changing before it is read all the same.
    limit: u32,
}

impl Settling {
    /// After it was loaded, or came to the front.
    pub(crate) const LOADED: Self = Self {
        quiet: 100,
        limit: 300,
    };
    /// After an act: menus and suggestions open a little later.
    pub(crate) const ACTED: Self = Self {
        quiet: 300,
        limit: 600,
    };
}

/// How much longer a page may take to say that it has settled: timers of tabs in the background are slow.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long reading may take; the operation itself is done by then.
const READING: Duration = Duration::from_secs(10);

/// A snapshot that is part of another operation's answer.
#[derive(Default)]
pub(crate) struct AttachedSnapshot {
    /// The data, if there is a snapshot.
    pub(crate) data: Option<Seen>,
    /// The address of the page that it shows.
    pub(crate) url: Option<String>,
    /// The lines for the summary; they begin with a line break.
    pub(crate) lines: String,
}

/// Reads a tab's page once it has settled, if the call asks for it. If the page cannot be read, the lines
/// say why: the operation itself has succeeded.
pub(crate) async fn seen(
    keeper: &Arc<Keeper>,
    running: &Running,
    tab: &Tab,
    mode: Option<SnapshotMode>,
    settling: Settling,
) -> AttachedSnapshot {
    let Some(mode) = mode else {
        return AttachedSnapshot::default();
    };
    let input = SnapshotInput {
        tab: Some(tab.id.clone()),
        mode: Some(mode),
        ..SnapshotInput::default()
    };
    let read = async {
        let response = snapshot(keeper, &input).await?;
        let output = response.read::<Snapshot>()?;
        Ok::<_, Failure>((response.summary, output))
    };
    let settled = async {
        settle(keeper, running, tab, settling).await;
        tokio::time::timeout(READING, read).await
    };
    let log = &keeper.event_log;
    let Some(read) = dialogs::unless_held(log, &tab.page.target_id, settled).await else {
        return missing(&dialogs::blocked(log, tab).message);
    };
    match read {
        Ok(Ok((summary, output))) => AttachedSnapshot {
            // The operation says where the page is. Lists of tabs look like lines of a page.
            lines: summary
                .split_once('\n')
                .map_or_else(String::new, |(_, lines)| format!("\npage:\n{lines}")),
            url: Some(output.url),
            data: Some(Seen {
                text: output.snapshot,
                lines: output.lines,
                total: output.total,
                cursor: output.cursor,
            }),
        },
        Ok(Err(failure)) => missing(&failure.message),
        Err(_) => missing("the page does not answer in time"),
    }
}

fn missing(why: &str) -> AttachedSnapshot {
    let why = szk_text::line(why, 300);
    AttachedSnapshot {
        data: None,
        url: None,
        lines: format!("\n(no snapshot: {why})"),
    }
}

async fn settle(keeper: &Keeper, running: &Running, tab: &Tab, settling: Settling) {
    let Settling { quiet, limit } = settling;
    let page = view::page(running, tab);
    let rest = document::rest(&keeper.worlds, &page, quiet, limit);
    // A page that does not answer is read as it is.
    let patience = Duration::from_millis(limit.into()) + PATIENCE;
    let _ = tokio::time::timeout(patience, rest).await;
}

#[cfg(test)]
mod tests;
