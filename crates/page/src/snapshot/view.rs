//! What szk knows about one tab.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::cut::{self, Budget};
use super::diff::{self, Changes};
use super::error::ReadError;
use super::find::{self, Found, Pattern};
use super::fold;
use super::gather::{self, Wanted, Worlds};
use super::item::Item;
use super::kept::Kept;
use super::lines;
use super::options::{Mode, Options, Scope};
use super::refs::Refs;
use crate::page::Page;

/// A page that takes longer to read, or has more lines, is read only on request and not after each
/// act.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST: usize = 5_000;

/// Part of a snapshot.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Its number in this tab.
    pub id: u32,
    /// The lines of this part.
    pub text: String,
    /// The first line.
    pub from: usize,
    /// How many lines it has.
    pub lines: usize,
    /// Lines of the whole snapshot.
    pub total: usize,
    /// Pass this to [`View::more`] to continue.
    pub cursor: Option<String>,
}

/// What an act has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Since {
    /// These lines.
    Shown(Changes),
    /// Everything: the documents are not those of the last snapshot.
    Replaced,
}

/// The lines of a page, and the documents they come from.
#[derive(Default)]
struct Read {
    lines: Vec<String>,
    worlds: BTreeSet<u64>,
}

/// The last snapshot, for the next part and for comparison.
struct Last {
    id: u32,
    options: Options,
    read: Read,
    /// The page after the last act, if more has changed than was reported.
    seen: Option<Read>,
    /// Some changes since the snapshot were not reported, so it stays the base of the next diff.
    ///
    untold: bool,
    /// How long the reading took.
    took: Duration,
    /// The page's title at that time.
    title: String,
}

impl Last {
    /// What has changed since the last act, and whether all of it is reported.
    fn acted(&mut self, now: &Read, budget: Budget) -> Since {
        let before = self.seen.as_ref().unwrap_or(&self.read);
        if !before.worlds.is_empty() && before.worlds.is_disjoint(&now.worlds) {
            self.untold = true;
            return Since::Replaced;
        }
        let changes = diff::compare(&before.lines, &now.lines);
        self.untold |= changes.cut(budget).1 < changes.lines.len();
        Since::Shown(changes)
    }
}

/// What szk knows about one tab: scripts in its frames, refs, the last snapshot.
#[derive(Default)]
pub struct View {
    pub(super) worlds: Worlds,
    pub(super) refs: Refs,
    last: Option<Last>,
    pub(super) content: Kept,
    pub(super) content_id: u32,
    pub(super) taken: u32,
}

impl View {
    /// Reads the page and returns the first part.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn read(
        &mut self,
        page: &Page,
        options: &Options,
        budget: Budget,
    ) -> Result<Snapshot, ReadError> {
        self.take(page, options).await?;
        Ok(self.first(budget))
    }

    /// Reads the page and returns what has changed since the last snapshot of the same kind; `None` if
    /// there is none to compare with. Either way this becomes the last snapshot.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn changes(
        &mut self,
        page: &Page,
        options: &Options,
    ) -> Result<Option<Changes>, ReadError> {
        let before = self.last.take();
        self.take(page, options).await?;
        let now = self
            .last
            .as_ref()
            .map(|last| last.read.lines.as_slice())
            .unwrap_or_default();
        Ok(before
            .filter(|before| before.options == *options)
            .map(|before| diff::compare(&before.read.lines, now)))
    }

    /// What an act has changed. `None` if there is no snapshot to compare with, or if reading the page
    /// takes too long to do unasked. Each change is reported after one act only; those that do not fit
    /// into `budget` stay in what [`View::changes`] reports.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn since(&mut self, page: &Page, budget: Budget) -> Result<Option<Since>, ReadError> {
        let Some(last) = &self.last else {
            return Ok(None);
        };
        // Scrolling alone changes boxes.
        if last.options.boxes || last.took > PATIENCE || last.read.lines.len() > MOST {
            return Ok(None);
        }
        let options = last.options.clone();
        let began = Instant::now();
        let read = self.lines(page, &options).await?;
        let Some(last) = &mut self.last else {
            return Ok(None);
        };
        let since = last.acted(&read, budget);
        if since == Since::Shown(Changes::default()) {
            return Ok(Some(since));
        }
        if last.untold {
            last.seen = Some(read);
        } else {
            self.keep(&options, read, began.elapsed());
        }
        Ok(Some(since))
    }

    /// Records the page's title at the last snapshot.
    pub fn entitle(&mut self, title: &str) {
        if let Some(last) = &mut self.last {
            title.clone_into(&mut last.title);
        }
    }

    /// The last snapshot from its beginning, and the page's title at that time.
    #[must_use]
    pub fn last(&self, budget: Budget) -> Option<(Snapshot, &str)> {
        let last = self.last.as_ref()?;
        Some((self.first(budget), &last.title))
    }

    /// The next part of the last snapshot.
    ///
    /// # Errors
    /// [`ReadError::Cursor`] if the cursor belongs to another snapshot.
    pub fn more(&self, cursor: &str, budget: Budget) -> Result<Snapshot, ReadError> {
        let wrong = || ReadError::Cursor(cursor.to_owned());
        let last = self.last.as_ref().ok_or_else(wrong)?;
        let from = cut::line_of(cursor, last.id)
            .filter(|from| *from <= last.read.lines.len())
            .ok_or_else(wrong)?;
        Ok(self.piece(from, budget))
    }

    /// The first part of the last snapshot.
    #[must_use]
    pub fn first(&self, budget: Budget) -> Snapshot {
        self.folded(budget).unwrap_or_else(|| self.piece(0, budget))
    }

    /// The last snapshot with its repeats folded, if that makes it fit.
    fn folded(&self, budget: Budget) -> Option<Snapshot> {
        let last = self.last.as_ref()?;
        let folded = fold::fold(&last.read.lines, last.id, budget)?;
        Some(Snapshot {
            id: last.id,
            text: folded.text,
            from: 0,
            lines: folded.shown,
            total: last.read.lines.len(),
            cursor: Some(cut::cursor(last.id, folded.first)),
        })
    }

    /// All lines of the last snapshot.
    #[must_use]
    pub fn whole(&self) -> String {
        self.last
            .as_ref()
            .map(|last| last.read.lines.join("\n"))
            .unwrap_or_default()
    }

    /// Searches the whole page, or part of it, for text.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn find(
        &mut self,
        page: &Page,
        pattern: &Pattern,
        scope: Option<Scope>,
        limit: usize,
    ) -> Result<(Vec<Found>, usize), ReadError> {
        let options = Options {
            mode: Mode::Full,
            scope,
            ..Options::default()
        };
        let items = self.items(page, &options).await?;
        Ok(find::find(&items, &mut self.refs, pattern, limit))
    }

    async fn take(&mut self, page: &Page, options: &Options) -> Result<(), ReadError> {
        let began = Instant::now();
        let read = self.lines(page, options).await?;
        self.keep(options, read, began.elapsed());
        Ok(())
    }

    async fn lines(&mut self, page: &Page, options: &Options) -> Result<Read, ReadError> {
        let items = self.items(page, options).await?;
        let known = items.iter().filter(|item| item.key.number > 0);
        Ok(Read {
            worlds: known.map(|item| item.key.world).collect(),
            lines: match options.mode {
                Mode::Minimal => lines::brief(&items, &mut self.refs),
                Mode::Interactive | Mode::Full => lines::write(&items, &mut self.refs),
            },
        })
    }

    pub(super) async fn items(
        &mut self,
        page: &Page,
        options: &Options,
    ) -> Result<Vec<Item>, ReadError> {
        let start = self.start(page, options.scope.as_ref()).await?;
        let wanted = Wanted {
            mode: options.mode,
            depth: options.depth,
            boxes: options.boxes,
        };
        let items = gather::gather(page, &mut self.worlds, start, wanted).await?;
        let worlds = &self.worlds;
        self.refs.prune(|serial| worlds.of_serial(serial).is_some());
        Ok(items)
    }

    fn keep(&mut self, options: &Options, read: Read, took: Duration) {
        self.taken += 1;
        let title = self.last.take().map(|last| last.title);
        self.last = Some(Last {
            title: title.unwrap_or_default(),
            id: self.taken,
            options: options.clone(),
            read,
            seen: None,
            untold: false,
            took,
        });
    }

    fn piece(&self, from: usize, budget: Budget) -> Snapshot {
        let (id, lines) = self.last.as_ref().map_or((0, [].as_slice()), |last| {
            (last.id, last.read.lines.as_slice())
        });
        let (text, count) = cut::cut(lines, from, budget);
        let next = from + count;
        Snapshot {
            id,
            text,
            from,
            lines: count,
            total: lines.len(),
            cursor: (next < lines.len()).then(|| cut::cursor(id, next)),
        }
    }
}
