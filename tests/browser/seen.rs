//! Operations whose answer includes the page as they left it.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site, TestEnv};

/// A link that appears after the page has loaded, and a menu that opens late.
const PAGE: &str = "<title>late</title><button>menu</button><p>only text</p><article></article><script>
  const put = (name) => { const made = document.createElement('button'); made.textContent = name; document.body.append(made); };
  setTimeout(() => put('came late'), 60);
  document.querySelector('article').textContent = 'long text '.repeat(300);
  document.querySelector('button').onclick = () => setTimeout(() => put('opened late'), 250);
</script>";

fn site() -> Site {
    Site::plan()
        .page("/", PAGE)
        .page("/next", "<title>next</title><a href='/'>back</a>")
        .page(
            "/ask",
            "<title>ask</title><button onclick='confirm(1)'>ask</button>",
        )
        .serve()
}

fn open(env: &TestEnv) -> Mcp {
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp
}

fn text(output: &Value) -> &str {
    output["snapshot"]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_page_is_shown_once_it_rests() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    let went = mcp.call(
        "browser_navigate",
        json!({"url": site.url("/"), "snapshot": "interactive"}),
    );
    let output = &went["structuredContent"];
    assert!(text(output).contains("came late"), "{went:#}");
    assert!(!text(output).contains("long text"), "{went:#}");
    assert!(
        text(output).ends_with("(left out: 1 text; `mode` full has all text)"),
        "{went:#}"
    );
    assert_eq!(output["snapshot"]["lines"], output["snapshot"]["total"]);
    // The answer's text has it too, and says only once where the page is.
    let said = went["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("\npage:\n- button"), "{said}");
    assert!(said.contains("came late"), "{said}");
    assert_eq!(said.matches(&site.url("/")).count(), 1, "{said}");
    // Its refs work like those of any snapshot.
    let menu = text(output).lines().next().unwrap();
    let (_, menu) = menu.split_once('[').unwrap();
    let menu = menu.trim_end_matches(']');
    let clicked = mcp.ok(
        "browser_act",
        json!({"kind": "click", "ref": menu, "snapshot": "full"}),
    );
    for part in ["opened late", "only text", "long text", "came late"] {
        assert!(text(&clicked).contains(part), "{clicked:#}");
    }
    assert!(clicked.get("diff").is_none(), "{clicked:#}");
    // Without `snapshot` there is none.
    let plain = mcp.ok("browser_navigate", json!({"url": site.url("/next")}));
    assert!(plain.get("snapshot").is_none(), "{plain:#}");
}

#[test]
fn tabs_sessions_and_steps_of_a_batch_show_theirs() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = env.mcp();
    let opened = mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/next"), "snapshot": "minimal"}),
    );
    assert!(text(&opened).contains("back"), "{opened:#}");
    let tab = mcp.ok(
        "browser_tabs",
        json!({"action": "open", "url": site.url("/"), "snapshot": "interactive"}),
    );
    assert!(text(&tab).contains("came late"), "{tab:#}");
    let front = mcp.ok(
        "browser_tabs",
        json!({"action": "focus", "tab": "t1", "snapshot": "interactive"}),
    );
    assert!(text(&front).contains("back"), "{front:#}");
    let closing = json!({"action": "close", "tab": "t2", "snapshot": "interactive"});
    mcp.fails("browser_tabs", closing, "INVALID_INPUT");
    let steps = json!([
        {"tool": "browser_navigate", "input": {"url": site.url("/")}},
        {"tool": "browser_act", "input": {"kind": "click", "selector": "button:first-of-type", "snapshot": "interactive"}},
    ]);
    let done = mcp.ok("browser_batch", json!({"steps": steps}));
    assert!(
        text(&done["steps"][1]["data"]).contains("opened late"),
        "{done:#}"
    );
    let shown = env.szk(["navigate", &site.url("/"), "-s", "work", "--snapshot"]);
    assert!(shown.ok().stdout.contains("came late"));
}

/// The requested act is done, whether or not the page can be read afterwards.
#[test]
fn a_page_that_cannot_be_read_says_why() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    mcp.ok("browser_navigate", json!({"url": site.url("/ask")}));
    let asks = json!({"kind": "click", "selector": "button", "snapshot": "interactive"});
    let clicked = mcp.ok("browser_act", asks);
    assert!(clicked.get("snapshot").is_none(), "{clicked:#}");
    assert_eq!(clicked["dialogs"][0]["kind"], "confirm", "{clicked:#}");
}
