//! Bringing a page to the front before its picture is taken.
//!
//! Chromium paints no page that is behind another tab, and a picture of one may never come. A driver on
//! a browser of its own makes its pages believe that they are in front all the time
//! (`Emulation.setFocusEmulationEnabled`), which changes what they see and is kept from a profile's.

use std::time::Duration;

use serde_json::json;
use szk_cdp::CallError;

use super::SharedStage;
use crate::state::world;
use crate::stealth::raw;

/// How long a page may take to say whether it is hidden. One that is busy has no picture to give.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether nobody can see the document.
const HIDDEN: &str = "() => JSON.stringify(document.hidden)";

/// Brings a page to the front if it is behind.
pub(super) async fn bring(stage: SharedStage, target_id: &str) {
    let Ok(brought) = tokio::time::timeout(PATIENCE, bring_in(&stage, target_id)).await else {
        tracing::debug!(target_id, "does not say whether it is hidden");
        return;
    };
    if let Err(error) = brought {
        tracing::debug!(target_id, %error, "not brought to the front");
    }
}

async fn bring_in(stage: &SharedStage, target_id: &str) -> Result<(), CallError> {
    let session = stage
        .page_session(target_id)
        .ok_or(CallError::SessionGone)?;
    let connection = stage.connection();
    if world::run(&connection, &session, target_id, HIDDEN, &()).await? {
        let nothing = Some(raw(&json!({})));
        connection
            .call_raw(Some(&session), "Page.bringToFront", nothing)
            .await?;
    }
    Ok(())
}
