//! `szk doctor`: finds what is wrong and prints the command that fixes it.

use std::fs;

use serde_json::Value;

use crate::harness::TestEnv;

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("checks");
    checks
        .iter()
        .find(|check| check["name"] == name)
        .unwrap_or_else(|| panic!("no check `{name}`: {report:#}"))
}

#[test]
fn a_machine_where_all_is_well() {
    let env = TestEnv::new();
    env.open("work");
    let report = env.szk(["doctor", "--json"]).json();
    for name in [
        "szk",
        "configuration",
        "chromium",
        "start",
        "store",
        "profiles",
    ] {
        assert_ne!(check(&report, name)["status"], "fail", "{report:#}");
    }
    assert!(
        check(&report, "start")["detail"]
            .as_str()
            .unwrap()
            .contains("ms"),
        "{report:#}"
    );
    for found in report["checks"].as_array().unwrap() {
        assert!(
            found["status"] == "ok" || found["fix"].as_str().is_some_and(|fix| !fix.is_empty()),
            "{found:#}"
        );
    }
    // It inspected an open session and left it alone.
    assert_eq!(env.browsers().len(), 1);
    let human = env.szk(["doctor"]).ok();
    assert!(human.stdout.contains("chromium"), "{human:#?}");
}

#[test]
fn a_browser_that_is_not_there() {
    let mut env = TestEnv::new();
    env.set("SZK_CHROMIUM", "/nowhere/chromium");
    let ended = env.szk(["doctor", "--json"]).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let chromium = check(&report, "chromium");
    assert_eq!(chromium["status"], "fail");
    assert!(
        chromium["fix"].as_str().unwrap().contains("SZK_CHROMIUM"),
        "{chromium:#}"
    );
}

#[test]
fn a_configuration_that_is_wrong() {
    let env = TestEnv::new();
    env.config("[brwser]\n");
    let ended = env.szk(["doctor", "--json"]).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let detail = check(&report, "configuration")["detail"].as_str().unwrap();
    assert!(
        detail.contains("brwser") && detail.contains("browser"),
        "{report:#}"
    );
}

#[test]
fn a_profile_that_is_damaged() {
    let env = TestEnv::new();
    let folder = env.store().join("work");
    fs::create_dir_all(folder.join("profile")).unwrap();
    fs::write(folder.join("meta.json"), "{").unwrap();
    let report = env.szk(["doctor", "--json"]).json();
    let profile = check(&report, "profile work");
    assert_eq!(profile["status"], "warn");
    assert!(
        profile["fix"].as_str().unwrap().contains("szk open work"),
        "{profile:#}"
    );
}

#[test]
fn what_a_page_can_notice_is_named_with_its_cause() {
    let env = TestEnv::new();
    let page = env.path().join("stealth.html");
    let report = env
        .szk([
            "doctor",
            "--stealth",
            "--report",
            page.to_str().unwrap(),
            "--json",
        ])
        .json();
    let found = check(&report, "stealth");
    assert_eq!(found["status"], "ok", "{report:#}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("navigator"), "{html}");
    fs::write(
        env.work().join("patch.js"),
        "if (globalThis.Navigator) Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => undefined});\n",
    )
    .unwrap();
    env.config("[stealth]\nscripts = [\"patch.js\"]\n");
    let report = env.szk(["doctor", "--stealth", "--json"]).json();
    let text = report.to_string();
    assert!(text.contains("stealth.scripts"), "{report:#}");
    assert!(text.contains("by hand"), "{report:#}");
    let noticed = report["checks"].as_array().unwrap();
    assert!(
        noticed.iter().any(|check| check["status"] == "warn"),
        "{report:#}"
    );
    env.no_chromium_is_left();
}
