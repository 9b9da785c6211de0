//! `szk gc` and `szk profile maintain`.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{LoginSite, TestEnv};

fn kinds(answer: &Value) -> Vec<&str> {
    let litter = answer["litter"].as_array().unwrap();
    litter
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect()
}

#[test]
fn gc_says_what_would_go_and_then_it_goes() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    env.open("live");
    fs::write(env.in_profile("work", "state.json.corrupt-1"), "{").unwrap();
    fs::write(env.in_profile("live", "state.json.corrupt-1"), "{").unwrap();
    fs::create_dir_all(env.store().join(".trash/old-1/profile")).unwrap();
    let dry = env.szk(["gc", "--dry-run", "--json"]).json();
    assert_eq!(kinds(&dry), ["trash", "corrupt"], "{dry:#}");
    assert_eq!(dry["open"], json!(["live"]));
    let wet = env.szk(["gc", "--json"]).json();
    assert_eq!(wet["litter"], dry["litter"]);
    assert!(!env.in_profile("work", "state.json.corrupt-1").exists());
    assert!(env.in_profile("live", "state.json.corrupt-1").exists());
    assert_eq!(kinds(&env.szk(["gc", "--json"]).json()), [""; 0]);
    assert_eq!(env.eval("live", "6 * 7"), 42);
}

#[test]
fn maintenance_makes_a_profile_smaller_and_loses_no_login() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    let open = env.szk(["profile", "maintain", "work", "--json"]).json();
    assert!(
        open["sessions"][0]["notes"].to_string().contains("in use"),
        "{open:#}"
    );
    env.close("work");
    let done = env.szk(["profile", "maintain", "--json"]).json();
    let row = &done["sessions"][0];
    assert_eq!(row["session"], "work");
    assert!(row.get("notes").is_none(), "{row:#}");
    assert!(row["caches"].as_u64().unwrap() > 0, "{row:#}");
    assert!(
        row["after"].as_u64().unwrap() < row["before"].as_u64().unwrap(),
        "{row:#}"
    );
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}
