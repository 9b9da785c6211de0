//! `szk config`: every value with where it came from, every mistake with its place.

use std::fs;

use serde_json::Value;

use crate::harness::TestEnv;

fn row(rows: &Value, key: &str) -> Value {
    let rows = rows["settings"].as_array().expect("settings");
    rows.iter()
        .find(|row| row["key"] == key)
        .unwrap_or_else(|| panic!("no row `{key}`: {rows:#?}"))
        .clone()
}

#[test]
fn each_layer_wins_over_the_one_below_and_is_named() {
    let mut env = TestEnv::new();
    let user = env.path().join("home/config/szk");
    fs::create_dir_all(&user).unwrap();
    fs::write(
        user.join("config.toml"),
        "[session]\nlinger_minutes = 1\nsave_seconds = 1\n\n[log]\nlevel = \"error\"\n",
    )
    .unwrap();
    env.config("[session]\nlinger_minutes = 2\nsave_seconds = 2\n");
    fs::write(
        env.work().join("szk.config.local.toml"),
        "[session]\nlinger_minutes = 3\n",
    )
    .unwrap();
    env.set("SZK_HEADLESS", "true");
    let rows = env.szk(["config", "explain", "--all", "--json"]).json();
    for (key, value, source) in [
        ("session.linger_minutes", "3", "szk.config.local.toml:2"),
        ("session.save_seconds", "2", "szk.config.toml:3"),
        ("log.level", "error", "config.toml:6"),
        ("browser.headless", "true", "SZK_HEADLESS"),
        ("session.restore_tabs", "true", "default"),
    ] {
        let row = row(&rows, key);
        assert!(row["value"].to_string().contains(value), "{key}: {row:#}");
        let (file, line) = source.split_once(':').unwrap_or((source, ""));
        let named = row["source"].to_string();
        assert!(
            named.contains(file) && named.contains(line),
            "{key}: {row:#}"
        );
    }
    let table = env.szk(["config", "explain"]).ok();
    assert!(
        table.stdout.contains("linger_minutes") && table.stdout.contains("szk.config.local.toml:2"),
        "{table:#?}"
    );
}

#[test]
fn all_mistakes_are_told_at_once_and_nothing_is_started() {
    let env = TestEnv::new();
    env.config("[browser]\nheadles = true\n\n[identity]\ntimezone = \"Mars Base\"\n");
    let ended = env.szk(["open", "work", "--detach"]).run();
    assert_eq!(ended.code, Some(8), "{ended:#?}");
    for part in [
        "error[INVALID_CONFIG]",
        "szk.config.toml:2:1",
        "headless",
        "szk.config.toml:5",
        "Mars Base",
        "^",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {ended:#?}");
    }
    assert!(!env.store().exists());
    assert!(env.chromium_processes().is_empty());
}

#[test]
fn a_proxys_password_is_never_shown() {
    let env = TestEnv::new();
    env.config("[identity]\nproxy = \"http://user:geheim@proxy.example:3128\"\n");
    for args in [
        &["config", "explain", "--all"][..],
        &["config", "explain", "--json"],
    ] {
        let ended = env.szk(args.iter().copied()).ok();
        assert!(
            ended.stdout.contains("proxy.example") && !ended.stdout.contains("geheim"),
            "{ended:#?}"
        );
    }
}

#[test]
fn presets_say_what_gives_them_away() {
    let env = TestEnv::new();
    let presets = env.szk(["config", "presets", "--json"]).json();
    let native = presets["presets"]
        .as_array()
        .unwrap()
        .iter()
        .find(|preset| preset["name"] == "native")
        .expect("native");
    assert!(
        native["warnings"].as_array().is_none_or(Vec::is_empty),
        "{native:#}"
    );
    let windows = presets["presets"]
        .as_array()
        .unwrap()
        .iter()
        .find(|preset| preset["name"] == "windows")
        .expect("windows");
    assert!(
        !windows["warnings"].as_array().unwrap().is_empty(),
        "{windows:#}"
    );
}
