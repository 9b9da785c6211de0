//! `[policy]`.

mod block;
mod endpoint;
mod files;
mod starting;
mod udp;

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Answer, SOON, Site, TestEnv, wait_for};

/// A site whose origin is denied; it must never get a request.
fn forbidden() -> Site {
    Site::of("<title>forbidden</title>")
}

fn limited(env: &TestEnv, extra: &str) {
    env.config(&format!("[policy]\n{extra}\n"));
}

#[test]
fn no_request_reaches_an_origin_that_is_not_allowed() {
    let env = TestEnv::new();
    let out = forbidden();
    let (origin, socket) = (out.origin(), out.origin().replacen("http", "ws", 1));
    // Another host for the socket, because there only names can be told apart.
    let socket = socket.replace("127.0.0.1", "localhost");
    let page = format!(
        "<title>in</title><script>
          results = [];
          note = promise => promise.then(() => results.push('reached'), () => results.push('blocked'));
          note(fetch('{origin}/fetch', {{mode: 'no-cors'}}));
          note(fetch('/moved', {{mode: 'no-cors'}}));
          note(new Promise((reached, blocked) => {{ const s = new WebSocket('{socket}/ws'); s.onopen = reached; s.onerror = blocked; }}));
          new Worker('/worker.js').onmessage = event => results.push(event.data);
          navigator.sendBeacon('{origin}/beacon');
        </script><iframe src='{origin}/frame'></iframe><img src='{origin}/image'>"
    );
    let moved = origin.clone();
    let site = Site::plan()
        .page("/", &page)
        .on("/moved", move |_| Answer::status(302).header("location", &format!("{moved}/moved")))
        .script(
            "/worker.js",
            &format!("fetch('{origin}/worker', {{mode: 'no-cors'}}).then(() => postMessage('reached'), () => postMessage('blocked'))"),
        )
        .serve();
    limited(&env, &format!("allowed_origins = [\"{}\"]", site.origin()));
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let results = wait_for("all results", SOON, || {
        let value = mcp.ok(
            "browser_run_code",
            json!({"world": "main", "code": "results"}),
        )["value"]
            .clone();
        (value.as_array()?.len() == 4).then_some(value)
    });
    assert_eq!(results, json!(["blocked", "blocked", "blocked", "blocked"]));
    for url in [
        out.url("/page"),
        "file:///etc/passwd".into(),
        "chrome://version".into(),
    ] {
        mcp.fails("browser_navigate", json!({"url": url}), "POLICY_DENIED");
        mcp.fails(
            "browser_tabs",
            json!({"action": "open", "url": url}),
            "POLICY_DENIED",
        );
    }
    let failure = mcp.fails(
        "browser_navigate",
        json!({"url": site.url("/moved")}),
        "POLICY_DENIED",
    );
    assert!(failure["hint"].is_string(), "{failure}");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    // The host is an allowed one on another port, so the browser may open a connection; nothing is
    // sent on it.
    assert!(out.asked().is_empty(), "nothing arrived: {:?}", out.asked());
}

#[test]
fn denied_origins_are_denied_and_others_are_not() {
    let env = TestEnv::new();
    let (out, site) = (forbidden(), Site::of("<title>in</title>"));
    limited(&env, &format!("denied_origins = [\"{}\"]", out.origin()));
    let mut mcp = env.mcp();
    mcp.open_session("work");
    assert_eq!(
        mcp.ok("browser_navigate", json!({"url": site.url("/")}))["title"],
        "in"
    );
    mcp.fails(
        "browser_navigate",
        json!({"url": out.url("/")}),
        "POLICY_DENIED",
    );
    // By the page itself.
    let go = format!("void (location.href = '{}')", out.url("/"));
    mcp.ok("browser_run_code", json!({"code": go}));
    wait_for("a refusal", SOON, || {
        mcp.call("browser_run_code", json!({"code": "document.title"}))["isError"]
            .as_bool()
            .filter(|denied| *denied)
    });
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    assert_eq!(out.accepts(), 0);
}

#[test]
fn files_code_and_cookies() {
    let env = TestEnv::new();
    fs::create_dir(env.work().join("out")).unwrap();
    limited(
        &env,
        "write = [\"out\"]\nread = []\nrun_code = false\nexport_cookies = false\ndownloads = false",
    );
    let site = Site::plan()
        .page("/", "<title>in</title>")
        .on("/file", |_| {
            Answer::html("data").header("content-disposition", "attachment; filename=data.txt")
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok(
        "browser_screenshot",
        json!({"path": env.work().join("out/a.png")}),
    );
    mcp.ok("browser_pdf", json!({}));
    mcp.ok(
        "browser_snapshot",
        json!({"path": env.work().join("out/a.txt")}),
    );
    mcp.ok(
        "browser_logs",
        json!({"path": env.work().join("out/a.har")}),
    );
    std::os::unix::fs::symlink(env.work(), env.work().join("out/link")).unwrap();
    let secret = env.work().join("szk.config.toml");
    for (tool, input) in [
        (
            "browser_screenshot",
            json!({"path": env.work().join("a.png")}),
        ),
        (
            "browser_screenshot",
            json!({"path": env.work().join("out/link/a.png")}),
        ),
        (
            "browser_pdf",
            json!({"path": env.work().join("out/../a.pdf")}),
        ),
        ("browser_logs", json!({"path": env.work().join("a.har")})),
        (
            "browser_snapshot",
            json!({"path": env.work().join("a.txt")}),
        ),
        (
            "browser_snapshot",
            json!({"path": env.work().join("out/link/a.txt")}),
        ),
        (
            "browser_act",
            json!({"kind": "upload", "selector": "#file", "paths": [secret]}),
        ),
        (
            "browser_arm",
            json!({"event": "download", "path": env.work().join("a.txt")}),
        ),
        (
            "browser_batch",
            json!({"steps": [{"tool": "browser_snapshot", "input": {"path": env.work().join("a.txt")}}]}),
        ),
        ("browser_run_code", json!({"code": "1"})),
        ("session_state", json!({"action": "export"})),
        ("session_state", json!({"action": "import", "path": secret})),
        (
            "browser_arm",
            json!({"event": "chooser", "paths": [secret]}),
        ),
        (
            "browser_batch",
            json!({"steps": [{"tool": "browser_run_code", "input": {"code": "1"}}]}),
        ),
    ] {
        mcp.fails(tool, input, "POLICY_DENIED");
    }
    let written = |name: &str| env.work().join(name).exists();
    assert!(written("out/a.txt") && written("out/a.har") && written("out/a.png"));
    assert!(
        !["a.txt", "a.png", "a.pdf", "a.har"]
            .into_iter()
            .any(written)
    );
    mcp.ok("browser_navigate", json!({"url": site.url("/file")}));
    let entry: Value = wait_for("the download", SOON, || {
        let logs = mcp.ok("browser_logs", json!({"kind": "downloads"}));
        logs["entries"]
            .as_array()?
            .iter()
            .find(|one| one["state"] != "in_progress")
            .cloned()
    });
    assert_eq!(entry["state"], "canceled");
    assert_eq!(
        fs::read_dir(env.in_profile("work", "downloads"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn a_policy_with_a_mistake_stops_the_start() {
    let env = TestEnv::new();
    for mistake in [
        "allowed_origins = [\"https://a/b\"]",
        "run_coed = false",
        "downloads = 1",
    ] {
        limited(&env, mistake);
        let failure = env
            .szk(["open", "work", "--detach"])
            .fails("INVALID_CONFIG");
        assert!(
            failure["message"]
                .as_str()
                .unwrap()
                .contains("szk.config.toml"),
            "{failure}"
        );
    }
    env.no_chromium_is_left();
}

/// A WebSocket is not an interceptable request; its host does not resolve.
#[test]
fn sockets_are_limited_by_their_hosts() {
    let env = TestEnv::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let (told, came) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in server.incoming().flatten() {
            let mut stream = stream;
            // Err: the test is over.
            let _ = told.send(());
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let site = Site::of("<title>in</title>");
    limited(
        &env,
        &format!("denied_origins = [\"http://127.0.0.1:{port}\"]"),
    );
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let open = |port: u16| {
        format!(
            "new Promise(done => {{ const s = new WebSocket('ws://127.0.0.1:{port}/'); s.onerror = () => done('refused') }})"
        )
    };
    assert_eq!(mcp.eval("work", &open(port)), "refused");
    assert!(came.try_recv().is_err(), "nobody came");
}

/// What a page does on its own is refused where it happens, and szk does nothing in a page that got
/// somewhere all the same.
#[test]
fn popups_and_acts_stay_within_the_allowed_origins() {
    let env = TestEnv::new();
    let out = forbidden();
    let page = format!(
        "<title>in</title><button id=pop onclick=\"window.open('{0}/popup')\">Pop</button>
         <a id=away href='{0}/link'>Away</a><a id=blank target=_blank href='{0}/blank'>Blank</a>
         <form action='{0}/form'><button id=send>Send</button></form>",
        out.origin()
    );
    let site = Site::of(&page);
    limited(&env, &format!("allowed_origins = [\"{}\"]", site.origin()));
    let mut mcp = env.mcp();
    mcp.open_session("work");
    for target in ["#pop", "#blank", "#away", "#send"] {
        mcp.ok(
            "browser_tabs",
            json!({"action": "open", "url": site.url("/")}),
        );
        let click = json!({"kind": "click", "selector": target});
        match target {
            // The page stays; what it opens is closed.
            "#pop" | "#blank" => drop(mcp.ok("browser_act", click)),
            // As going there does.
            _ => drop(mcp.fails("browser_act", click, "POLICY_DENIED")),
        }
    }
    // If a page is at such an address all the same, szk does nothing in it.
    let tabs = mcp.ok("browser_tabs", json!({}))["tabs"].clone();
    let tabs = tabs.as_array().unwrap().iter();
    let outside = |tab: &&Value| tab["url"].as_str().unwrap().starts_with(&out.origin());
    let outside: Vec<&Value> = tabs.filter(outside).collect();
    assert!(outside.len() >= 2, "{outside:#?}");
    for tab in outside {
        for (tool, mut input) in [
            ("browser_act", json!({"kind": "press", "key": "Enter"})),
            ("browser_snapshot", json!({})),
            ("browser_run_code", json!({"code": "1"})),
        ] {
            input["tab"] = tab["id"].clone();
            mcp.fails(tool, input, "POLICY_DENIED");
        }
    }
    assert!(out.asked().is_empty(), "{:?}", out.asked());
}

#[test]
fn evaluation_can_be_switched_off_in_the_page_alone() {
    let env = TestEnv::new();
    let site = Site::of("<title>in</title>");
    limited(&env, "main_world = false");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    assert_eq!(mcp.eval("work", "document.title"), "in");
    let main = json!({"world": "main", "code": "1"});
    mcp.fails("browser_run_code", main.clone(), "POLICY_DENIED");
    mcp.fails(
        "browser_batch",
        json!({"steps": [{"tool": "browser_run_code", "input": main}]}),
        "POLICY_DENIED",
    );
}
