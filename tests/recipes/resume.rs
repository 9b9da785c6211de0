//! Runs that stopped, conditions on new documents, several options.

use serde_json::json;

use crate::harness::{Lease, Mcp, Site};

const BOX: &str = "<html lang=en><title>untouched</title><h1>Box</h1><p>Hello</p><button id=b>Archive</button>
    <label>Colours <select multiple name=colours><option>Red<option>Green<option>Blue</select></label>
    <script>onclick = (event) => { if (event.target.id === 'b') document.title += ' ' + event.target.textContent; }</script>";

fn title(mcp: &mut Mcp) -> String {
    let title = mcp.ok("browser_run_code", json!({"code": "document.title"}));
    title["value"].as_str().unwrap().to_owned()
}

/// A recipe of that page, which knows the button by an id of former times.
fn recipe(origin: &str, steps: &str) -> String {
    format!(
        "[recipe]\nname = \"box\"\nsite = \"{origin}\"\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\
         [[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Archive\", css = \"#a\" }}\n{steps}"
    )
}

#[test]
fn a_run_that_stopped_is_over_when_its_recipe_changes_or_runs_anew() {
    let env = Lease::take();
    let site = Site::of(BOX);
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let unmet = recipe(
        &site.origin(),
        "expect = { text = \"Never\", seconds = 1 }\n",
    );
    let resume = json!({"name": "box", "resume": true});
    mcp.ok("recipe_save", json!({"name": "box", "text": unmet}));
    mcp.fails("recipe_run", json!({"name": "box"}), "RECIPE_STALE");
    // What healed is not kept, because what was expected did not come.
    let ran = mcp.ok("recipe_run", resume.clone());
    assert!(ran["healed"].is_null(), "{ran}");
    let shown = mcp.ok("recipe_show", json!({"name": "box"}));
    assert_eq!(shown["text"], unmet.as_str());
    mcp.fails("recipe_run", resume.clone(), "NOT_FOUND");

    mcp.fails("recipe_run", json!({"name": "box"}), "RECIPE_STALE");
    let met = recipe(&site.origin(), "expect = { text = \"Hello\" }\n");
    mcp.ok("recipe_save", json!({"name": "box", "text": met}));
    mcp.fails("recipe_run", resume.clone(), "NOT_FOUND");
    let ran = mcp.ok("recipe_run", json!({"name": "box"}));
    assert!(
        ran["healed"].as_str().unwrap().contains("css = \"#b\""),
        "{ran}"
    );
    mcp.fails("recipe_run", resume, "NOT_FOUND");
    mcp.ok("recipe_delete", json!({"name": "box"}));
}

#[test]
fn conditions_hold_on_documents_that_have_just_come() {
    let env = Lease::take();
    let site = Site::of(BOX);
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let steps = "if = { text = \"Hello\" }\nexpect = { text = \"Hello\" }\n\
        [[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\
        [[step]]\ndo = \"repeat\"\nuntil = { text = \"Hello\" }\n\
        [[step.steps]]\ndo = \"press\"\nvalue = \"x\"\n";
    let text = recipe(&site.origin(), steps).replace("#a", "#b");
    mcp.ok("recipe_save", json!({"name": "box", "text": text}));
    for _ in 0..3 {
        let ran = mcp.ok("recipe_run", json!({"name": "box"}));
        assert!(!ran["steps"].to_string().contains("left out"), "{ran}");
    }
    let wrong = mcp.fails(
        "recipe_run",
        json!({"name": "box", "params": {"q": "1"}}),
        "INVALID_INPUT",
    );
    assert_eq!(wrong["hint"], "it takes none", "{wrong}");
    mcp.ok("recipe_delete", json!({"name": "box"}));
}

#[test]
fn a_list_takes_several_options() {
    let env = Lease::take();
    let site = Site::of(BOX);
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let steps = "[[step]]\ndo = \"select\"\nvalue = \"Red\\nBlue\"\non = { role = \"listbox\", name = \"Colours\" }\n";
    let text = recipe(&site.origin(), steps).replace("#a", "#b");
    mcp.ok("recipe_save", json!({"name": "box", "text": text}));
    mcp.ok("recipe_run", json!({"name": "box"}));
    let code =
        "[...document.querySelector('select').selectedOptions].map((one) => one.label).join()";
    let chosen = mcp.ok("browser_run_code", json!({"code": code}));
    assert_eq!(chosen["value"], "Red,Blue");
    assert_eq!(title(&mut mcp), "untouched Archive");
    for (format, words) in [
        ("typescript", "[\"Red\", \"Blue\"]"),
        ("python", "[\"Red\", \"Blue\"]"),
        ("batch", "[\"Red\",\"Blue\"]"),
    ] {
        let export = mcp.ok("recipe_export", json!({"name": "box", "format": format}));
        assert!(export["text"].as_str().unwrap().contains(words), "{export}");
    }
    mcp.ok("recipe_delete", json!({"name": "box"}));
}
