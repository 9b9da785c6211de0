//! Captures uncaught errors and rejections without the page noticing.
//!
//! Only listeners in the page's own world receive them, so one is added there before the page's first
//! script, made of functions that the page cannot have replaced yet; it touches nothing that could run
//! the page's code. It passes text to a world that the page cannot reach, by an event with a random
//! name, and from there a binding brings it here, without `Runtime.enable`. Documents that already
//! existed are left alone: by then the page could notice.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde::Deserialize;

use crate::own::AddBindingParams;
use crate::protocol::page::AddScriptToEvaluateOnNewDocumentParams;
use crate::protocol::runtime::{EvaluateParams, ExecutionContextId};
use crate::{Event, Request};

/// Runs in the page's own world.
const LISTEN: &str = include_str!("listen.js");
/// Runs in an isolated world.
const RELAY: &str = include_str!("relay.js");

/// Names that no page can guess.
#[derive(Debug)]
pub struct Names {
    /// The relay's world.
    pub world: String,
    /// The function there that leads here.
    pub binding: String,
    /// Name of the event between the worlds.
    event: String,
}

/// A report from the page's world.
#[derive(Debug, Clone, Deserialize)]
pub struct Thrown {
    /// Whether it was an unhandled rejection.
    pub promise: bool,
    /// `Uncaught TypeError: …` for an error, otherwise the thrown value as text.
    pub text: String,
    /// The `typeof` of the thrown value; `error` for a real error.
    pub kind: String,
    /// Class of a rejection's error.
    #[serde(default)]
    pub name: String,
    /// The script, if known.
    #[serde(default)]
    pub url: String,
    /// Line there, from 1.
    #[serde(default)]
    pub line: i64,
    /// Column there, from 1.
    #[serde(default)]
    pub column: i64,
    /// Address of the document.
    #[serde(default)]
    pub document: String,
}

#[derive(Deserialize)]
struct Called {
    name: String,
    payload: String,
}

impl Names {
    /// Fresh random names.
    #[must_use]
    pub fn random() -> Self {
        // Every `RandomState` has its own keys, from the system.
        let part = || RandomState::new().build_hasher().finish();
        let name = || format!("_{:016x}{:016x}", part(), part());
        Self {
            world: name(),
            binding: name(),
            event: name(),
        }
    }

    /// The relay, which must be in a document first.
    #[must_use]
    pub fn relay_script(&self) -> AddScriptToEvaluateOnNewDocumentParams {
        AddScriptToEvaluateOnNewDocumentParams {
            world_name: Some(self.world.clone()),
            ..AddScriptToEvaluateOnNewDocumentParams::new(self.fill(RELAY))
        }
    }

    /// The listener, which comes after the relay.
    #[must_use]
    pub fn listener_script(&self) -> AddScriptToEvaluateOnNewDocumentParams {
        AddScriptToEvaluateOnNewDocumentParams::new(self.fill(LISTEN))
    }

    /// Opens the way out of a relay's world, and sends the reports that have waited.
    #[must_use]
    pub fn opening(&self, context: i64) -> [Request; 2] {
        let bind = AddBindingParams {
            name: self.binding.clone(),
            execution_context_id: context,
        };
        let flush = EvaluateParams {
            context_id: Some(ExecutionContextId::new(context)),
            silent: Some(true),
            ..EvaluateParams::new(format!("globalThis.{}_flush?.()", self.binding))
        };
        [Request::of(&bind), Request::of(&flush)]
    }

    /// The report in a `Runtime.bindingCalled`, if it is for this binding.
    #[must_use]
    pub fn payload(&self, event: &Event) -> Option<String> {
        let called: Called = event.read().ok()?;
        (called.name == self.binding).then_some(called.payload)
    }

    fn fill(&self, script: &str) -> String {
        script
            .replace("EVENT", &self.event)
            .replace("BINDING", &self.binding)
    }
}

impl Thrown {
    /// Parses the payload of a binding.
    #[must_use]
    pub fn read(payload: &str) -> Option<Self> {
        serde_json::from_str(payload).ok()
    }

    /// In Chromium's wording: `Uncaught TypeError: …`, `Uncaught (in promise) …`.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { text, name, .. } = self;
        if !self.promise {
            return text.clone();
        }
        match (name.is_empty(), text.is_empty()) {
            (true, _) => format!("Uncaught (in promise) {text}"),
            (false, true) => format!("Uncaught (in promise) {name}"),
            (false, false) => format!("Uncaught (in promise) {name}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn reports_use_chromiums_wording() {
        let check = |thrown: Value, expected: &str| {
            assert_eq!(Thrown::read(&thrown.to_string()).unwrap().told(), expected);
        };
        let uncaught = "Uncaught TypeError: boom";
        check(
            json!({"promise": false, "kind": "error", "text": uncaught}),
            uncaught,
        );
        check(
            json!({"promise": true, "kind": "error", "name": "RangeError", "text": "far"}),
            "Uncaught (in promise) RangeError: far",
        );
        check(
            json!({"promise": true, "kind": "error", "name": "Error", "text": ""}),
            "Uncaught (in promise) Error",
        );
        check(
            json!({"promise": true, "kind": "string", "text": "no"}),
            "Uncaught (in promise) no",
        );
    }

    #[test]
    fn no_two_listeners_have_a_name_in_common() {
        let (one, two) = (Names::random(), Names::random());
        let names = |of: &Names| [of.world.clone(), of.binding.clone(), of.event.clone()];
        assert!(names(&one).iter().all(|name| !names(&two).contains(name)));
        for script in [one.relay_script(), one.listener_script()] {
            let source = script.source;
            assert!(source.contains(&one.event), "{source}");
            assert!(!source.contains("EVENT") && !source.contains("BINDING"));
        }
    }
}
