//! `session_state`: logins as files, to and from other tools.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::harness::{Driver, LoginSite, TestEnv};

#[test]
fn what_one_profile_exports_another_one_imports() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    let exported = env
        .szk(["state", "export", "work", "jane.json", "--json"])
        .json();
    let path = env.work().join("jane.json");
    assert_eq!(exported["path"], path.display().to_string());
    assert_eq!(exported["counts"]["cookies"], 4, "{exported:#}");
    assert_eq!(exported["counts"]["local_storage"], 1, "{exported:#}");
    assert_eq!(exported["counts"]["indexed_db"], 1, "{exported:#}");
    assert!(
        !exported.to_string().contains("memory-only"),
        "values go to the file only: {exported:#}"
    );
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );

    // Into a closed profile: it is closed again afterwards, and the site got no request.
    let accepts = login.site.accepts();
    env.szk(["state", "import", "fresh", "jane.json"]).ok();
    assert_eq!(env.row("fresh").unwrap()["status"], "stored");
    assert_eq!(login.site.accepts(), accepts);
    env.open("fresh");
    assert_eq!(login.who(&env, "fresh"), login.jane());
    // Into an open one.
    env.open("other");
    assert_eq!(login.who(&env, "other"), login.stranger());
    env.szk(["state", "import", "other", "jane.json"]).ok();
    assert_eq!(login.who(&env, "other"), login.jane());
}

#[test]
fn playwright_reads_the_file_and_szk_reads_playwrights() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    env.szk(["state", "export", "work", "szk.json"]).ok();
    let mut driver = Driver::playwright(&env, &env.endpoint("work"));
    let path = |name: &str| env.work().join(name).display().to_string();
    let seen = driver.run(&format!(
        "const context = await browser.newContext({{storageState: '{}'}});
         const own = await context.newPage();
         await own.goto('{}');
         const me = await own.evaluate(async () => (await (await fetch('/me')).json()).cookies);
         const user = await own.evaluate(() => localStorage.getItem('user'));
         await context.storageState({{path: '{}', indexedDB: true}});
         await context.close();
         return {{me, user}}",
        path("szk.json"),
        login.site.url("/home"),
        path("playwright.json"),
    ));
    assert_eq!(seen["user"], "jane");
    assert!(
        seen["me"].as_array().unwrap().contains(&json!("sid")),
        "{seen}"
    );
    env.szk(["state", "import", "fresh", "playwright.json"])
        .ok();
    env.open("fresh");
    let who = login.who(&env, "fresh");
    assert_eq!(who["local"], "jane");
    assert!(
        who["cookies"].as_array().unwrap().contains(&json!("sid")),
        "{who}"
    );
}

#[test]
fn cookies_come_from_other_formats_too() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    let far = 4_102_444_800_u64;
    let netscape = format!(
        "# Netscape HTTP Cookie File\n\n127.0.0.1\tFALSE\t/\tFALSE\t{far}\tkeep\tfrom-curl\n127.0.0.1\tFALSE\t/\tFALSE\t1000000000\tover\tx\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tx\n"
    );
    fs::write(env.work().join("cookies.txt"), netscape).unwrap();
    let list = json!([
        {"name": "extra", "value": "1", "domain": "127.0.0.1", "path": "/", "expirationDate": far},
        {"name": "over", "value": "1", "domain": "127.0.0.1", "path": "/", "expirationDate": 1_000_000_000},
        {"name": "__Host-a", "value": "1", "domain": "127.0.0.1", "path": "/below"},
        {"name": "cross", "value": "1", "domain": "127.0.0.1", "path": "/", "sameSite": "no_restriction"},
    ]);
    fs::write(env.work().join("cookies.json"), list.to_string()).unwrap();
    let said = env.szk(["state", "import", "work", "cookies.txt"]).ok();
    assert_eq!(said.stderr.matches("had expired").count(), 1, "{said:?}");
    let imported = env
        .szk(["state", "import", "work", "cookies.json", "--json"])
        .json();
    assert_eq!(imported["counts"]["cookies"], 1, "{imported:#}");
    let warnings = json!([
        "1 cookie had expired: it was not imported",
        "cookie `__Host-a` of `127.0.0.1`: Invalid cookie fields (-32602)",
        "cookie `cross` of `127.0.0.1`: Chromium keeps no cookie with `SameSite=None` that is not `Secure`",
    ]);
    assert_eq!(imported["warnings"], warnings, "{imported:#}");
    env.open("work");
    assert_eq!(
        login.who(&env, "work")["cookies"],
        json!(["extra", "keep", "sid"])
    );
}

#[test]
fn one_domain_can_be_chosen_and_values_asked_for() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    login.log_in(&env, "work");
    let ask = |domain: &str| json!({"session": "work", "action": "export", "domain": domain, "values": true});
    let local = mcp.ok("session_state", ask("localhost"));
    let names = |answer: &Value| -> Vec<String> {
        let cookies = answer["state"]["cookies"]
            .as_array()
            .expect("values were asked for");
        cookies
            .iter()
            .map(|cookie| cookie["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&local), ["embedded"], "{local:#}");
    let mut own = names(&mcp.ok("session_state", ask("127.0.0.1")));
    own.sort();
    assert_eq!(own, ["keep", "own-part", "sid"]);
    // Without a path it goes into the profile.
    let path = std::path::PathBuf::from(local["path"].as_str().expect("a file"));
    assert!(
        path.starts_with(env.in_profile("work", "artifacts")),
        "{}",
        path.display()
    );
}

#[test]
fn files_that_are_none_are_refused() {
    let env = TestEnv::new();
    for (name, text) in [
        ("empty", ""),
        ("half", r#"{"cookies": [{"name": "a""#),
        ("other", "hello"),
        ("odd", r#"{"cookies": 5}"#),
    ] {
        fs::write(env.work().join(name), text).unwrap();
        let ended = env.szk(["state", "import", "work", name, "--json"]).run();
        assert_ne!(ended.code, Some(0), "{name}: {ended:#?}");
        assert!(
            ended.failure()["message"].as_str().unwrap().contains(name),
            "{ended:#?}"
        );
    }
    env.szk(["state", "import", "work", "missing"])
        .fails("NOT_FOUND");
    env.no_chromium_is_left();
}
