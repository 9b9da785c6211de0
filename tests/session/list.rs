//! `session_list`.

use std::fs;

use serde_json::json;

use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

#[test]
fn what_is_open_and_what_is_stored() {
    let env = TestEnv::new();
    let site = Site::of("<title>shop</title>");
    let mut mcp = env.mcp();
    assert_eq!(mcp.ok("session_list", json!({}))["sessions"], json!([]));
    env.open("stored");
    env.close("stored");
    mcp.ok(
        "session_open",
        json!({"session": "open", "url": site.url("/"), "preset": "desktop"}),
    );
    let list = mcp.ok("session_list", json!({}));
    assert_eq!(list["store"], env.store().display().to_string());
    let rows = list["sessions"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{list:#}");
    let (open, stored) = (&rows[0], &rows[1]);
    assert_eq!(
        (&open["session"], &open["status"]),
        (&json!("open"), &json!("open"))
    );
    assert_eq!(
        (&open["kind"], &open["preset"]),
        (&json!("profile"), &json!("desktop"))
    );
    assert_eq!(open["tabs"][0]["url"], site.url("/"));
    assert!(open["clients"].to_string().contains("e2e"), "{open:#}");
    assert!(
        open["keeper_pid"].is_u64() && open["last_used"].is_string(),
        "{open:#}"
    );
    assert_eq!(
        (&stored["session"], &stored["status"]),
        (&json!("stored"), &json!("stored"))
    );
    assert!(
        stored["size_bytes"].as_u64().unwrap() > 10_000,
        "{stored:#}"
    );
    // Chromium reports titles when it likes.
    wait_until("the title is listed", SOON, || {
        env.row("open").unwrap()["tabs"][0]["title"] == "shop"
    });
    let result = mcp.call("session_list", json!({"open_only": true}));
    assert!(
        result["content"].to_string().contains("1 session, 1 open"),
        "{result:#}"
    );
    let rows = result["structuredContent"]["sessions"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{result:#}");
    // It is in use all the time.
    assert_ne!(rows[0]["last_used"], open["last_used"], "{result:#}");
}

/// Chromium does not announce titles; szk has to ask.
#[test]
fn titles_are_listed_whoever_brought_the_page() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>shop</title>")
        .page("/bare", "<p>nothing")
        .serve();
    env.open("work");
    let mut driver = Driver::puppeteer(&env, &env.endpoint("work"));
    let title = || {
        let tab = env.row("work").unwrap()["tabs"][0].clone();
        let is_there = tab["url"].as_str().unwrap().starts_with(&site.origin());
        assert!(is_there, "{tab}");
        tab["title"].as_str().unwrap().to_owned()
    };
    driver.run(&format!("await page.goto('{}')", site.url("/")));
    wait_until("the title is listed", SOON, || title() == "shop");
    driver.run("await page.evaluate(() => { document.title = 'cart' })");
    wait_until("the new title is listed", SOON, || title() == "cart");
    driver.run(&format!("await page.goto('{}')", site.url("/bare")));
    // An address is not a title, not even for a moment.
    assert_eq!(title(), "");
}

#[test]
fn the_terminal_shows_the_same_as_a_table() {
    let env = TestEnv::new();
    env.open("work");
    let table = env.szk(["list"]).ok();
    assert!(
        table.stdout.contains("work") && table.stdout.contains("open"),
        "{table:#?}"
    );
    assert_eq!(
        env.szk(["ps"]).ok().stdout.lines().count(),
        table.stdout.lines().count()
    );
    assert!(
        !table.stdout.contains('\u{1b}'),
        "no colour into a pipe: {table:#?}"
    );
    let empty = env.szk(["list", "--store", "elsewhere"]).ok();
    assert!(empty.stderr.contains("szk open"), "{empty:#?}");
    assert!(
        !env.work().join("elsewhere").exists(),
        "looking makes nothing"
    );
}

#[test]
fn what_is_broken_is_listed_with_what_is_wrong() {
    let env = TestEnv::new();
    let folder = env.store().join("broken");
    fs::create_dir_all(folder.join("profile")).unwrap();
    fs::write(folder.join("meta.json"), "{").unwrap();
    let row = env.row("broken").expect("it is listed");
    assert!(
        row["note"].as_str().unwrap().contains("meta.json"),
        "{row:#}"
    );
    fs::write(folder.join("keeper.json"), "nonsense").unwrap();
    assert_eq!(env.row("broken").unwrap()["status"], "stored");
}
