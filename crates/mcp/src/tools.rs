//! The catalogue as MCP tools.

use std::sync::{Arc, OnceLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use szk_tools::{Reach, Scope, Spec};

/// All tools, in the catalogue's order. Made on first use: the handshake must not wait for schemas.
pub(crate) fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| szk_tools::specs().iter().map(tool).collect())
}

fn tool(spec: &Spec) -> Tool {
    Tool::new(spec.name, spec.summary, object((spec.input)()))
        .with_title(spec.title)
        .with_raw_output_schema(object((spec.output)()))
        .with_annotations(annotations(spec))
}

/// All four hints are said outright, because a hint left out counts as destructive and open.
fn annotations(spec: &Spec) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(spec.reach == Reach::Read)
        .destructive(spec.reach == Reach::Destroy)
        // The catalogue does not promise of any write that a second one changes nothing more.
        .idempotent(spec.reach == Reach::Read)
        // What stays on the profile store never meets the web.
        .open_world(spec.scope != Scope::Store)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        // The catalogue's own tests hold every schema to be an object.
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, read: bool, destroy: bool, open: bool) {
        let found = annotations(szk_tools::find(name).unwrap());
        assert_eq!(found.read_only_hint, Some(read), "{name}");
        assert_eq!(found.destructive_hint, Some(destroy), "{name}");
        assert_eq!(found.idempotent_hint, Some(read), "{name}");
        assert_eq!(found.open_world_hint, Some(open), "{name}");
    }

    #[test]
    fn hints_follow_from_reach_and_scope() {
        check("session_list", true, false, false);
        check("session_delete", false, true, false);
        check("browser_screenshot", true, false, true);
        check("browser_navigate", false, false, true);
    }
}
