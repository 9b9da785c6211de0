//! What szk knows of one tab.

use serde::Deserialize;
use serde_json::{Value, json};

use super::cut::{self, Budget};
use super::diff::{self, Changes};
use super::error::{ReadError, Stale};
use super::find::{self, Found, Pattern};
use super::gather::{self, Start, Wanted, Worlds};
use super::item::Item;
use super::kept::Kept;
use super::lines;
use super::refs::{Node, Refs, words};
use crate::page::Page;

/// What is listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Controls, clickable things, and what says where they are.
    #[default]
    Interactive,
    /// All of it, with its text.
    Full,
}

impl Mode {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Full => "full",
        }
    }
}

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// What is in the node of a ref.
    Ref(String),
    /// What is in the one element that fits.
    Selector(String),
}

/// What is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// What is listed.
    pub mode: Mode,
    /// Only a part.
    pub scope: Option<Scope>,
    /// Levels below the root.
    pub depth: Option<usize>,
    /// With the box of each node.
    pub boxes: bool,
}

/// A piece of a snapshot.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Its number in this tab.
    pub id: u32,
    /// The lines of this piece.
    pub text: String,
    /// Where it begins.
    pub from: usize,
    /// How many they are.
    pub lines: usize,
    /// Lines of the whole.
    pub total: usize,
    /// To go on with [`View::more`].
    pub cursor: Option<String>,
}

/// The last snapshot, for the next piece and for comparison.
struct Last {
    id: u32,
    options: Options,
    lines: Vec<String>,
}

/// What szk knows of one tab: scripts in its frames, refs, the last snapshot.
#[derive(Default)]
pub struct View {
    worlds: Worlds,
    refs: Refs,
    last: Option<Last>,
    content: Kept,
    content_id: u32,
    taken: u32,
}

#[derive(Deserialize)]
struct Now {
    role: String,
    name: String,
}

#[derive(Deserialize)]
struct Asked<T> {
    value: T,
    suspects: u32,
}

#[derive(Deserialize)]
struct Selected {
    count: u32,
    first: u32,
}

impl View {
    /// Reads the page and gives the first piece.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn read(
        &mut self,
        page: &Page,
        options: &Options,
        budget: Budget,
    ) -> Result<Snapshot, ReadError> {
        let lines = self.lines(page, options).await?;
        self.keep(options, lines);
        Ok(self.first(budget))
    }

    /// Reads the page and tells what has changed since the last snapshot of the same kind; `None` when
    /// there is none to compare with. Either way this is the last one now.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn changes(
        &mut self,
        page: &Page,
        options: &Options,
    ) -> Result<Option<Changes>, ReadError> {
        let lines = self.lines(page, options).await?;
        let before = self.last.take();
        self.keep(options, lines);
        let now = self
            .last
            .as_ref()
            .map(|last| last.lines.as_slice())
            .unwrap_or_default();
        Ok(before
            .filter(|before| before.options == *options)
            .map(|before| diff::compare(&before.lines, now)))
    }

    /// The next piece of the last snapshot.
    ///
    /// # Errors
    /// [`ReadError::Cursor`] when the cursor is of another.
    pub fn more(&self, cursor: &str, budget: Budget) -> Result<Snapshot, ReadError> {
        let wrong = || ReadError::Cursor(cursor.to_owned());
        let last = self.last.as_ref().ok_or_else(wrong)?;
        let from = cut::line_of(cursor, last.id)
            .filter(|from| *from <= last.lines.len())
            .ok_or_else(wrong)?;
        Ok(self.piece(from, budget))
    }

    /// The first piece of the last snapshot.
    #[must_use]
    pub fn first(&self, budget: Budget) -> Snapshot {
        self.piece(0, budget)
    }

    /// All lines of the last snapshot.
    #[must_use]
    pub fn whole(&self) -> String {
        self.last
            .as_ref()
            .map(|last| last.lines.join("\n"))
            .unwrap_or_default()
    }

    /// Keeps content, so that it can be given in pieces.
    pub fn keep_content(&mut self, content: Kept) {
        self.taken += 1;
        self.content_id = self.taken;
        self.content = content;
    }

    /// Where a cursor of the kept content leads.
    #[must_use]
    pub fn kept_from(&self, cursor: &str) -> Option<usize> {
        cut::line_of(cursor, self.content_id)
    }

    /// What fits of the kept content, and the cursor of the rest.
    #[must_use]
    pub fn content(&self, from: usize, limit: usize, bytes: usize) -> (Kept, Option<String>) {
        let (piece, next) = self.content.piece(from, limit, bytes);
        (piece, next.map(|next| cut::cursor(self.content_id, next)))
    }

    /// Looks for text in the whole page, or in a part of it.
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

    /// Finds the node of a ref, and makes sure that it is still what it was.
    ///
    /// # Errors
    /// [`Stale`].
    pub async fn resolve(&self, reference: &str) -> Result<Node, Stale> {
        let known = self
            .refs
            .get(reference)
            .ok_or_else(|| Stale::Unknown(reference.to_owned()))?;
        let gone = || Stale::Gone {
            reference: reference.to_owned(),
            was: known.words(),
        };
        let (frame, world) = self.worlds.of_serial(known.key.world).ok_or_else(gone)?;
        let number = known.key.number;
        let function = "function (known, kind) { return this.now(known, kind); }";
        let args = [json!(number), json!(known.kind.letter())];
        let asked = futures_util::future::try_join(
            world.call::<Option<Now>>(function, &args),
            world.describe(number),
        );
        let (now, described) = match asked.await {
            Ok(both) => both,
            Err(ReadError::Call(error)) if crate::is_gone(&error) => return Err(gone()),
            Err(ReadError::Call(error)) => return Err(error.into()),
            Err(_) => return Err(gone()),
        };
        world.release();
        let (Some(now), Some(described)) = (now, described) else {
            return Err(gone());
        };
        if now.role != known.role || now.name != known.name {
            let now = words(&now.role, &now.name);
            return Err(Stale::Changed {
                reference: reference.to_owned(),
                was: known.words(),
                now,
            });
        }
        Ok(Node {
            session: world.session.clone(),
            frame: frame.to_owned(),
            backend_node_id: described.backend_node_id,
            role: now.role,
            name: now.name,
        })
    }

    /// Asks our script for something else than the tree.
    pub(crate) async fn ask<T: for<'de> Deserialize<'de>>(
        &mut self,
        page: &Page,
        scope: Option<&Scope>,
        kind: &str,
        options: &Value,
    ) -> Result<T, ReadError> {
        let start = self.start(page, scope).await?;
        let function = "function (kind, root, options) { return this.ask(kind, root, options); }";
        let args = [json!(kind), json!(start.root.unwrap_or(0)), options.clone()];
        let mut tried = 0;
        loop {
            let world = self.worlds.at(page, &start.frame, &start.session).await?;
            tried += 1;
            match world.call::<Option<Asked<T>>>(function, &args).await {
                Err(ReadError::Call(error))
                    if crate::is_gone(&error) && tried == 1 && start.root.is_none() =>
                {
                    self.worlds.forget(&start.frame);
                }
                // Closed trees may hold closed trees.
                Ok(Some(asked))
                    if tried > 3 || asked.suspects == 0 || world.reveal().await? == 0 =>
                {
                    world.release();
                    return Ok(asked.value);
                }
                Ok(Some(_)) => {}
                Ok(None) => return Err(szk_cdp::CallError::SessionGone.into()),
                Err(error) => return Err(error),
            }
        }
    }

    async fn lines(&mut self, page: &Page, options: &Options) -> Result<Vec<String>, ReadError> {
        let items = self.items(page, options).await?;
        Ok(lines::write(&items, &mut self.refs))
    }

    async fn items(&mut self, page: &Page, options: &Options) -> Result<Vec<Item>, ReadError> {
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

    /// Where reading begins.
    async fn start(&mut self, page: &Page, scope: Option<&Scope>) -> Result<Start, ReadError> {
        let whole = Start {
            frame: page.frame.clone(),
            session: page.session.clone(),
            root: None,
        };
        match scope {
            None => Ok(whole),
            Some(Scope::Ref(reference)) => {
                let node = self.resolve(reference).await;
                // What is there now is shown even if it has become something else.
                let known = match (&node, self.refs.get(reference)) {
                    (Ok(_) | Err(Stale::Changed { .. }), Some(known)) => known,
                    _ => {
                        return Err(node
                            .err()
                            .unwrap_or_else(|| Stale::Unknown(reference.clone()))
                            .into());
                    }
                };
                let world = self.worlds.of_serial(known.key.world);
                let (frame, world) = world.ok_or_else(|| Stale::Unknown(reference.clone()))?;
                Ok(Start {
                    frame: frame.to_owned(),
                    session: world.session.clone(),
                    root: Some(known.key.number),
                })
            }
            Some(Scope::Selector(selector)) => {
                let selected = self.select(page, selector).await?;
                Ok(Start {
                    root: Some(selected),
                    ..whole
                })
            }
        }
    }

    async fn select(&mut self, page: &Page, selector: &str) -> Result<u32, ReadError> {
        let function = "function (selector) { return this.select(selector); }";
        let args = [json!(selector)];
        let mut tried = false;
        let selected: Selected = loop {
            let world = self.worlds.at(page, &page.frame, &page.session).await?;
            match world.call(function, &args).await {
                Err(ReadError::Call(error)) if crate::is_gone(&error) && !tried => {
                    tried = true;
                    self.worlds.forget(&page.frame);
                }
                Err(ReadError::Script(_)) => return Err(ReadError::Selector(selector.to_owned())),
                other => break other?,
            }
        };
        match selected.count {
            0 => Err(ReadError::Nothing(selector.to_owned())),
            1 => Ok(selected.first),
            count => Err(ReadError::Many {
                selector: selector.to_owned(),
                count,
            }),
        }
    }

    fn keep(&mut self, options: &Options, lines: Vec<String>) {
        self.taken += 1;
        self.last = Some(Last {
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
