//! Programs that join a session through the server, as from another machine.

use serde_json::json;

use super::{Server, token};
use crate::harness::{Driver, Site, TestEnv};

/// Works in a tab of its own, and reads a title.
const WORK: &str = "const own = await (lib.chromium ? browser.contexts()[0] : browser).newPage();
    await own.goto(URL); await own.click('button');
    const title = await own.title(); await own.close(); return title;";

#[test]
fn unmodified_playwright_and_puppeteer_join_through_the_server() {
    let env = TestEnv::new();
    let site =
        Site::of("<title>x</title><button onclick=\"document.title = 'pressed'\">Press</button>");
    let server = Server::start(&env);
    let cdp = token(&env, "cdp", &["--scope", "read,write,cdp"]);
    server
        .call(&cdp, "POST", "/v1/sessions", &json!({"session": "work"}))
        .ok();

    let version = server.get(&cdp, "/v1/sessions/work/cdp/json/version").ok();
    let through = format!(
        "ws://127.0.0.1:{}/v1/sessions/work/cdp/devtools/",
        server.port
    );
    let socket = version["webSocketDebuggerUrl"].as_str().unwrap();
    assert!(socket.starts_with(&through), "{version}");

    // The token is in the path, for programs that take nothing but an address.
    let in_path = format!("{}/token/{cdp}/v1/sessions/work/cdp", server.url);
    let endpoint = json!({"http_url": in_path, "ws_url": in_path.replace("http:", "ws:")});
    let code = WORK.replace("URL", &json!(site.url("/")).to_string());
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    assert_eq!(playwright.run(&code), "pressed");
    assert_eq!(puppeteer.run(&code), "pressed");

    // And in a header, as Playwright sends it with every request.
    let header = format!(
        "const two = await lib.chromium.connectOverCDP('{}/v1/sessions/work/cdp', {{headers: {{Authorization: 'Bearer {cdp}'}}}});
         return two.contexts()[0].pages().length > 0;",
        server.url
    );
    assert_eq!(playwright.run(&header), true);
    drop((playwright, puppeteer));
    // A WebSocket from a page's origin is refused before anything is connected.
    let bearer = format!("Bearer {cdp}");
    let page = [
        ("Authorization", bearer.as_str()),
        ("Upgrade", "websocket"),
        ("Origin", "https://evil.example"),
    ];
    server
        .ask("GET", "/v1/sessions/work/cdp", &page, "")
        .fails(403, "POLICY_DENIED");
    env.close("work");
}
