//! The page as an operation left it, in the same answer.

use std::sync::Arc;
use std::time::Duration;

use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::{Seen, Snapshot, SnapshotInput, SnapshotMode};

use super::snapshot::snapshot;
use crate::context::Keeper;

/// When a document rests: how long it is without a change then, and how long it may change before it is
/// read all the same, both in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    quiet: u32,
    restless: u32,
}

impl Rest {
    /// After it was loaded, or came to the front.
    pub(crate) const LOADED: Self = Self {
        quiet: 100,
        restless: 300,
    };
    /// After an act: menus and suggestions open a little later.
    pub(crate) const ACTED: Self = Self {
        quiet: 300,
        restless: 600,
    };
}

/// A page that does not answer so long after that is read as it is: timers of tabs in the background are
/// slow.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long reading may take. What was asked for first is done.
const READING: Duration = Duration::from_secs(10);

/// Ends when the document has not changed for a while. It only looks.
const RESTS: &str = "function ([quiet, restless]) {
  return new Promise((rests) => {
    const began = performance.now();
    let changed = began;
    const observer = new MutationObserver(() => { changed = performance.now(); });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const look = () => {
      const now = performance.now();
      if (now - changed < quiet && now - began < restless) { setTimeout(look, quiet / 5); return; }
      observer.disconnect();
      rests();
    };
    look();
  });
}";

/// What is seen of a page, and the lines that say it.
pub(crate) struct Sight {
    pub(crate) seen: Option<Seen>,
    /// Begins with a line break.
    pub(crate) lines: String,
}

impl Sight {
    /// Nobody asked for it.
    pub(crate) fn none() -> Self {
        Self {
            seen: None,
            lines: String::new(),
        }
    }
}

/// Reads a tab's page once it rests, if asked to. If the page cannot be read, the lines say why: the
/// operation itself has succeeded.
pub(crate) async fn seen(
    keeper: &Arc<Keeper>,
    running: &Running,
    tab: &Tab,
    mode: Option<SnapshotMode>,
    rest: Rest,
) -> Sight {
    let Some(mode) = mode else {
        return Sight::none();
    };
    rests(keeper, running, tab, rest).await;
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
    match tokio::time::timeout(READING, read).await {
        Ok(Ok((summary, output))) => Sight {
            // The operation says where the page is. Lists of tabs look like lines of a page.
            lines: summary
                .split_once('\n')
                .map_or_else(String::new, |(_, lines)| format!("\npage:\n{lines}")),
            seen: Some(Seen {
                text: output.snapshot,
                lines: output.lines,
                total: output.total,
                cursor: output.cursor,
            }),
        },
        Ok(Err(failure)) => unread(&failure.message),
        Err(_) => unread("the page did not answer in time"),
    }
}

fn unread(why: &str) -> Sight {
    let why = szk_text::line(why, 300);
    Sight {
        seen: None,
        lines: format!("\n(no snapshot: {why})"),
    }
}

async fn rests(keeper: &Keeper, running: &Running, tab: &Tab, rest: Rest) {
    let limits = [serde_json::json!([rest.quiet, rest.restless])];
    let connection = running.supervisor.connection();
    let rests = keeper.worlds.call(connection, tab, RESTS, &limits);
    // A page that cannot say it is read as it is.
    let limit = Duration::from_millis(rest.restless.into()) + PATIENCE;
    let _ = tokio::time::timeout(limit, rests).await;
}
