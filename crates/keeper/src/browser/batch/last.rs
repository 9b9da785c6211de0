//! What the last act of a batch led to, apart from the others: a recipe is known by its end.

use szk_page::snapshot::View;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Call;
use szk_tools::browser::ActKind;
use tokio::time::{Duration, timeout};

use crate::browser::{Changed, page};
use crate::context::Keeper;
use crate::{acts, recipe};

/// How long a page may take to be noted.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last act of a batch.
pub(super) struct Last {
    /// The number of its step, from 1.
    number: Option<u32>,
    /// The newest entry of the log before the batch.
    after: u64,
}

impl Last {
    pub(super) fn of(keeper: &Keeper, calls: &[Call]) -> Self {
        let acts = (1..).zip(calls).filter(|(_, call)| match call {
            Call::BrowserAct(act) => act.kind != ActKind::Wait,
            _ => false,
        });
        Self {
            number: acts.last().map(|(number, _)| number),
            after: keeper.event_log.last(),
        }
    }

    /// Before this act, notes what the others have changed, if they did.
    pub(super) async fn before(&self, keeper: &Keeper, number: u32, call: &Call) {
        if self.number != Some(number) {
            return;
        }
        let Some((running, tab)) = keeper.peek(call.input().tab()) else {
            return;
        };
        let acts = recipe::since(keeper, &tab.id, self.after);
        if acts.iter().any(|(_, acted)| acted.effect.visible) {
            let shared = keeper.views.of(&running, &tab);
            let mut view = shared.lock().await;
            // What cannot be read in time is not known to be the last one's.
            drop(timeout(PATIENCE, View::note(&mut view, &page(&running, &tab))).await);
        }
    }

    /// Adds to its entry in the log what it led to, where that is known to be its own doing.
    pub(super) async fn led_to(
        &self,
        keeper: &Keeper,
        running: &Running,
        tab: &Tab,
        changed: &Changed,
    ) {
        let noted = {
            let shared = keeper.views.of(running, tab);
            shared.lock().await.take_since_noted()
        };
        let acts = recipe::since(keeper, &tab.id, self.after);
        let Some(((last, acted), others)) = acts.split_last() else {
            return;
        };
        if !acted.effect.visible {
            return;
        }
        let alone = !others.iter().any(|(_, acted)| acted.effect.visible);
        let (diff, became) = match noted {
            Some((diff, became)) => (diff, became),
            None if alone => (
                changed.diff.clone().unwrap_or_default(),
                changed.became.clone(),
            ),
            None => return,
        };
        if !diff.is_empty() {
            acts::changed(keeper, *last, &diff);
        }
        acts::others(keeper, *last, became, false);
    }
}
