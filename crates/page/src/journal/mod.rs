//! What happened in the pages: console, requests, errors, dialogs, downloads.
//!
//! One task reads the events of all sessions and keeps the last of each kind in bounded rings; what is
//! over is also written to a bounded file. Secrets are taken out before anything is kept: nobody can
//! ask for them later. Only domains that pages cannot notice are used. Uncaught exceptions come from
//! outside, by [`Journal::trouble`]: Chromium 156 tells them to `Runtime` alone, which pages notice.

mod collect;
mod download;
mod entry;
mod events;
mod file;
mod har;
mod prompt;
mod query;
pub mod redact;
mod request;
mod ring;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use szk_cdp::{Connection, Subscription};
use tokio::sync::{broadcast, watch};

pub use entry::{Console, Dialog, Download, Entry, Kind, Problem, Request, What};
pub use har::har;
pub use prompt::{Chooser, Prompt, Prompted};
pub use query::{Found, Query, Statuses};

use crate::Veil;
use collect::Collector;
use file::File;
use ring::Rings;

/// Longest text of a message that is kept, in characters.
const LONGEST: usize = 8192;

/// Prompts that may wait for whoever answers them.
const PROMPTS: usize = 64;

/// Who a page is for people: its tab's id by its target's.
pub type Names = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The journal of one profile; cheap to clone. It outlives its browsers.
#[derive(Clone)]
pub struct Journal {
    inner: Arc<Inner>,
}

struct Inner {
    // A std mutex: nothing awaits under it.
    state: Mutex<State>,
    prompts: broadcast::Sender<Prompt>,
    /// Grows with every change.
    changes: watch::Sender<u64>,
    veil: Veil,
}

struct State {
    rings: Rings,
    /// Dialogs and choosers that nobody has answered.
    pending: Vec<Prompt>,
    file: Option<File>,
}

impl Journal {
    /// An empty journal that also writes what is over to `file`, or nowhere.
    #[must_use]
    pub fn new(file: Option<PathBuf>) -> Self {
        let state = State {
            rings: Rings::default(),
            pending: Vec::new(),
            file: file.map(File::at),
        };
        Self {
            inner: Arc::new(Inner {
                state: Mutex::new(state),
                prompts: broadcast::Sender::new(PROMPTS),
                changes: watch::Sender::new(0),
                veil: Veil::default(),
            }),
        }
    }

    /// Reads the events of one browser until it ends.
    pub async fn follow(&self, connection: Connection, events: Subscription, names: Names) {
        Collector::new(self.clone(), connection, names)
            .run(events)
            .await;
        // Its dialogs went with it.
        self.state().pending.clear();
        self.told();
    }

    /// What is put behind it is not kept from then on.
    #[must_use]
    pub fn veil(&self) -> &Veil {
        &self.inner.veil
    }

    /// Notes a trouble, without the secrets in it.
    pub fn trouble(&self, tab: Option<String>, mut problem: Problem) {
        problem.text = shortened(&redact::text(&problem.text));
        problem.url = redact::url(&problem.url);
        self.add(tab, What::Error(problem));
    }

    fn add(&self, tab: Option<String>, mut what: What) -> u64 {
        what.cover(self.veil());
        let whole = matches!(what, What::Console(_) | What::Error(_));
        let mut state = self.state();
        let id = state.rings.add(now(), tab, what);
        if whole && let (Some(entry), Some(file)) = (state.rings.get(id), &state.file) {
            file.write(entry);
        }
        drop(state);
        self.told();
        id
    }

    /// What fits a query.
    #[must_use]
    pub fn read(&self, query: &Query) -> Found {
        self.state().rings.find(query)
    }

    /// The entry of this number, if it is still there.
    #[must_use]
    pub fn entry(&self, id: u64) -> Option<Entry> {
        self.state().rings.get(id).cloned()
    }

    /// Number of the last change; a query `since` it sees only what comes later.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.state().rings.now()
    }

    /// Dialogs and choosers that wait for an answer.
    #[must_use]
    pub fn pending(&self) -> Vec<Prompt> {
        self.state().pending.clone()
    }

    /// A dialog or chooser stays open: it waits for somebody's answer.
    pub fn hold(&self, id: u64) {
        let mut state = self.state();
        let prompt = state.pending.iter_mut().find(|prompt| prompt.id == id);
        if let Some(prompt) = prompt {
            prompt.held = true;
        }
        drop(state);
        self.told();
    }

    /// A dialog is about to be dismissed, because nobody has answered it; or somebody has after all.
    pub fn unanswered(&self, id: u64, so: bool) {
        self.state().rings.change(Kind::Dialogs, id, |entry| {
            if let What::Dialog(dialog) = &mut entry.what {
                dialog.unanswered = so;
            }
        });
    }

    /// A chooser was answered, or is of no interest any more. Dialogs say so themselves.
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

    /// A file that was downloaded is somewhere else now.
    pub fn moved(&self, id: u64, path: String) {
        self.state().rings.change(Kind::Downloads, id, |entry| {
            if let What::Download(download) = &mut entry.what {
                download.path = Some(path);
            }
        });
        self.told();
    }

    /// Told of every change; the number means nothing.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    fn told(&self) {
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Dialogs, choosers and downloads as they come.
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

/// A text that does not fill the ring alone.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
    }
}
