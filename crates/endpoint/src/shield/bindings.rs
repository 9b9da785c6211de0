//! Functions through which pages call a client.
//!
//! Chromium adds a binding to a new document before its first script, but only while `Runtime` is
//! enabled. Otherwise it comes a moment later, once the context is known. Until then a script with its
//! name stands in, and records the calls.

use serde_json::{Value, json};
use szk_cdp::SessionId;

use super::Shield;
use super::act::{Act, Ask, Step};
use super::realm::Binding;

/// Number of calls that a stand-in records.
const MOST: usize = 1000;

/// Adds the stand-in to future documents. Bound, so that it prints as a native function.
pub(super) fn stand_in(session: &SessionId, name: &str) -> Act {
    let name_text = json!(name);
    let source = format!(
        "(() => {{ const kept = []; const call = function (text) {{ if (kept.length < {MOST}) kept.push(text); }}.bind(); call.kept = kept; globalThis[{name_text}] ??= call; }})()"
    );
    let method = "Page.addScriptToEvaluateOnNewDocument";
    let step = Step::StandIn(name.to_owned());
    Ask::act(session, method, &json!({"source": source}), step)
}

/// Adds a binding to a context, if it belongs there.
pub(super) fn bind(session: &SessionId, binding: &Binding, world: &str, context: i64) -> Vec<Act> {
    let Binding {
        name, world: only, ..
    } = binding;
    if only.as_deref().is_some_and(|only| only != world) {
        return Vec::new();
    }
    let mut acts = Vec::new();
    if binding.script.is_some() && world.is_empty() {
        let name_text = json!(name);
        let params = json!({
            "contextId": context,
            "expression": format!("globalThis[{name_text}]?.kept?.splice(0) ?? []"),
            "returnByValue": true,
            "silent": true,
        });
        let step = Step::Kept(name.clone(), context);
        acts.push(Ask::act(session, "Runtime.evaluate", &params, step));
    }
    let params = json!({"name": name, "executionContextId": context});
    acts.push(Ask::act(
        session,
        "Runtime.addBinding",
        &params,
        Step::Nothing,
    ));
    acts
}

/// The calls that a page made before the binding was there.
pub(super) fn kept(
    session: &SessionId,
    name: &str,
    context: i64,
    answer: Option<Value>,
) -> impl Iterator<Item = Act> {
    let calls = match answer.map(|mut answer| answer["result"]["value"].take()) {
        Some(Value::Array(calls)) => calls,
        _ => Vec::new(),
    };
    let texts = calls.into_iter().filter(Value::is_string);
    texts.map(move |payload| {
        let params = json!({"name": name, "payload": payload, "executionContextId": context});
        Act::tell(session, "Runtime.bindingCalled", &params)
    })
}

impl Shield {
    /// Records that the stand-in is in place.
    pub(super) fn stands_in(&mut self, session: &SessionId, name: &str, answer: Option<Value>) {
        let script = answer.and_then(|answer| answer["identifier"].as_str().map(str::to_owned));
        if let Some(realm) = self.realms.get_mut(session) {
            let binding = realm
                .bindings
                .iter_mut()
                .find(|it| it.name == name && it.world.is_none());
            if let Some(binding) = binding {
                binding.script = script;
            }
        }
    }
}
