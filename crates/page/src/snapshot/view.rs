//! What szk knows about one tab.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use serde_json::json;
use szk_recipes::Thing;

use super::around::{Around, Covers};
use super::cut::{self, Budget};
use super::error::{ReadError, Stale};
use super::find::{self, Matches, Pattern};
use super::fold;
use super::gather::{self, Gathered, Wanted, Which, Worlds};
use super::heirs::Controls;
use super::item::{Item, Key};
use super::kept::Kept;
use super::lines;
use super::named::{self, Named};
use super::options::{Mode, Options, Scope};
use super::page_state::PageState;
use super::past::{Document, GoneOn, Past};
use super::refs::Refs;
use crate::Redactor;
use crate::page::Page;

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

/// The last snapshot, for the next part and for comparison.
pub(super) struct Last {
    id: u32,
    pub(super) options: Options,
    pub(super) lines: Vec<String>,
    /// The page's title at that time.
    title: String,
}

/// What szk knows about one tab: scripts in its frames, refs, the last snapshot.
#[derive(Default)]
pub struct View {
    pub(super) worlds: Worlds,
    pub(super) refs: Refs,
    pub(super) last: Option<Last>,
    /// The page as the caller was told of it last.
    pub(super) told: Option<PageState>,
    /// It is too large to be compared as a whole after each act.
    pub(super) large: bool,
    /// What the last snapshot left out is still to be read.
    pub(super) rest: bool,
    /// How much of it the caller knows to be compared.
    pub(super) covered: Option<Covers>,
    /// What was around the targets of acts before them, if it is compared instead.
    pub(super) around: Vec<Around>,
    /// The caller knows that another document replaced the one it was told of.
    pub(super) announced: bool,
    /// What else the refs of controls could go on with.
    controls: Controls,
    /// The documents before.
    past: Past,
    /// Refs that went on with new nodes, to be told.
    inherited: BTreeSet<u32>,
    /// They did so because the page was loaded anew.
    anew: bool,
    /// Controls that the caller has filled: what they hold is no news.
    pub(super) filled: HashSet<Key>,
    /// Controls that the last comparison has found in another state.
    pub(super) became: Vec<Thing>,
    /// The page in the middle of several acts, for what the last of them changes.
    pub(super) noted: Option<PageState>,
    /// What the last comparison has found to be different since then.
    pub(super) since_noted: Option<(String, Vec<Thing>)>,
    /// Changes that did not fit into an answer.
    pub(super) untold: Vec<String>,
    pub(super) content: Kept,
    pub(super) content_id: u32,
    pub(super) taken: u32,
    /// The title of the page as the caller knows it, since an act after the last snapshot.
    pub(super) title: Option<String>,
}

impl View {
    /// Reads the page and returns the first part. [`View::read_rest`] has to follow.
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
            .filter(|from| *from <= last.lines.len())
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
        let folded = fold::fold(&last.lines, last.id, budget)?;
        Some(Snapshot {
            id: last.id,
            text: folded.text,
            from: 0,
            lines: folded.shown,
            total: last.lines.len(),
            cursor: Some(cut::cursor(last.id, folded.first)),
        })
    }

    /// All lines of the last snapshot.
    #[must_use]
    pub fn whole(&self) -> String {
        self.last
            .as_ref()
            .map(|last| last.lines.join("\n"))
            .unwrap_or_default()
    }

    /// Searches the whole page, or part of it, for text, which may be as `redactor` lets it be seen.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn find(
        &mut self,
        page: &Page,
        pattern: &Pattern,
        scope: Option<Scope>,
        limit: usize,
        redactor: &Redactor,
    ) -> Result<Matches, ReadError> {
        let options = Options {
            mode: Mode::Full,
            scope,
            searched: true,
            ..Options::default()
        };
        let items = self.items(page, &options).await?;
        Ok(find::find(&items, &mut self.refs, pattern, limit, redactor))
    }

    /// What on the page a name (or text) and a role stand for, as people say it. A name may be as `redactor` lets
    /// it be seen.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn named(
        &mut self,
        page: &Page,
        name: Option<&str>,
        role: Option<&str>,
        redactor: &Redactor,
    ) -> Result<Named, ReadError> {
        let items = self.items(page, &Options::of(Mode::Full)).await?;
        Ok(named::named(&items, &mut self.refs, name, role, redactor))
    }

    /// Refs of nodes that are gone go on with the nodes that stand in their stead.
    async fn pass_on(&mut self, items: &[Item], documents: Vec<Document>) -> Result<(), ReadError> {
        let controls = Controls::of(items, &documents);
        let before = std::mem::take(&mut self.controls);
        let before = self.past.read(documents, before);
        let anew = self.past.heirs(&controls);
        for (old, heir) in &anew {
            let reference = self.refs.inherit(*old, *heir);
            self.anew |= reference.is_some();
            self.inherited.extend(reference);
        }
        let mut replaced = before.heirs(&controls);
        let worlds: BTreeSet<u64> = replaced.iter().map(|(old, _)| old.world).collect();
        for serial in worlds {
            let of = |key: &Key| key.world == serial;
            let numbers = replaced.iter().filter(|(old, _)| of(old));
            let numbers: Vec<u32> = numbers.map(|(old, _)| old.number).collect();
            let gone: Vec<u32> = match self.worlds.of_serial(serial) {
                Some((_, world)) => {
                    let function = "function (numbers) { return this.gone(numbers); }";
                    world.call(function, &[json!(numbers)]).await?
                }
                None => Vec::new(),
            };
            // One that is only hidden keeps its ref.
            replaced.retain(|(old, _)| !of(old) || gone.contains(&old.number));
        }
        for (old, heir) in &replaced {
            self.inherited.extend(self.refs.inherit(*old, *heir));
        }
        if let Some(told) = &mut self.told {
            told.pass_on(&anew);
            told.pass_on(&replaced);
        }
        self.controls = before.followed_by(controls, &replaced);
        Ok(())
    }

    /// The refs that went on with new nodes since this was asked last.
    pub fn inherited(&mut self) -> GoneOn {
        let refs = std::mem::take(&mut self.inherited).into_iter();
        GoneOn {
            refs: refs.map(|number| format!("e{number}")).collect(),
            anew: std::mem::take(&mut self.anew),
        }
    }

    /// Reads the page to find out whether a ref whose node is gone goes on with another.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn look_again(&mut self, page: &Page) -> Result<(), ReadError> {
        self.items(page, &Options::default()).await?;
        Ok(())
    }

    /// Whether the document that a ref belongs to is still shown.
    pub async fn has_document(&self, reference: &str) -> bool {
        let known = self.refs.get(reference).map(|known| known.key.world);
        let world = known.and_then(|serial| self.worlds.of_serial(serial));
        let Some((_, world)) = world else {
            return false;
        };
        let lives = world.call("function () { return true; }", &[]).await;
        lives.unwrap_or(false)
    }

    /// Whether a ref may still go on with a node that the page has not shown since it was loaded anew.
    #[must_use]
    pub fn awaits(&self, reference: &str) -> bool {
        let known = self.refs.get(reference);
        known.is_some_and(|known| self.past.awaits(known.key))
    }

    /// Finds the page's own document again, if history brought it back: it and its refs are the same.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn meet_again(&mut self, page: &Page) -> Result<(), ReadError> {
        self.worlds.forget(&page.frame);
        let found = self.worlds.at(page, &page.frame, &page.session).await;
        found.map(|_| ())
    }

    pub(super) async fn take(&mut self, page: &Page, options: &Options) -> Result<(), ReadError> {
        let began = Instant::now();
        let items = self.items(page, options).await?;
        let took = began.elapsed();
        let lines = match options.mode {
            Mode::Minimal => lines::brief(&items, &mut self.refs),
            Mode::Interactive | Mode::Full => lines::write(&items, &mut self.refs),
        };
        self.title = None;
        self.keep(options, lines);
        self.tell(options, items, took);
        Ok(())
    }

    pub(super) async fn items(
        &mut self,
        page: &Page,
        options: &Options,
    ) -> Result<Vec<Item>, ReadError> {
        Ok(self.gathered(page, options, None).await?.items)
    }

    pub(super) async fn gathered(
        &mut self,
        page: &Page,
        options: &Options,
        identify: Option<Which>,
    ) -> Result<Gathered, ReadError> {
        let start = match self.start(page, options.scope.as_ref()).await {
            // The same thing may stand there again.
            Err(ReadError::Stale(Stale::Gone { .. })) => {
                Box::pin(self.look_again(page)).await?;
                self.start(page, options.scope.as_ref()).await?
            }
            start => start?,
        };
        let wanted = Wanted {
            mode: options.mode,
            depth: options.depth,
            boxes: options.boxes,
            unheard: options.unheard,
            searched: options.searched,
            identify,
        };
        let mut read = gather::gather(page, &mut self.worlds, start, wanted).await?;
        let worlds = &self.worlds;
        self.refs.prune(|serial| worlds.of_serial(serial).is_some());
        if options.whole() && options.mode != Mode::Minimal && !options.unheard {
            let documents = std::mem::take(&mut read.documents);
            self.pass_on(&read.items, documents).await?;
        }
        Ok(read)
    }

    fn keep(&mut self, options: &Options, lines: Vec<String>) {
        self.taken += 1;
        let title = self.last.take().map(|last| last.title);
        self.last = Some(Last {
            title: title.unwrap_or_default(),
            id: self.taken,
            options: options.clone(),
            lines,
        });
    }

    fn piece(&self, from: usize, budget: Budget) -> Snapshot {
        let (id, lines) = self
            .last
            .as_ref()
            .map_or((0, [].as_slice()), |last| (last.id, last.lines.as_slice()));
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
