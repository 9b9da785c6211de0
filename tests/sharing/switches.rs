//! The endpoint's settings, as users write them.

use std::net::TcpListener;

use serde_json::json;

use crate::harness::http::get;
use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

#[test]
fn what_is_denied_is_refused_and_says_so() {
    let env = TestEnv::new();
    env.config("[endpoint]\ndeny = [\"Storage.getCookies\", \"Network\"]\nmax_clients = 2\n");
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let error = playwright.throws("return browser.contexts()[0].cookies()");
    assert!(error.contains("endpoint.deny"), "{error}");
    let explained = env.szk(["config", "explain", "--json"]).json().to_string();
    assert!(explained.contains("endpoint.deny"), "{explained}");
    // There is room for one more.
    let _second = Driver::raw(&env, &endpoint);
    let port = endpoint["port"].as_u64().unwrap() as u16;
    let full = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Driver::raw(&env, &endpoint)
    }));
    assert!(full.is_err(), "a third client was let in");
    let path = crate::harness::http::parts(endpoint["http_url"].as_str().unwrap()).1;
    assert_eq!(get(port, &format!("{path}/json/version")).status, 200);
}

#[test]
fn own_tabs_are_all_that_a_client_sees() {
    let env = TestEnv::new();
    let site = Site::of("<title>mine</title>");
    env.config("[endpoint]\ntabs = \"own\"\n");
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    assert_eq!(
        playwright.run("return browser.contexts()[0].pages().length"),
        0
    );
    let url = site.url("/");
    playwright.run(&format!(
        "state.page = await browser.contexts()[0].newPage(); await state.page.goto('{url}')"
    ));
    assert_eq!(playwright.run("return state.page.title()"), "mine");
    assert_eq!(
        playwright.run("return browser.contexts()[0].pages().length"),
        1
    );
    // No one is held up, and others are invisible.
    let mut other = Driver::playwright(&env, &endpoint);
    assert_eq!(other.run("return browser.contexts()[0].pages().length"), 0);
    env.navigate("work", &site.url("/"));
    wait_until("both tabs are listed", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_some_and(|tabs| tabs.len() == 2)
    });
}

#[test]
fn the_raw_port_is_chromiums_own_and_comes_with_a_warning() {
    let env = TestEnv::new();
    let site = Site::of("<title>raw</title>");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let text = port.to_string();
    let opened = env
        .szk(["open", "work", "--detach", "--json", "--raw-port", &text])
        .json();
    let warnings = opened["warnings"].to_string();
    assert!(
        warnings.contains("without token, shield or policy"),
        "{warnings}"
    );
    wait_until("Chromium listens", SOON, || {
        crate::harness::http::is_open(port)
    });
    let address = format!("http://127.0.0.1:{port}");
    let mut direct = Driver::playwright(&env, &json!({"http_url": address, "ws_url": ""}));
    assert_eq!(direct.run("return page.url()"), "about:blank");
    drop(direct);
    // Pages do not see the port.
    env.navigate("work", &site.url("/"));
    let main = [
        "run-code",
        "navigator.webdriver",
        "--world",
        "main",
        "-s",
        "work",
        "--json",
    ];
    assert_eq!(env.szk(main).json()["value"], json!(false));
}
