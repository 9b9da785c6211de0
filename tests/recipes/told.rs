//! What a recipe says of itself, and of what it leaves behind.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

fn save(mcp: &mut Mcp, site: &Site, name: &str, steps: &str) -> PathBuf {
    let origin = site.origin();
    let text = format!("[recipe]\nname = \"{name}\"\nsite = \"{origin}\"\n{steps}");
    let saved = mcp.ok("recipe_save", json!({"name": name, "text": text}));
    saved["path"].as_str().unwrap().into()
}

#[test]
fn a_recipe_tells_its_name_its_site_and_what_it_leaves_open() {
    let env = Lease::take();
    let site = Site::of("<title>Ask</title><button onclick=\"prompt('name?')\">Ask</button>");
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let away = "[[step]]\ndo = \"navigate\"\nvalue = \"http://evil.example/\"\n";
    save(&mut mcp, &site, "away", away);
    let refused = mcp.fails("recipe_run", json!({"name": "away"}), "INVALID_INPUT");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("would go to http://evil.example/"),
        "{message}"
    );
    assert!(!refused.to_string().contains("first"), "{refused}");

    // A file of another name is under neither.
    let asks = "[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\n[[step]]\ndo = \"click\"\non = { role = \"button\", name = \"Ask\" }\n";
    let file = save(&mut mcp, &site, "asks", asks);
    let other = file.with_file_name("other.toml");
    fs::rename(&file, &other).unwrap();
    let listed = mcp.ok("recipe_list", json!({}));
    let names: Vec<&Value> = listed["recipes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert_eq!(names, ["away"], "{listed}");
    assert!(
        listed["notes"][0].as_str().unwrap().contains("`asks.toml`"),
        "{listed}"
    );
    let mismatch = mcp.fails("recipe_run", json!({"name": "other"}), "INVALID_INPUT");
    assert!(mismatch.to_string().contains("`asks.toml`"), "{mismatch}");
    fs::rename(&other, &file).unwrap();

    let result = mcp.call("recipe_run", json!({"name": "asks"}));
    assert_eq!(
        result["structuredContent"]["dialogs"],
        json!([{"kind": "prompt", "message": "name?"}]),
        "{result}"
    );
    let text = result["content"].to_string();
    assert!(text.contains("shows a dialog (prompt)"), "{text}");
    assert!(text.contains("browser_arm"), "{text}");
    mcp.ok("browser_arm", json!({"event": "dialog", "accept": false}));
    mcp.leave();
}
