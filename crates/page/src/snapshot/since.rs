//! What is different since the caller was told last.

use std::time::{Duration, Instant};

use szk_recipes::Thing;

use super::around::{self, Covers};
use super::cut::{self, Budget};
use super::diff::{self, Changes};
use super::error::ReadError;
use super::frames::Handle;
use super::item::Item;
use super::options::{Mode, Options};
use super::page_state::PageState;
use super::view::View;
use crate::page::Page;

/// A page whose snapshot took longer, and has more nodes, is not read in full as well, only to compare it later.
const QUICK: Duration = Duration::from_millis(250);
const FEW: usize = 1_000;
/// One that takes longer to read, or has many more, is read only on request and not after each act.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST: usize = 10_000;
/// Lines to remember that did not fit into an answer.
const UNTOLD: usize = 2_000;

/// Whether a page is read only on request. A small one is slow only while the machine is busy.
fn is_slow(took: Duration, nodes: usize) -> bool {
    nodes > MOST || (nodes > FEW && took > PATIENCE)
}

/// What an act has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Since {
    /// These lines, as many as fit, how many did not, and of how much of the page, if that is news.
    Shown(String, usize, Option<Covers>),
    /// Everything: the documents are not those of the last snapshot.
    Replaced,
}

impl View {
    /// Whether the caller was told of the page, so that changes can be told.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.covers().is_some()
    }

    /// Notes that the caller was told of another document in the tab: [`View::since`] need not say it again.
    pub fn announce(&mut self) {
        self.announced = true;
    }

    /// Notes that the caller was told this title.
    pub fn entitled(&mut self, title: &str) {
        self.title = Some(title.to_owned());
    }

    /// Notes the title of the page before an act.
    pub fn has_title(&mut self, title: &str) {
        self.title.get_or_insert_with(|| title.to_owned());
    }

    /// Whether this is not the title that the caller knows.
    #[must_use]
    pub fn is_retitled(&self, title: &str) -> bool {
        self.title.as_ref().is_some_and(|known| known != title)
    }

    /// Whether this title is news to the caller, who hears of it now.
    pub fn retitled(&mut self, title: &str) -> bool {
        let known = self.title.replace(title.to_owned());
        known.is_some_and(|known| known != title)
    }

    /// Notes controls that the caller has filled: [`View::since`] need not say what they hold.
    pub fn filled(&mut self, handles: &[Handle]) {
        self.filled
            .extend(handles.iter().map(|handle| handle.key()));
    }

    /// Controls that the last [`View::since`] has found in another state; asked once.
    pub fn take_became(&mut self) -> Vec<Thing> {
        std::mem::take(&mut self.became)
    }

    /// Notes what the page shows now, for what only the acts from here on change: the next [`View::since`] finds
    /// that out, too. Not where it takes too long.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn note(&mut self, page: &Page) -> Result<(), ReadError> {
        if let Some(mode) = self.told.as_ref().map(|told| told.mode) {
            let items = self.items(page, &Options::of(mode)).await?;
            self.noted = Some(PageState::of(mode, items));
        }
        Ok(())
    }

    /// The lines that changed since [`View::note`], and the controls that became another state; asked once.
    pub fn take_since_noted(&mut self) -> Option<(String, Vec<Thing>)> {
        self.since_noted.take()
    }

    /// What is different since the caller was told last, whatever the last snapshot was of; what is `near`
    /// a ref comes early. Of a page that takes too long to read unasked, only controls are compared or nothing
    /// but what [`View::look_around`] has noted. `None` if there was no snapshot. Each change is told once;
    /// those that do not fit are kept for [`View::changes`].
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn since(
        &mut self,
        page: &Page,
        near: Option<&str>,
        budget: Budget,
    ) -> Result<Option<Since>, ReadError> {
        let Some(covers) = self.covers() else {
            return Ok(None);
        };
        let key = near.and_then(|name| Some(self.refs.get(name)?.key));
        let mut lines = self.changed_around(page, key).await;
        let announced = std::mem::take(&mut self.announced);
        match self.compared(page, near).await? {
            Some(Some(all)) => lines.extend(around::but_those(all, &lines)),
            Some(None) if announced => lines.clear(),
            Some(None) => return Ok(Some(Since::Replaced)),
            None => {}
        }
        let (text, count) = cut::cut(&lines, 0, budget);
        let left = lines.len() - count;
        let room = UNTOLD.saturating_sub(self.untold.len());
        self.untold.extend(lines.into_iter().skip(count).take(room));
        let news = self.covered.replace(covers) != Some(covers);
        Ok(Some(Since::Shown(text, left, news.then_some(covers))))
    }

    /// Reads the page and returns what has changed since the caller was told last, with what did not fit
    /// then; `None` if there is nothing to compare with. A part of the page is compared with the last
    /// snapshot of the same part. Either way this becomes the last snapshot.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn changes(
        &mut self,
        page: &Page,
        options: &Options,
    ) -> Result<Option<Changes>, ReadError> {
        if options.whole() && self.told.is_some() {
            let lines = self.compared(page, None).await?.flatten();
            let mut untold = std::mem::take(&mut self.untold);
            self.take(page, options).await?;
            self.read_rest(page).await;
            return Ok(lines.map(|lines| {
                untold.extend(lines);
                Changes::of(untold)
            }));
        }
        let before = self.last.take();
        self.take(page, options).await?;
        self.read_rest(page).await;
        let now = self
            .last
            .as_ref()
            .map(|last| last.lines.as_slice())
            .unwrap_or_default();
        Ok(before
            .filter(|before| before.options == *options)
            .map(|before| diff::compare(&before.lines, now)))
    }

    /// Reads the page and compares it with what was told; what it reads counts as told now. The outer
    /// `None`: nothing was told yet. The inner one: the documents are other ones.
    async fn compared(
        &mut self,
        page: &Page,
        near: Option<&str>,
    ) -> Result<Option<Option<Vec<String>>>, ReadError> {
        let Some(mode) = self.told.as_ref().map(|told| told.mode) else {
            return Ok(None);
        };
        let began = Instant::now();
        let items = self.items(page, &Options::of(mode)).await?;
        let slow = is_slow(began.elapsed(), items.len());
        let now = PageState::of(mode, items);
        let noted = self.noted.take().filter(|noted| !noted.replaced_by(&now));
        self.since_noted = noted.map(|noted| {
            let lines = noted.changes(&now, &mut self.refs, None);
            (lines.join("\n"), noted.became(&now))
        });
        let near = near.and_then(|name| Some(self.refs.get(name)?.key));
        let Some(mut before) = self.told.take() else {
            return Ok(None);
        };
        before.knows(&std::mem::take(&mut self.filled), &now);
        let lines = if before.replaced_by(&now) {
            self.untold.clear();
            None
        } else {
            self.forget_untold(&now);
            self.became = before.became(&now);
            Some(before.changes(&now, &mut self.refs, near))
        };
        self.told = (!slow).then_some(now);
        self.large = slow;
        Ok(Some(lines))
    }

    /// Lines about what has gone since need not be told any more, unless they say that.
    fn forget_untold(&mut self, now: &PageState) {
        if self.untold.is_empty() {
            return;
        }
        let keys = now.keys();
        let refs = &self.refs;
        self.untold.retain(|line| {
            let known = around::reference(line).and_then(|name| refs.get(&name));
            line.starts_with('-') || known.is_none_or(|known| keys.contains(&known.key))
        });
        self.untold = around::without_lonely(std::mem::take(&mut self.untold));
    }

    /// After a snapshot: all of the page counts as told, also what the snapshot left out, once
    /// [`View::read_rest`] has read it. A snapshot of a part does not change what was told of the rest.
    pub(super) fn tell(&mut self, options: &Options, items: Vec<Item>, took: Duration) {
        let worlds = items.iter().map(|item| item.key.world).collect();
        let known = self.told.as_ref().is_some_and(|told| told.is_of(&worlds));
        if known && !options.whole() {
            return;
        }
        self.untold.clear();
        self.announced = false;
        let slow = is_slow(took, items.len());
        let full = options.whole() && options.mode == Mode::Full;
        self.rest = !full && !slow && (took < QUICK || items.len() <= FEW);
        let usable = options.whole() && options.mode != Mode::Minimal;
        self.told = (usable && !slow).then(|| PageState::of(options.mode, items));
        self.large = self.told.is_none();
        self.covered = None;
        self.around.clear();
    }

    /// Whether [`View::read_rest`] has something to read.
    #[must_use]
    pub fn has_rest(&self) -> bool {
        self.rest
    }

    /// Reads what the last snapshot has left out, so that later changes there are found. The snapshot can be
    /// answered before; the next call on the page must wait. If this fails, fewer changes are found.
    pub async fn read_rest(&mut self, page: &Page) {
        if !std::mem::take(&mut self.rest) {
            return;
        }
        match self.items(page, &Options::of(Mode::Full)).await {
            Ok(all) => {
                self.told = (all.len() <= MOST).then(|| PageState::of(Mode::Full, all));
                self.large = self.told.is_none();
            }
            Err(error) => tracing::debug!(%error, "cannot read the rest of the page"),
        }
    }
}
