//! Reading the browser, and what of a reading is believed.

use std::collections::HashSet;
use std::time::Instant;

use futures_util::future::join_all;
use szk_cdp::{CallError, Connection};
use szk_recovery::{Source, Verdict};

use super::{CLOSED_AT_ONCE, LOOK, Saver};
use crate::launch::Helper;
use crate::session::Running;
use crate::session::changes::origin_of;
use crate::state::{self, CaptureOptions, Cookie, OriginState, OriginStorage, Text, Warning};
use crate::supervisor::Tab;

/// Things of one origin that are named when they are left out of the state.
const MOST_LEFT_OUT: usize = 50;

impl Saver {
    /// Reads all cookies, and the storage of these origins: in a tab where one is open, else in one that
    /// nobody sees. What could not be read is looked at again next time.
    ///
    /// Answers whether the cookies were read and believed.
    pub(super) async fn look(&self, running: &Running, tabs: &[Tab], origins: Vec<String>) -> bool {
        let connection = running.supervisor.connection();
        let cookies = self.look_at_cookies(connection).await;
        let storage = self.known().helpers.storage.source();
        self.note_tabs(running, tabs);
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        for origin in origins {
            let at_it = tabs_at(tabs, &origin);
            if at_it.is_empty() {
                closed.push(origin);
                continue;
            }
            // All of them: each has a sessionStorage of its own.
            open.extend(at_it);
        }
        // Side by side: a page that is stuck keeps no other from being read.
        let looks = open
            .into_iter()
            .map(|tab| self.look_at(connection, tab, storage));
        join_all(looks).await;
        closed.truncate(CLOSED_AT_ONCE);
        let options = CaptureOptions::default();
        let (captured, warnings) =
            state::capture_closed_origins(connection, &closed, &options).await;
        let read_origins: HashSet<String> = captured
            .iter()
            .map(|read| read.state.origin.clone())
            .collect();
        for read in captured {
            self.note_storage(connection, None, read, storage);
        }
        for warning in warnings {
            tracing::debug!(%warning, "its storage was not read");
        }
        let mut known = self.known();
        if let Some(changes) = &mut known.changes {
            // Once is enough: an origin that cannot be read would be asked for ever.
            let unread = closed
                .iter()
                .filter(|origin| !read_origins.contains(*origin));
            unread.for_each(|origin| changes.seen(origin));
        }
        drop(known);
        self.note_tabs(running, tabs);
        cookies
    }

    pub(super) async fn look_at_cookies(&self, connection: &Connection) -> bool {
        // The process is noted before it is asked: a reading is its own only if it lives on afterwards.
        let source = self.known().helpers.network.source();
        match tokio::time::timeout(LOOK, state::capture_cookies(connection)).await {
            Ok(Ok(cookies)) => return self.note_cookies(cookies, source),
            Ok(Err(error)) => tracing::debug!(%error, "cookies were not read"),
            Err(_) => tracing::debug!("cookies were not read in time"),
        }
        false
    }

    fn note_cookies(&self, cookies: Vec<Cookie>, source: Source<Helper>) -> bool {
        let mut known = self.known();
        let known = &mut *known;
        if !known
            .helpers
            .network
            .believes(source, |helper| helper.lives())
        {
            tracing::debug!(
                "the network service has ended; what the cookies are now does not count"
            );
            return false;
        }
        let (before, after) = (known.state.cookies.len(), cookies.len());
        match known
            .doubt
            .judge(before, after, self.began.elapsed(), source.is_known())
        {
            Verdict::Wait => {
                tracing::info!(
                    before,
                    "all cookies are gone; they are read again before that is believed"
                );
                return false;
            }
            Verdict::Take => {}
        }
        known.deleted.note_cookies(&known.state.cookies, &cookies);
        known.state.cookies = cookies;
        known.cookies_unread = None;
        true
    }

    async fn look_at(&self, connection: &Connection, tab: &Tab, source: Source<Helper>) {
        let capture = state::capture_origin(connection, &tab.page.session, &tab.page.target_id);
        match tokio::time::timeout(LOOK, capture).await {
            Ok(Ok(Some(storage))) => self.note_storage(connection, Some(tab), storage, source),
            Ok(Ok(None) | Err(CallError::SessionGone | CallError::Closed { .. })) => {}
            trouble => {
                let error = trouble.map(|result| result.err());
                tracing::debug!(tab = tab.id, ?error, "its storage was not read");
                if let Some(origin) = origin_of(&tab.page.url) {
                    let now = Instant::now();
                    self.known().stuck.entry(origin).or_insert(now);
                }
            }
        }
    }

    fn note_storage(
        &self,
        connection: &Connection,
        tab: Option<&Tab>,
        read: OriginStorage,
        source: Source<Helper>,
    ) {
        let mut known = self.known();
        let known = &mut *known;
        if !known
            .helpers
            .storage
            .believes(source, |helper| helper.lives())
        {
            return;
        }
        let origin = read.state.origin.clone();
        if !read.warnings.is_empty() {
            let heard = known.left_out.entry(origin.clone()).or_default();
            for warning in unheard(heard, &read.warnings) {
                let warning = warning.to_string();
                tracing::info!(origin, warning, "left out of the saved state");
            }
        }
        let empty = OriginState::default();
        let mut saved = known.state.origins.iter();
        let before = saved.find(|saved| saved.origin == origin).unwrap_or(&empty);
        let doubt = known.doubts.entry(origin.clone()).or_default();
        let (had, has) = (entries(before), entries(&read.state) + read.unread.len());
        if doubt.judge(had, has, self.began.elapsed(), source.is_known()) == Verdict::Wait {
            // It stays on the list, and is read again.
            return;
        }
        let names = |state: &OriginState| -> Vec<Text> {
            let items = state.local_storage.iter();
            items.map(|item| item.name.clone()).collect()
        };
        let (gone, there) = (names(before), names(&read.state));
        known.deleted.note_items(&origin, &gone, &there);
        known.stuck.remove(&origin);
        known.unread.remove(&origin);
        known.touched.insert(origin.clone());
        if let Some(changes) = &mut known.changes {
            changes.seen(&origin);
            if let Some(tab) = tab {
                changes.watch_databases(connection, &tab.page.session, &origin);
            }
        }
        if let Some(tab) = tab {
            let items = read.session_storage.clone();
            known.sessions.insert((tab.id.clone(), origin), items);
        }
        known.state.absorb(read);
    }
}

/// The warnings that come for the first time. A page may have as many reasons as it likes.
fn unheard<'a>(heard: &mut HashSet<String>, warnings: &'a [Warning]) -> Vec<&'a Warning> {
    let news = warnings.iter();
    news.filter(|warning| heard.len() < MOST_LEFT_OUT && heard.insert(warning.to_string()))
        .collect()
}

/// How much there is to lose.
fn entries(state: &OriginState) -> usize {
    state.local_storage.len() + state.indexed_db.as_ref().map_or(0, Vec::len)
}

/// The tabs that are at an origin.
fn tabs_at<'a>(tabs: &'a [Tab], origin: &str) -> Vec<&'a Tab> {
    let is_there = |tab: &&Tab| origin_of(&tab.page.url).as_deref() == Some(origin);
    tabs.iter().filter(is_there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named_once() {
        let mut heard = HashSet::new();
        let warning = |about: String| Warning {
            about,
            reason: "cannot be saved".to_owned(),
        };
        let warnings = ["a key", "a file"].map(|about| warning(about.to_owned()));
        let mut count = |given: &[Warning]| unheard(&mut heard, given).len();
        assert_eq!(count(&warnings[..1]), 1);
        assert_eq!(count(&warnings), 1, "only the new one");
        assert_eq!(count(&warnings), 0);
        let many = (0..1000).map(|nth| warning(format!("key {nth}")));
        let many: Vec<Warning> = many.collect();
        assert_eq!(count(&many), MOST_LEFT_OUT - 2);
    }
}
