//! Frames that Chromium forgets on their way.
//!
//! A frame that goes to another process is held while its next document is not there yet. When at
//! that moment another client asks for what is in the page (`Target.setAutoAttach`), Chromium takes
//! our session with the frame away, because it looks at documents that are there already, and never
//! lets the frame go on. The same happens between two clients without szk. So the frame is sent to
//! the same address again: it is held again then, and gets its stealth.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use szk_cdp::protocol::network::EventRequestWillBeSent;
use szk_cdp::protocol::page::{FrameId, NavigateParams};
use szk_cdp::protocol::target::{GetTargetInfoParams, TargetId};
use szk_cdp::{Connection, Event};

use super::targets::{TargetInfo, Targets};

/// Requests that are remembered; more than any page has frames on their way.
const REMEMBERED: usize = 1024;

/// Where frames are on their way to, by frame.
#[derive(Debug, Default)]
pub(super) struct Journeys {
    underway: HashMap<String, Journey>,
}

/// A request for a document.
#[derive(Debug)]
struct Journey {
    url: String,
    referrer: String,
    /// Whether asking again is the same as asking once.
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

impl Journeys {
    /// Notes where a frame goes, if the event tells.
    pub(super) fn learn(&mut self, event: &Event) {
        // Most requests are not for documents: those are not read.
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
        let journey = Journey {
            referrer: referrer.unwrap_or_default().to_owned(),
            repeatable: sent.request.method == "GET",
            url: sent.request.url,
        };
        self.underway.insert(sent.frame_id, journey);
    }

    /// Sends a frame on its way again whose session was lost before it had a document, unless it is
    /// gone as well.
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
        let Some(journey) = self.underway.remove(&frame) else {
            return;
        };
        let (connection, targets) = (connection.clone(), Arc::clone(targets));
        tokio::spawn(async move {
            let known = GetTargetInfoParams {
                target_id: Some(TargetId::new(frame.as_str())),
            };
            let answer = connection.run(None, &known);
            // Most are gone: the page has taken the frame away, or was closed.
            if answer.await.is_err() || targets.session(&frame).is_some() {
                return;
            }
            let Journey {
                url,
                referrer,
                repeatable,
            } = journey;
            if !repeatable {
                tracing::warn!(frame, "a frame is stuck, and cannot be asked for twice");
                return;
            }
            tracing::info!(frame, "a frame is stuck; it is sent on its way again");
            let params = NavigateParams {
                frame_id: Some(FrameId::new(frame)),
                referrer: Some(referrer),
                ..NavigateParams::new(url)
            };
            // The page may go away meanwhile, which ends the matter.
            connection.tell(Some(&parent), &params);
        });
    }
}
