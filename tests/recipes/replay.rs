//! A recipe from the log of acts to its replay.

use serde_json::json;

use crate::harness::{Answer, Lease, Site, TestEnv};

const ORDERS: &str = "<html lang=en><title>Orders</title><form role=search action=/found><h1>Orders</h1>\
    <label>Order number <input name=q></label><label>Code <input type=password name=code></label>\
    <button id=go>Search</button><button type=button id=clear>Clear</button></form>";

pub(super) fn shop() -> Site {
    let found = |asked: &crate::harness::SiteRequest| {
        let order = asked.field("q");
        Answer::html(format!(
            "<html lang=en><title>Found</title><h1>Order {order}</h1><ul><li>State: sent {order}</li></ul>"
        ))
    };
    Site::plan().page("/", ORDERS).on("/found", found).serve()
}

#[test]
fn what_was_done_is_saved_and_replayed() {
    let env = TestEnv::new();
    env.szk(["secret", "set", "code"])
        .input("hunter2-secret")
        .ok();
    let site = shop();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "[name=q]", "text": "1001"}),
    );
    mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "[name=code]", "text": "typed-secret"}),
    );
    mcp.ok("browser_act", json!({"kind": "click", "selector": "#go"}));
    // Every act is in the log, without the password.
    let log = mcp.ok("browser_logs", json!({"kind": "acts"}));
    let acts: Vec<&str> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["act"].as_str().unwrap())
        .collect();
    assert_eq!(acts, ["navigate", "fill", "fill", "click"]);
    let click = &log["entries"][3];
    assert_eq!(click["on"]["role"], "button", "{click}");
    assert_eq!(click["on"]["name"], "Search", "{click}");
    assert_eq!(click["on"]["within"], "search", "{click}");
    assert!(
        click["effect"]["navigated"]
            .as_str()
            .unwrap()
            .contains("/found"),
        "{click}"
    );
    let fill = &log["entries"][1];
    assert_eq!(
        (&fill["value"], &fill["on"]["label"]),
        (&json!("1001"), &json!("Order number")),
        "{fill}"
    );
    assert_eq!(
        (&log["entries"][2]["secret"], &log["entries"][2]["value"]),
        (&json!(true), &json!(null))
    );
    let told = env.szk(["logs", "--kind", "acts", "-s", "work"]).ok();
    assert!(
        told.stdout.contains("click button \"Search\""),
        "{}",
        told.stdout
    );
    assert!(!told.stdout.contains("typed-secret"), "{}", told.stdout);

    let saved = mcp.ok(
        "recipe_save",
        json!({"name": "find", "about": "Finds an order"}),
    );
    let text = saved["text"].as_str().unwrap();
    assert!(
        text.contains("value = \"{{q}}\"") && text.contains("[params.code]\ntype = \"secret\""),
        "{text}"
    );
    assert!(
        !text.contains("1001") && !text.contains("typed-secret"),
        "{text}"
    );

    // Users of MCP clients are offered it, with its parameters.
    let mut ask = |method: &str, params: serde_json::Value| {
        let id = mcp.request(method, params);
        mcp.answer(id)
    };
    let listed = ask("prompts/list", json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let prompt = prompts
        .iter()
        .find(|one| one["name"] == "recipe-find")
        .unwrap();
    let arguments: Vec<&serde_json::Value> = prompt["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(arguments, ["code", "q"], "{prompt}");
    assert_eq!(prompt["arguments"][1]["required"], true, "{prompt}");
    let given = json!({"name": "recipe-find", "arguments": {"q": "1003", "code": "code"}});
    let got = ask("prompts/get", given)["result"]["messages"][0]["content"]["text"].to_string();
    assert!(
        got.contains("recipe_run") && got.contains("1003") && got.contains("work"),
        "{got}"
    );
    for wrong in [
        json!({"name": "recipe-find"}),
        json!({"name": "recipe-none"}),
    ] {
        assert_eq!(ask("prompts/get", wrong)["error"]["code"], -32602);
    }

    // Answers about this site name it.
    let there = mcp.call("browser_navigate", json!({"url": site.url("/")}));
    assert!(
        there.to_string().contains("recipes of this site: find"),
        "{there}"
    );
    let checked = mcp.ok(
        "recipe_check",
        json!({"name": "find", "params": {"q": "1002"}}),
    );
    let found = checked["elements"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["ref"].is_string());
    assert_eq!(found.count(), 3, "{checked}");
    mcp.ok("browser_navigate", json!({"url": "about:blank"}));
    let ran = mcp.ok(
        "recipe_run",
        json!({"name": "find", "params": {"q": "1002", "code": "code"}}),
    );
    assert_eq!(ran["steps"].as_array().unwrap().len(), 4, "{ran}");
    assert!(
        ran["healed"].is_null() && !ran.to_string().contains("hunter2"),
        "{ran}"
    );
    let asked = site.asked();
    let last = asked.iter().rev().find(|one| one.path == "/found").unwrap();
    assert_eq!(
        (last.field("q"), last.field("code")),
        ("1002".to_owned(), "hunter2-secret".to_owned())
    );
    // What it needs and where it may run.
    mcp.fails("recipe_run", json!({"name": "find"}), "INVALID_INPUT");
    mcp.fails("recipe_run", json!({"name": "nothing"}), "NOT_FOUND");
    mcp.fails("recipe_save", json!({"name": "../x"}), "INVALID_INPUT");

    let listed = env.szk(["recipe", "list", "-s", "work"]).ok();
    assert!(
        listed.stdout.contains("find (code, q)"),
        "{}",
        listed.stdout
    );
    let shown = env.szk(["recipe", "show", "find", "-s", "work"]).ok();
    assert_eq!(shown.stdout.trim(), text.trim());
    let script = mcp.ok("recipe_export", json!({"name": "find"}));
    assert!(
        script["text"]
            .as_str()
            .unwrap()
            .contains("getByRole(\"button\", { name: \"Search\""),
        "{script}"
    );
    mcp.ok("recipe_delete", json!({"name": "find"}));
    mcp.fails("recipe_show", json!({"name": "find"}), "NOT_FOUND");
}

#[test]
fn a_doubtful_element_stops_the_run_until_a_ref_says_which() {
    let env = Lease::take();
    let site = Site::of(
        "<html lang=en><h1>Box</h1><button id=a>Archive</button><button id=b>Delete</button>\
         <script>onclick = (event) => { document.title = event.target.id }</script>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let text = format!(
        "[recipe]\nname = \"box\"\nsite = \"{}\"\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\
         [[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Store\", css = \"#a\" }} # the second\n",
        site.origin()
    );
    mcp.ok("recipe_save", json!({"name": "box", "text": text}));
    let failure = mcp.fails("recipe_run", json!({"name": "box"}), "RECIPE_STALE");
    assert!(
        failure["message"].as_str().unwrap().contains("step 2"),
        "{failure}"
    );
    let title = |mcp: &mut crate::harness::Mcp| {
        mcp.ok("browser_run_code", json!({"code": "document.title"}))["value"].clone()
    };
    assert_eq!(title(&mut mcp), "");
    let found = mcp.ok("browser_find", json!({"text": "Archive"}));
    let reference = found["matches"][0]["ref"].clone();
    let ran = mcp.ok("recipe_run", json!({"name": "box", "ref": reference}));
    assert_eq!(title(&mut mcp), "a");
    let diff = ran["healed"].as_str().unwrap();
    assert!(
        diff.contains("+on = ") && diff.contains("Archive"),
        "{diff}"
    );
    let healed = mcp.ok("recipe_show", json!({"name": "box"}));
    assert!(
        healed["text"].as_str().unwrap().contains("# the second"),
        "{healed}"
    );
    // From now on it finds it by itself.
    let ran = mcp.ok("recipe_run", json!({"name": "box"}));
    assert!(ran["healed"].is_null(), "{ran}");
    mcp.fails(
        "recipe_run",
        json!({"name": "box", "resume": true}),
        "NOT_FOUND",
    );
    // Another site is refused before anything is done.
    let other = text.replace("value = \"/\"", "value = \"https://other.example/\"");
    mcp.ok("recipe_save", json!({"name": "box", "text": other}));
    let refused = mcp.fails("recipe_run", json!({"name": "box"}), "INVALID_INPUT");
    assert!(
        refused["message"].as_str().unwrap().contains("would go to"),
        "{refused}"
    );
    let wrong = mcp.fails(
        "recipe_save",
        json!({"name": "box", "text": "[recipe]\nname = 1"}),
        "INVALID_INPUT",
    );
    assert!(
        wrong["message"].as_str().unwrap().contains("box.toml:2:8"),
        "{wrong}"
    );
    mcp.ok("recipe_delete", json!({"name": "box"}));
}

#[test]
fn nothing_typed_into_a_password_field_is_logged() {
    let env = Lease::take();
    let site = shop();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let act = |mcp: &mut crate::harness::Mcp, input| mcp.ok("browser_act", input);
    // With a target, and to wherever the focus is.
    act(
        &mut mcp,
        json!({"kind": "type", "selector": "[name=code]", "text": "hunter2-first"}),
    );
    act(&mut mcp, json!({"kind": "type", "text": "hunter2-second"}));
    act(&mut mcp, json!({"kind": "press", "key": "7"}));
    act(
        &mut mcp,
        json!({"kind": "press", "selector": "[name=code]", "key": "Enter"}),
    );
    let log = mcp.ok("browser_logs", json!({"kind": "acts"}));
    let values: Vec<&serde_json::Value> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["act"] != "navigate")
        .map(|one| &one["value"])
        .collect();
    let null = serde_json::Value::Null;
    // The session was lent to other tests before.
    let values = &values[values.len() - 4..];
    assert_eq!(values, [&null, &null, &null, &json!("Enter")], "{log}");
    for typed in ["hunter2-first", "hunter2-second"] {
        assert!(!log.to_string().contains(typed), "{log}");
    }
    let saved = mcp.ok("recipe_save", json!({"name": "typed"}));
    let text = saved["text"].as_str().unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("value = \"Enter\""), "{text}");
    // The field that has the focus is known; a single key of a password is not repeated.
    assert!(text.contains("[params.code]\ntype = \"secret\""), "{text}");
    let notes = saved["notes"].to_string();
    assert!(notes.contains("may be part of a password"), "{saved}");
    mcp.ok("recipe_show", json!({"name": "typed"}));
    mcp.ok("recipe_delete", json!({"name": "typed"}));
}
