//! What an act waits for before it begins.

use std::time::Duration;

use szk_page::act::{Act, Target, Wait};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::ActInput;
use tokio::time::Instant;

use super::{How, input, perform, trouble, unloaded};
use crate::context::Keeper;

/// How long what a step of a batch is about may take to appear.
const APPEARS: Duration = Duration::from_secs(2);

/// Waits for a text before an act.
pub(super) async fn comes(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    input: &ActInput,
    text: &str,
    end: Instant,
) -> Result<(), Failure> {
    let left = end.saturating_duration_since(Instant::now());
    let wait = Act::Wait(Wait {
        text: Some(text.to_owned()),
        // The act itself needs some time too.
        limit: left * 3 / 4,
        ..Wait::default()
    });
    let how = How {
        pace: None,
        answering: input::answering(input),
        whole: end,
        logged: true,
        known: None,
    };
    match perform(keeper, running, tab, wait, None, how).await {
        Ok(_) => Ok(()),
        Err(failed) => {
            let lacks = unloaded::lacks(&failed.error);
            let failure = trouble::failure(failed, None, None);
            Err(unloaded::explained(keeper, running, tab, lacks, failure, end).await)
        }
    }
}

/// Waits a little until a selector matches something that can be seen.
pub(super) async fn appears(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    target: Option<Target>,
    how: &How,
) {
    let target = match target {
        Some(Target::Within(target, _)) => Some(*target),
        target => target,
    };
    if !matches!(target, Some(Target::Selector(_))) {
        return;
    }
    let wait = Act::Wait(Wait {
        limit: APPEARS.min(how.whole.saturating_duration_since(Instant::now())),
        ..Wait::default()
    });
    let how = How {
        logged: false,
        ..how.clone()
    };
    // The act itself says what is wrong.
    drop(perform(keeper, running, tab, wait, target, how).await);
}
