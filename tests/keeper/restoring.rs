//! What `state.json` restores, and what it leaves alone.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{LoginSite, SOON, Signal, Site, TestEnv, wait_for, wait_until};

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn urls(opened: &Value) -> Vec<&str> {
    opened["tabs"]
        .as_array()
        .expect("tabs")
        .iter()
        .map(|tab| tab["url"].as_str().unwrap())
        .collect()
}

/// A closed profile that was logged in.
fn logged_in(env: &TestEnv, login: &LoginSite) {
    env.open("work");
    login.log_in(env, "work");
    env.navigate("work", "about:blank");
    env.close("work");
}

#[test]
fn all_of_a_profile_that_is_new_here() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    logged_in(&env, &login);
    fs::remove_dir_all(env.in_profile("work", "profile")).unwrap();
    let accepts = login.site.accepts();
    env.open("work");
    assert_eq!(env.eval("work", "1"), 1);
    assert_eq!(
        login.site.accepts(),
        accepts,
        "restoring must not touch the network"
    );
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn nothing_that_the_profile_knows_better() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    logged_in(&env, &login);
    let path = env.in_profile("work", "state.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\"jane\"") && text.contains("\"persistent\""),
        "{text}"
    );
    // As if it had been saved before the last visit.
    fs::write(
        &path,
        text.replace("\"jane\"", "\"joan\"")
            .replace("\"persistent\"", "\"older\""),
    )
    .unwrap();
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
    let cookies = login
        .site
        .asked()
        .iter()
        .rev()
        .find(|asked| asked.path == "/me")
        .unwrap()
        .cookies();
    assert!(cookies.contains("keep=persistent"), "{cookies}");
}

#[test]
fn the_rest_when_one_cookie_is_bad() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    logged_in(&env, &login);
    let path = env.in_profile("work", "state.json");
    let mut state = read(&path);
    let bad = json!({"name": "bad\u{1}", "value": "", "domain": "", "path": "nowhere", "expires": -1,
        "httpOnly": false, "secure": false, "sameSite": "Lax"});
    state["cookies"].as_array_mut().unwrap().insert(0, bad);
    fs::write(&path, state.to_string()).unwrap();
    let opened = env.open("work");
    assert!(
        !opened["warnings"].as_array().is_none_or(Vec::is_empty),
        "one bad cookie is one warning: {opened:#}"
    );
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn a_dead_origin_prevents_nothing() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    logged_in(&env, &login);
    let origin = login.site.origin();
    drop(login);
    env.open("work");
    env.close("work");
    let state = fs::read_to_string(env.in_profile("work", "state.json")).unwrap();
    assert!(
        state.contains(&origin) && state.contains("\"jane\""),
        "it is kept for when the site is back: {state}"
    );
}

#[test]
fn tabs_with_their_session_storage() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/a", "<title>a</title>")
        .page("/b", "<title>b</title>")
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    for path in ["/a", "/b"] {
        mcp.ok(
            "browser_navigate",
            json!({"session": "work", "tab": "new", "url": site.url(path)}),
        );
        mcp.eval("work", &format!("sessionStorage.setItem('here', '{path}')"));
    }
    env.close("work");
    env.open("work");
    // Opening does not wait for the pages.
    let opened = wait_for("both tabs are back", SOON, || {
        let row = env.row("work").expect("it is listed");
        ["/a", "/b"]
            .iter()
            .all(|path| urls(&row).contains(&site.url(path).as_str()))
            .then_some(row)
    });
    for tab in opened["tabs"].as_array().unwrap() {
        let (id, url) = (tab["id"].as_str().unwrap(), tab["url"].as_str().unwrap());
        let path = url.strip_prefix(&site.origin());
        let Some(path) = path else { continue };
        let code = json!({"session": "work", "tab": id, "code": "sessionStorage.getItem('here')"});
        assert_eq!(mcp.ok("browser_run_code", code)["value"], path);
    }
}

#[test]
fn after_the_page_that_is_asked_for() {
    let env = TestEnv::new();
    env.config("[policy]\ndenied_origins = [\"http://refused.invalid\"]\n");
    let site = Site::plan()
        .page("/a", "<title>a</title>")
        .page("/b", "<title>b</title>")
        .page("/c", "<title>c</title>")
        .serve();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let open = |url: &str| {
        let opened = env.szk(["open", "work", url, "--detach", "--json"]);
        serde_json::from_str::<Value>(&opened.ok().stdout).unwrap()
    };
    let asked = || -> Vec<String> {
        let all = site.asked().into_iter().map(|asked| asked.path);
        all.filter(|path| path != "/favicon.ico").collect()
    };
    env.open("work");
    env.navigate("work", &site.url("/a"));
    env.szk(["tabs", "open", &site.url("/b"), "-s", "work"])
        .ok();
    env.close("work");
    let before = asked().len();
    let opened = open(&site.url("/c"));
    let (a, b, c) = (site.url("/a"), site.url("/b"), site.url("/c"));
    assert_eq!(urls(&opened), [&c, &a, &b]);
    assert_eq!(asked()[before], "/c", "{:?}", asked());
    assert_eq!(
        env.eval("work", "document.title + document.visibilityState"),
        "cvisible"
    );
    env.close("work");
    // A saved tab that has the address already is that page.
    let mut again = urls(&open(&b))
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    again.sort();
    assert_eq!(again, [&*a, &b, &c]);
    env.close("work");
    // One that is refused leaves the saved tabs as if nobody had asked.
    let refused = open("http://refused.invalid/");
    assert!(
        refused["warnings"].to_string().contains("refused.invalid"),
        "{refused}"
    );
    assert_eq!(urls(&refused).len(), 3, "{refused}");
    env.close("work");
    // One that never answers holds up nobody; who goes away in the middle opens nothing twice.
    let before = asked().len();
    let port = silent.local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}/");
    let waiting = env.szk(["open", "work", &address, "--detach"]).start();
    wait_until("the first saved tab loads", SOON, || asked().len() > before);
    waiting.signal(Signal::KILL);
    let tabs = env.szk(["tabs", "-s", "work", "--json"]).json();
    assert_eq!(urls(&tabs).len(), 4, "{tabs}");
    wait_until("all saved tabs load", SOON, || asked().len() >= before + 3);
    env.close("work");
    let state = read(&env.in_profile("work", "state.json"));
    assert!(
        state["szk"]["tabs"].as_array().unwrap().len() >= 3,
        "{state}"
    );
    assert_eq!(asked().len(), before + 3, "{:?}", asked());
}

#[test]
fn no_tabs_where_none_are_wanted() {
    let env = TestEnv::new();
    env.config("[session]\nrestore_tabs = false\n");
    let site = Site::of("<title>a</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.close("work");
    let accepts = site.accepts();
    assert_eq!(urls(&env.open("work")), ["about:blank"]);
    assert_eq!(site.accepts(), accepts);
}

#[test]
fn it_is_saved_soon_after_a_change_and_readable_by_nobody_else() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let site = Site::of("<title>a</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.eval(
        "work",
        "document.cookie = 'late=1'; localStorage.setItem('late', 'too'); return 0",
    );
    let path = env.in_profile("work", "state.json");
    wait_until("the change is saved", SOON, || {
        fs::read_to_string(&path)
            .is_ok_and(|state| state.contains("\"late\"") && state.contains("\"too\""))
    });
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in [
        "state.json",
        "meta.json",
        "keeper.json",
        "lock",
        "keeper.log",
    ] {
        assert_eq!(mode(&env.in_profile("work", file)), 0o600, "{file}");
    }
    for folder in ["", "profile", "downloads", "artifacts"] {
        assert_eq!(mode(&env.in_profile("work", folder)), 0o700, "{folder}");
    }
    assert_eq!(mode(&env.in_profile("work", "keeper.sock")), 0o600);
}
