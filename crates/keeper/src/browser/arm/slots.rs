//! Answers that are kept ready.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_runtime::supervisor::Tab;
use szk_tools::browser::{ArmEvent, ArmInput};

/// One answer per tab and event: the last one armed.
#[derive(Default)]
pub(crate) struct Slots {
    // A std mutex: nothing awaits under it.
    armed: Mutex<HashMap<(String, ArmEvent), Armed>>,
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

    /// The answer, which is used up by this.
    pub(super) fn take(&self, target: &str, event: ArmEvent) -> Option<ArmInput> {
        let armed = self.lock().remove(&(target.to_owned(), event))?;
        (armed.until > Instant::now()).then_some(armed.input)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, ArmEvent), Armed>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
