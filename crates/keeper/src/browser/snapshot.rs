//! `browser_snapshot`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use szk_page::Page;
use szk_page::snapshot::{Budget, Changes, Mode, Options, Snapshot as Piece, View};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_store::atomic;
use szk_tools::browser::{Snapshot, SnapshotInput, SnapshotMode, SnapshotOutput};
use szk_tools::{Code, Failure, Response};
use szk_wire::events::Happening;

use super::{told, view};
use crate::context::Keeper;
use crate::recipe;

/// Bytes of an answer, unless the caller says otherwise.
const BYTES: u32 = 45_000;
/// The cursor that leads to the beginning of the last snapshot.
const LAST: &str = "last";

pub(crate) async fn snapshot(
    keeper: &Arc<Keeper>,
    input: &SnapshotInput,
) -> Result<Response, Failure> {
    if input
        .path
        .as_deref()
        .is_some_and(|path| !path.is_absolute())
    {
        return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
    }
    if input.cursor.as_deref() == Some(LAST) {
        return last(keeper, input).await;
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = view::page(&running, &tab);
    let shared = keeper.views.of(&running, &tab);
    let mut view = shared.lock_owned().await;
    let (taken, tab) = taken(&mut view, &page, input, &running, tab).await?;
    let heading = told::heading(&tab.id, &tab.page.title, &tab.page.url);
    if input.cursor.is_none() {
        view.entitle(&heading);
        let tab = tab.id.clone();
        keeper.events.tell(Happening::SnapshotTaken { tab });
    }
    let mut output = SnapshotOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        url: told::address(&tab.page.url),
        title: told::title(&tab.page.title),
        snapshot: taken.text,
        lines: count(taken.lines),
        total: count(taken.total),
        cursor: taken.cursor,
        path: None,
    };
    let whole = input.path.as_ref().map(|_| view.whole());
    keeper.views.read_rest(&output.tab, page, view);
    if let (Some(path), Some(whole)) = (&input.path, whole) {
        return to_file(output, path, &keeper.redactor().text(&whole));
    }
    let mut summary = heading + &recipe::named(keeper, &output.url).await;
    // Writing to a `String` cannot fail.
    let _ = match (output.snapshot.is_empty(), input.diff == Some(true)) {
        (true, true) => write!(summary, "\n(nothing changed)"),
        (true, false) => write!(summary, "\n{}", nothing(input)),
        (false, _) => write!(summary, "\n{}", output.snapshot),
    };
    if let Some(cursor) = &output.cursor {
        let left = output.total.saturating_sub(output.lines + taken.from);
        summary.push_str(&more(left, cursor));
    }
    output.snapshot.shrink_to_fit();
    Response::of::<Snapshot>(summary, &output)
}

/// How often a page is read again that went elsewhere meanwhile.
const AGAIN: usize = 2;

/// What the page shows, and the tab with the address and title of just that.
async fn taken(
    view: &mut View,
    page: &Page,
    input: &SnapshotInput,
    running: &Running,
    mut tab: Tab,
) -> Result<(Taken, Tab), Failure> {
    let mut again = match input.cursor.is_some() || input.diff == Some(true) {
        // They go on from what was told.
        true => 0,
        false => AGAIN,
    };
    loop {
        let before = tab.page.url.clone();
        let taken = take(view, page, input).await?;
        tab = titled(running, tab).await;
        if again == 0 || tab.page.url == before {
            return Ok((taken, tab));
        }
        again -= 1;
    }
}

/// The tab with the address and title that it has now: the browser tells of them a little later than the page
/// has them, and reading a page may wait for the next document.
async fn titled(running: &Running, tab: Tab) -> Tab {
    let supervisor = &running.supervisor;
    if supervisor.ask_document(&tab).await.is_none() {
        supervisor.ask_titles().await;
    }
    supervisor.tab(&tab.id).unwrap_or(tab)
}

/// What is said in place of a snapshot without any lines.
fn nothing(input: &SnapshotInput) -> &'static str {
    match (input.mode.unwrap_or_default(), &input.scope) {
        (SnapshotMode::Full, None) => "(the page is empty)",
        (SnapshotMode::Full, Some(_)) => "(this part of the page is empty)",
        _ => "(nothing interactive; `mode` full shows text)",
    }
}

fn more(left: u32, cursor: &str) -> String {
    let left = szk_text::counted(left.into(), "more line");
    format!("\n({left}: continue with cursor `{cursor}`, or read a part with `scope`)")
}

/// The last snapshot of a tab as it was taken: the page is not looked at.
async fn last(keeper: &Arc<Keeper>, input: &SnapshotInput) -> Result<Response, Failure> {
    let none = || {
        Failure::new(Code::NotFound, "no snapshot of this tab has been taken")
            .hint("take one with `browser_snapshot`")
    };
    let (running, tab) = keeper.peek(input.tab.as_deref()).ok_or_else(none)?;
    let shared = keeper.views.of(&running, &tab);
    let view = shared.lock().await;
    let (piece, heading) = view.last(budget(input)).ok_or_else(none)?;
    let text = match piece.total {
        0 => "(it showed nothing)",
        _ => piece.text.as_str(),
    };
    let mut summary = format!("{heading}\n{text}");
    let output = SnapshotOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        url: told::address(&tab.page.url),
        title: told::title(&tab.page.title),
        lines: count(piece.lines),
        total: count(piece.total),
        snapshot: piece.text,
        cursor: piece.cursor,
        path: None,
    };
    if let Some(cursor) = &output.cursor {
        summary.push_str(&more(output.total - output.lines, cursor));
    }
    Response::of::<Snapshot>(summary, &output)
}

fn budget(input: &SnapshotInput) -> Budget {
    Budget {
        lines: input.limit.map_or(usize::MAX, |limit| limit as usize),
        bytes: input.max_bytes.unwrap_or(BYTES) as usize,
    }
}

/// A piece of text for the answer.
struct Taken {
    text: String,
    from: u32,
    lines: usize,
    total: usize,
    cursor: Option<String>,
}

async fn take(view: &mut View, page: &Page, input: &SnapshotInput) -> Result<Taken, Failure> {
    let budget = budget(input);
    if let Some(cursor) = &input.cursor {
        let piece = view
            .more(cursor, budget)
            .map_err(|error| view::unread(&error))?;
        return Ok(piece.into());
    }
    let options = Options {
        mode: match input.mode.unwrap_or_default() {
            SnapshotMode::Interactive => Mode::Interactive,
            SnapshotMode::Full => Mode::Full,
            SnapshotMode::Minimal => Mode::Minimal,
        },
        scope: input.scope.as_deref().map(view::scope),
        depth: input.depth.map(|depth| depth as usize),
        boxes: input.boxes == Some(true),
        ..Options::default()
    };
    if input.diff == Some(true) {
        let changes = view.changes(page, &options).await;
        if let Some(changes) = changes.map_err(|error| view::unread(&error))? {
            return Ok(Taken::of(changes, budget));
        }
        return Ok(view.first(budget).into());
    }
    let piece = view.read(page, &options, budget).await;
    Ok(piece.map_err(|error| view::unread(&error))?.into())
}

impl From<Piece> for Taken {
    fn from(piece: Piece) -> Self {
        Self {
            from: count(piece.from),
            text: piece.text,
            lines: piece.lines,
            total: piece.total,
            cursor: piece.cursor,
        }
    }
}

impl Taken {
    fn of(changes: Changes, budget: Budget) -> Self {
        let (text, lines) = changes.cut(budget);
        Self {
            text,
            from: 0,
            lines,
            total: changes.lines.len(),
            cursor: None,
        }
    }
}

fn to_file(mut output: SnapshotOutput, path: &Path, text: &str) -> Result<Response, Failure> {
    atomic::write(path, text.as_bytes()).map_err(|error| szk_wire::failure::named_file(&error))?;
    output.snapshot = String::new();
    output.cursor = None;
    output.lines = output.total;
    output.path = Some(path.to_owned());
    let summary = format!(
        "{} of {} written to {}",
        szk_text::counted(output.total.into(), "line"),
        output.tab,
        path.display()
    );
    let mut response = Response::of::<Snapshot>(summary, &output)?;
    response.files.push(path.to_owned());
    Ok(response)
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_without_lines_says_what_that_means() {
        let says = |mode, scope: Option<&str>| {
            nothing(&SnapshotInput {
                mode,
                scope: scope.map(str::to_owned),
                ..SnapshotInput::default()
            })
        };
        assert_eq!(says(Some(SnapshotMode::Full), None), "(the page is empty)");
        let part = says(Some(SnapshotMode::Full), Some("e1"));
        assert_eq!(part, "(this part of the page is empty)");
        assert!(says(None, None).starts_with("(nothing interactive"));
    }
}
