//! Recovery of frames that Chromium leaves stuck in a navigation.
//!
//! A frame that moves to another process is paused before its next document exists. If another client
//! sends `Target.setAutoAttach` for the page at that moment, Chromium looks only at documents that exist
//! already. It detaches our session from the frame and never resumes the navigation. Two clients without
//! szk run into the same bug. So the supervisor navigates the frame to the same address again: Chromium
//! pauses it again, and this time it gets its stealth.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use szk_cdp::protocol::network::EventRequestWillBeSent;
use szk_cdp::protocol::page::{FrameId, NavigateParams};
use szk_cdp::protocol::target::{GetTargetInfoParams, TargetId};
use szk_cdp::{Connection, Event};

use super::targets::{TargetInfo, Targets};

/// Navigations that are remembered; no page has more frames navigating at once.
const REMEMBERED: usize = 1024;

/// Navigations that have begun, by frame.
#[derive(Debug, Default)]
pub(super) struct FrameNavigations {
    underway: HashMap<String, FrameNavigation>,
}

/// The request for a frame's next document.
#[derive(Debug)]
struct FrameNavigation {
    url: String,
    referrer: String,
    /// Whether the request can be sent twice without harm.
    repeatable: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    frame_id: String,
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    url: String,
    method: String,
    #[serde(default)]
    headers: Map<String, Value>,
}

impl FrameNavigations {
    /// Records a navigation if the event announces one.
    pub(super) fn learn(&mut self, event: &Event) {
        // Most requests are not for documents, and are not worth parsing.
        if event.method != EventRequestWillBeSent::IDENTIFIER
            || !event.params.get().contains("\"type\":\"Document\"")
        {
            return;
        }
        let Ok(sent) = serde_json::from_str::<Sent>(event.params.get()) else {
            return;
        };
        if self.underway.len() >= REMEMBERED {
            self.underway.clear();
        }
        let referrer = sent.request.headers.get("Referer").and_then(Value::as_str);
        let navigation = FrameNavigation {
            referrer: referrer.unwrap_or_default().to_owned(),
            repeatable: sent.request.method == "GET",
            url: sent.request.url,
        };
        self.underway.insert(sent.frame_id, navigation);
    }

    /// Navigates a frame again if its session was lost before it had a document and the frame still
    /// exists.
    pub(super) fn lost(
        &mut self,
        target: TargetInfo,
        connection: &Connection,
        targets: &Arc<Targets>,
    ) {
        let (true, true, Some(parent)) = (
            target.kind == "iframe",
            target.url.is_empty(),
            target.parent,
        ) else {
            return;
        };
        let frame = target.target_id;
        let Some(navigation) = self.underway.remove(&frame) else {
            return;
        };
        let (connection, targets) = (connection.clone(), Arc::clone(targets));
        tokio::spawn(async move {
            let known = GetTargetInfoParams {
                target_id: Some(TargetId::new(frame.as_str())),
            };
            let answer = connection.run(None, &known);
            // Most frames are gone: the page removed the frame, or was closed.
            if answer.await.is_err() || targets.session(&frame).is_some() {
                return;
            }
            let FrameNavigation {
                url,
                referrer,
                repeatable,
            } = navigation;
            if !repeatable {
                tracing::warn!(
                    frame,
                    "a frame is stuck, and its request cannot be repeated"
                );
                return;
            }
            tracing::info!(frame, "a frame is stuck; navigating it again");
            let params = NavigateParams {
                frame_id: Some(FrameId::new(frame)),
                referrer: Some(referrer),
                ..NavigateParams::new(url)
            };
            // Nothing is left to do if the page goes away meanwhile.
            connection.tell(Some(&parent), &params);
        });
    }
}
