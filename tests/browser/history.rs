//! `browser_navigate` with `history`: back, forward and reload.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::navigate::open;
use crate::harness::{Answer, Lease, Site, TestEnv};

fn site() -> Site {
    Site::plan()
        .page("/a", "<title>a</title>")
        .page("/b", "<title>b</title>")
        .serve()
}

#[test]
fn through_the_history() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    for path in ["/a", "/b"] {
        mcp.ok("browser_navigate", json!({"url": site.url(path)}));
    }
    for (step, url) in [
        ("back", "/a"),
        ("forward", "/b"),
        ("reload", "/b"),
        ("back", "/a"),
    ] {
        assert_eq!(
            mcp.ok("browser_navigate", json!({"history": step}))["url"],
            site.url(url),
            "{step}"
        );
    }
    mcp.ok("browser_navigate", json!({"history": "back"}));
    let call = mcp.call("browser_navigate", json!({"history": "back"}));
    assert_eq!(
        call["isError"], true,
        "there is nothing further back: {call:#}"
    );
    assert_eq!(mcp.eval("work", "1"), 1);
}

/// A document restored from the back/forward cache was not loaded, but the tab has arrived all the
/// same.
#[test]
fn going_back_is_told_as_that() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = open(&env);
    for path in ["/a", "/b"] {
        mcp.ok("browser_navigate", json!({"url": site.url(path)}));
    }
    let back = mcp.call("browser_navigate", json!({"history": "back"}));
    let told = back["content"][0]["text"].as_str().unwrap();
    assert!(
        told.starts_with(&format!("t1 is at {}", site.url("/a"))),
        "{told}"
    );
}

/// Where the server has no page any more, what comes is a file: the tab stays where it is.
#[test]
fn an_entry_that_has_become_a_download_leaves_the_tab_where_it_is() {
    let env = TestEnv::new();
    let times = AtomicU32::new(0);
    let once = move |_: &_| match times.fetch_add(1, Ordering::SeqCst) {
        // Out of the back/forward cache it would come as it was.
        0 => Answer::html(
            "<title>first</title><script>addEventListener('unload', () => {})</script>",
        ),
        _ => Answer::bytes("application/octet-stream", b"data".to_vec())
            .header("content-disposition", "attachment; filename=data.bin"),
    };
    let site = Site::plan()
        .page("/b", "<title>b</title>")
        .on("/once", once);
    let site = site.serve();
    let mut mcp = open(&env);
    mcp.ok("browser_navigate", json!({"url": site.url("/once")}));
    let reload = mcp.ok("browser_navigate", json!({"history": "reload"}));
    assert_eq!(
        (&reload["loaded"], &reload["url"]),
        (&json!(false), &json!(site.url("/once"))),
        "{reload}"
    );
    mcp.ok("browser_navigate", json!({"url": site.url("/b")}));
    let call = mcp.call("browser_navigate", json!({"history": "back"}));
    let told = call["content"][0]["text"].as_str().unwrap();
    let place = format!(
        "t1 is at {}, as before: the address is a download",
        site.url("/b")
    );
    assert!(told.starts_with(&place), "{told}");
}
