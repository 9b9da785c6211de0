//! Adds what else happened during an operation to its answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use szk_page::event_log::{Entry, Kind, Prompted, Query, What};
use szk_tools::Response;

use crate::browser::prompt_waits;
use crate::context::Keeper;
use crate::dialogs;

/// Maximum number of notices per kind.
const MOST: usize = 5;

/// The moment from which on events are reported.
pub(crate) struct Notices {
    keeper: Arc<Keeper>,
    since: u64,
    /// `browser_logs` reports everything anyway.
    quiet: bool,
}

impl Notices {
    pub(crate) fn since_now(keeper: &Arc<Keeper>, operation: &str) -> Self {
        Self {
            since: keeper.event_log.now(),
            keeper: Arc::clone(keeper),
            quiet: !operation.starts_with("browser_") || operation == "browser_logs",
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
            .filter(|prompt| prompt_waits(prompt))
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
        let downloads = event_log.read(&Query {
            kind: Some(Kind::Downloads),
            since: Some(self.since.min(self.keeper.told.load(Ordering::Relaxed))),
            limit: MOST,
            ..Query::default()
        });
        self.keeper
            .told
            .fetch_max(downloads.next, Ordering::Relaxed);
        for Entry { what, .. } in downloads.entries {
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
}
