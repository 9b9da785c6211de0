//! Sorts targets into tab order, the current one first.
//!
//! Chromium announces targets in the order of their ids, which mean nothing, and most clients use the
//! first page that they learn about.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::protocol::target::{
    EventAttachedToTarget, EventDetachedFromTarget, EventTargetCreated, EventTargetDestroyed,
    SetAutoAttachParams, SetDiscoverTargetsParams,
};
use szk_cdp::{Event, json, raw};

use super::client::Client;
use super::end::End;
use crate::SharedBrowser;

/// Number of events to sort; further ones pass as they come.
const MOST: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    target_info: Info,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct All {
    target_infos: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    target_id: String,
}

/// Target ids in the order of tabs.
struct TabOrder(Vec<String>);

impl TabOrder {
    fn of(browser: &SharedBrowser) -> Self {
        Self(browser.tab_order())
    }

    fn rank(&self, target: &str) -> usize {
        let found = self.0.iter().position(|known| known == target);
        found.unwrap_or(self.0.len())
    }
}

/// The answer to `Target.getTargets` in order.
pub(super) fn sorted(browser: &SharedBrowser, answer: &RawValue) -> Option<Box<RawValue>> {
    let All { mut target_infos } = json::read(answer.get()).ok()?;
    let order = TabOrder::of(browser);
    target_infos.sort_by_cached_key(|info| {
        let info = json::read::<Info>(info.get());
        info.map_or(usize::MAX, |info| order.rank(&info.target_id))
    });
    Some(raw(&json!({ "targetInfos": target_infos })))
}

/// Whether a command of a client's root makes Chromium announce all existing targets.
pub(super) fn tells_of_all(method: &str) -> bool {
    matches!(
        method,
        SetAutoAttachParams::IDENTIFIER | SetDiscoverTargetsParams::IDENTIFIER
    )
}

impl Client {
    /// Keeps back an event about an existing target, to sort it. All of these events come before the
    /// next reply. What was kept is passed on before the end of any target.
    pub(super) fn keep_back(&mut self, event: &Event) -> Result<bool, End> {
        let Some(kept) = &mut self.sorting else {
            return Ok(false);
        };
        if event.session.as_ref() != Some(&self.lease.session) {
            return Ok(false);
        }
        let keeps = match &*event.method {
            EventAttachedToTarget::IDENTIFIER | EventTargetCreated::IDENTIFIER => kept.len() < MOST,
            EventDetachedFromTarget::IDENTIFIER | EventTargetDestroyed::IDENTIFIER => {
                self.pass_kept()?;
                self.sorting = Some(Vec::new());
                return Ok(false);
            }
            _ => false,
        };
        if keeps {
            kept.push(Event {
                session: event.session.clone(),
                method: event.method.clone(),
                params: event.params.clone(),
            });
        }
        Ok(keeps)
    }

    /// Passes on what was kept back, in order.
    pub(super) fn pass_kept(&mut self) -> Result<(), End> {
        let Some(mut kept) = self.sorting.take().filter(|kept| !kept.is_empty()) else {
            return Ok(());
        };
        let order = TabOrder::of(&self.browser);
        kept.sort_by_cached_key(|event| {
            let about = event.read::<About>();
            about.map_or(usize::MAX, |about| order.rank(&about.target_info.target_id))
        });
        kept.iter().try_for_each(|event| self.event(event))
    }
}
