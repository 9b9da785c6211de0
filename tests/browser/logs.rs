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

/// Waits until the request to this path has finished.
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
    // What was logged before is there too.
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
    // Chromium itself converts each argument to text once, whether or not anyone listens.
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

/// What frames and workers log and request is there, whenever they appear and wherever they run.
#[test]
fn later_frames_processes_and_workers_are_heard() {
    let env = TestEnv::new();
    let says = |who: &str| {
        format!("<script>console.log('{who} speaks'); fetch('/data?of={who}')</script>")
    };
    let worker = |who: &str, more: &str| {
        format!("console.log('{who} speaks'); fetch('/data?of={who}').then(() => {{ {more} }})")
    };
    let site = Site::plan()
        .page("/", "<title>start</title>")
        .page("/near", &says("near"))
        .page("/far", &says("far"))
        .page("/next", &says("next"))
        .script("/worker.js", &worker("worker", "new Worker('/nested.js')"))
        .script("/nested.js", &worker("nested", ""))
        .on("/data", |_| Answer::json(&json!({})))
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok("browser_logs", json!({"capture": true}));
    let far = site.url("/far").replace("127.0.0.1", "localhost");
    let code = format!(
        "for (const src of ['/near', '{far}']) document.body.append(Object.assign(document.createElement('iframe'), {{src}}));
         new Worker('/worker.js'); 0"
    );
    mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
    let mut heard = |who: &str| {
        wait_for(who, SOON, || {
            let text = format!("{who} speaks");
            let found = mcp.ok("browser_logs", json!({"kind": "console", "text": text}));
            (entries(&found).first()?["tab"] == "t1").then_some(())
        });
        assert_eq!(request(&mut mcp, &format!("of={who}"))["tab"], "t1");
    };
    for who in ["near", "far", "worker", "nested"] {
        heard(who);
    }
    // Another site, and another process.
    let next = site.url("/next").replace("127.0.0.1", "localhost");
    env.navigate("work", &next);
    heard("next");
}

/// The fields that HAR 1.2 requires, with their types; a reader must not choke on it.
#[test]
fn the_archive_is_what_readers_want() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    request(&mut mcp, "/login");
    request(&mut mcp, "/missing");
    mcp.ok(
        "browser_navigate",
        json!({"url": site.url("/data?a=1&b=#c")}),
    );
    let har = env.work().join("all.har");
    mcp.ok("browser_logs", json!({"kind": "network", "path": har}));
    let archive: Value = serde_json::from_slice(&fs::read(&har).unwrap()).unwrap();
    let log = &archive["log"];
    has(
        log,
        "",
        &[
            "version:s",
            "creator.name:s",
            "creator.version:s",
            "pages:a",
            "entries:a",
        ],
    );
    let pages: Vec<&Value> = log["pages"].as_array().unwrap().iter().collect();
    for page in &pages {
        has(
            page,
            "page",
            &["id:s", "title:s", "startedDateTime:t", "pageTimings:o"],
        );
    }
    for entry in log["entries"].as_array().unwrap() {
        has(
            entry,
            "entry",
            &[
                "startedDateTime:t",
                "time:n",
                "cache:o",
                "timings.send:n",
                "timings.wait:n",
                "timings.receive:n",
                "request.method:s",
                "request.url:s",
                "request.httpVersion:s",
                "request.cookies:a",
                "request.headers:a",
                "request.queryString:a",
                "request.headersSize:i",
                "request.bodySize:i",
                "response.status:n",
                "response.statusText:s",
                "response.httpVersion:s",
                "response.cookies:a",
                "response.headers:a",
                "response.content.size:n",
                "response.content.mimeType:s",
                "response.redirectURL:s",
                "response.headersSize:i",
                "response.bodySize:i",
                "pageref:s",
            ],
        );
        let timings = &entry["timings"];
        let phases = ["send", "wait", "receive"].map(|phase| timings[phase].as_f64().unwrap());
        assert_eq!(entry["time"].as_f64().unwrap(), phases.iter().sum::<f64>());
        for list in [
            "/request/headers",
            "/response/headers",
            "/request/queryString",
        ] {
            for pair in entry.pointer(list).unwrap().as_array().unwrap() {
                has(pair, list, &["name:s", "value:s"]);
            }
        }
        let known = pages.iter().any(|page| page["id"] == entry["pageref"]);
        assert!(known, "{entry:#}");
    }
    let query = |entry: &&Value| {
        entry["request"]["queryString"]
            == json!([{"name": "a", "value": "1"}, {"name": "b", "value": ""}])
    };
    assert!(
        log["entries"]
            .as_array()
            .unwrap()
            .iter()
            .find(query)
            .is_some()
    );
}

/// Fields as `path:type`: string, time, array, object, number from 0, number from -1.
#[track_caller]
fn has(value: &Value, what: &str, fields: &[&str]) {
    for field in fields {
        let (path, kind) = field.split_once(':').unwrap();
        let found = value.pointer(&format!("/{}", path.replace('.', "/")));
        let found = found.unwrap_or_else(|| panic!("{what} has no {path}: {value:#}"));
        let fits = match kind {
            "s" => found.is_string(),
            "t" => found.as_str().is_some_and(|time| {
                time.len() >= 20 && time.as_bytes()[10] == b'T' && time.ends_with('Z')
            }),
            "a" => found.is_array(),
            "o" => found.is_object(),
            "n" => found.as_f64().is_some_and(|number| number >= 0.0),
            _ => found.as_i64().is_some_and(|number| number >= -1),
        };
        assert!(fits, "{what} {field}: {found}");
    }
}

/// Advice is not an error, switching on reports nothing old, and `-` is stdout.
#[test]
fn logs_are_what_was_asked_for() {
    let env = TestEnv::new();
    let site =
        Site::of("<form><input type=password></form><script>fetch('/no/such/thing')</script>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    wait_for("the request", SOON, || {
        let found = mcp.ok("browser_logs", json!({"kind": "network"}));
        (!entries(&found).is_empty()).then_some(())
    });
    let errors = mcp.ok("browser_logs", json!({"kind": "errors"}));
    for entry in entries(&errors) {
        assert!(
            entry["level"] != "verbose" && entry["level"] != "info",
            "{entry}"
        );
    }
    let on = mcp.ok("browser_logs", json!({"capture": true}));
    assert!(entries(&on).is_empty(), "{on}");
    let ended = env
        .szk(["logs", "--kind", "network", "--out", "-", "-s", "work"])
        .ok();
    for line in ended.stdout.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert!(entry["url"].is_string(), "{entry}");
    }
    assert!(!ended.stdout.is_empty() && !env.work().join("-").exists());
}

/// A page and its worker, which say three hundred things each while they are being read.
const TALKING: &str = r#"<!doctype html><title>talks</title><script>
  const talk = (name) => {
    console.log(`${name} before`);
    let said = 0;
    const timer = setInterval(() => {
      for (let round = 0; round < 5; round++) console.log(`${name} ${said++}`);
      if (said === 300) clearInterval(timer);
    }, 10);
  };
  const worker = new Worker(URL.createObjectURL(new Blob([`const talk = ${talk}; onmessage = () => talk('worker')`])));
  const begin = () => { worker.postMessage(0); talk('page'); };
</script><button onclick="begin()">Begin</button>"#;

/// Nobody listens: messages are taken from what Chromium has kept.
#[test]
fn a_session_at_a_persons_pace_takes_every_message() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n");
    let site = Site::of(TALKING);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    mcp.ok("browser_logs", json!({"capture": true}));
    let mut read = |who: &str| -> Vec<String> {
        let of = format!("/^{who} /");
        let wanted = json!({"kind": "console", "text": of, "limit": 1000});
        let texts = mcp.ok("browser_logs", wanted);
        let texts = entries(&texts).iter().map(|entry| entry["text"].as_str());
        texts.map(|text| text.unwrap().to_owned()).collect()
    };
    for who in ["page", "worker"] {
        let last = format!("{who} 299");
        let mut texts = wait_for("all messages", SOON, || {
            let texts = read(who);
            texts.contains(&last).then_some(texts)
        });
        // What is said in the middle of taking comes twice.
        let mut seen = std::collections::HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let mut expected = vec![format!("{who} before")];
        expected.extend((0..300).map(|number| format!("{who} {number}")));
        assert_eq!(texts, expected);
    }
}
