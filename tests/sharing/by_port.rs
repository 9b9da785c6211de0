//! Programs that only take host and port: Selenium, nodriver and zendriver from PyPI, unmodified.

use std::path::Path;

use serde_json::Value;

use crate::harness::http::{get, is_open, request};
use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

const PAGE: &str = r#"<!doctype html><title>form</title>
<label>Name <input id=name></label>
<button onclick="document.title = 'hello ' + document.querySelector('#name').value">Greet</button>"#;

/// An open session with a plain port, on the site's page.
fn open(env: &TestEnv) -> (Site, u16) {
    let site = Site::plan().page("/", PAGE).serve();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let port = env
        .szk(["endpoint", "work", "--plain-port", "--json"])
        .json()["plain_port"]
        .as_u64();
    let port = u16::try_from(port.expect("a second port")).unwrap();
    (site, port)
}

/// Lets a driver open its own page, work in it, close it and leave.
fn drives(tool: &str) {
    let env = TestEnv::new();
    let (site, port) = open(&env);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = std::path::absolute(root.join("target/python/bin/python")).unwrap();
    assert!(
        python.exists(),
        "the packages of PyPI are not installed: run `scripts/python` (scripts/test does)"
    );
    let script = root.join("tests/python/join.py").display().to_string();
    let (port, url) = (port.to_string(), site.url("/"));
    let seen: Value = env
        .program(&python, [script.as_str(), tool, &port, &url])
        .json();
    assert_eq!(
        seen["first"],
        site.url("/"),
        "the tab that is there: {seen}"
    );
    assert_eq!(seen["title"], "hello Ada", "{seen}");
    assert_eq!(seen["picture"], true, "{seen}");

    // It leaves nothing behind, and the browser is still there.
    let tabs = || env.row("work").unwrap()["tabs"].clone();
    wait_until("its page is closed", SOON, || {
        tabs().as_array().is_some_and(|tabs| tabs.len() == 1)
    });
    assert_eq!(env.eval("work", "document.title"), "form");
}

#[test]
fn selenium() {
    drives("selenium");
}

#[test]
fn nodriver() {
    drives("nodriver");
}

#[test]
fn zendriver() {
    drives("zendriver");
}

#[test]
fn the_plain_port_is_opened_on_request_and_keeps_others_out() {
    let env = TestEnv::new();
    env.open("work");
    let endpoint = env.endpoint("work");
    assert_eq!(endpoint.get("plain_port"), None, "{endpoint}");
    let (_, port) = open(&env);
    let again = env.endpoint("work");
    assert_eq!(again["plain_port"], port, "told from now on");
    let version = get(port, "/json/version");
    assert_eq!(version.status, 200, "{version:?}");
    let http = again["http_url"].as_str().unwrap();
    let token = http.rsplit_once('/').unwrap().1;
    assert!(!version.body.contains(token), "the token is not given away");
    let host = format!("127.0.0.1:{port}");
    let page = [("Host", &*host), ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(request(port, "GET", "/json/list", &page).status, 403);

    // Another user of this machine gets a 404, as on the other port.
    let url = format!("http://{host}/json/version");
    let stranger = [
        "--reuid=65534",
        "--clear-groups",
        "curl",
        "-s",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        &url,
    ];
    let mine = &stranger[2..];
    let status =
        |program: &str, args: &[&str]| env.program(program, args.iter().copied()).run().stdout;
    assert_eq!(status(mine[0], &mine[1..]), "200");
    if rustix::process::geteuid().is_root() {
        assert_eq!(status("setpriv", &stranger), "404");
    }

    // Puppeteer can find the browser through it, too.
    let endpoint = serde_json::json!({
        "http_url": format!("http://{host}"),
        "ws_url": version.json()["webSocketDebuggerUrl"],
    });
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    let code = "const it = await lib.connect({ browserURL: process.env.SZK_CDP_ENDPOINT, defaultViewport: null }); \
                const found = (await it.pages()).length; it.disconnect(); return found";
    assert_eq!(puppeteer.run(code), 1);
    let mut playwright = Driver::playwright(&env, &endpoint);
    assert_eq!(playwright.run("return browser.contexts().length"), 1);
    env.close("work");
    wait_until("the port is closed", SOON, || !is_open(port));
}
