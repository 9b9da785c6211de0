//! A profile's identity is the same in every realm and in every header.

mod look;
mod phone;
mod proxy;

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Driver, SOON, SiteRequest, TestEnv, wait_until};
use look::{everywhere, request, site};

/// Pages do not see `--disable-popup-blocking`, and popups here open without a click.
pub(super) const POPUPS: &str = "[browser]\nargs = [\"--disable-popup-blocking\"]\n";

const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Safari/537.36 Own/{version}";

#[test]
fn locale_and_time_zone_agree_everywhere() {
    let env = TestEnv::new();
    env.config(POPUPS);
    let site = site();
    let wanted = ["--locale", "de-AT", "--timezone", "Europe/Vienna"];
    env.szk(["open", "work", "--detach"].into_iter().chain(wanted))
        .ok();
    for (kind, seen) in everywhere(&env, &site) {
        assert_eq!(seen["language"], "de-AT", "{kind}");
        assert_eq!(seen["languages"], json!(["de-AT", "de"]), "{kind}");
        assert_eq!(seen["intl"], json!(["de-AT", "de-AT", "de-AT"]), "{kind}");
        assert_eq!(seen["month"], "Jänner", "{kind}");
        assert_eq!(seen["number"], "1\u{a0}234,5", "{kind}");
        assert_eq!(
            (&seen["zone"], &seen["summer"]),
            (&json!("Europe/Vienna"), &json!(-120)),
            "{kind}"
        );
    }
    assert_eq!(request(&site).header("accept-language"), "de-AT,de;q=0.9");
}

#[test]
fn a_locale_outlives_the_page_that_came_first() {
    let env = TestEnv::new();
    env.config(POPUPS);
    let site = site();
    env.szk(["open", "work", "--detach", "--locale", "de-AT"])
        .ok();
    env.navigate("work", &site.url("/"));
    // In the same process, where the first page has set the locale.
    env.eval_main("work", "void open('/#second')");
    wait_until("both are open", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_some_and(|tabs| tabs.len() == 2)
    });
    let tab = |at: usize| {
        env.row("work").unwrap()["tabs"][at]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (first, second) = (tab(0), tab(1));
    let run = |code: &str, tab: &str| {
        env.szk([
            "run-code", code, "-s", "work", "-t", tab, "--world", "main", "--json",
        ])
        .json()["value"]
            .clone()
    };
    let mut client = Driver::puppeteer(&env, &env.endpoint("work"));
    client
        .run("await (await browser.pages()).find(page => !page.url().includes('second')).close()");
    wait_until("the first is closed", SOON, || {
        !env.row("work").unwrap()["tabs"]
            .to_string()
            .contains(&format!("\"{first}\""))
    });
    assert_eq!(run("(1234.5).toLocaleString()", &second), "1\u{a0}234,5");
}

#[test]
fn a_user_agent_of_its_own_agrees_with_the_browser_everywhere() {
    let plain = TestEnv::new();
    plain.config(POPUPS);
    let site = site();
    plain.open("work");
    let own = everywhere(&plain, &site);
    let headers = request(&site);
    let env = TestEnv::new();
    env.config(POPUPS);
    env.szk(["open", "work", "--detach", "--user-agent", AGENT])
        .ok();
    let version = own["page"]["high"]["uaFullVersion"].as_str().unwrap();
    let major = version.split('.').next().unwrap();
    let agent = AGENT
        .replace("{major}", major)
        .replace("{version}", version);
    for (kind, seen) in everywhere(&env, &site) {
        assert_eq!(seen["agent"], json!(agent), "{kind}");
        for key in ["low", "high", "platform"] {
            assert_eq!(seen[key], own[&kind][key], "{kind} {key}");
        }
    }
    let asked = request(&site);
    assert_eq!(asked.header("user-agent"), agent);
    let hints = |asked: &SiteRequest| -> Vec<(String, String)> {
        let names = asked.headers.keys().map(|name| name.as_str().to_owned());
        let names = names.filter(|name| name.starts_with("sec-ch-ua"));
        names
            .map(|name| (name.clone(), asked.header(&name)))
            .collect()
    };
    assert!(hints(&headers).len() > 6, "{headers:?}");
    assert_eq!(hints(&asked), hints(&headers));
}

/// What a page sees of the profile.
fn seen(env: &TestEnv) -> Value {
    env.eval_main(
        "work",
        "[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, screen.width, innerWidth]",
    )
}

#[test]
fn a_profile_keeps_its_identity_whatever_the_configuration_becomes() {
    let env = TestEnv::new();
    env.config(
        "[identity]\npreset = \"laptop\"\nlocale = \"de-AT\"\ntimezone = \"Europe/Vienna\"\n",
    );
    env.open("work");
    let before = seen(&env);
    assert_eq!(before, json!(["de-AT", "Europe/Vienna", 1440, 1440]));
    env.close("work");
    env.config("[identity]\npreset = \"desktop\"\nlocale = \"fr-FR\"\ntimezone = \"Asia/Tokyo\"\n");
    env.open("work");
    assert_eq!(seen(&env), before);
    env.close("work");
    // Another preset for one session reports what it does not change.
    let opened = env
        .szk(["open", "work", "--detach", "--preset", "desktop", "--json"])
        .json();
    assert!(
        opened["warnings"]
            .to_string()
            .contains("made with preset `laptop`"),
        "{opened:#}"
    );
    assert_eq!(seen(&env), before);
}

#[test]
fn after_an_upgrade_the_user_agent_follows_the_browser() {
    let env = TestEnv::new();
    env.szk(["open", "work", "--detach", "--user-agent", AGENT])
        .ok();
    let before = env.eval_main("work", "navigator.userAgent");
    env.close("work");
    // As if an older version had done all this.
    let path = env.in_profile("work", "meta.json");
    let mut meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        meta["identity"]["user_agent"], AGENT,
        "the template is kept"
    );
    let now = meta["chromium"].as_str().unwrap().to_owned();
    meta["chromium"] = json!("100.0.1.2");
    fs::write(&path, meta.to_string()).unwrap();
    env.open("work");
    assert_eq!(env.eval_main("work", "navigator.userAgent"), before);
    let meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(meta["chromium"], json!(now));
}
