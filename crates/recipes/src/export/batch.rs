//! A recipe as steps for `browser_batch`.

use serde_json::{Value, json};

use crate::recipe::{Do, Expect, Recipe};
use crate::{Identity, Thing};

/// Roles whose name is usually text of the page. That of a field or a picture is not.
const IN_TEXT: [&str; 21] = [
    "",
    "alert",
    "button",
    "cell",
    "columnheader",
    "generic",
    "gridcell",
    "heading",
    "link",
    "listitem",
    "menuitem",
    "paragraph",
    "row",
    "rowheader",
    "status",
    "strong",
    "tab",
    "text",
    "tooltip",
    "treeitem",
    "term",
];

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
                lines.extend(step.expect.iter().flat_map(|expect| after(expect, None)));
                continue;
            }
            Do::Wait => {
                let expected = step.expect.iter();
                let waits: Vec<Value> = expected.flat_map(waited).collect();
                if waits.is_empty() {
                    return Err(step.words());
                }
                lines.extend(waits);
                continue;
            }
            Do::Fill | Do::Type => input["text"] = json!(value),
            Do::Press => input["key"] = json!(value),
            Do::Select => input["values"] = value.lines().collect(),
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
            input["to"] = match step.to_point {
                Some(point) => json!(format!("{}@{},{}", to.css, point.x, point.y)),
                None => json!(to.css),
            };
        }
        if let Some(point) = step.point {
            (input["x"], input["y"]) = (json!(point.x), json!(point.y));
        }
        if let Some(by) = step.by {
            (input["dx"], input["dy"]) = (json!(by.x), json!(by.y));
        }
        if let Some(button) = step.button {
            input["button"] = json!(button.word());
        }
        if !step.modifiers.is_empty() {
            input["modifiers"] = json!(step.modifiers);
        }
        lines.push(json!({"tool": "browser_act", "input": input}));
        let on = step.on.as_ref();
        lines.extend(step.expect.iter().flat_map(|expect| after(expect, on)));
        if let (Some(expect), Some(on)) = (&step.expect, &step.on) {
            lines.extend(states(expect, on));
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// Waits for the states of the element that a step acts on, which a selector can ask for.
fn states(expect: &Expect, on: &Identity) -> Vec<Value> {
    if on.css.is_empty() || on.role == "summary" || !on.frame.is_empty() {
        return Vec::new();
    }
    let native = matches!(on.kind.as_str(), "checkbox" | "radio");
    let selectors = expect.state.named().into_iter().filter_map(|(name, is)| {
        let is = is?;
        Some(match (name, native) {
            ("checked", true) if is => format!("{}:checked", on.css),
            ("checked", true) => format!("{}:not(:checked)", on.css),
            _ if is => format!("{}[aria-{name}=\"true\"]", on.css),
            _ => format!("{}:not([aria-{name}=\"true\"])", on.css),
        })
    });
    let wait = |selector: String| {
        let mut input = json!({"kind": "wait", "selector": selector, "state": "attached"});
        if let Some(seconds) = expect.seconds {
            input["timeout_ms"] = json!(u64::from(seconds) * 1000);
        }
        json!({"tool": "browser_act", "input": input})
    };
    selectors.map(wait).collect()
}

/// What is expected after a step, as waits.
fn after(expect: &Expect, on: Option<&Identity>) -> Vec<Value> {
    // What stands in a frame is no text of the page.
    let in_page = on.is_none_or(|on| on.frame.is_empty());
    let says =
        |thing: &&Thing| in_page && !thing.name.is_empty() && IN_TEXT.contains(&&*thing.role);
    let mut waits = said(expect);
    waits.extend(expect.navigates.as_deref().map(address));
    let appears = expect.appears.iter().filter(says);
    waits.extend(appears.map(|thing| json!({"text": thing.name})));
    // The words alone may be part of something that stays; a value that is put in would be a pattern.
    let gone = expect.gone.iter().filter(says);
    let gone = gone.filter(|thing| !thing.name.contains("{{"));
    waits.extend(gone.map(|thing| json!({"text": line(&thing.name), "state": "hidden"})));
    timed(expect, waits)
}

/// What a step waits for that does nothing else.
fn waited(expect: &Expect) -> Vec<Value> {
    let mut waits = said(expect);
    waits.extend(expect.navigates.as_deref().map(address));
    let appears = expect.appears.iter().filter(|thing| !thing.name.is_empty());
    waits.extend(appears.map(|thing| json!({"text": thing.name})));
    let gone = expect.gone.iter().filter(|thing| !thing.name.is_empty());
    waits.extend(gone.map(|thing| json!({"text": thing.name, "state": "hidden"})));
    timed(expect, waits)
}

fn said(expect: &Expect) -> Vec<Value> {
    let text = expect.text.iter().map(|text| json!({"text": text}));
    let no_text = expect.no_text.iter();
    text.chain(no_text.map(|text| json!({"text": text, "state": "hidden"})))
        .collect()
}

fn address(pattern: &str) -> Value {
    let end = if pattern.ends_with('*') { "" } else { "*" };
    json!({"url": format!("*{pattern}{end}")})
}

/// A pattern of a line that says just this.
fn line(name: &str) -> String {
    let mut escaped = String::new();
    for word in name.split_whitespace() {
        if !escaped.is_empty() {
            escaped.push(' ');
        }
        for one in word.chars() {
            if r"\/.*+?^${}()|[]".contains(one) {
                escaped.push('\\');
            }
            escaped.push(one);
        }
    }
    format!("/(^|\\n) ?{escaped} ?(\\n|$)/i")
}

fn timed(expect: &Expect, waits: Vec<Value>) -> Vec<Value> {
    let wait = |mut input: Value| {
        input["kind"] = json!("wait");
        if let Some(seconds) = expect.seconds {
            input["timeout_ms"] = json!(u64::from(seconds) * 1000);
        }
        json!({"tool": "browser_act", "input": input})
    };
    waits.into_iter().map(wait).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, export, parse};

    #[test]
    fn a_batch_waits_for_what_a_recipe_expects() {
        let waits = |on: &str, expect: &str| {
            let text = format!(
                "[recipe]\nname = \"a\"\nsite = \"https://shop.example\"\n[[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Open\"{on} }}\nexpect = {{ {expect} }}\n"
            );
            let steps = export(&parse(&text, "a").unwrap(), Format::Batch).unwrap();
            let steps: Vec<Value> = serde_json::from_str(&steps).unwrap();
            assert_eq!(steps[0]["input"]["kind"], "click");
            steps[1..]
                .iter()
                .map(|step| step["input"].clone())
                .collect::<Vec<_>>()
        };
        let all = "navigates = \"/orders/*\", appears = { role = \"row\", name = \"1001\" }, gone = { role = \"heading\", name = \"Orders (2)\" }, seconds = 20";
        assert_eq!(
            waits("", all),
            [
                json!({"kind": "wait", "url": "*/orders/*", "timeout_ms": 20000}),
                json!({"kind": "wait", "text": "1001", "timeout_ms": 20000}),
                json!({"kind": "wait", "text": "/(^|\\n) ?Orders \\(2\\) ?(\\n|$)/i", "state": "hidden", "timeout_ms": 20000}),
            ]
        );
        // Words that are no text of the page, and pages in frames.
        let field = "appears = { role = \"textbox\", name = \"City\" }";
        assert!(waits("", field).is_empty());
        let row = "appears = { role = \"row\", name = \"1001\" }";
        assert!(waits(", frame = \"iframe\"", row).is_empty());
    }
}
