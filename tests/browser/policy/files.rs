//! `file:` addresses, and what is not an address at all.

use std::fs;

use serde_json::json;

use crate::harness::{Site, TestEnv};

#[test]
fn agents_cannot_open_files_and_what_is_no_address_leaves_the_page_alone() {
    let env = TestEnv::new();
    let site = Site::of("<title>in</title>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for url in [
        "file:///etc/hostname",
        "FILE:/etc/hostname",
        "view-source:file:///etc/hostname",
    ] {
        for (tool, input) in [
            ("browser_navigate", json!({"url": url})),
            ("browser_tabs", json!({"action": "open", "url": url})),
            (
                "workflow_login",
                json!({"url": url, "username": "a", "password": "b"}),
            ),
        ] {
            mcp.fails(tool, input, "POLICY_DENIED");
        }
    }
    let scraped = mcp.call("workflow_scrape", json!({"urls": ["file:///etc/hostname"]}));
    assert!(
        scraped.to_string().contains("file:` addresses are closed"),
        "{scraped}"
    );
    for url in [
        "hello world",
        "/etc/hostname",
        "./x.html",
        "JavaScript:1",
        "ftp://a.example/",
    ] {
        let failure = mcp.fails("browser_navigate", json!({"url": url}), "INVALID_INPUT");
        assert!(failure["hint"].is_string(), "{failure}");
    }
    assert_eq!(mcp.eval("work", "location.href"), site.url("/"));
}

/// The person opens one file; the page gets what is beside it, and no one gets any further.
#[test]
fn a_person_opens_a_file_in_a_terminal() {
    let env = TestEnv::new();
    let work = env.work();
    fs::create_dir(work.join("site")).unwrap();
    fs::write(work.join("secret.html"), "<title>secret</title>").unwrap();
    fs::write(work.join("site/page.css"), "body { color: rgb(1, 2, 3) }").unwrap();
    fs::write(work.join("site/other.html"), "<title>other</title>").unwrap();
    let page = "<title>page</title><link rel=stylesheet href=page.css><a href=other.html>other</a>
        <img src=../secret.png><iframe src=../secret.html></iframe>";
    fs::write(work.join("site/page.html"), page).unwrap();
    env.szk(["open", "work", "./site/nothing.html", "--detach"])
        .fails("NOT_FOUND");
    env.szk(["open", "work", "site/page.html", "--detach"]).ok();
    assert_eq!(env.eval("work", "document.title"), "page");
    let styled = "new Promise(done => { const look = () => getComputedStyle(document.body).color === 'rgb(1, 2, 3)' ? done(true) : requestAnimationFrame(look); look() })";
    assert_eq!(env.eval("work", styled), true);
    let mut mcp = env.mcp();
    let snapshot = mcp.ok(
        "browser_snapshot",
        json!({"session": "work", "mode": "full"}),
    );
    assert!(!snapshot.to_string().contains("secret"), "{snapshot}");
    // By any route: another file of the same folder was not opened.
    let other = format!("file://{}", work.join("site/other.html").display());
    mcp.fails(
        "browser_navigate",
        json!({"session": "work", "url": other}),
        "POLICY_DENIED",
    );
    mcp.fails(
        "browser_act",
        json!({"session": "work", "kind": "click", "selector": "a"}),
        "POLICY_DENIED",
    );
    let failure = mcp.call(
        "browser_run_code",
        json!({"session": "work", "code": "document.title"}),
    );
    assert!(!failure.to_string().contains("\"other\""), "{failure}");
    env.close("work");
    // `read` applies to the person too.
    env.config("[policy]\nread = [\"elsewhere\"]\n");
    let opened = env
        .szk(["open", "work", "./site/page.html", "--detach", "--json"])
        .json();
    assert!(
        opened["warnings"].to_string().contains("policy] read"),
        "{opened}"
    );
}

/// Whoever asks, and whatever the policy allows: no path reads or writes what is another profile's or szk's own.
#[test]
fn no_path_leads_into_the_store() {
    let env = TestEnv::new();
    let site = Site::of("<title>a</title><input type=file>");
    env.open("other");
    env.close("other");
    let state = env.in_profile("other", "state.json");
    let before = fs::read(&state).unwrap();
    std::os::unix::fs::symlink(env.store(), env.work().join("link")).unwrap();
    let linked = env.work().join("link/other/state.json");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let own = env.in_profile("work", "meta.json");
    let new = env.store().join("new/folder/a.json");
    for path in [&state, &linked, &own, &new, &env.store().join(".tokens")] {
        for (tool, input) in [
            ("browser_screenshot", json!({"path": path})),
            ("browser_snapshot", json!({"path": path})),
            ("browser_pdf", json!({"path": path})),
            ("browser_logs", json!({"path": path})),
            ("browser_arm", json!({"event": "download", "path": path})),
            ("browser_arm", json!({"event": "chooser", "paths": [path]})),
            ("session_state", json!({"action": "export", "path": path})),
            ("session_state", json!({"action": "import", "path": path})),
            (
                "browser_act",
                json!({"kind": "upload", "selector": "input", "paths": [path]}),
            ),
        ] {
            let failure = mcp.fails(tool, input, "POLICY_DENIED");
            let hint = failure["hint"].as_str().unwrap();
            assert!(hint.contains("`artifacts`"), "{failure}");
        }
    }
    let shown = state.display().to_string();
    for command in [
        vec!["upload", "input", &*shown, "-s", "work"],
        vec!["state", "export", "work", &*shown],
        vec!["screenshot", "--out", &*shown, "-s", "work"],
    ] {
        env.szk(command).fails("POLICY_DENIED");
    }
    env.szk(["profile", "export", "other", &*shown])
        .fails("POLICY_DENIED");
    assert_eq!(fs::read(&state).unwrap(), before);
    assert!(!env.store().join("new").exists());
    // The session's own folders are open, and all that is elsewhere.
    for path in [
        env.in_profile("work", "artifacts/state.json"),
        env.in_profile("work", "downloads/state.json"),
        env.work().join("state.json"),
    ] {
        for action in ["export", "import"] {
            mcp.ok("session_state", json!({"action": action, "path": path}));
        }
    }
}
