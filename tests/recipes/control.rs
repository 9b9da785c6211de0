//! Conditions, repetitions, rows, other recipes and records.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

/// Letters that come one by one, and a banner in the way. The title tells what was done.
const INBOX: &str = "<html lang=en><title>Inbox</title><h1>Inbox</h1>\
    <div id=banner><button id=ok>Accept cookies</button></div>\
    <dl><dt>Owner</dt><dd>Ada</dd></dl>\
    <ul id=list></ul><button id=more>Load more</button><div id=end></div><script>
    let shown = 0;
    const say = (what) => { document.title += ' ' + what; };
    more.onclick = () => {
      say('more' + ++shown);
      list.insertAdjacentHTML('beforeend', `<li>Letter ${shown} <button>Archive</button></li>`);
      if (shown === 3) end.innerHTML = '<h2>No more letters</h2>';
    };
    ok.onclick = () => { say('ok'); banner.remove(); };
    list.onclick = (event) => {
      const letter = event.target.closest('li');
      if (event.target.localName !== 'button') return;
      say('archive' + letter.textContent.match(/\\d/)[0]);
      letter.remove();
    };
    </script>";

const ACCEPT: &str = r#"
[[step]]
do = "click"
if = { appears = { role = "button", name = "Accept cookies" } }
on = { role = "button", name = "Accept cookies" }
"#;

const CLEAR: &str = r#"
[[step]]
do = "navigate"
value = "/"

[[step]]
do = "use"
value = "accept"

[[step]]
do = "use"
value = "accept"

[[step]]
do = "repeat"
until = { appears = { role = "heading", name = "No more letters" } }
most = 5
steps = [{ do = "click", on = { role = "button", name = "Load more" } }]

[[step]]
do = "extract"
schema = { owner = "string" }

[[step]]
do = "each"
steps = [{ do = "click", on = { role = "button", name = "Archive", css = "li:nth-of-type(7) > button" } }]
"#;

fn save(mcp: &mut Mcp, site: &Site, name: &str, steps: &str) {
    let origin = site.origin();
    let text = format!("[recipe]\nname = \"{name}\"\nsite = \"{origin}\"\n{steps}");
    mcp.ok("recipe_save", json!({"name": name, "text": text}));
}

fn title(mcp: &mut Mcp) -> Value {
    mcp.ok("browser_run_code", json!({"code": "document.title"}))["value"].clone()
}

#[test]
fn conditions_repetitions_rows_and_other_recipes() {
    let env = Lease::take();
    let site = Site::of(INBOX);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    save(&mut mcp, &site, "accept", ACCEPT);
    save(&mut mcp, &site, "clear", CLEAR);
    let ran = mcp.ok("recipe_run", json!({"name": "clear"}));
    assert_eq!(
        title(&mut mcp),
        "Inbox ok more1 more2 more3 archive1 archive2 archive3",
        "{ran}"
    );
    assert_eq!(ran["records"], json!([{"owner": "Ada"}]), "{ran}");
    assert!(ran.to_string().contains("left out"), "{ran}");
    // Rows have their places, whichever was recorded.
    assert!(ran["healed"].is_null(), "{ran}");
    let checked = mcp.ok("recipe_check", json!({"name": "clear"}));
    let inner = checked["elements"].as_array().unwrap();
    let inner: Vec<&Value> = inner.iter().map(|one| &one["step"]).collect();
    assert_eq!(
        inner,
        ["click button \"Load more\"", "click button \"Archive\""]
    );
    assert!(checked["elements"][0]["ref"].is_string(), "{checked}");

    // Conditions, rows and the like have no counterpart elsewhere.
    let refused = mcp.fails("recipe_export", json!({"name": "clear"}), "INVALID_INPUT");
    assert!(refused.to_string().contains("use accept"), "{refused}");

    // A repetition that leads nowhere ends.
    let short = CLEAR.replace("most = 5", "most = 2");
    save(&mut mcp, &site, "clear", &short);
    let failure = mcp.fails("recipe_run", json!({"name": "clear"}), "RECIPE_STALE");
    assert!(failure.to_string().contains("was repeated"), "{failure}");
    assert_eq!(title(&mut mcp), "Inbox ok more1 more2");

    // What another recipe stopped at cannot be taken up in the middle of it.
    let other = ACCEPT.replace("Accept cookies", "Load all");
    let other = other.replace("if = { appears", "if = { gone");
    save(&mut mcp, &site, "accept", &other);
    let failure = mcp.fails("recipe_run", json!({"name": "clear"}), "RECIPE_STALE");
    assert!(failure.to_string().contains("by itself"), "{failure}");
    assert_eq!(title(&mut mcp), "Inbox");
    for name in ["accept", "clear"] {
        mcp.ok("recipe_delete", json!({"name": name}));
    }
}
