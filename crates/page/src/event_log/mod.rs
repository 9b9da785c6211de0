//! The event log: console, requests, errors, dialogs, downloads, acts.
//!
//! One task reads the events of all sessions and keeps the last of each kind in bounded rings;
//! finished ones also go to a bounded file. Secrets are removed before anything is kept, so no one can
//! ask for them later. It uses only domains that pages cannot notice. Uncaught exceptions come from
//! outside, through [`EventLog::trouble`]: Chromium 156 reports them only to `Runtime`, which pages
//! notice.

mod bodies;
mod collect;
mod download;
mod entry;
mod events;
mod file;
mod har;
mod left;
mod prompt;
mod query;
pub mod redact;
mod request;
mod ring;
mod sources;
pub mod uncaught;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use szk_cdp::{Connection, Subscription};
use szk_recipes::{Acted, Effect, Identity, Position, Thing};
use tokio::sync::{broadcast, watch};

pub use bodies::{ResponseBody, request_body, response_body};
pub use entry::{Console, Dialog, Download, Entry, Kind, Problem, Request, What};
pub use har::har;
pub use prompt::{Chooser, Prompt, Prompted};
pub use query::{Found, Query, Statuses};
pub use sources::{console, is_leaving, save_downloads, take_console};

use crate::Redactor;
use collect::Collector;
use file::File;
use ring::Rings;

/// Longest message text to keep, in characters.
const LONGEST: usize = 8192;

/// Longest address or value of an act, in characters.
const LONGEST_VALUE: usize = 2000;

/// Prompts that may queue for whoever answers them.
const PROMPTS: usize = 64;

/// A page's name for people: its tab's id, by its target's.
pub type Names = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Puts the file of a complete download in its place, by CDP's id and the site's name for it; returns where
/// it is now.
pub type Placing = Box<dyn Fn(&str, &str, &str) -> String + Send + Sync>;

/// The event log of one profile; cheap to clone. It outlives its browsers.
#[derive(Clone)]
pub struct EventLog {
    inner: Arc<Inner>,
}

struct Inner {
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
    prompts: broadcast::Sender<Prompt>,
    /// Grows with every change.
    changes: watch::Sender<u64>,
    redactor: Redactor,
}

struct State {
    rings: Rings,
    /// Unanswered dialogs and choosers.
    pending: Vec<Prompt>,
    file: Option<File>,
    /// Values that went into password fields.
    typed: Arc<Redactor>,
}

impl EventLog {
    /// An empty log that also writes finished events to `file`, if given.
    #[must_use]
    pub fn new(file: Option<PathBuf>) -> Self {
        let state = State {
            rings: Rings::default(),
            pending: Vec::new(),
            file: file.map(File::at),
            typed: Arc::default(),
        };
        Self {
            inner: Arc::new(Inner {
                state: Mutex::new(state),
                prompts: broadcast::Sender::new(PROMPTS),
                changes: watch::Sender::new(0),
                redactor: Redactor::default(),
            }),
        }
    }

    /// Reads the events of one browser until it ends.
    pub async fn follow(
        &self,
        connection: Connection,
        events: Subscription,
        names: Names,
        placing: Placing,
    ) {
        Collector::new(self.clone(), connection, names, placing)
            .run(events)
            .await;
        // Its dialogs went with it.
        self.state().pending.clear();
        self.told();
    }

    /// Values added to it are not kept from then on.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.inner.redactor
    }

    /// Records a problem, without the secrets in it.
    pub fn trouble(&self, tab: Option<String>, mut problem: Problem) {
        problem.text = shortened(&redact::text(&problem.text));
        problem.url = redact::url(&problem.url);
        self.add(tab, What::Error(problem));
    }

    /// Hides a value that went into a password field from the log of acts: a form may put it into an
    /// address.
    pub fn hide_typed(&self, value: &str) {
        self.state().typed.add(value);
    }

    /// Records an act that succeeded, without the secrets in it; returns its number.
    pub fn acted(&self, tab: String, mut acted: Acted) -> u64 {
        acted.page = redact::url(&acted.page);
        acted.effect.navigated = acted.effect.navigated.map(|url| redact::url(&url));
        let mut value = acted.value.clone().unwrap_or_default();
        self.redactor().cover(&mut value);
        if acted.value.as_ref().is_some_and(|given| *given != value) {
            acted.secret = true;
        }
        if acted.secret {
            acted.value = None;
        }
        let typed = self.state().typed.clone();
        if let Some(awaited) = &mut acted.awaited {
            let covered = |text: &String| {
                let mut safe = szk_text::head(text, LONGEST_VALUE);
                self.redactor().cover(&mut safe);
                typed.cover(&mut safe);
                safe == *text
            };
            // With a part of it hidden, it is another text.
            awaited.text = awaited.text.take().filter(covered);
        }
        for (_, text) in acted
            .on
            .iter_mut()
            .chain(&mut acted.to)
            .flat_map(Identity::texts_mut)
        {
            let mut safe = text.clone();
            self.redactor().cover(&mut safe);
            typed.cover(&mut safe);
            if safe != *text {
                text.clear();
            }
        }
        typed.cover(&mut acted.page);
        acted
            .effect
            .navigated
            .iter_mut()
            .for_each(|url| typed.cover(url));
        let addresses = acted.effect.navigated.iter_mut();
        for text in addresses.chain([&mut acted.page]).chain(&mut acted.value) {
            *text = szk_text::head(text, LONGEST_VALUE);
        }
        self.add(Some(tab), What::Act(Box::new(acted)))
    }

    /// Records what an act turned out to have changed on the page.
    pub fn changed(&self, id: u64, appeared: Vec<Thing>, gone: Vec<Thing>) {
        self.amend(id, |effect| {
            effect.changed = true;
            effect.visible = true;
            effect.appeared = appeared;
            effect.gone = gone;
        });
    }

    /// Records what became of other elements by an act.
    pub fn became(&self, id: u64, others: Vec<Thing>) {
        self.amend(id, |effect| {
            effect.changed = true;
            effect.visible = true;
            effect.became = others;
        });
    }

    /// Records what became of the element of an act.
    pub fn turned(&self, id: u64, state: szk_recipes::State, place: Position) {
        self.amend(id, |effect| {
            effect.changed = true;
            effect.visible = true;
            effect.state = state;
            effect.place = place;
        });
    }

    /// Adds to what came of an act, without the secrets in it.
    fn amend(&self, id: u64, add: impl FnOnce(&mut Effect)) {
        let mut state = self.state();
        let typed = state.typed.clone();
        state.rings.change(Kind::Acts, id, |entry| {
            if let What::Act(acted) = &mut entry.what {
                add(&mut acted.effect);
                acted.effect.cover(&mut |text| {
                    self.redactor().cover(text);
                    typed.cover(text);
                });
            }
        });
        drop(state);
        self.told();
    }

    /// Records where the page went after an act.
    pub fn arrived(&self, id: u64, url: &str) {
        let mut url = redact::url(url);
        self.redactor().cover(&mut url);
        let mut state = self.state();
        state.typed.clone().cover(&mut url);
        url = szk_text::head(&url, LONGEST_VALUE);
        state.rings.change(Kind::Acts, id, |entry| {
            if let What::Act(acted) = &mut entry.what {
                acted.effect.changed = true;
                acted.effect.navigated = Some(url);
            }
        });
        drop(state);
        self.told();
    }

    fn add(&self, tab: Option<String>, mut what: What) -> u64 {
        what.cover(self.redactor());
        let whole = matches!(what, What::Console(_) | What::Error(_) | What::Act(_));
        let mut state = self.state();
        let id = state.rings.add(now(), tab, what);
        if whole && let (Some(entry), Some(file)) = (state.rings.get(id), &state.file) {
            file.write(entry);
        }
        drop(state);
        self.told();
        id
    }

    /// The entries that match a query.
    #[must_use]
    pub fn read(&self, query: &Query) -> Found {
        self.state().rings.find(query)
    }

    /// The entry of this number, if it is still there.
    #[must_use]
    pub fn entry(&self, id: u64) -> Option<Entry> {
        self.state().rings.get(id).cloned()
    }

    /// Number of the newest entry.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.state().rings.last()
    }

    /// Number of the last change; a query with `since` it sees only later ones.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.state().rings.now()
    }

    /// Dialogs and choosers waiting for an answer.
    #[must_use]
    pub fn pending(&self) -> Vec<Prompt> {
        self.state().pending.clone()
    }

    /// Marks a dialog or chooser as held open: it waits for an answer.
    pub fn hold(&self, id: u64) {
        let mut state = self.state();
        let prompt = state.pending.iter_mut().find(|prompt| prompt.id == id);
        if let Some(prompt) = prompt {
            prompt.held = true;
        }
        drop(state);
        self.told();
    }

    /// Records that a dialog is about to be dismissed because no one answered it, or that someone did
    /// after all.
    pub fn unanswered(&self, id: u64, so: bool) {
        self.state().rings.change(Kind::Dialogs, id, |entry| {
            if let What::Dialog(dialog) = &mut entry.what {
                dialog.unanswered = so;
            }
        });
    }

    /// Records that a chooser was answered or no longer matters. Dialogs report that themselves.
    pub fn settled(&self, id: u64, accepted: bool) {
        let mut state = self.state();
        state.pending.retain(|prompt| prompt.id != id);
        state.rings.change(Kind::Dialogs, id, |entry| {
            if let What::Dialog(dialog) = &mut entry.what {
                dialog.accepted = Some(accepted);
            }
        });
        drop(state);
        self.told();
    }

    /// Records that a downloaded file has moved.
    pub fn moved(&self, id: u64, path: String) {
        self.state().rings.change(Kind::Downloads, id, |entry| {
            if let What::Download(download) = &mut entry.what {
                download.path = Some(path);
            }
        });
        self.told();
    }

    /// Records that the file of a download was removed before anyone got it.
    pub fn withdrawn(&self, id: u64) {
        self.state().rings.change(Kind::Downloads, id, |entry| {
            if let What::Download(download) = &mut entry.what {
                download.state = "canceled".into();
                download.path = None;
            }
        });
        self.told();
    }

    /// Notifies of every change; the number means nothing.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    fn told(&self) {
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Dialogs, choosers and downloads as they occur.
    #[must_use]
    pub fn prompts(&self) -> broadcast::Receiver<Prompt> {
        self.inner.prompts.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Truncates a text so that it does not fill the ring alone.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
    }
}
