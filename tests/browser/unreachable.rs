//! Acts that lead to pages that do not load, for the test of `navigate` that has a browser for it.

use serde_json::json;

use crate::harness::{Answer, Mcp, Site};

/// Acts that lead to a page that does not load say so, as going there does.
pub(super) fn leads_nowhere(mcp: &mut Mcp, dead: &str) {
    let links = Site::plan()
        .page("/", &format!("<a id=dead href='{dead}/x'>dead</a><a id=empty href='/empty'>empty</a><a id=gone href='/gone'>gone</a><form action='{dead}/form'><input name=q aria-label=q><button>Go</button></form>"))
        .on("/empty", |_| Answer::status(500))
        .on("/gone", |_| Answer::html("<p>Gone</p>").with_status(404))
        .serve();
    let refused = format!("`{dead}/x` did not load: net::ERR_CONNECTION_REFUSED");
    let empty = format!(
        "`{}` answered with status 500 and no content",
        links.url("/empty")
    );
    for (link, says) in [("#dead", &refused), ("#empty", &empty)] {
        mcp.ok("browser_navigate", json!({"url": links.url("/")}));
        let click = json!({"kind": "click", "selector": link});
        let failure = mcp.fails("browser_act", click, "NAVIGATION_FAILED");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(says.as_str()), "{failure}");
        assert_eq!(failure["effect"], "done", "{failure}");
    }
    let going = mcp.fails(
        "browser_navigate",
        json!({"url": links.url("/empty")}),
        "NAVIGATION_FAILED",
    );
    assert!(
        going["message"].as_str().unwrap().contains(&empty),
        "{going}"
    );
    mcp.ok("browser_navigate", json!({"url": links.url("/")}));
    let gone = mcp.ok("browser_act", json!({"kind": "click", "selector": "#gone"}));
    assert_eq!(gone["navigation"]["status"], 404, "{gone}");
    mcp.ok("browser_navigate", json!({"url": links.url("/")}));
    let form = json!({"fields": [{"field": "q", "value": "a"}], "submit": true});
    let sent = mcp.short("workflow_fill_form", form);
    let navigation = &sent["submitted"]["navigation"];
    assert_eq!(navigation["error"], "net::ERR_CONNECTION_REFUSED", "{sent}");
    let there = format!("{dead}/form?q=a");
    assert_eq!(sent["url"], there, "{sent}");
    let tabs = mcp.ok("browser_tabs", json!({}));
    assert_eq!(tabs["tabs"][0]["url"], there, "{tabs}");
    // Nothing of the page can be there: what is waited or looked for says why.
    let wait = json!({"kind": "wait", "text": "Welcome", "timeout_ms": 1000});
    let after = json!({"kind": "press", "key": "a", "after": "Welcome", "timeout_ms": 1000});
    let click = json!({"kind": "click", "selector": "#dead"});
    let says = format!("because `{there}` did not load: net::ERR_CONNECTION_REFUSED");
    for (act, code) in [(wait, "TIMEOUT"), (after, "TIMEOUT"), (click, "NOT_FOUND")] {
        let failure = mcp.fails("browser_act", act, code);
        assert!(
            failure["message"].as_str().unwrap().contains(&says),
            "{failure}"
        );
        assert!(
            failure["hint"].as_str().unwrap().contains("go there again"),
            "{failure}"
        );
        assert_eq!(failure["effect"], "none", "{failure}");
    }
}
