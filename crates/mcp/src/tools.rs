//! The catalogue as MCP tools.

use std::sync::{Arc, OnceLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use szk_tools::{Failure, Reach, Scope, Spec};

/// The tools of one server.
#[derive(Debug, Clone)]
pub struct Tools {
    listed: Vec<&'static Spec>,
    /// Whether unlisted tools can be called too.
    open: bool,
    /// Whether the list says what each tool answers.
    outputs: bool,
    /// Built on first use: the handshake must not wait for schemas.
    made: Arc<OnceLock<Vec<Tool>>>,
}

impl Tools {
    /// Lists what most tasks need; a client that knows of other tools may still call them.
    ///
    /// # Errors
    /// None; the signature matches [`Tools::only`].
    pub fn usual() -> Result<Self, Failure> {
        Self::of(&["default"], true)
    }

    /// Only these sets and operations.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown name.
    pub fn only(names: &[&str]) -> Result<Self, Failure> {
        Self::of(names, false)
    }

    fn of(names: &[&str], open: bool) -> Result<Self, Failure> {
        Ok(Self {
            listed: szk_tools::select(names.iter().copied())?,
            open,
            outputs: true,
            made: Arc::default(),
        })
    }

    /// The same without output schemas, for clients that pass them on to the model: they are longer
    /// than everything else, and a model reads the answers without them.
    #[must_use]
    pub fn without_output_schemas(self) -> Self {
        Self {
            outputs: false,
            made: Arc::default(),
            ..self
        }
    }

    /// The listed tools, in the catalogue's order, for a client that reads output schemas (`outputs`)
    /// or one of an older generation.
    pub(crate) fn list(&self, outputs: bool) -> Vec<Tool> {
        let made = self
            .made
            .get_or_init(|| self.listed.iter().copied().map(tool).collect());
        let mut list = made.clone();
        if !(outputs && self.outputs) {
            list.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        list
    }

    /// The operation of this name, if it may be called here.
    pub(crate) fn find(&self, name: &str) -> Option<&'static Spec> {
        let spec = szk_tools::find(name)?;
        let listed = || self.listed.iter().any(|one| one.name == name);
        (self.open || listed()).then_some(spec)
    }
}

fn tool(spec: &Spec) -> Tool {
    let mut input = object((spec.input)());
    slim(Arc::make_mut(&mut input));
    Tool::new(spec.name, spec.summary, input)
        .with_title(spec.title)
        .with_raw_output_schema(object((spec.output)()))
        .with_annotations(annotations(spec))
}

/// What these fields say in every tool; the instructions say it once.
const SHARED: [(&str, &[&str]); 3] = [
    (
        "session",
        &[
            "Session. Default: the only open one, else `default`.",
            "Open session. Default: the only open one.",
        ],
    ),
    (
        "tab",
        &["Tab id such as `t3`, or label. Default: your current one."],
    ),
    (
        "timeout_ms",
        &["Time budget in milliseconds (default 30000)."],
    ),
];

/// Drops what tells a model nothing: unknown fields and numbers out of range are rejected anyway, with
/// the nearest name or the range, and what [`SHARED`] fields say is in the instructions. A description
/// stays whole but for the full stop of a single sentence.
fn slim(input: &mut JsonObject) {
    input.remove("additionalProperties");
    let Some(Value::Object(fields)) = input.get_mut("properties") else {
        return;
    };
    for (name, field) in fields.iter_mut() {
        let Value::Object(field) = field else {
            continue;
        };
        let shared = SHARED.iter().find(|(shared, _)| shared == name);
        if let Some(Value::String(text)) = field.get_mut("description") {
            if shared.is_some_and(|(_, texts)| texts.contains(&text.as_str())) {
                field.remove("description");
            } else if text.ends_with('.') && !text.contains(". ") {
                text.pop();
            }
        }
        // The empty list says no more than that the field is optional.
        if field
            .get("default")
            .is_some_and(|value| *value == Value::Array(Vec::new()))
        {
            field.remove("default");
        }
        // This comes from the number type and has no meaning of its own.
        field.remove("maximum");
        for inner in ["items", "additionalProperties"] {
            if let Some(Value::Object(inner)) = field.get_mut(inner) {
                inner.remove("additionalProperties");
            }
        }
    }
}

/// Hints that differ from the specification's defaults (`readOnly` false, `destructive` true,
/// `idempotent` false, `openWorld` true); the second and third mean nothing for read-only tools.
fn annotations(spec: &Spec) -> ToolAnnotations {
    let annotations = match spec.reach {
        Reach::Read => ToolAnnotations::new().read_only(true),
        Reach::Write => ToolAnnotations::new().destructive(false),
        Reach::Destroy => ToolAnnotations::new().destructive(true),
    };
    // Operations on the profile store never touch the web.
    if spec.scope == Scope::Store {
        annotations.open_world(false)
    } else {
        annotations
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        // The catalogue's own tests check that every schema is an object.
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, read: Option<bool>, destroy: Option<bool>, open: Option<bool>) {
        let found = annotations(szk_tools::find(name).unwrap());
        assert_eq!(found.read_only_hint, read, "{name}");
        assert_eq!(found.destructive_hint, destroy, "{name}");
        assert_eq!(found.open_world_hint, open, "{name}");
    }

    #[test]
    fn hints_follow_from_reach_and_scope() {
        check("session_list", Some(true), None, Some(false));
        check("session_delete", None, Some(true), Some(false));
        check("browser_screenshot", Some(true), None, None);
        check("browser_navigate", None, Some(false), None);
    }

    #[test]
    fn what_is_chosen_is_all_there_is() {
        let only = Tools::only(&["session"]).unwrap();
        assert!(only.find("session_list").is_some() && only.find("browser_pdf").is_none());
        assert!(
            only.list(true)
                .iter()
                .all(|tool| tool.name.starts_with("session_"))
        );
        let usual = Tools::usual().unwrap();
        assert!(usual.find("browser_pdf").is_some());
        assert!(
            !usual
                .list(true)
                .iter()
                .any(|tool| tool.name == "browser_pdf")
        );
        assert!(Tools::only(&["nonsense"]).is_err());
    }
}
