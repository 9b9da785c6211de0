//! The client asks its user if it can: the official SDK declares that it can, in both ways.

use serde_json::{Value, json};

use super::site::{self, PASSWORD};
use crate::harness::{TestEnv, script};

fn ask(way: &str, answer: &str) -> Value {
    let env = TestEnv::new();
    let site = site::serve();
    env.szk(["secret", "set", "shop"]).input(PASSWORD).ok();
    let args = [env!("CARGO_BIN_EXE_szk"), &site.url("/code"), way, answer];
    let said = script(&env, "mcp-elicit.mjs", &args);
    assert_eq!(said["error"], Value::Null, "{said:#}");
    said
}

#[test]
fn a_form_is_accepted_when_the_person_is_done() {
    let said = ask("form", "accept");
    assert_eq!(said["login"]["outcome"], "logged_in", "{said:#}");
    let asked = &said["asked"][0];
    assert_eq!(asked["mode"], "form");
    let message = asked["message"].as_str().unwrap();
    assert!(message.contains("http://127.0.0.1:"), "{message}");
    assert_eq!(
        asked["fields"],
        json!([]),
        "nothing goes through the model's hands"
    );
}

#[test]
fn an_address_is_opened_and_the_live_view_says_when_it_is_done() {
    let said = ask("url", "accept");
    assert_eq!(said["login"]["outcome"], "logged_in", "{said:#}");
    let asked = &said["asked"][0];
    assert_eq!(asked["mode"], "url");
    assert!(
        asked["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:"),
        "{asked}"
    );
}

#[test]
fn a_person_may_decline() {
    let said = ask("form", "decline");
    assert_eq!(said["login"]["outcome"], "needs_person", "{said:#}");
    assert_eq!(said["asked"].as_array().map(Vec::len), Some(1), "{said:#}");
}

#[test]
fn without_the_capability_nobody_is_asked() {
    let said = ask("none", "accept");
    assert_eq!(said["login"]["outcome"], "needs_person", "{said:#}");
    assert!(said["login"]["handoff_url"].is_string(), "{said:#}");
    assert_eq!(said["asked"], json!([]));
}
