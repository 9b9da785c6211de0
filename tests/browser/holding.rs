//! Overrides belong to the tab: they apply when another page takes it over, and in the browser that is
//! started after a crash.

use serde_json::{Value, json};

use crate::harness::{Mcp, PATIENTLY, SOON, Signal, Site, TestEnv, wait_for, wait_until};

const HERE: &str = r#"<!doctype html><meta name=viewport content='width=device-width'><title>here</title>
<script type=speculationrules>{"prerender": [{"urls": ["/there"], "eagerness": "immediate"}]}</script>"#;

const THERE: &str =
    "<!doctype html><meta name=viewport content='width=device-width'><title>there</title><script>
  console.log('said ' + (document.prerendering ? 'ahead' : 'late'));
  fetch('/tell?' + (document.prerendering ? 'ahead' : 'late'));
  throw new Error('thrown ahead');
</script>";

/// What a page sees of its environment.
const LOOK: &str =
    "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, navigator.maxTouchPoints]";

fn site() -> Site {
    Site::plan()
        .page("/", HERE)
        .page("/there", THERE)
        .page("/tell", "")
        .page(
            "/loud",
            "<!doctype html><title>loud</title><script>console.log('loud'); throw new Error('at once')</script>",
        )
        .serve()
}

fn texts(mcp: &mut Mcp, kind: &str) -> Vec<(Value, String)> {
    let logs = mcp.ok("browser_logs", json!({"kind": kind}));
    let entries = logs["entries"].as_array().unwrap();
    let entries = entries.iter().filter(|one| one["source"] != "network");
    entries
        .map(|one| {
            let text = one["text"].as_str().unwrap().to_owned();
            (one["tab"].clone(), text)
        })
        .collect()
}

#[track_caller]
fn told(mcp: &mut Mcp, kind: &str, text: &str, times: usize) {
    let mut seen = Vec::new();
    wait_until(text, SOON, || {
        seen = texts(mcp, kind);
        seen.iter().filter(|(_, one)| one.contains(text)).count() == times
    });
    assert!(seen.iter().all(|(tab, _)| tab == "t1"), "{seen:?}");
}

fn throw(mcp: &mut Mcp, text: &str) {
    let code = format!("setTimeout(() => {{ throw new Error('{text}') }}); 0");
    mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
}

/// The header that pages of the tab send.
fn team(site: &Site, path: &str) -> Option<String> {
    let asked = site.asked();
    let last = asked.iter().rfind(|asked| asked.path == path)?;
    let value = last.headers.get("x-team")?;
    Some(value.to_str().unwrap().to_owned())
}

#[test]
fn when_a_prerendered_page_takes_the_tab_over() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), env.mcp());
    mcp.open_session("work");
    mcp.ok("browser_tabs", json!({"action": "label", "label": "shop"}));
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok(
        "browser_emulate",
        json!({"color_scheme": "dark", "device": "pixel", "headers": {"X-Team": "blue"}}),
    );
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    wait_until("it is prerendered", SOON, || {
        site.asked().iter().any(|asked| asked.query == "ahead")
    });
    let before = mcp.eval("work", LOOK);
    mcp.ok(
        "browser_run_code",
        json!({"world": "main", "code": "void (location.href = '/there')"}),
    );
    let shown = json!({"code": "document.title + document.visibilityState"});
    wait_until("it is shown", SOON, || {
        // A page that is just being replaced does not answer.
        let told = mcp.call("browser_run_code", shown.clone());
        told["structuredContent"]["value"] == "therevisible"
    });
    let start = "performance.getEntriesByType('navigation')[0].activationStart > 0";
    assert_eq!(mcp.eval("work", start), true, "it was made ahead");
    told(&mut mcp, "console", "said ahead", 1);
    told(&mut mcp, "errors", "thrown ahead", 1);
    throw(&mut mcp, "thrown later");
    told(&mut mcp, "errors", "thrown later", 1);
    assert_eq!(mcp.eval("work", LOOK), before);
    assert_eq!(before, json!([412, true, 5]));
    // The request for the page itself goes out before there is a target to configure.
    assert_eq!(team(&site, "/tell").as_deref(), Some("blue"));
    // That page's next document, and its end.
    mcp.ok(
        "browser_navigate",
        json!({"tab": "shop", "url": site.url("/loud")}),
    );
    told(&mut mcp, "console", "loud", 1);
    told(&mut mcp, "errors", "at once", 1);
    assert_eq!(team(&site, "/loud").as_deref(), Some("blue"));
    mcp.ok("browser_logs", json!({"capture": false}));
    let reset = mcp.ok("browser_emulate", json!({"reset": true}));
    assert_eq!(reset["active"], json!([]));
    mcp.ok("browser_navigate", json!({"url": site.url("/loud?after")}));
    assert_eq!(team(&site, "/loud"), None);
    assert_ne!(mcp.eval("work", LOOK), before);
    throw(&mut mcp, "unheard");
    mcp.eval("work", "1");
    told(&mut mcp, "errors", "at once", 1);
    told(&mut mcp, "console", "loud", 1);
}

#[test]
fn when_the_browser_is_started_again() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), env.mcp());
    mcp.open_session("work");
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/loud")}));
    mcp.ok(
        "browser_emulate",
        json!({"viewport": "901x601", "color_scheme": "dark", "headers": {"X-Team": "blue"}, "permissions": {"geolocation": "granted"}}),
    );
    mcp.ok("browser_tabs", json!({"action": "label", "label": "shop"}));
    let other = json!({"tab": "new", "url": site.url("/tell")});
    let other = mcp.ok("browser_navigate", other)["tab"].clone();
    told(&mut mcp, "errors", "at once", 1);
    // A page in the background does not take on its window's size.
    mcp.ok("browser_tabs", json!({"action": "focus", "tab": "shop"}));
    for round in 2..4 {
        let old = env.browser();
        let asked = site.asked().len();
        old.signal(Signal::KILL);
        wait_for("Chromium is started again", PATIENTLY, || {
            env.browsers().into_iter().find(|browser| *browser != old)
        });
        told(&mut mcp, "console", "loud", round);
        told(&mut mcp, "errors", "at once", round);
        assert!(site.asked().len() > asked);
        assert_eq!(team(&site, "/loud").as_deref(), Some("blue"));
        assert_eq!(team(&site, "/tell"), None, "that is another tab");
        let tabs = mcp.ok("browser_tabs", json!({"action": "list"}));
        let tabs = tabs["tabs"].as_array().unwrap();
        let ids: Vec<&Value> = tabs.iter().map(|tab| &tab["id"]).collect();
        assert_eq!(ids, [&json!("t1"), &other], "{tabs:?}");
        assert_eq!(tabs[0]["label"], "shop", "{tabs:?}");
        let look = json!({"tab": "shop", "code": "[innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches]"});
        wait_until("its size", SOON, || {
            mcp.ok("browser_run_code", look.clone())["value"] == json!([901, 601, true])
        });
        let state = json!({"tab": "shop", "code": "navigator.permissions.query({name: 'geolocation'}).then(found => found.state)"});
        assert_eq!(mcp.ok("browser_run_code", state)["value"], "granted");
    }
    let third = json!({"tab": "new", "url": "about:blank"});
    let third = mcp.ok("browser_navigate", third);
    let id = &third["tab"];
    assert!(*id != "t1" && *id != other, "no number is used twice: {id}");
}
