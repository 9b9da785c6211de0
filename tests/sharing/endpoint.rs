//! The endpoint: who gets in, and where it is.

use std::net::TcpListener;

use serde_json::Value;

use crate::harness::http::{get, is_open, parts, request};
use crate::harness::{Driver, SOON, TestEnv, wait_until};

fn url(endpoint: &Value) -> (u16, String) {
    parts(endpoint["http_url"].as_str().expect("an address"))
}

#[test]
fn it_opens_when_it_is_asked_for_and_closes_with_the_session() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    assert_eq!(env.row("work").unwrap()["endpoint_open"], false);
    let endpoint = env.endpoint("work");
    let (port, _) = url(&endpoint);
    assert!((10_000..=32_767).contains(&port), "{port}");
    assert_eq!(endpoint["port"], port);
    assert!(is_open(port));
    assert_eq!(env.row("work").unwrap()["endpoint_open"], true);
    assert_eq!(
        env.endpoint("work")["http_url"],
        endpoint["http_url"],
        "asked again, it is the same"
    );
    env.close("work");
    wait_until("the port is closed", SOON, || !is_open(port));
}

#[test]
fn only_who_shows_the_token_is_let_in() {
    let env = TestEnv::new();
    env.open("work");
    let (port, token) = url(&env.endpoint("work"));
    let host = format!("127.0.0.1:{port}");
    let ask = |path: &str, headers: &[(&str, &str)]| request(port, "GET", path, headers).status;

    let version = get(port, &format!("{token}/json/version"));
    assert_eq!(version.status, 200, "{version:?}");
    let socket = version.json()["webSocketDebuggerUrl"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        socket.starts_with(&format!("ws://127.0.0.1:{port}{token}/devtools/browser/")),
        "{socket}"
    );
    let bearer = format!("Bearer {}", &token[1..]);
    assert_eq!(
        ask(
            "/json/version",
            &[("Host", &host), ("Authorization", &bearer)]
        ),
        200
    );

    // Without the token every request gets a 404.
    let mut wrong = token.clone();
    let last = if wrong.pop() == Some('0') { '1' } else { '0' };
    wrong.push(last);
    for path in [
        "/",
        "/json/version",
        "/json/list",
        "/devtools/browser/x",
        &format!("{wrong}/json/version"),
        &token[..20],
    ] {
        assert_eq!(ask(path, &[("Host", &host)]), 404, "{path}");
    }
    assert_eq!(
        ask(
            "/json/version",
            &[("Host", &host), ("Authorization", "Bearer 0")]
        ),
        404
    );
    // With it, but with a web page's origin.
    let version = format!("{token}/json/version");
    for other in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1:1",
    ] {
        assert_eq!(ask(&version, &[("Host", other)]), 403, "{other}");
    }
    // As chromedriver sends it: no page has such a host.
    assert_eq!(ask(&version, &[("Host", "127.0.0.1")]), 200);
    for origin in ["http://evil.example", "null", &format!("http://{host}")] {
        assert_eq!(
            ask(&version, &[("Host", &host), ("Origin", origin)]),
            403,
            "{origin}"
        );
    }
    let upgrade = [
        ("Host", host.as_str()),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Origin", "http://evil.example"),
    ];
    assert_eq!(ask(&parts(&socket).1, &upgrade), 403);
}

#[test]
fn an_allowed_origin_and_no_authentication_can_be_chosen() {
    let env = TestEnv::new();
    env.config("[endpoint]\nauth = \"none\"\nallowed_origins = [\"http://tool.example\"]\n");
    env.open("work");
    let (port, path) = url(&env.endpoint("work"));
    assert_eq!(path, "/", "an address without a token");
    let host = format!("127.0.0.1:{port}");
    let ask = |origin: &str| {
        request(
            port,
            "GET",
            "/json/version",
            &[("Host", &host), ("Origin", origin)],
        )
        .status
    };
    assert_eq!(get(port, "/json/version").status, 200);
    assert_eq!(ask("http://tool.example"), 200);
    assert_eq!(ask("http://evil.example"), 403);
}

#[test]
fn the_address_survives_a_restart() {
    let env = TestEnv::new();
    env.open("work");
    let before = env.endpoint("work");
    env.close("work");
    env.open("work");
    let after = env.endpoint("work");
    for key in ["http_url", "ws_url", "port"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    env.close("work");
    // If the port is taken, the next one of the same sequence works.
    let (port, _) = url(&before);
    let _taken = TcpListener::bind(("127.0.0.1", port)).expect("it was given back");
    env.open("work");
    let (next, token) = url(&env.endpoint("work"));
    assert_ne!(next, port);
    assert_eq!(get(next, &format!("{token}/json/version")).status, 200);
}

#[test]
fn two_profiles_have_two_endpoints() {
    let env = TestEnv::new();
    env.open("one");
    env.open("two");
    let (one, two) = (url(&env.endpoint("one")), url(&env.endpoint("two")));
    assert_ne!(one.0, two.0);
    assert_ne!(one.1, two.1);
    assert_eq!(
        get(two.0, &format!("{}/json/version", one.1)).status,
        404,
        "one's token does not open the other"
    );
}

#[test]
fn targets_are_listed_opened_and_closed_over_http() {
    let env = TestEnv::new();
    env.open("work");
    let (port, token) = url(&env.endpoint("work"));
    let list = || {
        get(port, &format!("{token}/json/list"))
            .json()
            .as_array()
            .unwrap()
            .clone()
    };
    let before = list();
    assert!(
        before.iter().all(|target| !matches!(
            target["type"].as_str(),
            Some("browser" | "tab" | "browser_ui")
        )),
        "{before:#?}"
    );
    let host = format!("127.0.0.1:{port}");
    let new = format!("{token}/json/new?about:blank%23new");
    assert_eq!(
        request(port, "GET", &new, &[("Host", &host)]).status,
        405,
        "a link must not open pages"
    );
    let opened = request(
        port,
        "PUT",
        &new,
        &[("Host", &host), ("Content-Length", "0")],
    );
    assert_eq!(opened.status, 200, "{opened:?}");
    let id = opened.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(list().len(), before.len() + 1);
    assert_eq!(get(port, &format!("{token}/json/close/{id}")).status, 200);
    wait_until("it is gone", SOON, || list().len() == before.len());
    assert_eq!(get(port, &format!("{token}/json/close/{id}")).status, 404);
    let protocol = get(port, &format!("{token}/json/protocol")).json();
    let domains = protocol["domains"].as_array().unwrap();
    assert!(domains.iter().any(|domain| domain["domain"] == "Page"));
}

#[test]
fn clients_are_named_and_cannot_end_the_browser() {
    let env = TestEnv::new();
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let _puppeteer = Driver::puppeteer(&env, &endpoint);
    let clients = env.endpoint("work")["clients"].clone();
    assert_eq!(clients.as_array().map(Vec::len), Some(2), "{clients:#}");
    for (method, params) in [
        ("Browser.crash", "{}"),
        ("Browser.crashGpuProcess", "{}"),
        ("Target.setRemoteLocations", "{locations: []}"),
        ("Target.exposeDevToolsProtocol", "{targetId: 'x'}"),
    ] {
        let error = playwright.throws(&format!(
            "const cdp = await browser.newBrowserCDPSession(); await cdp.send('{method}', {params})"
        ));
        assert!(error.contains("Protocol error"), "{method}: {error}");
    }
    playwright.run("const cdp = await browser.newBrowserCDPSession(); cdp.send('Browser.close').catch(() => {})");
    assert_eq!(env.eval("work", "1 + 1"), 2);
    assert!(is_open(url(&endpoint).0));
    assert_eq!(env.browsers().len(), 1);
}
