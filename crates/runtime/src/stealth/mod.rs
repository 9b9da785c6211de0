//! What every page, frame, popup and worker gets before its first script.
//!
//! With the native recipe of [`crate::launch`] the answer for an ordinary profile is: nothing at all.
//! What an identity asks for is done by emulation commands, and init scripts exist for what neither a
//! flag nor a command can do on some platform; each one carries its measurement.

mod identity;
mod script;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_config::Identity;

pub use script::{Realm, Script, ScriptError, World};

/// A command for one target.
#[derive(Debug, Clone)]
pub struct Order {
    /// CDP method.
    pub method: &'static str,
    /// Its parameters.
    pub params: Box<RawValue>,
    /// Whether stealth is incomplete when it is refused.
    pub vital: bool,
}

/// The orders per kind of target; made once per launch and never changed.
#[derive(Debug, Clone, Default)]
pub struct Stealth {
    page: Vec<Order>,
    worker: Vec<Order>,
}

impl Stealth {
    /// The orders for an identity on a Chromium of this version, with the built-in scripts and those
    /// of the user.
    ///
    /// # Errors
    /// [`ScriptError`] when a script of the user cannot be read: half a stealth layer is none.
    pub fn new(
        identity: &Identity,
        version: &str,
        scripts: &[PathBuf],
    ) -> Result<Self, ScriptError> {
        let mut stealth = Self::default();
        stealth.page.push(Order::vital("Page.enable", &json!({})));
        for order in identity::for_pages(identity, version) {
            stealth.page.push(order);
        }
        stealth
            .worker
            .extend(identity::for_workers(identity, version));
        for script in script::built_in()
            .into_iter()
            .map(Ok)
            .chain(scripts.iter().map(|path| Script::read(path)))
        {
            let script = script?;
            if script.realms.contains(&Realm::Page) {
                stealth.page.push(script.for_page());
            }
            if script.realms.contains(&Realm::Worker) {
                stealth.worker.push(script.for_worker());
            }
        }
        Ok(stealth)
    }

    /// For targets with documents: pages, popups and cross-process frames.
    #[must_use]
    pub fn for_page(&self) -> &[Order] {
        &self.page
    }

    /// For workers of all kinds, while they are paused.
    #[must_use]
    pub fn for_worker(&self) -> &[Order] {
        &self.worker
    }
}

impl Order {
    pub(crate) fn vital(method: &'static str, params: &impl Serialize) -> Self {
        Self {
            method,
            params: raw(params),
            vital: true,
        }
    }

    pub(crate) fn wished(method: &'static str, params: &impl Serialize) -> Self {
        Self {
            method,
            params: raw(params),
            vital: false,
        }
    }
}

/// JSON text of plain data made here; it always serialises.
pub(crate) fn raw(params: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(params).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
