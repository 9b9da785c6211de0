//! Restarts a browser after it died: same profile, same mode, a limited number of times.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use szk_store::singleton;

use super::open::{self, Launched};
use super::saver::RestoreTabs;
use super::{Inner, Lifecycle};
use crate::launch::{Chromium, Exit};
use crate::supervisor::Supervisor;

/// Pauses before the first, second, … restart.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
];
/// Deaths longer ago than this are forgotten.
const MEMORY: Duration = Duration::from_secs(300);

/// When the browser died recently.
#[derive(Debug, Default)]
pub(super) struct History {
    deaths: VecDeque<Instant>,
}

impl History {
    /// Records a death; returns the pause before the next start, or `None` if there were too many.
    fn died(&mut self, now: Instant) -> Option<Duration> {
        self.deaths
            .retain(|death| now.duration_since(*death) < MEMORY);
        self.deaths.push_back(now);
        PAUSES.get(self.deaths.len() - 1).copied()
    }
}

/// Restarts the browser and restores logins and tabs. The error says why it does not try again.
pub(super) async fn again(
    inner: &Arc<Inner>,
    history: &mut History,
    exit: &Exit,
    first_tab: u32,
) -> Result<(), String> {
    let mut why = exit.text.clone();
    loop {
        inner.warn(format!(
            "Chromium exited unexpectedly ({why}); restarting it"
        ));
        let Some(pause) = history.died(Instant::now()) else {
            return Err(format!(
                "Chromium exited {} times in five minutes, most recently: {why}",
                PAUSES.len() + 1
            ));
        };
        tokio::time::sleep(pause).await;
        if let Err(error) = singleton::clear_if_dead(&inner.plan().user_data_dir) {
            tracing::warn!(%error, "the lock of the dead browser");
        }
        // What is to be restored must not be lost with a browser that does not start.
        let nothing = async |_: &Chromium, _: &Supervisor| ();
        match open::launch(&inner.plan, &inner.stealth, first_tab, None, nothing).await {
            Ok((launched, ())) => {
                let Launched {
                    running,
                    unfinished,
                    ..
                } = launched;
                for warning in inner
                    .saver
                    .restore(&running, RestoreTabs::Now, &inner.plan.bounds)
                    .await
                {
                    inner.warn(warning);
                }
                running.supervisor.gate().let_in();
                if let Some(listener) = inner.listener.lock().await.as_ref() {
                    listener.attach(Arc::new(running.supervisor.clone()));
                }
                inner.running.send_replace(Some(running));
                unfinished.done();
                inner.life.send_replace(Lifecycle::Running);
                return Ok(());
            }
            Err(error) => why = error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_there_are_too_many_and_old_deaths_are_forgotten() {
        let mut history = History::default();
        let start = Instant::now();
        let pauses: Vec<_> = (0..6).map(|_| history.died(start)).collect();
        assert_eq!(pauses[0], Some(PAUSES[0]));
        assert!(pauses[..5].is_sorted());
        assert_eq!(pauses[5], None);
        assert_eq!(
            history.died(start + MEMORY + Duration::from_secs(1)),
            Some(PAUSES[0])
        );
    }
}
