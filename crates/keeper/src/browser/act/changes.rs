//! What an act, or a batch of them, changed since the caller was told last.

use std::time::Duration;

use szk_page::Page;
use szk_page::act::{Did, Journey, Outcome};
use szk_page::document::{self, Document, Expected, Waited};
use szk_page::snapshot::{Budget, Covers, Handle, Since, View};
use szk_recipes::Thing;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_text::quoted;
use szk_tools::browser::{ActInput, ActKind};

use crate::browser::view;
use crate::context::Keeper;
use crate::dialogs;

/// More than this is asked for with `browser_snapshot`.
const BUDGET: Budget = Budget {
    lines: 40,
    bytes: 4_000,
};
/// Said once when all refs belong to documents that are gone.
const REPLACED: &str =
    "(the tab shows another document since the last snapshot: take a new `browser_snapshot`)";
/// Said once where a page takes too long to read to be compared as a whole.
const CONTROLS: &str = "the page is slow to read, so changes are now reported only for controls and what is near the target; `browser_snapshot` with `mode` full brings back all text";
const AROUND: &str = "the page is very large, so changes are now reported only near the target; `browser_snapshot` with `diff` compares all of it";
/// A page that has not been read by then is not waited for: the act is done.
const PATIENCE: Duration = Duration::from_secs(5);
/// Milliseconds to wait for late effects at most, and how much longer a busy page may take to say so.
const LATE: u32 = 400;
const SLOW: Duration = Duration::from_millis(400);
/// The same where the page says that it is at work on something.
const WORKING: u32 = 1_500;
/// Longest title, in characters.
const TITLE: usize = 200;
/// What is said when the change came before the wait.
const EARLY: &str = "something had already changed";
/// A wait that is worth telling, in milliseconds.
const WORTH: u32 = 60;

/// What is different after an act.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The lines that came and went; nothing when there is nothing to compare with.
    pub(crate) diff: Option<String>,
    /// How long was waited for them, if that is worth telling.
    pub(crate) waited: Option<String>,
    /// What was not compared, and how to see it.
    pub(crate) partly: Option<&'static str>,
    /// Controls that are in another state, or hold something else.
    pub(crate) became: Vec<Thing>,
    /// Whether anything came late, be it in no line.
    pub(crate) stirred: bool,
}

/// Waits for late effects of an act, unless it is one of several, and says what changed.
pub(super) async fn since(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    input: &ActInput,
    reference: Option<&str>,
    did: &Did,
) -> Changed {
    let outcome = &did.outcome;
    // All refs of a document that is gone are gone, and a page that is held up cannot be read.
    let left = outcome
        .navigation
        .as_ref()
        .is_some_and(|navigation| !navigation.in_frame && navigation.journey != Journey::Within);
    let stands_still = outcome.late || outcome.open_dialog().is_some();
    let watched = {
        let shared = keeper.views.of(running, tab);
        let mut view = shared.lock().await;
        if arrived(outcome) {
            view.announce();
        }
        // The answer says what the control holds.
        let writes = match input.kind {
            ActKind::Fill | ActKind::Type | ActKind::Select => did.value.is_some(),
            ActKind::Check | ActKind::Uncheck => true,
            _ => false,
        };
        let filled = reference.filter(|_| writes && view.is_told());
        if let Some(handle) = filled.and_then(|reference| view.handle(reference)) {
            view.filled(&[handle]);
        }
        view.is_told()
    };
    if input.deferred && watched && !left && !outcome.closed && !stands_still {
        let expected = expected(input.kind, outcome);
        keeper.acting.leave_pending(tab, expected);
    }
    if left || outcome.closed || stands_still || input.deferred || !watched {
        return Changed::default();
    }
    let waited = late(keeper, running, tab, input.kind, outcome).await;
    // A style sheet alone may show a menu under the pointer.
    let hovers = matches!(input.kind, ActKind::Hover | ActKind::Move);
    // Only the act's own document was watched from the beginning.
    let elsewhere = !frames(keeper, running, tab).await.is_empty();
    if waited.is_none() && !outcome.stirred() && !hovers && !elsewhere {
        return Changed::default();
    }
    Changed {
        stirred: waited.is_some(),
        waited: waited.filter(|waited| !waited.is_empty()),
        ..told(keeper, running, tab, reference).await
    }
}

/// Notes what is around the target of an act, on a page that is too large to be compared as a whole.
pub(super) async fn around(keeper: &Keeper, running: &Running, tab: &Tab, reference: &str) {
    let shared = keeper.views.of(running, tab);
    let mut view = shared.lock().await;
    let page = view::page(running, tab);
    let looking = tokio::time::timeout(PATIENCE, view.look_around(&page, reference));
    let looked = dialogs::unless_held(&keeper.event_log, &tab.page.target_id, looking).await;
    if let Some(Ok(Err(error))) = looked {
        tracing::debug!(%error, "cannot read what is around the target");
    }
}

/// Whether the answer says that the act led to another document.
fn arrived(outcome: &Outcome) -> bool {
    let navigation = outcome.navigation.as_ref();
    navigation
        .is_some_and(|navigation| !navigation.in_frame && navigation.journey == Journey::Arrived)
}

/// Waits for late effects of the last of several acts, and says what all of them changed since the caller
/// was told last. What these controls hold needs no words.
pub(crate) async fn settled(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    last: Option<(ActKind, &Outcome)>,
    filled: &[Handle],
) -> Changed {
    let gone = last.is_some_and(|(_, outcome)| arrived(outcome) || outcome.closed);
    if gone || dialogs::open(&keeper.event_log, &tab.page.target_id).is_some() {
        let shared = keeper.views.of(running, tab);
        if gone {
            shared.lock().await.announce();
        }
        return Changed::default();
    }
    let waited = match last {
        Some((kind, outcome)) => late(keeper, running, tab, kind, outcome).await,
        None => None,
    };
    let shared = keeper.views.of(running, tab);
    shared.lock().await.filled(filled);
    Changed {
        stirred: waited.is_some(),
        waited: waited.filter(|waited| !waited.is_empty()),
        ..told(keeper, running, tab, None).await
    }
}

/// Notes what the caller knows before an act.
pub(super) async fn before(keeper: &Keeper, running: &Running, tab: &Tab) {
    let shared = keeper.views.of(running, tab);
    shared.lock().await.has_title(&tab.page.title);
}

/// The title of the page, if it is news: no snapshot lists it.
async fn title(keeper: &Keeper, view: &mut View, running: &Running, tab: &Tab) -> Option<String> {
    let page = view::page(running, tab);
    let read = Document::read(&keeper.worlds, &page).await.ok()?;
    let is_news = view.retitled(&read.title);
    (is_news && !read.title.is_empty()).then(|| format!("~ title: {}", quoted(&read.title, TITLE)))
}

/// The lines that changed in a tab since the caller was told last, those near a ref early.
pub(crate) async fn told(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    near: Option<&str>,
) -> Changed {
    let shared = keeper.views.of(running, tab);
    let read = async {
        let mut known = shared.lock().await;
        let since = known.since(&view::page(running, tab), near, BUDGET).await;
        let nothing = matches!(&since, Ok(Some(Since::Shown(text, ..))) if text.is_empty());
        // The browser hears of a new title a little later than the page; asking costs a moment.
        let now = running.supervisor.tab(&tab.id);
        let is_new = now.is_some_and(|now| known.is_retitled(&now.page.title));
        let title = match nothing || is_new {
            true => title(keeper, &mut known, running, tab).await,
            false => None,
        };
        (since, title, known.take_became())
    };
    let reading = tokio::time::timeout(PATIENCE, read);
    let read = dialogs::unless_held(&keeper.event_log, &tab.page.target_id, reading).await;
    let Some(Ok((Ok(Some(since)), title, became))) = read else {
        return Changed::default();
    };
    let (mut text, left, covers) = match since {
        Since::Shown(text, left, covers) => (text, left, covers),
        Since::Replaced => (REPLACED.to_owned(), 0, None),
    };
    if let Some(title) = title {
        text = format!("{title}\n{text}").trim_end().to_owned();
    }
    if left > 0 {
        let left = szk_text::counted(left as u64, "more line");
        text = format!("{text}\n({left}: `browser_snapshot` with `diff`)");
    }
    Changed {
        diff: (!text.is_empty()).then_some(text),
        waited: None,
        partly: match covers {
            None | Some(Covers::All) => None,
            Some(Covers::Controls) => Some(CONTROLS),
            Some(Covers::Around) => Some(AROUND),
        },
        became,
        stirred: false,
    }
}

/// What an act may still cause; nothing for those that are waited for anyway.
fn expected(kind: ActKind, outcome: &Outcome) -> Option<Expected> {
    Some(match kind {
        ActKind::Wait | ActKind::Resize | ActKind::Scroll => return None,
        _ if outcome.working => Expected::Results,
        ActKind::Type | ActKind::Fill => Expected::Suggestions,
        ActKind::Focus => Expected::Hovered,
        ActKind::Hover if outcome.shows() => Expected::Hovered,
        _ if outcome.shows() => Expected::Rest,
        _ => Expected::Anything,
    })
}

/// Waits for what comes late. Nothing if nothing changed; otherwise how long that took, if it is worth telling.
async fn late(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    kind: ActKind,
    outcome: &Outcome,
) -> Option<String> {
    let Some(expected) = expected(kind, outcome) else {
        return Some(String::new());
    };
    let waited = settle_late(keeper, running, tab, expected).await?;
    (!waited.in_vain()).then(|| said(waited).unwrap_or_default())
}

/// Waits for what comes late; `None` if the page does not answer: then it is read as it is.
pub(crate) async fn settle_late(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    expected: Expected,
) -> Option<Waited> {
    let settling = settle_all(keeper, running, tab, expected);
    let settled = dialogs::unless_held(&keeper.event_log, &tab.page.target_id, settling).await;
    settled.flatten()
}

async fn settle_all(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    expected: Expected,
) -> Option<Waited> {
    if expected != Expected::Anything {
        return settle_own(keeper, running, tab, expected).await;
    }
    let frames = frames(keeper, running, tab).await;
    let in_frames = async {
        match document::late_in_any(&keeper.worlds, &frames, LATE).await {
            Some(waited) => waited,
            None => std::future::pending().await,
        }
    };
    let mut waited = tokio::select! {
        waited = settle_own(keeper, running, tab, expected) => waited?,
        waited = in_frames => return Some(waited),
    };
    // A change may have come between the act and this wait.
    if waited.in_vain() && keeper.acting.changed_since_last_act(running, tab).await {
        EARLY.clone_into(&mut waited.why);
    }
    Some(waited)
}

/// The same in the page's own document alone.
async fn settle_own(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    expected: Expected,
) -> Option<Waited> {
    let page = view::page(running, tab);
    let most = match expected {
        Expected::Results => WORKING,
        _ => LATE,
    };
    let waits = document::late(&keeper.worlds, &page, expected, most);
    let limit = Duration::from_millis(most.into()) + SLOW;
    tokio::time::timeout(limit, waits).await.ok()?.ok()
}

/// The frames that the page showed when it was read last.
async fn frames(keeper: &Keeper, running: &Running, tab: &Tab) -> Vec<Page> {
    let shared = keeper.views.of(running, tab);
    let view = shared.lock().await;
    view.frames(&view::page(running, tab))
}

/// Whether the page changes by itself within the time of a late effect.
pub(crate) async fn stirs(keeper: &Keeper, running: &Running, tab: &Tab) -> bool {
    let waited = settle_late(keeper, running, tab, Expected::Anything).await;
    waited.is_some_and(|waited| !waited.in_vain())
}

/// How long was waited and why, if that is worth telling.
pub(crate) fn said(waited: Waited) -> Option<String> {
    let worth = waited.ms >= WORTH && !waited.in_vain();
    worth.then(|| format!("waited {} ms: {}", waited.ms, waited.why))
}
