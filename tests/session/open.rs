//! `session_open`: options, identity, and the message when they differ.

use serde_json::{Value, json};

use crate::harness::{SOON, Site, TestEnv, wait_until};

fn identity(opened: &Value, key: &str) -> Option<(String, String)> {
    let rows = opened["identity"].as_array().expect("identity rows");
    let row = rows.iter().find(|row| row["key"] == key)?;
    Some((
        row["value"].as_str()?.to_owned(),
        row["source"].as_str()?.to_owned(),
    ))
}

#[test]
fn the_page_asked_for_is_open_when_it_answers() {
    let env = TestEnv::new();
    let site = Site::of("<title>first</title>");
    let mut mcp = env.mcp();
    let opened = mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    assert_eq!(opened["session"], "work");
    assert_eq!(opened["mode"], "headless", "there is no display");
    let tabs = opened["tabs"].as_array().unwrap();
    assert!(
        tabs.iter()
            .any(|tab| tab["url"] == site.url("/") && tab["title"] == "first"),
        "{opened:#}"
    );
    assert_eq!(mcp.eval("work", "location.href"), site.url("/"));
}

#[test]
fn a_page_that_does_not_load_is_told_and_the_session_is_open() {
    let env = TestEnv::new();
    let dead = Site::of("").origin();
    let mut mcp = env.mcp();
    let opened = mcp.ok("session_open", json!({"session": "work", "url": dead}));
    assert_eq!(opened["started"], "started");
    assert!(
        opened["warnings"]
            .to_string()
            .contains("ERR_CONNECTION_REFUSED"),
        "{opened:#}"
    );
    assert_eq!(mcp.open_session("work")["started"], "joined");
}

#[test]
fn other_launch_options_for_an_open_session_are_refused_by_name() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "timezone": "Europe/Warsaw"}),
    );
    for (key, value, shown) in [
        ("timezone", json!("Asia/Tokyo"), "Asia/Tokyo"),
        ("locale", json!("de-DE"), "de-DE"),
        ("viewport", json!("900x700"), "900x700"),
        ("user_agent", json!("Mozilla/5.0 Other"), "Other"),
        ("proxy", json!("http://127.0.0.1:9"), "127.0.0.1:9"),
    ] {
        let failure = mcp.fails(
            "session_open",
            json!({"session": "work", key: value}),
            "OPTIONS_DIFFER",
        );
        let message = failure["message"].as_str().unwrap();
        assert!(
            message.contains(key) && message.contains(shown),
            "{failure}"
        );
        assert!(failure["hint"].is_string(), "{failure}");
    }
    // The same options, or none, join; from the terminal too.
    assert_eq!(
        mcp.ok(
            "session_open",
            json!({"session": "work", "timezone": "Europe/Warsaw"})
        )["started"],
        "joined"
    );
    assert_eq!(env.open("work")["started"], "joined");
    env.szk(["open", "work", "--detach", "--timezone", "Asia/Tokyo"])
        .fails("OPTIONS_DIFFER");
    env.szk(["open", "work", "--timezone", "Asia/Tokyo"])
        .fails("OPTIONS_DIFFER");
}

#[test]
fn an_identity_is_kept_for_life_and_says_where_it_is_from() {
    let env = TestEnv::new();
    env.config("[identity]\nlocale = \"pl-PL\"\n");
    let opened = env
        .szk([
            "open",
            "work",
            "--detach",
            "--json",
            "--timezone",
            "Asia/Tokyo",
            "--viewport",
            "1000x700",
        ])
        .json();
    assert_eq!(
        identity(&opened, "timezone").unwrap(),
        ("Asia/Tokyo".into(), "call".into())
    );
    let (locale, source) = identity(&opened, "locale").unwrap();
    assert_eq!(locale, "pl-PL");
    assert!(source.contains("szk.config.toml:2"), "{source}");
    let seen = "[Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth, innerHeight, navigator.language]";
    assert_eq!(
        env.eval("work", seen),
        json!(["Asia/Tokyo", 1000, 700, "pl-PL"])
    );
    env.close("work");
    // Neither another file nor an empty call changes the profile's identity.
    env.config("[identity]\nlocale = \"fr-FR\"\n");
    let again = env.open("work");
    assert_eq!(identity(&again, "timezone").unwrap().0, "Asia/Tokyo");
    let (locale, source) = identity(&again, "locale").unwrap();
    assert_eq!((locale.as_str(), source.as_str()), ("pl-PL", "profile"));
    assert_eq!(
        env.eval("work", seen),
        json!(["Asia/Tokyo", 1000, 700, "pl-PL"])
    );
}

#[test]
fn a_preset_excludes_single_values() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let both = json!({"session": "work", "preset": "laptop", "locale": "de-DE"});
    let failure = mcp.fails("session_open", both, "INVALID_INPUT");
    assert!(
        failure["message"].as_str().unwrap().contains("preset"),
        "{failure}"
    );
    let unknown = mcp.call(
        "session_open",
        json!({"session": "work", "preset": "lapptop"}),
    );
    let failure = crate::harness::mcp::failure(&unknown);
    assert!(
        failure.to_string().contains("laptop"),
        "the nearest is named: {failure}"
    );
    assert!(env.processes().iter().all(|process| !process.is_chromium()));
    let opened = mcp.ok(
        "session_open",
        json!({"session": "work", "preset": "laptop"}),
    );
    assert!(
        identity(&opened, "screen").unwrap().0.contains("1440"),
        "{opened:#}"
    );
    assert_eq!(
        mcp.eval(
            "work",
            "[screen.width, screen.height, innerWidth, innerHeight]"
        ),
        json!([1440, 900, 1440, 780])
    );
}

#[test]
fn without_a_name_it_is_the_only_open_one_or_default() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    assert_eq!(mcp.ok("session_open", json!({}))["session"], "default");
    assert_eq!(mcp.ok("session_open", json!({}))["started"], "joined");
    mcp.ok("session_close", json!({}));
    mcp.open_session("work");
    assert_eq!(mcp.ok("session_open", json!({}))["session"], "work");
    assert_eq!(
        mcp.ok("browser_run_code", json!({"code": "1"}))["session"],
        "work"
    );
}

#[test]
fn closing_every_page_is_not_losing_the_session() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let mut driver = crate::harness::Driver::puppeteer(&env, &endpoint);
    driver.run("for (const page of await browser.pages()) await page.close()");
    wait_until("no tab is listed", SOON, || {
        env.row("work")
            .is_some_and(|row| row["tabs"].as_array().is_none_or(Vec::is_empty))
    });
    let site = Site::of("<title>new</title>");
    mcp.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    assert_eq!(mcp.eval("work", "document.title"), "new");
}

#[test]
fn an_explicit_browser_that_is_wrong_is_an_error() {
    let mut env = TestEnv::new();
    env.set("SZK_CHROMIUM", "/nowhere/chromium");
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("BROWSER_NOT_FOUND");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("/nowhere/chromium") && message.contains("SZK_CHROMIUM"),
        "{failure}"
    );
    env.set("SZK_CHROMIUM", "/bin/false");
    let failure = env
        .szk(["open", "work", "--detach", "--json"])
        .run()
        .failure();
    assert!(
        matches!(
            failure["code"].as_str(),
            Some("BROWSER_NOT_FOUND" | "BROWSER_CRASHED")
        ),
        "{failure}"
    );
    assert!(
        failure["message"].as_str().unwrap().contains("/bin/false"),
        "{failure}"
    );
}

/// Chromium would ask a person about an extension that it cannot load, and wait.
#[test]
fn an_extension_that_cannot_be_loaded_is_told_before_the_browser_starts() {
    let env = TestEnv::new();
    let empty = env.work().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    let failure = env
        .szk(["open", "work", "--detach", "--extension", "/nowhere"])
        .fails("INVALID_INPUT");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("no extension at `/nowhere`"), "{failure}");
    let mut mcp = env.mcp();
    let input = json!({"session": "work", "extensions": [empty]});
    let failure = mcp.fails("session_open", input, "INVALID_INPUT");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("no `manifest.json`"), "{failure}");
    env.config("[browser]\nextensions = [\"nowhere\"]\n");
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("INVALID_CONFIG");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("szk.config.toml:2"), "{failure}");
    assert!(env.processes().iter().all(|process| !process.is_chromium()));
    assert_eq!(env.row("work"), None);
}

#[test]
fn progress_is_told_while_the_browser_starts() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let params = json!({"name": "session_open", "arguments": {"session": "work"}, "_meta": {"progressToken": "p"}});
    let id = mcp.request("tools/call", params);
    let progress = mcp.next("progress", SOON, |message| {
        message["method"] == "notifications/progress"
    });
    assert_eq!(progress["params"]["progressToken"], "p");
    assert!(progress["params"]["message"].is_string(), "{progress}");
    assert_eq!(mcp.answer(id)["result"]["isError"], false);
}

/// Root has no sandbox; szk says so when it creates a profile, and not again.
#[test]
fn root_is_told_once_that_there_is_no_sandbox() {
    let env = TestEnv::new();
    let told = || env.open("work")["warnings"].to_string().contains("sandbox");
    let root = rustix::process::geteuid().is_root();
    assert_eq!(told(), root);
    assert!(!told(), "to one who joins");
    env.close("work");
    assert!(!told(), "of a profile that was there");
}
