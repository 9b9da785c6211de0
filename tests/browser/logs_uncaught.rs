//! `browser_logs`: uncaught errors.

use serde_json::{Value, json};

use crate::harness::{Answer, Mcp, SOON, Site, TestEnv, wait_for};

/// A page with this script on separate lines.
fn page(script: &str) -> String {
    format!("<!doctype html><title>page</title>\n<script>\n{script}\n</script>")
}

fn site() -> Site {
    Site::plan()
        .page("/", &page("    throw new TypeError('first');"))
        .page("/quiet", "<!doctype html><title>quiet</title>")
        .page("/near", &page("throw new Error('near');"))
        .page("/far", &page("throw new Error('far');"))
        .page(
            "/kinds",
            &page(
                "addEventListener('error', (event) => { if (event.message.includes('own')) event.preventDefault(); });
addEventListener('unhandledrejection', (event) => { if (event.reason === 'own') event.preventDefault(); });
Promise.reject('own'); Promise.reject(new RangeError('late')); Promise.reject(7);
setTimeout(() => { throw new Error('own'); });
setTimeout(() => { throw 'a string'; });
setTimeout(() => { throw new Error('Bearer abcdefghijkl ' + 'x'.repeat(20000)); });
setTimeout(() => { throw new Error('the last'); }, 50);",
            ),
        )
        .on("/missing", |_| Answer::status(404))
        .serve()
}

fn opened(env: &TestEnv) -> Mcp {
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp
}

/// The uncaught errors known so far.
fn told(mcp: &mut Mcp) -> Vec<Value> {
    let found = mcp.ok(
        "browser_logs",
        json!({"kind": "errors", "type": "exception"}),
    );
    found["entries"].as_array().unwrap().clone()
}

fn heard(mcp: &mut Mcp, text: &str) -> Value {
    wait_for(text, SOON, || {
        told(mcp)
            .into_iter()
            .find(|entry| entry["text"].as_str().unwrap().contains(text))
    })
}

/// Has the page load something that does not exist, and waits until that is logged.
fn mark(mcp: &mut Mcp, name: &str) {
    main(mcp, &format!("fetch('/missing?{name}'); 0"));
    wait_for(name, SOON, || {
        let found = mcp.ok("browser_logs", json!({"kind": "errors", "text": name}));
        (!found["entries"].as_array().unwrap().is_empty()).then_some(())
    });
}

fn main(mcp: &mut Mcp, code: &str) {
    mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
}

fn throws(text: &str) -> String {
    format!("setTimeout(() => {{ throw new Error('{text}'); }}); 0")
}

#[test]
fn an_uncaught_error_is_told_with_its_place() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), opened(&env));
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let first = heard(&mut mcp, "first");
    assert_eq!(first["text"], "Uncaught TypeError: first");
    assert_eq!(first["kind"], "error");
    assert_eq!(first["level"], "error");
    assert_eq!(first["tab"], "t1");
    assert_eq!(first["url"], site.url("/"));
    assert_eq!((&first["line"], &first["column"]), (&json!(3), &json!(5)));
    assert_eq!(first.get("promise"), None);
    let line = env.szk(["logs", "-s", "work", "--kind", "errors", "--text", "first"]);
    let line = line.ok().stdout;
    let place = format!("{}:3:5", site.url("/"));
    assert!(line.contains(&place), "{line}");
    // Later in the same document, in the next one, and on another site.
    main(&mut mcp, &throws("again"));
    heard(&mut mcp, "again");
    mcp.ok("browser_navigate", json!({"url": site.url("/near")}));
    heard(&mut mcp, "near");
    let far = site.url("/far").replace("127.0.0.1", "localhost");
    mcp.ok("browser_navigate", json!({"url": far}));
    assert_eq!(heard(&mut mcp, "far")["url"], far);
    // Asked for twice, reported once.
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/near?twice")}));
    main(&mut mcp, &throws("the end"));
    heard(&mut mcp, "the end");
    let twice = |entry: &&Value| entry["url"].as_str().unwrap().ends_with("twice");
    assert_eq!(told(&mut mcp).iter().filter(twice).count(), 2);
}

#[test]
fn anything_may_be_thrown_and_what_the_page_takes_care_of_is_not_told() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), opened(&env));
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/kinds")}));
    heard(&mut mcp, "the last");
    let mut texts: Vec<String> = Vec::new();
    for entry in told(&mut mcp) {
        let text = entry["text"].as_str().unwrap();
        let promise = text.contains("in promise");
        assert_eq!(entry["promise"] == true, promise, "{entry}");
        assert_eq!(entry["url"], site.url("/kinds"), "{entry}");
        assert_eq!(entry["line"].is_u64(), !promise, "{entry}");
        assert!(text.len() < 9000, "{}", text.len());
        texts.push(text.chars().take(40).collect());
    }
    texts.sort();
    assert_eq!(
        texts,
        [
            "Uncaught (in promise) 7",
            "Uncaught (in promise) RangeError: late",
            "Uncaught Error: Bearer *** xxxxxxxxxxxxx",
            "Uncaught Error: the last",
            "Uncaught a string",
        ]
    );
}

#[test]
fn frames_are_heard_wherever_they_live() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), opened(&env));
    mcp.ok("browser_navigate", json!({"url": site.url("/quiet")}));
    mcp.ok("browser_logs", json!({"capture": true}));
    let far = site.url("/far").replace("127.0.0.1", "localhost");
    let frame = |src: &str| {
        format!(
            "document.body.append(Object.assign(document.createElement('iframe'), {{src: '{src}'}})); 0"
        )
    };
    main(&mut mcp, &frame("/near"));
    assert_eq!(heard(&mut mcp, "near")["url"], site.url("/near"));
    main(&mut mcp, &frame(&far));
    let told_far = heard(&mut mcp, "far");
    assert_eq!(
        (&told_far["url"], &told_far["tab"]),
        (&json!(far), &json!("t1"))
    );
    // One without an address, one made by `document.write`, and one that has moved on by now.
    main(
        &mut mcp,
        "const bare = document.createElement('iframe'); document.body.append(bare);
         bare.contentWindow.eval(`setTimeout(() => { throw new Error('bare') })`);
         document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: '<script>throw new Error(\"within\")</script>'})); 0",
    );
    assert_eq!(heard(&mut mcp, "bare")["text"], "Uncaught Error: bare");
    heard(&mut mcp, "within");
    main(
        &mut mcp,
        "document.querySelectorAll('iframe')[1].src = '/near?moved'; 0",
    );
    let moved = wait_for("the moved frame", SOON, || {
        let url = site.url("/near?moved");
        told(&mut mcp).into_iter().find(|entry| entry["url"] == url)
    });
    assert_eq!(moved["text"], "Uncaught Error: near");
}

#[test]
fn nobody_is_heard_before_and_after() {
    let env = TestEnv::new();
    let (site, mut mcp) = (site(), opened(&env));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    main(&mut mcp, &throws("before"));
    mark(&mut mcp, "one");
    assert_eq!(told(&mut mcp), [] as [Value; 0]);
    // A document that was already open could notice.
    mcp.ok("browser_logs", json!({"capture": true}));
    main(&mut mcp, &throws("too early"));
    mark(&mut mcp, "two");
    assert_eq!(told(&mut mcp), [] as [Value; 0]);
    let far = site.url("/far").replace("127.0.0.1", "localhost");
    let frame = format!(
        "document.body.append(Object.assign(document.createElement('iframe'), {{src: '{far}'}})); 0"
    );
    mcp.ok("browser_navigate", json!({"url": site.url("/near")}));
    heard(&mut mcp, "near");
    main(&mut mcp, &frame);
    heard(&mut mcp, "far");
    let before = told(&mut mcp).len();

    mcp.ok("browser_logs", json!({"capture": false}));
    // In the current document, in its frame's next one, and in the tab's next one.
    main(&mut mcp, &throws("unheard"));
    main(
        &mut mcp,
        &format!("document.querySelector('iframe').src = '{far}?unheard'; 0"),
    );
    mark(&mut mcp, "three");
    wait_for("the frame's next document", SOON, || {
        let asked = site.asked();
        asked.iter().any(|one| one.query == "unheard").then_some(())
    });
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    main(&mut mcp, &throws("unheard"));
    mark(&mut mcp, "four");
    assert_eq!(told(&mut mcp).len(), before);

    // And once more.
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    heard(&mut mcp, "first");
    assert_eq!(told(&mut mcp).len(), before + 1);
}

/// The browser reports dedicated workers on its own, including nested ones: szk asks for nothing, and
/// errors that they or their page handle are not reported.
#[test]
fn dedicated_workers_are_heard() {
    let env = TestEnv::new();
    let mut mcp = opened(&env);
    let site = Site::plan()
        .page("/", "<!doctype html><title>page</title>")
        .script(
            "/worker.js",
            "onerror = (message) => message.includes('own');
setTimeout(() => { throw new Error('own'); });
Promise.reject(new RangeError('late'));
new Worker('/below.js', {type: 'module'});
  throw new TypeError('in the worker');",
        )
        .script(
            "/below.js",
            "export const x = 1; throw new Error('further below');",
        )
        .script("/broken.js", "this is no script")
        .script("/cared.js", "throw new Error('cared for');")
        .serve();
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    main(
        &mut mcp,
        "const cared = new Worker('/cared.js'); cared.onerror = event => { event.preventDefault(); new Worker('/worker.js'); new Worker('/broken.js'); }; 0",
    );
    let heard = |mcp: &mut Mcp, text: &str| {
        wait_for(text, SOON, || {
            let asked = json!({"kind": "errors", "type": "worker"});
            let found = mcp.ok("browser_logs", asked);
            let mut entries = found["entries"].as_array().unwrap().clone();
            assert!(
                !found.to_string().contains("own") && !found.to_string().contains("cared"),
                "{found:#}"
            );
            entries.retain(|entry| entry["text"].as_str().unwrap().contains(text));
            entries.into_iter().next()
        })
    };
    let first = heard(&mut mcp, "in the worker");
    assert_eq!(first["text"], "Uncaught TypeError: in the worker");
    assert_eq!(
        (
            &first["url"],
            &first["line"],
            &first["tab"],
            &first["level"]
        ),
        (
            &json!(site.url("/worker.js")),
            &json!(5),
            &json!("t1"),
            &json!("error")
        )
    );
    let late = heard(&mut mcp, "late");
    assert_eq!(late["text"], "Uncaught (in promise) RangeError: late");
    assert_eq!(
        heard(&mut mcp, "further below")["url"],
        site.url("/below.js")
    );
    heard(&mut mcp, "SyntaxError");
}
