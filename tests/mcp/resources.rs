//! Resources, prompts and tool sets, with the real program.

use serde_json::{Value, json};

use crate::harness::{Mcp, PATIENTLY, Site, TestEnv};

fn ask(mcp: &mut Mcp, method: &str, params: Value) -> Value {
    let id = mcp.request(method, params);
    mcp.answer(id)
}

fn read(mcp: &mut Mcp, uri: &str) -> Value {
    ask(mcp, "resources/read", json!({"uri": uri}))
}

#[test]
fn open_sessions_can_be_read() {
    let env = TestEnv::new();
    let site = Site::of("<title>shown</title><h1>Hello</h1>");
    let mut mcp = env.mcp();
    let none = ask(&mut mcp, "resources/list", json!({}));
    assert_eq!(none["result"]["resources"][0]["uri"], "szk://sessions");
    assert_eq!(none["result"]["resources"].as_array().unwrap().len(), 1);
    let missing = read(&mut mcp, "szk://sessions/work/page");
    assert_eq!(missing["error"]["code"], -32002, "{missing:#}");
    assert!(env.row("work").is_none(), "reading opens nothing");
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let listed = ask(&mut mcp, "resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert!(uris.contains(&"szk://sessions/work/logs"), "{uris:?}");
    for uri in &uris {
        let got = read(&mut mcp, uri);
        let contents = &got["result"]["contents"][0];
        assert_eq!(contents["uri"], *uri, "{got:#}");
        assert!(contents["text"].is_string(), "{got:#}");
    }
    let logs = read(&mut mcp, "szk://sessions/work/logs");
    assert!(logs.to_string().contains("GET 200 document"), "{logs:#}");
    let templates = ask(&mut mcp, "resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"],
        "szk://sessions/{session}/page"
    );
    let wrong = read(&mut mcp, "szk://sessions/work/secrets");
    assert_eq!(wrong["error"]["code"], -32002, "{wrong:#}");
}

/// Anyone can read again what an agent saw, without looking at the page again.
#[test]
fn the_last_snapshots_can_be_read() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>one</title><button>First</button>")
        .page("/two", "<title>two</title><button>Second</button>")
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let text = |mcp: &mut Mcp, uri: &str| {
        let got = read(mcp, uri);
        let text = got["result"]["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{got:#}")).to_owned()
    };
    let last = "szk://sessions/work/snapshots";
    assert!(text(&mut mcp, last).contains("no snapshot"));
    mcp.ok("browser_snapshot", json!({}));
    mcp.eval(
        "work",
        "void (document.querySelector('button').textContent = 'Later')",
    );
    let first = text(&mut mcp, last);
    assert!(
        first.contains("\"one\"") && first.contains("button \"First\" [e1]"),
        "{first}"
    );
    let opened = mcp.ok(
        "browser_tabs",
        json!({"action": "open", "url": site.url("/two")}),
    );
    mcp.ok("browser_snapshot", json!({}));
    assert!(text(&mut mcp, last).contains("Second"));
    assert_eq!(text(&mut mcp, "szk://sessions/work/snapshots/t1"), first);
    let tabs = mcp.ok("browser_tabs", json!({}));
    let current = tabs["tabs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tab| tab["current"] == true);
    assert_eq!(
        current.unwrap()["id"],
        opened["tab"],
        "reading is not using"
    );
    assert!(text(&mut mcp, "szk://sessions/work/snapshots/t9").contains("no snapshot"));
}

#[test]
fn a_prompt_carries_the_task() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let listed = ask(&mut mcp, "prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"][0]["name"], "browse-task");
    let task = json!({"task": "buy nothing", "session": "shop"});
    let got = ask(
        &mut mcp,
        "prompts/get",
        json!({"name": "browse-task", "arguments": task}),
    );
    let text = got["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(
        text.contains("buy nothing") && text.contains("`shop`"),
        "{text}"
    );
    for wrong in [json!({"name": "browse-task"}), json!({"name": "nothing"})] {
        let answer = ask(&mut mcp, "prompts/get", wrong);
        assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    }
}

#[test]
fn tools_are_those_that_were_chosen() {
    let env = TestEnv::new();
    let names = |mcp: &mut Mcp| -> Vec<String> {
        let listed = ask(mcp, "tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut some = Mcp::open(
        env.szk(["mcp", "--tools", "session,browser_pdf"]),
        "2025-11-25",
    );
    let listed = names(&mut some);
    assert!(
        listed.contains(&"browser_pdf".to_owned()) && !listed.contains(&"browser_tabs".to_owned())
    );
    let refused = ask(
        &mut some,
        "tools/call",
        json!({"name": "browser_tabs", "arguments": {}}),
    );
    assert_eq!(refused["error"]["code"], -32602, "{refused:#}");
    let mut usual = env.mcp();
    let usual = names(&mut usual);
    assert!(
        usual.len()
            < names(&mut Mcp::open(
                env.szk(["mcp", "--tools", "all"]),
                "2025-11-25"
            ))
            .len()
    );
    let wrong = env
        .szk(["mcp", "--tools", "brwoser"])
        .fails("INVALID_INPUT");
    assert!(
        wrong["hint"].as_str().unwrap().contains("browser"),
        "{wrong}"
    );
}

#[test]
fn what_calls_do_to_a_page_is_told_to_those_who_subscribed() {
    const PAGE: &str = "szk://sessions/work/page";
    const SNAPSHOT: &str = "szk://sessions/work/snapshots/t1";
    let env = TestEnv::new();
    let site = Site::of("<button onclick=\"this.textContent = 'Pressed'\">Press</button>");
    let mut worker = env.mcp();
    worker.open_session("work");
    worker.ok("browser_navigate", json!({"url": site.url("/")}));
    let told = |mcp: &mut Mcp, uri: &str| {
        mcp.next("an update", PATIENTLY, |message| {
            message["method"] == "notifications/resources/updated"
                && message["params"]["uri"] == uri
        });
    };
    let watch = |uri: &str| {
        let mut mcp = env.mcp();
        let agreed = ask(&mut mcp, "resources/subscribe", json!({"uri": uri}));
        assert_eq!(agreed["result"], json!({}), "{agreed:#}");
        // At first it is told to look.
        told(&mut mcp, uri);
        mcp
    };
    let (mut page, mut snapshot) = (watch(PAGE), watch(SNAPSHOT));
    worker.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    told(&mut page, PAGE);
    worker.ok("browser_snapshot", json!({}));
    told(&mut snapshot, SNAPSHOT);
}
