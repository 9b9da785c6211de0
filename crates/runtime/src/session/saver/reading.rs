//! Reads the browser, and decides which readings to trust.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use szk_cdp::{CallError, Connection};
use szk_recovery::{Source, Verdict};
use tokio_util::task::AbortOnDropHandle;

use super::{CLOSED_AT_ONCE, LOOK, Saver};
use crate::launch::Helper;
use crate::session::Running;
use crate::session::changes::{Changes, origin_of};
use crate::state::{
    self, CaptureOptions, Cookie, CookieKey, HashedEntries, LocalChange, OriginState,
    OriginStorage, Text, Warning,
};
use crate::supervisor::Tab;

/// Maximum number of things to log by name per origin when they are left out of the state.
const MOST_LEFT_OUT: usize = 50;
/// For this long an order to clear everything explains that everything is gone.
const CLEARED: Duration = Duration::from_secs(10);

/// When something was read.
#[derive(Clone, Copy)]
struct When {
    began: Instant,
    /// In an earlier reading: it may have changed since.
    is_late: bool,
}

/// A reading of a page. A slow one is not restarted: on a busy machine it would never finish.
pub(super) struct Reading {
    task: AbortOnDropHandle<Result<Option<OriginStorage>, CallError>>,
    began: Instant,
    source: Source<Helper>,
}

impl Reading {
    fn begin(connection: &Connection, tab: &Tab, source: Source<Helper>) -> Self {
        let (connection, page) = (connection.clone(), tab.page.clone());
        let read =
            async move { state::capture_origin(&connection, &page.session, &page.target_id).await };
        Self {
            task: AbortOnDropHandle::new(tokio::spawn(read)),
            began: Instant::now(),
            source,
        }
    }
}

impl Saver {
    /// Reads all cookies, and the storage of these origins: in an open tab if there is one, otherwise in
    /// a hidden one. What cannot be read is tried again next time.
    ///
    /// Returns whether the cookies were read and trusted.
    pub(super) async fn look(&self, running: &Running, tabs: &[Tab], origins: Vec<String>) -> bool {
        let connection = running.supervisor.connection();
        let cookies = self.look_at_cookies(connection).await;
        let storage = self.known().helpers.storage.source();
        self.note_tabs(running, tabs);
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        let is_open = |id: &String| tabs.iter().any(|tab| tab.id == *id);
        self.known().readings.retain(|id, _| is_open(id));
        for origin in origins {
            let at_it = tabs_at(running, tabs, &origin);
            if at_it.is_empty() {
                closed.push(origin);
                continue;
            }
            // All of them, because each has a sessionStorage of its own.
            open.extend(at_it);
        }
        // In parallel: a page that is stuck does not hold up the others.
        let looks = open
            .into_iter()
            .map(|tab| self.look_at(connection, tab, storage));
        join_all(looks).await;
        closed.truncate(CLOSED_AT_ONCE);
        let when = When {
            began: Instant::now(),
            is_late: false,
        };
        let options = CaptureOptions::default();
        let (captured, warnings) =
            state::capture_closed_origins(connection, &closed, &options).await;
        let read_origins: HashSet<String> = captured
            .iter()
            .map(|read| read.state.origin.clone())
            .collect();
        for read in captured {
            self.note_storage(connection, None, read, storage, when);
        }
        for warning in warnings {
            tracing::debug!(%warning, "cannot read its storage");
        }
        let mut known = self.known();
        if let Some(changes) = &mut known.changes {
            // Once is enough: otherwise an unreadable origin would be tried for ever.
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
        // Note the process before asking it: its answer counts only if it outlives the answer.
        let source = self.known().helpers.network.source();
        let asked = Timestamp::now();
        match tokio::time::timeout(LOOK, state::capture_cookies(connection)).await {
            Ok(Ok(cookies)) => {
                self.see_who_answered(connection).await;
                return self.note_cookies(cookies, source, asked);
            }
            Ok(Err(error)) => tracing::debug!(%error, "cannot read cookies"),
            Err(_) => tracing::debug!("reading cookies timed out"),
        }
        false
    }

    fn note_cookies(&self, cookies: Vec<Cookie>, source: Source<Helper>, asked: Timestamp) -> bool {
        let mut known = self.known();
        let known = &mut *known;
        if !known
            .helpers
            .network
            .believes(source, |helper| helper.lives())
        {
            tracing::debug!("the network service has exited; ignoring the cookies read now");
            return false;
        }
        let (before, after) = (known.state.cookies.len(), cookies.len());
        let verdict = match cleared(known.changes.as_ref()) {
            true => known.doubt.settle(),
            false => known
                .doubt
                .judge(before, after, self.began.elapsed(), source.is_known()),
        };
        match verdict {
            Verdict::Wait => {
                tracing::info!(
                    before,
                    "all cookies are gone; reading them again to confirm"
                );
                return false;
            }
            Verdict::Take => {}
        }
        known.deleted.note_cookies(&known.state.cookies, &cookies);
        let read_before = known.cookies_read.replace(asked);
        if let (Some(unchanged), None) = (read_before, known.cookies_unread) {
            let new = changed(&known.state.cookies, &cookies);
            let new = new.map(|cookie| (CookieKey::from(cookie), unchanged));
            known.cookies_changed.extend(new);
        }
        known.state.cookies = cookies;
        known.cookies_unread = None;
        true
    }

    async fn look_at(&self, connection: &Connection, tab: &Tab, source: Source<Helper>) {
        let mut under_way = self.known().readings.remove(&tab.id);
        loop {
            let is_late = under_way.is_some();
            let mut reading = under_way
                .take()
                .unwrap_or_else(|| Reading::begin(connection, tab, source));
            match tokio::time::timeout(LOOK, &mut reading.task).await {
                Ok(Ok(Ok(Some(storage)))) => {
                    let when = When {
                        began: reading.began,
                        is_late,
                    };
                    self.note_storage(connection, Some(tab), storage, reading.source, when);
                    if is_late {
                        // It can answer now, with its current data.
                        continue;
                    }
                }
                Ok(Ok(
                    Ok(None)
                    | Err(CallError::SessionGone | CallError::Crashed | CallError::Closed { .. }),
                )) => {}
                Ok(Ok(Err(error))) => self.not_read(tab, &error.to_string(), None),
                Ok(Err(ended)) => self.not_read(tab, &ended.to_string(), None),
                Err(_) => self.not_read(tab, "it takes too long", Some(reading)),
            }
            return;
        }
    }

    /// Records that a page has not reported its storage, and may still do so.
    fn not_read(&self, tab: &Tab, why: &str, reading: Option<Reading>) {
        tracing::debug!(tab = tab.id, why, "cannot read its storage");
        let mut known = self.known();
        if let Some(origin) = origin_of(&tab.page.url) {
            known.stuck.entry(origin).or_insert_with(Instant::now);
        }
        if let Some(reading) = reading {
            known.readings.insert(tab.id.clone(), reading);
        }
    }

    fn note_storage(
        &self,
        connection: &Connection,
        tab: Option<&Tab>,
        read: OriginStorage,
        source: Source<Helper>,
        when: When,
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
        if when.is_late {
            if let Some(changes) = &mut known.changes {
                changes.note(&origin);
            }
            // Another tab of the same site was faster.
            if known
                .read
                .get(&origin)
                .is_some_and(|read| *read > when.began)
            {
                return;
            }
        }
        let empty = OriginState::default();
        let mut saved = known.state.origins.iter();
        let before = saved.find(|saved| saved.origin == origin).unwrap_or(&empty);
        let doubt = known.doubts.entry(origin.clone()).or_default();
        let (had, has) = (entries(before), entries(&read.state) + read.unread.len());
        let verdict = match cleared(known.changes.as_ref()) {
            true => doubt.settle(),
            false => doubt.judge(had, has, self.began.elapsed(), source.is_known()),
        };
        if verdict == Verdict::Wait {
            // It stays on the list and is read again.
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
        let differs = before.local_storage != read.state.local_storage;
        let last = known.read.insert(origin.clone(), when.began);
        // Where it differs at the first reading, it may have been so before this browser started.
        let wrote = known.changes.as_ref().and_then(|it| it.wrote(&origin));
        if let (true, Some(after)) = (differs, last.and_then(wall_clock).or(wrote)) {
            let change = LocalChange {
                after,
                noticed: Timestamp::now(),
                entries: HashedEntries::changed(&before.local_storage, &read.state.local_storage),
            };
            known.storage_changed.insert(origin.clone(), change);
        }
        if let Some(changes) = &mut known.changes {
            if !when.is_late {
                changes.seen(&origin);
            }
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

/// The warnings that are new. A page can cause any number of them.
fn unheard<'a>(heard: &mut HashSet<String>, warnings: &'a [Warning]) -> Vec<&'a Warning> {
    let news = warnings.iter();
    news.filter(|warning| heard.len() < MOST_LEFT_OUT && heard.insert(warning.to_string()))
        .collect()
}

/// How much there is to lose.
fn entries(state: &OriginState) -> usize {
    state.local_storage.len() + state.indexed_db.as_ref().map_or(0, Vec::len)
}

/// A moment of the past by the wall clock.
fn wall_clock(moment: Instant) -> Option<Timestamp> {
    let ago = SignedDuration::try_from(moment.elapsed()).ok()?;
    Timestamp::now().checked_sub(ago).ok()
}

/// Whether someone recently cleared cookies or storage.
fn cleared(changes: Option<&Changes>) -> bool {
    let cleared = changes.and_then(Changes::cleared);
    cleared.is_some_and(|at| at.elapsed() < CLEARED)
}

/// The cookies that changed or are new.
fn changed<'a>(before: &[Cookie], after: &'a [Cookie]) -> impl Iterator<Item = &'a Cookie> {
    let known: BTreeMap<CookieKey, &Cookie> = before
        .iter()
        .map(|cookie| (cookie.into(), cookie))
        .collect();
    after
        .iter()
        .filter(move |cookie| known.get(&CookieKey::from(*cookie)) != Some(cookie))
}

/// The tabs that show this origin and can answer.
fn tabs_at<'a>(running: &Running, tabs: &'a [Tab], origin: &str) -> Vec<&'a Tab> {
    let is_there = |tab: &&Tab| {
        origin_of(&tab.page.url).as_deref() == Some(origin) && !running.supervisor.has_crashed(tab)
    };
    tabs.iter().filter(is_there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_left_out_is_logged_once() {
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
