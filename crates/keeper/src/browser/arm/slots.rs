//! Answers that are kept ready.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_page::act::Answering;
use szk_page::input::Pace;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ArmEvent, ArmInput};
use tokio::time::Instant;

/// Most unanswered dialogs to report; the event log has them all.
const TOLD: usize = 5;

/// One answer per tab and event: the last one armed. And what acts that go on would answer.
#[derive(Default)]
pub(crate) struct Slots {
    // Std mutexes: nothing awaits under them.
    armed: Mutex<HashMap<(String, ArmEvent), Armed>>,
    acts: Mutex<HashMap<String, Underway>>,
    /// Tabs that we take elsewhere, and how often at once.
    leaving: Mutex<HashMap<String, usize>>,
    /// Those of them whose document is still the one that is left.
    departing: Mutex<HashMap<String, usize>>,
    /// Dialogs without an answer and choosers that could not take their files, for the next caller.
    expired: Mutex<Vec<String>>,
}

/// An act that goes on in a tab: there is one at a time.
#[derive(Clone)]
pub(crate) struct Underway {
    pub(crate) answering: Answering,
    /// It gives files to the chooser that it opens.
    pub(crate) uploads: bool,
    /// It takes a person's time.
    pub(crate) pace: Pace,
}

/// As long as this lives, an act goes on.
pub(crate) struct During<'a> {
    slots: &'a Slots,
    target: String,
}

impl Drop for During<'_> {
    fn drop(&mut self) {
        self.slots.acts().remove(&self.target);
    }
}

/// As long as this lives, a tab is taken elsewhere.
pub(crate) struct Leaving<'a> {
    tabs: &'a Mutex<HashMap<String, usize>>,
    target: String,
}

impl<'a> Leaving<'a> {
    fn begin(tabs: &'a Mutex<HashMap<String, usize>>, target: &str) -> Self {
        let target = target.to_owned();
        *lock(tabs).entry(target.clone()).or_default() += 1;
        Self { tabs, target }
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut leaving = lock(self.tabs);
        if let Some(count) = leaving.get_mut(&self.target) {
            *count -= 1;
            if *count == 0 {
                leaving.remove(&self.target);
            }
        }
    }
}

struct Armed {
    input: ArmInput,
    until: Instant,
}

impl Slots {
    pub(super) fn arm(&self, tab: &Tab, input: ArmInput, holds: Duration) {
        let until = Instant::now() + holds;
        let mut armed = self.lock();
        armed.retain(|_, one| one.until > Instant::now());
        let key = (tab.page.target_id.clone(), input.event);
        armed.insert(key, Armed { input, until });
    }

    /// Notes that an act goes on in a tab.
    pub(crate) fn during(&self, target: &str, act: Underway) -> During<'_> {
        let target = target.to_owned();
        self.acts().insert(target.clone(), act);
        During {
            slots: self,
            target,
        }
    }

    /// Notes that a caller takes a tab elsewhere.
    pub(crate) fn leaving(&self, target: &str) -> Leaving<'_> {
        Leaving::begin(&self.leaving, target)
    }

    /// Notes that a document is on its way out of a tab, until the next one is there.
    pub(crate) fn departing(&self, target: &str) -> Leaving<'_> {
        Leaving::begin(&self.departing, target)
    }

    /// Whether a tab's document is on its way out.
    pub(super) fn departs(&self, target: &str) -> bool {
        lock(&self.departing).contains_key(target)
    }

    /// Whether a tab is being taken elsewhere.
    pub(super) fn leaves(&self, target: &str) -> bool {
        lock(&self.leaving).contains_key(target)
    }

    /// The act that goes on in a tab.
    pub(super) fn underway(&self, target: &str) -> Option<Underway> {
        self.acts().get(target).cloned()
    }

    /// Whether something is armed.
    pub(super) fn holds(&self, target: &str, event: ArmEvent) -> bool {
        let armed = self.lock();
        let slot = armed.get(&(target.to_owned(), event));
        slot.is_some_and(|armed| armed.until > Instant::now())
    }

    /// The answer, which is used up by this.
    pub(super) fn take(&self, target: &str, event: ArmEvent) -> Option<ArmInput> {
        let armed = self.lock().remove(&(target.to_owned(), event))?;
        (armed.until > Instant::now()).then_some(armed.input)
    }

    /// Notes that a dialog was dismissed without an answer, or the like.
    pub(super) fn expired(&self, told: String) {
        let mut expired = self.expired.lock().unwrap_or_else(PoisonError::into_inner);
        if expired.len() < TOLD {
            expired.push(told);
        }
    }

    /// What was dismissed since this was asked for last.
    pub(crate) fn take_expired(&self) -> Vec<String> {
        let mut expired = self.expired.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut expired)
    }

    fn acts(&self) -> MutexGuard<'_, HashMap<String, Underway>> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, ArmEvent), Armed>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}
