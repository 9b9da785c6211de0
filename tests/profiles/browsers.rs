//! Cookies from another local browser: a real Chromium's files, which szk did not write.

use std::fs;

use serde_json::json;

use crate::harness::{LoginSite, TestEnv};

/// A person's Chromium, in its usual place, logged in.
fn at_home(env: &TestEnv, login: &LoginSite) {
    env.open("source");
    login.log_in(env, "source");
    env.close("source");
    let home = env.path().join("home/config/chromium");
    // The browser has put crash reports there, or would.
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    fs::rename(env.in_profile("source", "profile"), &home).unwrap();
    env.szk(["delete", "source", "--yes"]).ok();
}

fn import<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["state", "import", "work", "--from"];
    args.extend(more);
    args
}

#[test]
fn a_login_moves_over_with_consent_and_without_a_value_being_shown() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    at_home(&env, &login);
    let refused = env
        .szk(import(&["chromium", "--domain", "127.0.0.1"]))
        .fails("POLICY_DENIED");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains("home/config/chromium/Default/Cookies"),
        "{message}"
    );
    assert!(refused["hint"].as_str().unwrap().contains("--yes"));

    let yes = import(&["chromium", "--domain", "127.0.0.1", "--yes", "--json"]);
    let imported = env.szk(yes).json();
    assert!(
        imported["counts"]["cookies"].as_u64().unwrap() > 0,
        "{imported:#}"
    );
    assert!(!imported.to_string().contains("persistent"), "{imported:#}");
    env.open("work");
    let cookies = &login.who(&env, "work")["cookies"];
    assert!(
        cookies.as_array().unwrap().contains(&json!("keep")),
        "{cookies}"
    );
    let row = env.row("work").unwrap();
    assert_eq!(row["logins"][0]["site"], "127.0.0.1", "{row:#}");
    assert_eq!(row["logins"][0]["signed_in"], true, "{row:#}");
    assert!(
        fs::read_dir(env.path().join("tmp"))
            .unwrap()
            .flatten()
            .all(|entry| {
                !entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with("szk-cookies")
            })
    );
}

#[test]
fn an_agent_cannot_agree_in_the_persons_place() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    at_home(&env, &login);
    let mut mcp = env.mcp();
    let ask =
        json!({"session": "work", "action": "import", "from": "chromium", "domain": "127.0.0.1"});
    let refused = mcp.fails("session_state", ask, "POLICY_DENIED");
    let hint = refused["hint"].as_str().unwrap();
    assert!(
        hint.contains("szk state import work --from 'chromium'"),
        "{hint}"
    );
    assert!(env.row("work").is_none(), "nothing was opened for it");
}

#[test]
fn what_is_not_there_is_named() {
    let env = TestEnv::new();
    let failing = |args: &[&str], code: &str| env.szk(import(args)).fails(code);
    failing(&["safari", "--domain", "x.test", "--yes"], "INVALID_INPUT");
    let none = failing(&["firefox", "--domain", "x.test", "--yes"], "NOT_FOUND");
    assert!(none["message"].as_str().unwrap().contains("firefox"));
    // Which cookies must always be specified.
    let ended = env.szk(import(&["chrome", "--yes"])).run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    assert!(!env.store().exists());
}

#[test]
fn a_login_that_ended_is_told() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    let command = format!("curl -b 'keep=1' '{}'", login.site.url("/home"));
    env.szk(["state", "import", "work", "-", "--domain", "127.0.0.1"])
        .input(command)
        .ok();
    assert_eq!(env.row("work").unwrap()["logins"][0]["signed_in"], true);
    env.open("work");
    env.navigate("work", &login.site.url("/home"));
    env.eval_main("work", "document.cookie = 'keep=; Max-Age=0'");
    env.close("work");
    let row = env.row("work").unwrap();
    assert_eq!(row["logins"][0]["signed_in"], false, "{row:#}");
    assert_eq!(row["logins"][0]["ended"], "cookie `keep` is gone");
    let table = env.szk(["list"]).ok().stdout;
    assert!(table.contains("127.0.0.1 (ended)"), "{table}");
}
