//! An unusable `state.json` never prevents opening, and is not thrown away.

use std::fs;

use serde_json::{Value, json};

use super::files::copy;
use crate::harness::{LoginSite, TestEnv};

/// A closed profile that was logged in; `damage` has then replaced its state.
fn damaged(damage: impl Fn(String) -> Vec<u8>) -> (TestEnv, LoginSite, Value) {
    let login = LoginSite::serve();
    let env = logged_in(&login);
    let path = env.in_profile("work", "state.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, damage(whole)).unwrap();
    let opened = env.open("work");
    (env, login, opened)
}

/// A closed profile that was logged in.
fn logged_in(login: &LoginSite) -> TestEnv {
    let env = TestEnv::new();
    env.open("work");
    login.log_in(&env, "work");
    env.navigate("work", "about:blank");
    env.close("work");
    env
}

#[track_caller]
fn warned(opened: &Value) {
    assert!(
        opened["warnings"].to_string().contains("state"),
        "{opened:#}"
    );
}

/// Files of the profile whose names start with `state`.
fn kept(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.store().join("work")).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name.starts_with("state"));
    names.sort();
    names
}

#[test]
fn corrupt() {
    let (env, login, opened) = damaged(|_| b"\x00\x01 not json".to_vec());
    warned(&opened);
    assert!(
        kept(&env).iter().any(|name| name.contains("corrupt")),
        "{:?}",
        kept(&env)
    );
    // The browser's own data is there, and the last good copy has the rest.
    assert_eq!(login.who(&env, "work"), login.jane());
    env.close("work");
    assert!(
        env.open("work")["warnings"]
            .as_array()
            .is_none_or(Vec::is_empty),
        "told once"
    );
}

#[test]
fn half_written() {
    let (env, login, opened) = damaged(|whole| whole.as_bytes()[..whole.len() / 2].to_vec());
    warned(&opened);
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn empty() {
    let (env, login, opened) = damaged(|_| Vec::new());
    warned(&opened);
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn what_is_no_file_at_all() {
    let login = LoginSite::serve();
    let template = logged_in(&login);
    for kind in ["folder", "pipe", "giant"] {
        let env = TestEnv::new();
        copy(&template.store(), &env.store());
        let path = env.in_profile("work", "state.json");
        fs::remove_file(&path).unwrap();
        match kind {
            "folder" => fs::create_dir(&path).unwrap(),
            "pipe" => rustix::fs::mknodat(
                rustix::fs::CWD,
                &path,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .unwrap(),
            _ => fs::File::create(&path).unwrap().set_len(6 << 30).unwrap(),
        }
        warned(&env.open("work"));
        // The previous state has what Chromium forgets.
        assert_eq!(login.who(&env, "work"), login.jane(), "{kind}");
        assert!(
            kept(&env).iter().any(|name| name.contains("corrupt")),
            "{kind}"
        );
    }
}

#[test]
fn of_wrong_types() {
    let (env, _login, opened) = damaged(|_| {
        json!({"cookies": "many", "origins": 5, "szk": []})
            .to_string()
            .into_bytes()
    });
    warned(&opened);
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn from_a_newer_szk() {
    let (env, _login, opened) = damaged(|whole| newer(&whole).into_bytes());
    warned(&opened);
    assert_eq!(env.eval("work", "6 * 7"), 42);
    env.close("work");
    // The newer szk finds its file again.
    let texts: Vec<String> = kept(&env)
        .iter()
        .filter_map(|name| fs::read_to_string(env.in_profile("work", name)).ok())
        .collect();
    assert!(
        texts.iter().any(|text| text.contains("999")),
        "{:?}",
        kept(&env)
    );
}

/// The same with every version number raised.
fn newer(whole: &str) -> String {
    let mut state: Value = serde_json::from_str(whole).unwrap();
    let mut raised = 0;
    let mut raise = |value: &mut Value| {
        for (key, number) in value.as_object_mut().into_iter().flatten() {
            if matches!(key.as_str(), "version" | "schema") && number.is_u64() {
                *number = json!(999);
                raised += 1;
            }
        }
    };
    raise(&mut state);
    if let Some(own) = state.get_mut("szk") {
        raise(own);
    }
    assert!(raised > 0, "the file says its version: {whole:.300}");
    state.to_string()
}
