//! Functions through which pages call a client.
//!
//! Chromium adds a binding to a new document before its first script, but only while `Runtime` is
//! enabled. Otherwise it comes a moment later, once the context is known. Until then a script with its
//! name stands in, and records the calls.

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::SessionId;
use szk_cdp::own::AddBindingParams;
use szk_cdp::protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use szk_cdp::protocol::runtime::{EvaluateParams, EventBindingCalled, ExecutionContextId};

use super::Shield;
use super::act::{Act, Ask, Step};
use super::realm::Binding;

/// Number of calls that a stand-in records.
const MOST: usize = 1000;

/// The answer to `Page.addScriptToEvaluateOnNewDocument`.
#[derive(Deserialize)]
pub(super) struct Added {
    identifier: String,
}

/// The answer with the calls that a stand-in has recorded. Any script of the page may have added to them.
#[derive(Deserialize)]
pub(super) struct Kept {
    result: Calls,
}

#[derive(Deserialize)]
struct Calls {
    value: Vec<Value>,
}

/// Adds the stand-in to future documents. Bound, so that it prints as a native function.
pub(super) fn stand_in(session: &SessionId, name: &str) -> Act {
    let name_text = json!(name);
    let source = format!(
        "(() => {{ const kept = []; const call = function (text) {{ if (kept.length < {MOST}) kept.push(text); }}.bind(); call.kept = kept; globalThis[{name_text}] ??= call; }})()"
    );
    let script = AddScriptToEvaluateOnNewDocumentParams::new(source);
    Ask::act(session, &script, Step::StandIn(name.to_owned()))
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
        let take = format!("globalThis[{name_text}]?.kept?.splice(0) ?? []");
        let take = EvaluateParams {
            context_id: Some(ExecutionContextId::new(context)),
            return_by_value: Some(true),
            silent: Some(true),
            ..EvaluateParams::new(take)
        };
        let step = Step::Kept(name.clone(), context);
        acts.push(Ask::act(session, &take, step));
    }
    let bind = AddBindingParams {
        name: name.clone(),
        execution_context_id: context,
    };
    acts.push(Ask::act(session, &bind, Step::Nothing));
    acts
}

/// The calls that a page made before the binding was there.
pub(super) fn kept(
    session: &SessionId,
    name: &str,
    context: i64,
    answer: Option<Kept>,
) -> impl Iterator<Item = Act> {
    let calls = answer.map(|answer| answer.result.value).unwrap_or_default();
    let texts = calls.into_iter().filter(Value::is_string);
    texts.map(move |payload| {
        let params = json!({"name": name, "payload": payload, "executionContextId": context});
        Act::tell(session, EventBindingCalled::IDENTIFIER, &params)
    })
}

impl Shield {
    /// Records that the stand-in is in place.
    pub(super) fn stands_in(&mut self, session: &SessionId, name: &str, answer: Option<Added>) {
        let script = answer.map(|added| added.identifier);
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
