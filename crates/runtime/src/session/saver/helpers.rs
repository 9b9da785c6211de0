//! Reacts to the death of helper processes that hold data for Chromium.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use jiff::Timestamp;
use szk_recovery::Watched;

use super::restore::set_cookies;
use super::{LOOK, Saver};
use crate::launch::{Chromium, Helper, Keeps};
use crate::session::Running;
use crate::state::{self, StorageState, Truth};
use szk_cdp::{CallError, Connection};

/// How often to ask Chromium for a process that has not started yet.
const SEEK: Duration = Duration::from_secs(2);
/// How long Chromium may take to restart one that died.
const AGAIN: Duration = Duration::from_secs(10);
/// Pause between two attempts to restore data.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// The helper processes of one browser.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    pub(super) network: Watched<Helper>,
    pub(super) storage: Watched<Helper>,
}

impl Helpers {
    fn of(&mut self, keeps: Keeps) -> &mut Watched<Helper> {
        match keeps {
            Keeps::Cookies => &mut self.network,
            Keeps::LocalStorage => &mut self.storage,
        }
    }
}

impl Saver {
    /// Looks for processes that are not known yet.
    pub(super) async fn find_helpers(&self, connection: &Connection) {
        let kept = [Keeps::Cookies, Keeps::LocalStorage];
        let is_known = |keeps| self.known().helpers.of(keeps).process().is_some();
        if kept.into_iter().all(is_known) {
            return;
        }
        let found = tokio::time::timeout(LOOK, Helper::find_each(connection, kept)).await;
        let Ok(Ok(found)) = found else {
            return;
        };
        let mut known = self.known();
        for (keeps, found) in kept.into_iter().zip(found) {
            let holder = known.helpers.of(keeps);
            if let (None, Some(found)) = (holder.process(), found) {
                holder.found(found);
            }
        }
    }

    /// Notes a network service that differs from the previous one, which may still be exiting while the
    /// next one already answers.
    pub(super) async fn see_who_answered(&self, connection: &Connection) {
        let found = tokio::time::timeout(LOOK, Helper::find(connection, Keeps::Cookies)).await;
        let mut known = self.known();
        let network = &mut known.helpers.network;
        if let (Some(before), Ok(Ok(now))) = (network.process(), found)
            && now != Some(before)
        {
            network.lost();
        }
    }

    /// How often a helper process lost data.
    pub(in crate::session) fn losses(&self) -> u64 {
        self.known().losses
    }

    /// Waits until one of the processes dies, and returns what it held. Never completes while all of
    /// them live.
    pub(in crate::session) async fn helper_lost(&self, running: &Running) -> Keeps {
        loop {
            self.find_helpers(running.supervisor.connection()).await;
            let ended = [Keeps::Cookies, Keeps::LocalStorage].map(|keeps| {
                let mut known = self.known();
                let holder = known.helpers.of(keeps);
                (holder.process(), holder.is_lost())
            });
            // Ends on the exit of one of them, or when it is time to look for one that is missing.
            let lost = tokio::select! {
                () = end_of(ended[0]) => Keeps::Cookies,
                () = end_of(ended[1]) => Keeps::LocalStorage,
                () = tokio::time::sleep(SEEK) => continue,
            };
            let mut known = self.known();
            known.helpers.of(lost).lost();
            known.losses += 1;
            return lost;
        }
    }

    /// Restores the last reading of what a dead process held; until that is done, readings do not count.
    /// Returns what to tell the user, as an error if it could not be restored yet; none if the
    /// connection to the browser has ended: its helpers end with it.
    pub(in crate::session) async fn put_back(
        &self,
        running: &Running,
        keeps: Keeps,
    ) -> Option<Result<String, String>> {
        tokio::select! {
            biased;
            _ = running.supervisor.connection().closed() => None,
            told = self.put_back_in(running, keeps) => Some(told),
        }
    }

    async fn put_back_in(&self, running: &Running, keeps: Keeps) -> Result<String, String> {
        let (state, died) = {
            let mut known = self.known();
            let mut state = known.state.clone();
            let touched = &known.touched;
            state
                .origins
                .retain(|origin| touched.contains(&origin.origin));
            (state, known.helpers.of(keeps).process())
        };
        let connection = running.supervisor.connection();
        let who = match keeps {
            Keeps::Cookies => "network service",
            Keeps::LocalStorage => "storage service",
        };
        let pid = died.map_or_else(|| "?".to_owned(), |helper| helper.pid().to_string());
        let tried = async {
            loop {
                match self.try_to_put_back(connection, &state, keeps).await {
                    Ok(done) => return done,
                    Err(error) => tracing::debug!(%error, who, "not back yet"),
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        match tokio::time::timeout(AGAIN, tried).await {
            Ok(what) => Ok(format!(
                "Chromium's {who} (process {pid}) exited unexpectedly; {what}"
            )),
            Err(_) => Err(format!(
                "Chromium's {who} (process {pid}) exited unexpectedly, and its data is not restored yet; the saved state is intact"
            )),
        }
    }

    async fn try_to_put_back(
        &self,
        connection: &Connection,
        state: &StorageState,
        keeps: Keeps,
    ) -> Result<String, CallError> {
        let asked = async {
            // Query first: Chromium starts the process when it needs it.
            match keeps {
                Keeps::Cookies => drop(state::capture_cookies(connection).await?),
                Keeps::LocalStorage => {}
            }
            Helper::find(connection, keeps).await
        };
        // The dead process never answers what it was asked.
        let mut before = match tokio::time::timeout(LOOK / 4, asked).await {
            Ok(found) => found?,
            Err(_) => return Err(CallError::NotSent),
        };
        let mut is_doubtful = false;
        let told = match keeps {
            Keeps::Cookies => {
                let truth = Truth::Reading.unless(self.known().cookies_unread);
                let set = set_cookies(connection, state, truth, &BTreeMap::new()).await?;
                for warning in &set.refused {
                    tracing::warn!(%warning, "cannot restore a cookie");
                }
                is_doubtful = set.is_doubtful;
                let (restored, lost) = (set.restored, set.lost);
                let are = if restored == 1 { "is" } else { "are" };
                let share = share(restored, lost, "lost cookie");
                format!("{share} {are} restored")
            }
            Keeps::LocalStorage => {
                let after = Timestamp::now();
                let work = state::put_origins(connection, state, Truth::Reading);
                let (put, met) = meeting(connection, keeps, before, work).await;
                before = met;
                self.known().note_put(&put, after);
                for warning in &put.warnings {
                    tracing::warn!(%warning, "cannot restore storage");
                }
                let (restored, all) = (put.found.len(), put.tried);
                let share = share(restored, all, "origin");
                format!("localStorage of {share} is restored")
            }
        };
        let after = match before {
            Some(helper) if helper.lives() && !is_doubtful => Some(helper),
            _ => Helper::find(connection, keeps).await?,
        };
        // If the process died again meanwhile, it has lost what was restored.
        if after != before || (keeps == Keeps::Cookies && before.is_none()) {
            return Err(CallError::NotSent);
        }
        self.known().helpers.of(keeps).replaced(after);
        Ok(told)
    }

    /// Waits until the storage service or Chromium exits, and returns whether the storage service exited
    /// too early. A Chromium that exits in order drops the network service first, and this one once it
    /// has written.
    pub(in crate::session) async fn storage_died_early(&self, chromium: &Chromium) -> bool {
        let (network, storage) = {
            let helpers = &self.known().helpers;
            (helpers.network.process(), helpers.storage.process())
        };
        let (Some(network), Some(storage)) = (network, storage) else {
            return false;
        };
        tokio::select! {
            biased;
            () = storage.ended() => network.lives(),
            _ = chromium.ended() => false,
        }
    }

    /// The data that is lost and not restored yet.
    pub(in crate::session) fn not_back(&self) -> Vec<Keeps> {
        let mut known = self.known();
        [Keeps::Cookies, Keeps::LocalStorage]
            .into_iter()
            .filter(|keeps| {
                let holder = known.helpers.of(*keeps);
                let source = holder.source();
                !holder.believes(source, |helper| helper.lives())
            })
            .collect()
    }
}

/// Does `work`, and meanwhile looks for a process that Chromium may start only now, unless it is known: we would miss
/// the death of a process that we have not seen.
pub(super) async fn meeting<T>(
    connection: &Connection,
    keeps: Keeps,
    known: Option<Helper>,
    work: impl Future<Output = T>,
) -> (T, Option<Helper>) {
    let mut met = known;
    let meet = async {
        while met.is_none() {
            met = Helper::find(connection, keeps).await.ok().flatten();
            tokio::time::sleep(PAUSE).await;
        }
        std::future::pending::<Infallible>().await
    };
    let done = tokio::select! {
        biased;
        never = meet => match never {},
        done = work => done,
    };
    (done, met)
}

/// How many of all are done.
fn share(done: usize, all: usize, noun: &str) -> String {
    let plural = if all == 1 { "" } else { "s" };
    if done == all {
        return format!("{all} {noun}{plural}");
    }
    format!("{done} of {all} {noun}{plural}")
}

/// Completes when that process exits; at once if it already has and its data is not restored.
async fn end_of((helper, lost): (Option<Helper>, bool)) {
    match helper {
        _ if lost => tokio::time::sleep(PAUSE).await,
        Some(helper) => helper.ended().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_restored_is_not_counted() {
        assert_eq!(share(1, 1, "origin"), "1 origin");
        assert_eq!(share(3, 3, "origin"), "3 origins");
        assert_eq!(share(1, 3, "lost cookie"), "1 of 3 lost cookies");
        assert_eq!(share(0, 1, "lost cookie"), "0 of 1 lost cookie");
    }
}
