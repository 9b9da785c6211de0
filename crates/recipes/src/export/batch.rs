//! A recipe as steps for `browser_batch`.

use serde_json::json;

use crate::recipe::{Do, Recipe};

/// The steps, or the words of the first that has no counterpart.
pub(super) fn batch(recipe: &Recipe) -> Result<String, String> {
    let mut lines = Vec::new();
    for step in &recipe.steps {
        let value = step.value.as_deref().unwrap_or_default();
        let mut input = json!({"kind": step.act.word()});
        match step.act {
            Do::Navigate => {
                let url = match value.starts_with('/') {
                    true => format!("{}{value}", recipe.head.site),
                    false => value.to_owned(),
                };
                lines.push(json!({"tool": "browser_navigate", "input": {"url": url}}));
                continue;
            }
            Do::Wait => {
                let seen = step
                    .expect
                    .as_ref()
                    .and_then(|expect| expect.appears.as_ref());
                let text = seen
                    .map(|thing| thing.name.clone())
                    .ok_or_else(|| step.words())?;
                input["text"] = json!(text);
            }
            Do::Fill | Do::Type => input["text"] = json!(value),
            Do::Press => input["key"] = json!(value),
            Do::Select => input["values"] = json!([value]),
            Do::Upload => input["paths"] = json!([value]),
            _ => {}
        }
        if let Some(times) = step.times {
            input["count"] = json!(times);
        }
        if let Some(accept) = step.accept {
            input["dialog"] = json!(if accept { "accept" } else { "dismiss" });
        }
        if let Some(on) = &step.on {
            if !on.name.is_empty() && on.of < 2 {
                input["name"] = json!(on.name);
                input["role"] = json!(on.role);
            } else if !on.css.is_empty() {
                input["selector"] = json!(on.css);
            } else {
                return Err(step.words());
            }
        }
        if let Some(to) = &step.to {
            // A drag ends at a selector.
            if to.css.is_empty() {
                return Err(step.words());
            }
            input["to"] = json!(to.css);
        }
        lines.push(json!({"tool": "browser_act", "input": input}));
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}
