//! The end of the document in which a button of the mouse was pressed.

use szk_cdp::protocol::page::EventFrameNavigated;
use szk_cdp::protocol::target::EventDetachedFromTarget;
use szk_cdp::{SessionId, Subscription, SubscriptionError};

/// Waits until the tab shows another document, or is gone.
pub async fn elsewhere(mut events: Subscription, session: &SessionId) {
    loop {
        match events.recv().await {
            Ok(event) if event.method == EventFrameNavigated::IDENTIFIER => {
                let ours = event.session.as_ref() == Some(session);
                let frame = event.read::<Navigated>().unwrap_or_default().frame;
                if ours && frame.parent_id.is_none() {
                    return;
                }
            }
            Ok(event) if event.method == EventDetachedFromTarget::IDENTIFIER => {
                let gone = event.read::<Detached>().unwrap_or_default();
                if gone.session_id == session.as_str() {
                    return;
                }
            }
            Ok(_) | Err(SubscriptionError::Lagged(_)) => {}
            Err(SubscriptionError::Closed) => return,
        }
    }
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Navigated {
    frame: Frame,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Frame {
    parent_id: Option<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Detached {
    session_id: String,
}
