//! Which commands a refusal of the policy table applies to.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::Client;
use super::commands::{Addressed, Context, read};
use crate::policy::When;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Flat {
    #[serde(default)]
    flatten: bool,
    auto_attach: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
}

/// `Input.setIgnoreInputEvents` or `Page.setWebLifecycleState`.
#[derive(Deserialize)]
struct Stop {
    #[serde(default)]
    ignore: bool,
    #[serde(default)]
    state: String,
}

impl Client {
    /// Whether a refusal applies to a command.
    pub(super) fn applies(&mut self, when: When, command: &Addressed) -> bool {
        match when {
            When::Always => true,
            // Turning auto-attach off needs no sessions.
            When::NotFlat => read(command).is_some_and(
                |Flat {
                     flatten,
                     auto_attach,
                 }| !flatten && auto_attach != Some(false),
            ),
            When::ForeignTarget => match (&self.own_tabs, read(command)) {
                (Some(own), Some(Target { target_id: id })) => !own.may_name(&id),
                // A command that names none means its own.
                _ => false,
            },
            When::Stops => {
                read(command).is_some_and(|Stop { ignore, state }| ignore || state == "frozen")
            }
            When::Asked => {
                self.targets.begun(&command.session)
                    && command.params.as_deref().is_some_and(asks_for_something)
            }
            // Disposed of once; Chromium checks the rest.
            When::ForeignContext => read(command).is_some_and(
                |Context {
                     browser_context_id: id,
                 }| !self.lease.dispose(&id),
            ),
        }
    }
}

/// Whether it changes anything. Drivers reset what they emulate with empty values.
fn asks_for_something(params: &RawValue) -> bool {
    fn is_empty(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => matches!(&**text, "" | "none"),
            Value::Array(items) => items.iter().all(|item| is_empty(&item["value"])),
            _ => false,
        }
    }
    let fields: BTreeMap<String, Value> = serde_json::from_str(params.get()).unwrap_or_default();
    !fields.values().all(is_empty)
}
