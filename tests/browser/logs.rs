//! `browser_logs`.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Mcp, SOON, Site, TestEnv, wait_for};

const PAGE: &str = "<title>busy</title><script>
  console.log('before capture', {a: 1});
  fetch('/data?access_token=s3cret').then(answer => answer.text());
  fetch('/missing');
  fetch('/login', {method: 'POST', headers: {Authorization: 'Bearer topsecret'}, body: JSON.stringify({user: 'jane', password: 'hunter2'})});
</script>";

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::plan()
        .page("/", PAGE)
        .on("/data", |_| {
            Answer::json(&json!({"name": "Ada", "token": "abcd"}))
                .header("set-cookie", "sid=verysecret")
        })
        .on("/login", |_| Answer::status(204))
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    (mcp, site)
}

fn entries(output: &Value) -> &Vec<Value> {
    output["entries"].as_array().unwrap()
}

/// Waits until the request to this path is over.
fn request(mcp: &mut Mcp, path: &str) -> Value {
    wait_for(path, SOON, || {
        let found = mcp.ok(
            "browser_logs",
            json!({"kind": "network", "text": path, "session": "work"}),
        );
        entries(&found)
            .iter()
            .find(|entry| entry["done"] == true)
            .cloned()
    })
}

#[test]
fn requests_are_kept_without_being_asked_for_and_without_secrets() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    let data = request(&mut mcp, "/data");
    assert_eq!(data["status"], 200);
    assert_eq!(data["type"], "fetch");
    assert_eq!(data["tab"], "t1");
    assert_eq!(data["url"], site.url("/data?access_token=***"));
    request(&mut mcp, "/missing");
    let missing = mcp.ok("browser_logs", json!({"status": "4xx", "type": "fetch"}));
    assert_eq!(entries(&missing).len(), 1, "{missing:#}");
    let login = request(&mut mcp, "/login");
    let detail = mcp.ok("browser_logs", json!({"request": login["id"]}))["request"].clone();
    assert_eq!(
        detail["request_body"],
        r#"{"user":"jane","password":"***"}"#
    );
    let detail = mcp.ok("browser_logs", json!({"request": data["id"]}))["request"].clone();
    assert_eq!(detail["response_body"], r#"{"name":"Ada","token":"***"}"#);
    let har = env.work().join("all.har");
    mcp.ok("browser_logs", json!({"kind": "network", "path": har}));
    let archive: Value = serde_json::from_slice(&fs::read(&har).unwrap()).unwrap();
    assert_eq!(archive["log"]["version"], "1.2");
    assert!(archive["log"]["entries"].as_array().unwrap().len() >= 4);
    let journal = env.in_profile("work", "artifacts/journal.jsonl");
    let kept = wait_for("the journal on disk", SOON, || {
        let text = fs::read_to_string(&journal).ok()?;
        text.contains("/login").then_some(text)
    });
    for text in [kept, archive.to_string()] {
        for secret in ["s3cret", "topsecret", "hunter2", "verysecret"] {
            assert!(!text.contains(secret), "{secret}");
        }
    }
}

#[test]
fn the_console_is_collected_when_asked_for() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let none = mcp.ok("browser_logs", json!({"kind": "console"}));
    assert_eq!(entries(&none).len(), 0);
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok(
        "browser_run_code",
        json!({"world": "main", "code": "console.warn('careful', 'Bearer abcdefghijkl')"}),
    );
    let found = wait_for("the message", SOON, || {
        let found = mcp.ok("browser_logs", json!({"kind": "console"}));
        (entries(&found).len() == 2).then_some(found)
    });
    // What was said before is there too.
    assert_eq!(entries(&found)[0]["text"], "before capture [object Object]");
    assert_eq!(entries(&found)[1]["text"], "careful Bearer ***");
    assert_eq!(entries(&found)[1]["level"], "warning");
    let filtered = mcp.ok(
        "browser_logs",
        json!({"kind": "console", "text": "/^care.ul/", "type": "warning"}),
    );
    assert_eq!(entries(&filtered).len(), 1);
    mcp.ok("browser_logs", json!({"capture": false}));
    mcp.ok(
        "browser_run_code",
        json!({"world": "main", "code": "console.log('unheard')"}),
    );
    let still = mcp.ok("browser_logs", json!({"kind": "console"}));
    assert_eq!(entries(&still).len(), 2);
}

#[test]
fn a_cursor_goes_on_where_the_last_answer_ended() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    for path in ["/data", "/missing", "/login"] {
        request(&mut mcp, path);
    }
    request(&mut mcp, "favicon");
    let mut next = 0;
    let mut seen = Vec::new();
    loop {
        let page = mcp.ok(
            "browser_logs",
            json!({"kind": "network", "since": next, "limit": 2}),
        );
        seen.extend(
            entries(&page)
                .iter()
                .map(|entry| entry["id"].as_u64().unwrap()),
        );
        next = page["next"].as_u64().unwrap();
        if page["more"] == 0 {
            break;
        }
    }
    let distinct: std::collections::BTreeSet<u64> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), seen.len(), "each once: {seen:?}");
    assert!(seen.len() >= 5);
    let errors = mcp.ok(
        "browser_logs",
        json!({"kind": "errors", "text": "/missing"}),
    );
    assert_eq!(entries(&errors)[0]["source"], "network", "{errors:#}");
    mcp.ok("browser_navigate", json!({"url": site.url("/data")}));
    let new = mcp.ok(
        "browser_logs",
        json!({"kind": "network", "since": next, "type": "document"}),
    );
    assert_eq!(entries(&new).len(), 1);
    for wrong in [
        json!({"status": "x"}),
        json!({"text": "/(/"}),
        json!({"kind": "noise"}),
    ] {
        mcp.fails("browser_logs", wrong, "INVALID_INPUT");
    }
    mcp.fails("browser_logs", json!({"request": 99_999}), "NOT_FOUND");
    let told = env
        .szk([
            "logs", "-s", "work", "--kind", "network", "--text", "/missing",
        ])
        .ok();
    assert!(told.stdout.contains("GET 404"), "{told:?}");
}

#[test]
fn a_page_notices_nothing_of_it() {
    let env = TestEnv::new();
    let site = Site::of(
        "<title>watch</title><script>
          var stacks = 0, got = 0;
          Error.prepareStackTrace = () => { stacks++; return ''; };
          var trap = new Error('trap'); Object.defineProperty(trap, 'message', {get() { got++; return 'x'; }});
          setInterval(() => console.debug(trap, new Error('two')), 10);
        </script>",
    );
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok("browser_logs", json!({"capture": true}));
    wait_for("messages", SOON, || {
        let found = mcp.ok("browser_logs", json!({"kind": "console", "limit": 100}));
        (entries(&found).len() > 5).then_some(())
    });
    let seen = mcp.ok(
        "browser_run_code",
        json!({"world": "main", "code": "[stacks, got]"}),
    )["value"]
        .clone();
    // Chromium itself makes a text of each argument once, whether or not anybody listens.
    let unheard = {
        mcp.ok("browser_logs", json!({"capture": false}));
        mcp.ok(
            "browser_run_code",
            json!({"world": "main", "code": "stacks"}),
        )["value"]
            .clone()
    };
    assert_eq!(seen[0], unheard);
    assert_eq!(seen[0], 0, "no stack was made for anybody");
}
