//! Bugs that other programs had.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, SOON, Site, TestEnv, wait_for};

fn open(env: &TestEnv, site: &Site) -> Mcp {
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
    );
    mcp
}

fn main_world(mcp: &mut Mcp, code: &str) -> Value {
    let asked = json!({"world": "main", "code": code});
    mcp.ok("browser_run_code", asked)["value"].clone()
}

/// Every call works in the tab that it names, or in the last one chosen.
#[test]
fn everything_follows_the_tab() {
    let env = TestEnv::new();
    let page = |name: &str| {
        format!(
            "<title>{name}</title><button onclick='this.textContent = 1'>{name}</button><input aria-label=In>"
        )
    };
    let site = Site::plan()
        .page("/", &page("first"))
        .page("/two", &page("second"))
        .page("/three", &page("third"))
        .serve();
    let mut mcp = open(&env, &site);
    let second = mcp.ok(
        "browser_tabs",
        json!({"action": "open", "url": site.url("/two")}),
    );
    assert_eq!(mcp.eval("work", "document.title"), "second");
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "input", "text": "typed"}),
    );
    mcp.ok("browser_act", json!({"kind": "press", "key": "x"}));
    assert_eq!(
        mcp.eval(
            "work",
            "[document.querySelector('button').textContent, document.querySelector('input').value]"
        ),
        json!(["1", "typedx"])
    );
    mcp.ok("browser_tabs", json!({"action": "focus", "tab": "t1"}));
    for (tool, input, field) in [
        ("browser_snapshot", json!({}), "snapshot"),
        ("browser_extract", json!({"form": "html"}), "content"),
        ("browser_find", json!({"text": "first"}), "matches"),
    ] {
        let answer = mcp.ok(tool, input)[field].to_string();
        assert!(answer.contains("first"), "{tool}: {answer}");
    }
    mcp.ok("browser_navigate", json!({"url": site.url("/three")}));
    assert_eq!(mcp.eval("work", "document.title"), "third");
    let other = json!({"tab": second["tab"], "code": "document.title"});
    assert_eq!(mcp.ok("browser_run_code", other)["value"], "second");
}

/// Policy decides by a switch; no word in a script is a reason.
#[test]
fn code_is_not_judged_by_its_words() {
    let env = Lease::take();
    let site = Site::of("<title>in</title>");
    let mut mcp = open(&env, &site);
    let words = "['localStorage.', 'sessionStorage.', 'XMLHttpRequest', 'Function(', 'setTimeout(', 'eval('].join(' ') + localStorage.length + new Function('return 1')()";
    let said = mcp.eval("work", words);
    assert!(said.as_str().unwrap().ends_with("eval(01"), "{said}");
}

#[test]
fn no_other_control_is_taken_instead() {
    let env = Lease::take();
    let site = Site::of(
        "<select id=first aria-label=First><option>a<option>b</select><select id=second aria-label=Second><option>a<option>b</select>",
    );
    let mut mcp = open(&env, &site);
    let seen = mcp.ok("browser_snapshot", json!({}))["snapshot"].clone();
    let line = seen
        .as_str()
        .unwrap()
        .lines()
        .find(|line| line.contains("Second"));
    let second = line.unwrap().split(['[', ']']).nth(1).unwrap().to_owned();
    let select = |target: Value| {
        let mut input = target;
        input["kind"] = json!("select");
        input["values"] = json!(["b"]);
        input
    };
    mcp.ok("browser_act", select(json!({"ref": second})));
    let values = "[first.value, second.value]";
    assert_eq!(main_world(&mut mcp, values), json!(["a", "b"]));
    main_world(&mut mcp, "second.remove(); 0");
    mcp.fails("browser_act", select(json!({"ref": second})), "REF_STALE");
    mcp.fails(
        "browser_act",
        select(json!({"selector": "#second"})),
        "NOT_FOUND",
    );
    assert_eq!(main_world(&mut mcp, "first.value"), "a");
}

/// A waiting call neither holds up others nor outlives the caller that gave it up.
#[test]
fn a_call_that_waits_holds_up_no_other() {
    let env = TestEnv::new();
    let site = Site::of("<title>in</title><button>Go</button>");
    let mut mcp = open(&env, &site);
    let waits = mcp.post(
        "browser_act",
        json!({"kind": "wait", "selector": "#late", "timeout_ms": 60_000}),
    );
    let runs = mcp.post(
        "browser_run_code",
        json!({"code": "new Promise(() => {})", "timeout_ms": 60_000}),
    );
    let seen = mcp.ok("browser_snapshot", json!({}))["snapshot"].clone();
    assert!(seen.as_str().unwrap().contains("Go"), "{seen}");
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    mcp.ok("browser_screenshot", json!({}));
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": runs}}));
    mcp.eval("work", "void (document.body.append(Object.assign(document.createElement('p'), {id: 'late', textContent: 'late'})))");
    assert_eq!(mcp.answer(waits)["result"]["isError"], false);
}

#[test]
fn calls_end_with_their_browser() {
    let env = TestEnv::new();
    let site = Site::of("<title>in</title>");
    let mut mcp = open(&env, &site);
    let runs = mcp.post(
        "browser_run_code",
        json!({"code": "new Promise(() => {})", "timeout_ms": 120_000}),
    );
    mcp.ok("browser_snapshot", json!({}));
    let waits = mcp.post(
        "browser_act",
        json!({"kind": "wait", "text": "never", "timeout_ms": 120_000}),
    );
    mcp.ok("browser_snapshot", json!({}));
    env.browser().signal(crate::harness::Signal::KILL);
    for call in [runs, waits] {
        let ended = mcp.answer(call);
        let failure = crate::harness::mcp::failure(&ended["result"]);
        assert_eq!(failure["code"], "BROWSER_CRASHED", "{ended:#}");
    }
}

#[test]
fn text_is_cut_between_characters() {
    let env = Lease::take();
    let site = Site::of(&format!(
        "<title>{0}</title><p>{0}</p><button>{0}</button><input value='{0}'><script>console.log('{0}')</script>",
        "a👩‍👩‍👧é漢\u{301}".repeat(3000)
    ));
    let mut mcp = open(&env, &site);
    for bytes in [1, 7, 100, 101, 102, 103, 4099] {
        mcp.ok(
            "browser_snapshot",
            json!({"mode": "full", "max_bytes": bytes}),
        );
        let text = mcp.ok(
            "browser_extract",
            json!({"form": "text", "max_bytes": bytes}),
        );
        assert!(text["content"].is_string(), "{text}");
    }
    mcp.ok("browser_find", json!({"text": "漢"}));
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    mcp.ok("browser_logs", json!({"capture": true}));
    wait_for("the long message", SOON, || {
        let found = mcp.ok("browser_logs", json!({"kind": "console"}));
        (!found["entries"].as_array()?.is_empty()).then_some(())
    });
}

/// Replacing a frame's document ends neither what runs in the page nor what is known about its nodes.
#[test]
fn a_frame_that_goes_elsewhere_ends_nothing() {
    let env = Lease::take();
    let site = Site::plan()
        .page("/", "<title>in</title><button aria-pressed=false onclick=\"this.ariaPressed = true\">Go</button><iframe id=f src=/frame></iframe>")
        .page("/frame", "<p>frame")
        .serve();
    let mut mcp = open(&env, &site);
    let seen = mcp.ok("browser_snapshot", json!({}))["snapshot"].clone();
    let line = seen
        .as_str()
        .unwrap()
        .lines()
        .find(|line| line.contains("Go"));
    let button = line.unwrap().split(['[', ']']).nth(1).unwrap().to_owned();
    let far = site.url("/frame").replace("127.0.0.1", "localhost");
    let code = format!(
        "async () => {{
           for (const src of ['/frame?1', '{far}', 'about:blank', '/frame?2']) {{
             const frame = document.querySelector('#f');
             await new Promise((done) => {{ frame.onload = done; frame.src = src; }});
           }}
           return 'whole';
         }}"
    );
    assert_eq!(mcp.eval("work", &code), "whole");
    mcp.ok("browser_act", json!({"kind": "click", "ref": button}));
    assert_eq!(
        main_world(&mut mcp, "document.querySelector('button').ariaPressed"),
        "true"
    );
}
