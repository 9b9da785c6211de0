//! Signing in and collecting by recipes.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use super::Bench;
use super::site::{CODE, PASSWORD, USER};
use crate::harness::{Answer, Lease, Site};
use crate::serve::{Server, token};

#[test]
fn what_signed_in_once_renews_the_login() {
    let mut bench = Bench::open();
    bench.mcp.ok(
        "recipe_record",
        json!({"action": "start", "name": "sign-in"}),
    );
    bench.mcp.ok(
        "browser_navigate",
        json!({"url": bench.site.url("/single")}),
    );
    for act in [
        json!({"kind": "fill", "selector": "[name=user]", "text": USER}),
        json!({"kind": "fill", "selector": "[name=word]", "text": PASSWORD}),
        json!({"kind": "click", "selector": "form[method=post] button:not([type=button])"}),
    ] {
        bench.mcp.ok("browser_act", act);
    }
    assert_eq!(bench.heading(), "Hello Jane");
    bench.mcp.ok("recipe_record", json!({"action": "stop"}));

    bench.leave();
    let params = json!({"user": USER, "word": "shop"});
    let said = bench.mcp.ok(
        "workflow_login",
        json!({"recipe": "sign-in", "params": params}),
    );
    assert_eq!(
        (&said["outcome"], &said["site"]),
        (&json!("logged_in"), &json!("127.0.0.1")),
        "{said:#}"
    );
    assert_eq!(bench.heading(), "Hello Jane");

    // From now on neither credentials nor the recipe's name are needed.
    bench.leave();
    let ended = bench.env.szk(["login", "-s", "work", "--json"]).ok();
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    assert_eq!(bench.heading(), "Hello Jane");

    // What the site says counts, whatever the recipe expects.
    bench.leave();
    let params = json!({"user": USER, "word": "wrong"});
    let said = bench.mcp.ok(
        "workflow_login",
        json!({"recipe": "sign-in", "params": params}),
    );
    assert_eq!(
        (&said["outcome"], &said["reason"]),
        (&json!("refused"), &json!("wrong_credentials")),
        "{said:#}"
    );
    let both = json!({"recipe": "sign-in", "username": USER});
    bench.mcp.fails("workflow_login", both, "INVALID_INPUT");

    // Two recipes of a login with a second factor: one gives the code, the other leaves it to a person.
    let fill = |name: &str, text: &str| json!({"kind": "fill", "selector": name, "text": text});
    let go = json!({"kind": "click", "selector": "form[method=post] button:not([type=button])"});
    for (name, to_the_end) in [("with-code", true), ("half", false)] {
        bench.leave();
        bench
            .mcp
            .ok("recipe_record", json!({"action": "start", "name": name}));
        let url = bench.site.url("/code");
        bench.mcp.ok("browser_navigate", json!({"url": url}));
        let mut acts = vec![
            fill("[name=user]", USER),
            fill("[name=word]", PASSWORD),
            go.clone(),
        ];
        if to_the_end {
            acts.extend([fill("[name=code]", CODE), go.clone()]);
        }
        for act in acts {
            bench.mcp.ok("browser_act", act);
        }
        bench.mcp.ok("recipe_record", json!({"action": "stop"}));
    }
    let code = json!({"user": USER, "word": "shop", "code": CODE});
    let wrong = json!({"user": USER, "word": "shop", "code": "111111"});
    let none = json!({"user": USER, "word": "shop"});
    for (recipe, params, outcome) in [
        ("with-code", code, "logged_in"),
        ("with-code", wrong, "needs_person"),
        ("half", none, "needs_person"),
    ] {
        bench.leave();
        let input = json!({"recipe": recipe, "params": params});
        let said = bench.mcp.ok("workflow_login", input);
        assert_eq!(said["outcome"], outcome, "{recipe}: {said:#}");
        assert_eq!(
            said["handoff_url"].is_string(),
            outcome == "needs_person",
            "{said:#}"
        );
    }
    bench.mcp.ok(
        "session_handoff",
        json!({"session": "work", "end": "given_up"}),
    );

    // Over HTTP, only a token that allows secrets has them filled in.
    let server = Server::start(&bench.env);
    let writer = token(&bench.env, "writer", &["--scope", "read,write"]);
    let path = "/v1/sessions/work/recipes/sign-in/run";
    let wanted = json!({"params": {"user": USER, "word": "shop"}});
    let pages = json!({"recipe": "sign-in", "rows": [wanted["params"]]});
    for (path, input) in [(path, &wanted), ("/v1/sessions/work/scrape", &pages)] {
        let mut allowed = input.clone();
        allowed["no_secrets"] = json!(false);
        for input in [input, &allowed] {
            let refused = server.call(&writer, "POST", path, input);
            let refused = refused.fails(403, "POLICY_DENIED");
            assert_eq!(refused["effect"], "none", "{refused}");
        }
    }
    let signer = token(&bench.env, "signer", &["--scope", "read,write,secrets"]);
    let signed = server.call(&signer, "POST", path, &wanted).ok();
    let shown = format!(
        "/v1/sessions/work/snapshot?tab={}",
        signed["tab"].as_str().unwrap()
    );
    let shown = server.call(&signer, "GET", &shown, &Value::Null).text();
    assert!(shown.contains("Hello Jane"), "{shown}");
}

const READ: &str = r#"
[params.id]
default = "0"

[[step]]
do = "navigate"
value = "/item?id={{id}}"

[[step]]
do = "click"
on = { role = "button", name = "Details" }
expect = { appears = { role = "heading", name = "Details" } }

[[step]]
do = "extract"
schema = { price = "string" }
"#;

#[test]
fn many_pages_are_read_by_a_recipe_in_parallel_tabs() {
    let env = Lease::take();
    // One page alone is never answered: two tabs have to ask at the same time.
    let pair = Arc::new(Barrier::new(2));
    let site = Site::plan()
        .on("/item", move |asked| {
            let id = asked.field("id");
            let button = match id.as_str() {
                "none" => String::new(),
                _ => {
                    pair.wait();
                    format!("<button onclick=\"more.innerHTML = '<h2>Details</h2><dl><dt>Price</dt><dd>{id} EUR</dd></dl>'\">Details</button>")
                }
            };
            Answer::html(format!("<html lang=en><title>Item {id}</title><h1>Item</h1>{button}<div id=more></div>"))
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let text = format!(
        "[recipe]\nname = \"read\"\nsite = \"{}\"\n{READ}",
        site.origin()
    );
    mcp.ok("recipe_save", json!({"name": "read", "text": text}));
    let tabs = mcp.ok("browser_tabs", json!({}))["tabs"]
        .as_array()
        .unwrap()
        .len();

    let rows = json!([{"id": "1"}, {"id": "2"}, {"id": "none"}, {"id": "3"}, {"id": "4"}]);
    let read = mcp.ok("workflow_scrape", json!({"recipe": "read", "rows": rows}));
    let prices = |read: &Value| -> Vec<String> {
        let entries = read["entries"].as_array().unwrap().iter();
        entries
            .map(|one| one["price"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        prices(&read),
        ["1 EUR", "2 EUR", "3 EUR", "4 EUR"],
        "{read:#}"
    );
    let pages = read["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 5, "{read:#}");
    assert!(
        pages[2]["error"].as_str().unwrap().contains("step 2"),
        "{read:#}"
    );
    assert!(
        pages[4]["url"].as_str().unwrap().ends_with("id=4"),
        "{read:#}"
    );

    // On given pages it begins after its own navigation.
    let urls = [site.url("/item?id=8"), site.url("/item?id=9")];
    let read = mcp.ok("workflow_scrape", json!({"recipe": "read", "urls": urls}));
    assert_eq!(prices(&read), ["8 EUR", "9 EUR"], "{read:#}");

    let now = mcp.ok("browser_tabs", json!({}))["tabs"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(now, tabs, "its tabs are closed");
    mcp.fails(
        "workflow_scrape",
        json!({"recipe": "read", "form": "text", "rows": rows}),
        "INVALID_INPUT",
    );
    mcp.fails("workflow_scrape", json!({"rows": rows}), "INVALID_INPUT");
    mcp.ok("recipe_delete", json!({"name": "read"}));
}
