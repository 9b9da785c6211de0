//! Whether a page shows a text, at one look.

use szk_page::act::{Failed, State, Wait};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use super::stage::Stage;
use super::trouble;
use crate::context::Keeper;

/// Whether `browser_act` would find what it waits for there now: a text, or the end of one.
pub(crate) async fn shows(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    text: &str,
    away: bool,
) -> Result<bool, Failure> {
    let stage = Stage::new(running, tab, &keeper.acting);
    let wait = Wait {
        text: Some(text.to_owned()),
        state: if away { State::Hidden } else { State::Visible },
        ..Wait::default()
    };
    let looked = stage.scene().holds(&wait).await;
    looked.map_err(|error| trouble::failure(Failed::unseen(error), None, None))
}
