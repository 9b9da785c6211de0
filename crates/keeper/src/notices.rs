//! Adds what else happened during an operation to its answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use szk_page::event_log::{Entry, Kind, Prompted, Query, What};
use szk_tools::{Response, Spec, Subject};

use crate::browser::prompt_waits;
use crate::context::Keeper;
use crate::dialogs;

/// Maximum number of notices per kind.
const MOST: usize = 5;

/// Clients whose positions are remembered. Who is forgotten hears again only of what comes.
const CLIENTS: usize = 256;

/// Up to which position of the event log each client has heard of downloads.
#[derive(Default)]
pub(crate) struct HeardPositions {
    // A std mutex: nothing awaits under it.
    positions: Mutex<HashMap<String, u64>>,
}

impl HeardPositions {
    /// Where this client's next report begins: at `since`, or earlier.
    fn since(&self, client: &str, since: u64) -> u64 {
        let positions = self.positions.lock();
        let positions = positions.unwrap_or_else(PoisonError::into_inner);
        let before = positions.get(client);
        before.map_or(since, |before| (*before).min(since))
    }

    /// The client has heard of everything up to this position.
    fn heard(&self, client: &str, position: u64) {
        let positions = self.positions.lock();
        let mut positions = positions.unwrap_or_else(PoisonError::into_inner);
        if positions.len() >= CLIENTS && !positions.contains_key(client) {
            positions.clear();
        }
        positions.insert(client.to_owned(), position);
    }
}

/// The moment from which on events are reported.
pub(crate) struct Notices {
    keeper: Arc<Keeper>,
    since: u64,
    /// Operations that work in no tab have nothing to add, and some report everything anyway.
    quiet: bool,
}

impl Notices {
    pub(crate) fn since_now(keeper: &Arc<Keeper>, spec: &Spec) -> Self {
        Self {
            since: keeper.event_log.now(),
            keeper: Arc::clone(keeper),
            quiet: spec.subject != Subject::Tabs || spec.reports_events,
        }
    }

    /// Adds open dialogs and choosers, and downloads that started or ended since the last answer: one
    /// that a script starts may begin after the act that caused it.
    pub(crate) fn add_to(self, mut response: Response) -> Response {
        if self.quiet {
            return response;
        }
        for line in self.keeper.slots.take_expired() {
            response.summary.push('\n');
            response.summary.push_str(&line);
        }
        let event_log = &self.keeper.event_log;
        let pending = event_log.pending();
        for prompt in pending
            .iter()
            .filter(|prompt| prompt_waits(prompt) && self.is_about(prompt.tab.as_deref()))
            .take(MOST)
        {
            let tab = prompt.tab.as_deref().unwrap_or("a page");
            let what = match &prompt.what {
                Prompted::Dialog {
                    r#type, message, ..
                } => dialogs::named(r#type, message),
                Prompted::Chooser(chooser) => dialogs::chooser(chooser),
                Prompted::Download { .. } => continue,
            };
            let how = match prompt.what {
                Prompted::Chooser(_) => "give it files with `browser_arm`, `event` chooser",
                _ => "answer it with `browser_arm`",
            };
            let line = format!("\n{tab} shows {what}; {how}");
            response.summary.push_str(&line);
        }
        let client = self.keeper.visit.client();
        let client = client.map_or("", |client| client.id.as_str());
        let told = &self.keeper.told;
        let downloads = event_log.read(&Query {
            kind: Some(Kind::Downloads),
            since: Some(told.since(client, self.since)),
            ..Query::default()
        });
        let entries = downloads.entries.into_iter();
        let mut about: Vec<Entry> = entries
            .filter(|entry| self.is_about(entry.tab.as_deref()))
            .collect();
        let more = about.len() > MOST;
        about.truncate(MOST);
        let last = about.last().filter(|_| more);
        told.heard(client, last.map_or(downloads.next, |last| last.seq));
        for Entry { what, .. } in about {
            if let What::Download(download) = what {
                let place = download.path.unwrap_or_default();
                let name = szk_text::quoted(&download.name, 200);
                let place = szk_text::line(&place, 1000);
                let line = format!("\ndownload {name} ({}) {place}", download.state);
                response.summary.push_str(line.trim_end_matches(' '));
            }
        }
        response
    }

    /// Whether something in this tab concerns the caller: what happens in another client's tabs is told
    /// to that client.
    fn is_about(&self, tab: Option<&str>) -> bool {
        let tab = tab.and_then(|tab| self.keeper.peek(Some(tab)));
        tab.is_none_or(|(_, tab)| self.keeper.is_free(&tab))
    }
}
