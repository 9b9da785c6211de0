//! Refs of snapshots.

use szk_page::act::NodeRef;
use szk_runtime::supervisor::Tab;
use szk_tools::{Code, Failure};

use crate::context::Keeper;

/// The node that a snapshot of this tab called `name`.
pub(super) fn find(_keeper: &Keeper, tab: &Tab, name: &str) -> Result<NodeRef, Failure> {
    let name: String = name.chars().take(20).collect();
    Err(
        Failure::new(Code::NotFound, format!("{} has no ref `{name}`", tab.id))
            .hint("give a `selector`, or `x` and `y`"),
    )
}
