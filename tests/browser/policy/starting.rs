//! What `[policy]` means for a browser that starts, and for what the terminal does outside pages.

use std::fs;
use std::net::TcpListener;

use serde_json::json;

use super::limited;
use crate::harness::{Driver, Site, TestEnv};

const PERSON: &str = "denied_origins = [\"https://denied.example\"]";

#[test]
fn a_limited_browser_opens_no_port_of_chromiums_own() {
    let env = TestEnv::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    limited(&env, PERSON);
    env.szk(["open", "work", "--detach", "--raw-port", &port])
        .fails("POLICY_DENIED");
    let mut mcp = env.mcp();
    let input = json!({"session": "work", "raw_port": port.parse::<u16>().unwrap()});
    mcp.fails("session_open", input, "POLICY_DENIED");
    env.config(&format!(
        "[policy]\n{PERSON}\n[endpoint]\nraw_port = {port}\n"
    ));
    env.szk(["open", "work", "--detach"]).fails("POLICY_DENIED");
    assert!(env.chromium_processes().is_empty());
    // Without the port it opens.
    limited(&env, PERSON);
    env.open("work");
}

/// An extension could go anywhere: one that a call asks for is refused; those in the person's own
/// configuration are exempt.
#[test]
fn extensions_are_the_persons_own() {
    let env = TestEnv::new();
    let extension = env.work().join("extension");
    fs::create_dir(&extension).unwrap();
    let manifest = json!({
        "manifest_version": 3, "name": "marks", "version": "1",
        "content_scripts": [{"matches": ["<all_urls>"], "js": ["mark.js"], "run_at": "document_start"}],
    });
    fs::write(extension.join("manifest.json"), manifest.to_string()).unwrap();
    let mark = "document.documentElement.dataset.marked = 'yes';";
    fs::write(extension.join("mark.js"), mark).unwrap();
    limited(&env, PERSON);
    let path = extension.to_str().unwrap();
    env.szk(["open", "work", "--detach", "--extension", path])
        .fails("POLICY_DENIED");
    let mut mcp = env.mcp();
    let input = json!({"session": "work", "extensions": [path]});
    mcp.fails("session_open", input, "POLICY_DENIED");
    assert!(env.chromium_processes().is_empty());
    env.config(&format!(
        "[policy]\n{PERSON}\n[browser]\nextensions = [{path:?}]\n"
    ));
    env.open("work");
    let site = Site::of("<title>page</title>");
    env.navigate("work", &site.url("/"));
    let marked = env.eval("work", "document.documentElement.dataset.marked");
    assert_eq!(marked, "yes");
}

#[test]
fn the_terminal_writes_and_reads_where_it_may_too() {
    let env = TestEnv::new();
    env.open("work");
    let site = Site::of("<title>page</title>");
    env.navigate("work", &site.url("/"));
    env.szk(["close", "work"]).ok();
    let inside = env.work().join("out");
    fs::create_dir(&inside).unwrap();
    limited(&env, "write = [\"out\"]\nread = []\nexport_cookies = false");
    env.open("work");
    let at = |name: &str| env.work().join(name).to_str().unwrap().to_owned();
    for (verb, name) in [
        ("screenshot", "a.png"),
        ("pdf", "a.pdf"),
        ("snapshot", "a.txt"),
    ] {
        env.szk([verb, "-s", "work", "-o", &at(name)])
            .fails("POLICY_DENIED");
        assert!(!env.work().join(name).exists(), "{name}");
        let name = format!("out/{name}");
        env.szk([verb, "-s", "work", "-o", &at(&name)]).ok();
        assert!(env.work().join(&name).exists(), "{name}");
    }
    env.szk(["state", "export", "work", &at("state.json")])
        .fails("POLICY_DENIED");
    env.szk(["close", "work"]).ok();
    // An archive contains the cookies.
    env.szk(["profile", "export", "work", &at("out/work.tar.zst")])
        .fails("POLICY_DENIED");
    limited(&env, "write = [\"out\"]\nread = []");
    env.szk(["profile", "export", "work", &at("work.tar.zst")])
        .fails("POLICY_DENIED");
    let archive = at("out/work.tar.zst");
    env.szk(["profile", "export", "work", &archive]).ok();
    env.szk(["profile", "import", &archive, "--as", "again"])
        .fails("POLICY_DENIED");
    assert!(!env.store().join("again").exists());
}

/// The endpoint is a way into a page like any other.
#[test]
fn a_program_that_has_joined_starts_nothing_that_is_refused() {
    let env = TestEnv::new();
    limited(&env, PERSON);
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut program = Driver::playwright(&env, &endpoint);
    let error = program.throws("await page.goto('chrome://version')");
    assert!(
        error.contains("policy") || error.contains("BLOCKED"),
        "{error}"
    );
}
