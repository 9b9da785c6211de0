//! `browser_run_code`.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

const PAGE: &str = "<title>code</title><p id=p>text</p><script>var own = 'page'</script>";

struct Page {
    mcp: Mcp,
    env: Lease,
    _site: Site,
}

impl Page {
    fn open() -> Self {
        let env = Lease::take();
        let site = Site::of(PAGE);
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "url": site.url("/")}),
        );
        Self {
            mcp,
            env,
            _site: site,
        }
    }

    #[track_caller]
    fn check(&mut self, code: &str, value: Value, kind: &str) {
        let output = self.mcp.ok("browser_run_code", json!({"code": code}));
        assert_eq!(
            (&output["value"], &output["kind"]),
            (&value, &json!(kind)),
            "{code}"
        );
    }
}

#[test]
fn expressions_statements_and_functions() {
    let mut page = Page::open();
    page.check("document.title", json!("code"), "string");
    page.check("1 + 1", json!(2), "number");
    page.check(
        "return document.querySelector('#p').textContent",
        json!("text"),
        "string",
    );
    page.check("const a = 2; return a * 3", json!(6), "number");
    page.check(
        "({a: [1, {b: null}]})",
        json!({"a": [1, {"b": null}]}),
        "object",
    );
    page.check("async () => (await Promise.resolve(7))", json!(7), "number");
    page.check("function () { return 8 }", json!(8), "number");
    page.check("await Promise.resolve(9)", json!(9), "number");
    page.check("undefined", json!(null), "undefined");
    page.check("'\u{1f980}'", json!("\u{1f980}"), "string");
    let given = json!({"code": "({a}) => a + 1", "args": {"a": 41}});
    assert_eq!(page.mcp.ok("browser_run_code", given)["value"], 42);
    let read = json!({"code": "args.length", "args": "four"});
    assert_eq!(page.mcp.ok("browser_run_code", read)["value"], 4);
}

#[test]
fn the_page_neither_sees_it_nor_is_seen() {
    let mut page = Page::open();
    page.check("typeof own", json!("undefined"), "string");
    page.check("globalThis.mine = 1; return mine", json!(1), "number");
    let main = |code: &str| json!({"code": code, "world": "main"});
    assert_eq!(
        page.mcp.ok("browser_run_code", main("own"))["value"],
        "page"
    );
    assert_eq!(
        page.mcp.ok("browser_run_code", main("typeof mine"))["value"],
        "undefined"
    );
}

#[test]
fn what_json_cannot_hold_is_described_or_refused() {
    let mut page = Page::open();
    for (code, kind) in [
        ("1n", "bigint"),
        ("NaN", "number"),
        ("-0", "number"),
        ("document.body", "object"),
        ("() => () => 1", "function"),
    ] {
        let output = page.mcp.ok("browser_run_code", json!({"code": code}));
        assert_eq!(output["kind"], kind, "{code}: {output}");
    }
    for code in ["Symbol('s')", "const a = {}; a.a = a; return a"] {
        let call = json!({"code": code});
        let failure = page.mcp.fails("browser_run_code", call, "SCRIPT_FAILED");
        assert!(
            failure["hint"].as_str().unwrap().contains("plain data"),
            "{failure}"
        );
    }
}

#[test]
fn values_that_json_lacks_come_as_people_write_them() {
    let mut page = Page::open();
    page.check(
        "new Map([['a', 1], [2, new Set([3])]])",
        json!({"a": 1, "2": [3]}),
        "object",
    );
    page.check(
        "({at: new Date(0), like: /a/g, big: 1n, odd: [new Map([[true, 1]]), new Date(NaN)]})",
        json!({"at": "1970-01-01T00:00:00.000Z", "like": "/a/g", "big": "1n", "odd": [[[true, 1]], "Invalid Date"]}),
        "object",
    );
    page.check("new Uint8Array([1, 2])", json!([1, 2]), "object");
    page.check(
        "new TypeError('no')",
        json!({"name": "TypeError", "message": "no"}),
        "object",
    );
    page.check(
        "new URL('https://a.example/x')",
        json!("https://a.example/x"),
        "string",
    );
    for (code, value) in [
        ("new Set([1, 2])", json!([1, 2])),
        ("new Map([['a', 1]])", json!({"a": 1})),
        ("new Date(0)", json!("1970-01-01T00:00:00.000Z")),
        ("new Error('no')", json!({"name": "Error", "message": "no"})),
    ] {
        let call = json!({"code": code, "world": "main"});
        assert_eq!(
            page.mcp.ok("browser_run_code", call)["value"],
            value,
            "{code}"
        );
    }
}

#[test]
fn what_it_throws_comes_back() {
    let mut page = Page::open();
    for (code, part) in [
        ("throw new Error('oh no')", "oh no"),
        ("null.x", "null"),
        ("await Promise.reject(new TypeError('later'))", "later"),
        ("throw 'a string'", "a string"),
        ("this is no code", "SyntaxError"),
    ] {
        let failure = page
            .mcp
            .fails("browser_run_code", json!({"code": code}), "SCRIPT_FAILED");
        assert!(
            failure["message"].as_str().unwrap().contains(part),
            "{code}: {failure}"
        );
    }
    page.check("1", json!(1), "number");
}

#[test]
fn a_page_that_goes_away_under_it_fails_it() {
    let mut page = Page::open();
    let result = page.mcp.call(
        "browser_run_code",
        json!({"code": "location.href = 'about:blank'; await new Promise(() => {})"}),
    );
    assert_eq!(result["isError"], true, "{result:#}");
    page.check("1", json!(1), "number");
}

#[test]
fn large_values_are_cut_for_agents_and_whole_for_scripts() {
    let mut page = Page::open();
    let code = "'x'.repeat(8 << 20)";
    // No model reads eight megabytes; the answer names the file with all of it.
    let output = page.mcp.ok("browser_run_code", json!({"code": code}));
    assert!(output["value"].as_str().unwrap().len() < 300_000);
    let whole = page.env.szk(["run-code", code]).ok().stdout;
    assert_eq!(whole.trim_end().len(), 8 << 20);
}
