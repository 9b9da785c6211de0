//! `browser_tabs`.

use serde_json::{Value, json};

use crate::harness::{Driver, Lease, Mcp, SOON, Site, TestEnv, wait_for};

fn site() -> Site {
    Site::plan()
        .page("/a", "<title>a</title><a id=b target=_blank href=/b>b</a>")
        .page("/b", "<title>b</title>")
        .page(
            "/stays",
            "<title>stays</title><script>onbeforeunload = event => event.preventDefault()</script>",
        )
        .serve()
}

fn ids(output: &Value) -> Vec<String> {
    let rows = output["tabs"].as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

fn row<'a>(output: &'a Value, id: &Value) -> &'a Value {
    let mut rows = output["tabs"].as_array().unwrap().iter();
    rows.find(|row| row["id"] == *id).expect("the tab is open")
}

fn title(mcp: &mut Mcp, tab: &Value) -> Value {
    mcp.ok(
        "browser_run_code",
        json!({"tab": tab, "code": "document.title"}),
    )["value"]
        .clone()
}

#[test]
fn tabs_are_opened_chosen_and_closed() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let first = mcp.ok("browser_navigate", json!({"url": site.url("/a")}))["tab"].clone();
    let opened = mcp.ok(
        "browser_tabs",
        json!({"action": "open", "url": site.url("/b"), "label": "second"}),
    );
    let second = opened["tab"].clone();
    assert_eq!(row(&opened, &second)["label"], "second");
    assert_eq!(row(&opened, &second)["current"], true);
    assert_eq!(row(&opened, &first)["current"], false);
    // A label works as well as an id.
    assert_eq!(title(&mut mcp, &json!("second")), "b");
    assert_eq!(title(&mut mcp, &first), "a");
    let focused = mcp.ok("browser_tabs", json!({"action": "focus", "tab": "second"}));
    assert_eq!(row(&focused, &second)["current"], true);
    let hidden = |mcp: &mut Mcp, tab: &Value| {
        mcp.ok(
            "browser_run_code",
            json!({"tab": tab, "code": "document.visibilityState"}),
        )["value"]
            .clone()
    };
    assert_eq!(hidden(&mut mcp, &second), "visible");
    assert_eq!(hidden(&mut mcp, &first), "hidden");
    // Given to another tab, it moves.
    let moved = mcp.ok(
        "browser_tabs",
        json!({"action": "label", "tab": first, "label": "second"}),
    );
    assert_eq!(row(&moved, &second).get("label"), None);
    assert_eq!(title(&mut mcp, &json!("second")), "a");
    let closed = mcp.ok("browser_tabs", json!({"action": "close", "tab": second}));
    assert_eq!(ids(&closed), [first.as_str().unwrap()]);
    let failure = mcp.fails(
        "browser_tabs",
        json!({"action": "focus", "tab": second}),
        "NOT_FOUND",
    );
    assert!(
        failure["hint"]
            .as_str()
            .unwrap()
            .contains(first.as_str().unwrap())
    );
}

#[test]
fn the_last_tab_is_followed_by_a_blank_one() {
    let env = Lease::take();
    let site = site();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    let before = ids(&mcp.ok("browser_tabs", json!({})));
    let after = mcp.ok("browser_tabs", json!({"action": "close"}));
    assert_eq!(after["tabs"].as_array().unwrap().len(), 1);
    assert_ne!(ids(&after), before);
    assert_eq!(after["tabs"][0]["url"], "about:blank");
    assert_eq!(mcp.eval("work", "1 + 1"), 2);
}

#[test]
fn a_tab_that_was_opened_by_a_page_says_by_which() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let first = mcp.ok("browser_navigate", json!({"url": site.url("/a")}))["tab"].clone();
    let mut driver = Driver::playwright(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await page.click('#b')");
    let list = wait_for("the popup", SOON, || {
        let list = mcp.ok("browser_tabs", json!({}));
        (ids(&list).len() == 2).then_some(list)
    });
    assert_eq!(list["tabs"][1]["opener"], first);
}

#[test]
fn what_makes_no_sense_changes_nothing() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    for input in [
        json!({"action": "list", "url": "https://a"}),
        json!({"action": "open", "label": "t5"}),
        json!({"action": "open", "label": "new"}),
        json!({"action": "label"}),
        json!({"action": "close", "label": "x"}),
        json!({"action": "shut"}),
    ] {
        mcp.fails("browser_tabs", input, "INVALID_INPUT");
    }
    assert_eq!(ids(&mcp.ok("browser_tabs", json!({}))).len(), 1);
    let told = env.szk(["tabs", "-s", "work"]).ok();
    assert!(told.stdout.contains("(current) about:blank"), "{told:?}");
}
