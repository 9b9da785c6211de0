//! Answers that are kept ready.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_page::act::Answering;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ArmEvent, ArmInput};

/// One answer per tab and event: the last one armed. And what acts that go on would answer.
#[derive(Default)]
pub(crate) struct Slots {
    // Std mutexes: nothing awaits under them.
    armed: Mutex<HashMap<(String, ArmEvent), Armed>>,
    acts: Mutex<HashMap<String, Underway>>,
}

/// An act that goes on in a tab: there is one at a time.
#[derive(Clone)]
pub(super) struct Underway {
    pub(super) answering: Answering,
    /// It gives files to the chooser that it opens.
    pub(super) uploads: bool,
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
    pub(crate) fn during(&self, target: &str, answering: Answering, uploads: bool) -> During<'_> {
        let target = target.to_owned();
        let act = Underway { answering, uploads };
        self.acts().insert(target.clone(), act);
        During {
            slots: self,
            target,
        }
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

    fn acts(&self) -> MutexGuard<'_, HashMap<String, Underway>> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, ArmEvent), Armed>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
