//! szk never replaces saved data with less, whichever process dies.

use std::fs;

use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{
    Answer, Driver, LoginSite, PATIENTLY, SOON, Signal, Site, TestEnv, wait_for, wait_until,
};

const NETWORK: &str = "network.mojom.NetworkService";

/// The Chromium process with these words on its command line.
#[track_caller]
fn helper(env: &TestEnv, kind: &str) -> Process {
    wait_for("Chromium's process is there", SOON, || {
        let mut all = env.chromium_processes().into_iter();
        all.find(|process| is_of_kind(process, kind))
    })
}

fn is_of_kind(process: &Process, kind: &str) -> bool {
    process.flags().any(|flag| flag.ends_with(kind))
}

fn state(env: &TestEnv) -> Value {
    let bytes = fs::read(env.in_profile("work", "state.json")).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Waits until the saved state says so.
#[track_caller]
fn saved(env: &TestEnv, what: &str, is_so: impl Fn(&Value) -> bool) {
    wait_until(what, PATIENTLY, || is_so(&state(env)));
}

fn cookie<'a>(state: &'a Value, name: &str) -> Option<&'a str> {
    let mut cookies = state["cookies"].as_array()?.iter();
    cookies.find(|cookie| cookie["name"] == name)?["value"].as_str()
}

fn item<'a>(state: &'a Value, name: &str) -> Option<&'a str> {
    let mut items = state["origins"].as_array()?.iter();
    let items = items.find_map(|origin| origin["localStorage"].as_array())?;
    items.iter().find(|item| item["name"] == name)?["value"].as_str()
}

/// An open profile, logged in and saved.
fn logged_in() -> (TestEnv, LoginSite) {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    saved(&env, "the login is saved", |state| {
        cookie(state, "sid").is_some() && item(state, "user").is_some()
    });
    (env, login)
}

/// Kills Chromium and waits for the next one.
#[track_caller]
fn kill_browser(env: &TestEnv, signal: Signal) {
    let old = env.browser();
    old.signal(signal);
    wait_for("Chromium is started again", PATIENTLY, || {
        env.browsers().into_iter().find(|browser| *browser != old)
    });
}

#[test]
fn cookies_when_the_network_service_dies() {
    let (env, login) = logged_in();
    for _ in 0..2 {
        let service = helper(&env, NETWORK);
        service.signal(Signal::KILL);
        let warned = |open: &Value| {
            open["warnings"]
                .to_string()
                .contains(&service.pid.to_string())
        };
        wait_until("the next answer tells of it", PATIENTLY, || {
            warned(&env.open("work"))
        });
        assert_eq!(login.who(&env, "work"), login.jane());
    }
    let log = fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(log.contains("network service"), "{log}");
    // Just before the end, when no one has time to notice.
    helper(&env, NETWORK).signal(Signal::KILL);
    env.close("work");
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

/// As after an update of Chromium, whose new files the running one cannot use.
#[test]
fn a_browser_whose_network_service_cannot_run_is_replaced() {
    let (env, login) = logged_in();
    let old = env.browsers().into_iter().next().expect("it is running");
    wait_until("another Chromium is started", PATIENTLY, || {
        let services = env.chromium_processes().into_iter();
        for service in services.filter(|process| is_of_kind(process, NETWORK)) {
            service.signal(Signal::KILL);
        }
        !env.browsers().contains(&old)
    });
    assert_eq!(login.who(&env, "work"), login.jane());
    let warnings = env.open("work")["warnings"].to_string();
    assert!(
        warnings.contains("could not restart its network service"),
        "{warnings}"
    );
}

#[test]
fn local_storage_when_the_storage_service_dies() {
    let (env, login) = logged_in();
    // Long before Chromium would write it to disk.
    env.eval("work", "localStorage.setItem('fresh', '1'); return 0");
    saved(&env, "the entry is saved", |state| {
        item(state, "fresh").is_some()
    });
    let service = helper(&env, "storage.mojom.StorageService");
    service.signal(Signal::KILL);
    wait_until("the next answer tells of it", PATIENTLY, || {
        env.open("work")["warnings"]
            .to_string()
            .contains("storage service")
    });
    assert_eq!(
        env.eval("work", "return localStorage.getItem('fresh')"),
        "1"
    );
    env.navigate("work", "about:blank");
    assert_eq!(login.who(&env, "work"), login.jane());
    assert_eq!(item(&state(&env), "fresh"), Some("1"));
}

/// Chromium lists entries in another order after each load, which is no change.
const WRITE_MANY: &str =
    "for (let i = 0; i < 20; i++) localStorage.setItem(`late ${i}`, i); return 0";

/// The storage service gets no processor while Chromium exits, as on a very busy machine.
#[test]
fn local_storage_that_was_not_written_when_chromium_exited() {
    let (env, login) = logged_in();
    login.who(&env, "work");
    // Its page has both storages by now, and needs the service for neither.
    let has_both = "return localStorage.length + sessionStorage.length >= 2";
    assert_eq!(env.eval("work", has_both), true);
    // What was restored must not be lost in the same way.
    for round in 0..3 {
        helper(&env, "storage.mojom.StorageService").signal(Signal::STOP);
        if round == 0 {
            env.eval("work", WRITE_MANY);
        }
        let closed = env.szk(["close", "work", "--json"]).json();
        let warnings = closed["warnings"].to_string();
        assert!(
            round > 0 || warnings.contains("written localStorage"),
            "{closed:#}"
        );
        env.open("work");
    }
    assert_eq!(login.who(&env, "work"), login.jane());
    assert_eq!(
        env.eval("work", "return localStorage.getItem('late 19')"),
        "19"
    );
    env.navigate("work", "about:blank");
    let closed = env.szk(["close", "work", "--json"]).json();
    assert_eq!(closed.get("warnings"), None, "{closed:#}");
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn a_page_that_is_loaded_as_the_storage_service_dies_finds_what_was_there() {
    let (env, login) = logged_in();
    for round in 0..5 {
        let fresh = format!("round {round}");
        // Long before Chromium would write it to disk.
        let set = format!("localStorage.setItem('fresh', '{fresh}'); return 0");
        env.eval("work", &set);
        saved(&env, "the entry is saved", |state| {
            item(state, "fresh") == Some(fresh.as_str())
        });
        helper(&env, "storage.mojom.StorageService").signal(Signal::KILL);
        login.who(&env, "work");
        let found = env.eval("work", "return localStorage.getItem('fresh')");
        assert_eq!(found, fresh);
    }
}

/// Puts a key that no saved state can hold into a database.
const MAKE_KEY: &str = "async () => {
  const {privateKey} = await crypto.subtle.generateKey({name: 'ECDSA', namedCurve: 'P-256'}, false, ['sign']);
  return await new Promise((resolve) => {
    const request = indexedDB.open('keys', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('s');
    request.onsuccess = () => {
      const put = request.result.transaction('s', 'readwrite');
      put.objectStore('s').put(privateKey, 'key');
      put.objectStore('s').put('plain', 'beside it');
      put.oncomplete = () => { request.result.close(); resolve(1); };
    };
  });
}";

/// The length of a signature made with it.
const SIGN: &str = "async () => {
  const key = await new Promise((resolve) => {
    const request = indexedDB.open('keys', 1);
    request.onsuccess = () => {
      const get = request.result.transaction('s').objectStore('s').get('key');
      get.onsuccess = () => { request.result.close(); resolve(get.result); };
    };
  });
  return key ? (await crypto.subtle.sign({name: 'ECDSA', hash: 'SHA-256'}, key, new Uint8Array(1))).byteLength : 0;
}";

#[test]
fn logins_and_keys_after_every_end_of_the_browser() {
    let (env, login) = logged_in();
    assert_eq!(env.eval("work", MAKE_KEY), 1);
    // Newer than Chromium's files.
    env.eval("work", "localStorage.setItem('later', '1'); return 0");
    saved(&env, "the change is saved", |state| {
        item(state, "later").is_some()
    });
    for signal in [Signal::TERM, Signal::KILL] {
        kill_browser(&env, signal);
        assert_eq!(login.who(&env, "work"), login.jane(), "{signal:?}");
        assert_eq!(env.eval("work", SIGN), 64, "{signal:?}");
    }
    // The whole machine.
    for process in env.processes() {
        process.signal(Signal::KILL);
    }
    wait_until("all are gone", SOON, || env.processes().is_empty());
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
    assert_eq!(env.eval("work", SIGN), 64);
}

#[test]
fn the_last_seconds_of_steady_work() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let site = Site::plan()
        .page(
            "/work",
            "<script>let n = 0; setInterval(() => {
               localStorage.setItem('n', String(++n));
               document.cookie = `n=${n}; Max-Age=86400`;
             }, 50)</script>",
        )
        .page("/rest", "<title>rest</title>")
        .serve();
    env.open("work");
    env.navigate("work", &site.url("/work"));
    // By then Chromium writes localStorage at most once a minute.
    let number = |text: Option<&str>| text.and_then(|n| n.parse::<u32>().ok()).unwrap_or(0);
    saved(&env, "some work is saved", |state| {
        number(item(state, "n")) > 200
    });
    for process in env.processes() {
        process.signal(Signal::KILL);
    }
    wait_until("all are gone", SOON, || env.processes().is_empty());
    let last = state(&env);
    // The page must not continue on its own.
    env.config("[session]\nrestore_tabs = false\n");
    env.open("work");
    env.navigate("work", &site.url("/rest"));
    let there = env.eval(
        "work",
        "return [localStorage.getItem('n'), document.cookie.split('=')[1]]",
    );
    assert_eq!(there, json!([item(&last, "n"), cookie(&last, "n")]));
}

#[test]
fn logging_out_when_chromium_had_not_written_it() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let site = Site::of("<title>a</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    // Chromium writes cookies after 512 changes, or half a minute.
    env.eval(
        "work",
        "for (let n = 0; n < 600; n++) document.cookie = `token=${n}; Max-Age=86400`;
         localStorage.setItem('token', '1'); return 0",
    );
    let on_disk = env.in_profile("work", "profile/Default/Cookies");
    wait_until("Chromium has written the cookie", PATIENTLY, || {
        fs::read(&on_disk).is_ok_and(|bytes| bytes.windows(5).any(|part| part == b"token"))
    });
    saved(&env, "the login is saved", |state| {
        cookie(state, "token") == Some("599")
    });
    env.eval(
        "work",
        "document.cookie = 'token=; Max-Age=0'; document.cookie = 'stay=1'; localStorage.clear(); return 0",
    );
    saved(&env, "the logout is saved", |state| {
        cookie(state, "token").is_none() && item(state, "token").is_none()
    });
    kill_browser(&env, Signal::KILL);
    wait_until("the tab is back", PATIENTLY, || {
        env.eval("work", "document.title") == "a"
    });
    assert_eq!(
        env.eval("work", "return [document.cookie, localStorage.length]"),
        json!(["stay=1", 0])
    );
}

/// Chromium writes into the folder while it is being deleted.
#[track_caller]
fn delete(env: &TestEnv) {
    let folder = env.in_profile("work", "");
    wait_until("the folder is gone", SOON, || {
        let deleted = fs::remove_dir_all(&folder);
        deleted.is_ok() || !folder.exists()
    });
}

#[test]
fn a_deleted_folder_ends_its_browser_and_no_second_one_joins_it() {
    let (env, _login) = logged_in();
    let before = env.processes();
    delete(&env);
    // At once: the old browser may still be running, and must not share the new folder.
    env.open("work");
    assert_eq!(env.browsers().len(), 1);
    wait_until("all of the old ones are gone", PATIENTLY, || {
        before.iter().all(|process| !process.lives())
    });
    let state = state(&env);
    assert!(
        cookie(&state, "sid").is_none(),
        "nothing of the old one: {state}"
    );
    // And with no one to reopen it.
    delete(&env);
    wait_until("nobody is left", PATIENTLY, || env.processes().is_empty());
}

/// The message about an unexplained reading without any cookies.
const DOUBT: &str = "all cookies are gone";

#[test]
fn cookies_that_were_cleared_on_purpose() {
    let (env, _login) = logged_in();
    let mut client = Driver::raw(&env, &env.endpoint("work"));
    client.run("return await send('Storage.clearCookies', {})");
    saved(&env, "a client has cleared the cookies", |state| {
        state["cookies"] == json!([])
    });
    let leave = Site::plan()
        .page("/", "<title>leave</title>")
        .on("/leave", |_| {
            Answer::html("<title>left</title>").header("clear-site-data", "\"cookies\"")
        })
        .serve();
    env.navigate("work", &leave.url("/"));
    env.eval("work", "document.cookie = 'token=1'; return 0");
    saved(&env, "the cookie is saved", |state| {
        cookie(state, "token").is_some()
    });
    env.navigate("work", &leave.url("/leave"));
    saved(&env, "a server has cleared the cookies", |state| {
        state["cookies"] == json!([])
    });
    let log = fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(!log.contains(DOUBT), "{log}");
}

/// No page of the site is open any more, whose events would tell that its storage was cleared.
#[test]
fn storage_that_was_cleared_from_elsewhere() {
    let (env, login) = logged_in();
    let elsewhere = Site::plan().page("/", "<title>elsewhere</title>").serve();
    let fetch = format!(
        "await fetch('{}', {{mode: 'no-cors', credentials: 'include'}}); return 0",
        login.site.url("/leave")
    );
    let send = format!(
        "return await send('Storage.clearDataForOrigin', {{origin: '{}', storageTypes: 'all'}}, await first())",
        login.site.url("")
    );
    for is_asked_by_server in [true, false] {
        let before = env.open("work")["tabs"][0]["id"].clone();
        let open = ["tabs", "open", &elsewhere.url("/"), "-s", "work"];
        env.szk(open).ok();
        let before = before.as_str().expect("there is a tab");
        env.szk(["tabs", "close", before, "-s", "work"]).ok();
        if is_asked_by_server {
            env.eval_main("work", &fetch);
        } else {
            Driver::raw(&env, &env.endpoint("work")).run(&send);
        }
        saved(&env, "the storage is cleared", |state| {
            let indexed = state["origins"].to_string().contains("jane");
            item(state, "user").is_none() && !indexed
        });
        kill_browser(&env, Signal::KILL);
        let who = login.who(&env, "work");
        assert_eq!(who["local"], Value::Null, "{is_asked_by_server} {who}");
        assert_eq!(who["indexed"], Value::Null, "{is_asked_by_server} {who}");
        login.log_in(&env, "work");
        saved(&env, "the login is saved", |state| {
            item(state, "user").is_some()
        });
    }
}

#[test]
fn tabs_of_a_browser_that_is_interrupted() {
    let (env, login) = logged_in();
    let tabs = |row: &Value| -> Vec<Value> {
        let tabs = row["tabs"].as_array().into_iter().flatten();
        tabs.map(|tab| tab["url"].clone()).collect()
    };
    let before = tabs(&env.open("work"));
    saved(&env, "the tab is saved where it is", |state| {
        state["szk"]["tabs"][0]["url"] == before[0]
    });
    env.browser().signal(Signal::INT);
    // A caller that comes while it exits gets the next one.
    assert_eq!(tabs(&env.open("work")), before);
    assert_eq!(login.who(&env, "work"), login.jane());
}

/// The next browser is killed when it has restored the first of them.
#[test]
fn tabs_of_browsers_that_die_while_they_are_restored() {
    const TABS: usize = 6;
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let paths = (0..TABS).map(|nth| format!("/{nth}"));
    let site = paths
        .clone()
        .fold(Site::plan(), |plan, path| {
            plan.page(&path, "<title>a</title>")
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    for path in paths {
        let to = json!({"session": "work", "tab": "new", "url": site.url(&path)});
        mcp.ok("browser_navigate", to);
        mcp.eval("work", &format!("sessionStorage.setItem('here', '{path}')"));
    }
    saved(&env, "all tabs are saved", |state| {
        let stored = state["szk"]["sessionStorage"].as_array();
        stored.is_some_and(|stored| stored.len() == TABS)
    });
    let tabs = || -> Vec<(String, String)> {
        let row = env.row("work").unwrap_or_default();
        let tabs = row["tabs"].as_array().into_iter().flatten();
        let text = |tab: &Value, name: &str| tab[name].as_str().unwrap_or_default().to_owned();
        tabs.map(|tab| (text(tab, "id"), text(tab, "url")))
            .filter(|(_, url)| url.starts_with(&site.origin()))
            .collect()
    };
    let before = tabs();
    for _ in 0..3 {
        let browser = wait_for("there is a browser", PATIENTLY, || env.browsers().pop());
        browser.signal(Signal::KILL);
        wait_until("it is gone", SOON, || !browser.lives());
        let asked = site.asked().len();
        wait_until("the next one restores them", PATIENTLY, || {
            site.asked().len() > asked
        });
    }
    wait_until("all of them are back", PATIENTLY, || tabs() == before);
    for (id, url) in before {
        let code = json!({"session": "work", "tab": id, "code": "sessionStorage.getItem('here')"});
        let here = mcp.ok("browser_run_code", code)["value"].clone();
        assert_eq!(here, url.strip_prefix(&site.origin()).unwrap());
    }
}
