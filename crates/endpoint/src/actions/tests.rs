use std::collections::BTreeMap;

use serde_json::{Value, json};
use szk_config::{OriginPattern, Policy};

use super::*;

/// All methods of this Chromium.
fn known() -> Vec<String> {
    let protocol: Value = serde_json::from_str(include_str!("../protocol.json")).unwrap();
    let domains = protocol["domains"].as_array().unwrap().iter();
    let commands = |domain: &Value| {
        let name = domain["domain"].as_str().unwrap().to_owned();
        let commands = domain["commands"].as_array().cloned().unwrap_or_default();
        let named = move |command: Value| format!("{name}.{}", command["name"].as_str().unwrap());
        commands.into_iter().map(named).collect::<Vec<_>>()
    };
    domains.flat_map(commands).collect()
}

#[test]
fn every_method_has_one_decision_and_every_decision_a_method() {
    let mut decided: BTreeMap<String, usize> = BTreeMap::new();
    for (method, _) in read(TABLE) {
        *decided.entry(method).or_default() += 1;
    }
    let twice: Vec<_> = decided.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "decided twice: {twice:?}");
    let known = known();
    assert!(known.len() > 600, "{}", known.len());
    let missing: Vec<_> = known
        .iter()
        .filter(|it| !decided.contains_key(*it))
        .collect();
    assert!(missing.is_empty(), "decide in methods.txt: {missing:?}");
    let gone: Vec<_> = decided.keys().filter(|it| !known.contains(it)).collect();
    assert!(gone.is_empty(), "no longer in the protocol: {gone:?}");
}

#[test]
fn every_section_is_one_that_is_known() {
    let sections = TABLE.lines().filter_map(|line| line.strip_prefix('['));
    for section in sections.map(|line| line.trim_end_matches(']')) {
        let known = section == "unlimited" || Does::named(section) != Does::Unlimited;
        assert!(known, "{section}");
    }
}

fn limited(change: impl FnOnce(&mut Policy)) -> Bounds {
    let mut policy = Policy::open();
    change(&mut policy);
    Bounds::new(policy, vec!["/own".into()])
}

/// World 7 is isolated, and the page's own is 1.
fn allowed(bounds: &Bounds, method: &str, params: &str) -> bool {
    let params = RawValue::from_string(params.to_owned()).unwrap();
    let isolated = |named: &Named| match named {
        Named::Context(id) => *id == 7,
        Named::Unique(name) => name == "-7.7",
        Named::Object(id) => id == "5.7.1",
    };
    check(bounds, method, Some(&params), isolated).is_ok()
}

#[track_caller]
fn table(bounds: &Bounds, allow: &[(&str, Value)], refuse: &[(&str, Value)]) {
    for (method, params) in allow {
        assert!(
            allowed(bounds, method, &params.to_string()),
            "{method} {params} is allowed"
        );
    }
    for (method, params) in refuse {
        assert!(
            !allowed(bounds, method, &params.to_string()),
            "{method} {params} is refused"
        );
    }
}

#[test]
fn without_limits_only_files_are_refused() {
    let open = Bounds::open();
    for method in known().iter().map(String::as_str).chain(["Future.method"]) {
        assert!(allowed(&open, method, "{}"), "{method}");
    }
    let file = json!({"url": "file:///etc/passwd"});
    let visit = [
        "Page.navigate",
        "Target.createTarget",
        "Fetch.continueRequest",
        "Network.loadNetworkResource",
    ];
    for method in visit {
        table(
            &open,
            &[
                (method, json!({"url": "https://a.example/"})),
                (method, json!({"url": 5})),
            ],
            &[(method, file.clone())],
        );
        for params in [
            r#"{"url":"https://a.example/","url":"file:///etc/passwd"}"#,
            r#"{"url":"file:///etc/passwd","url":"https://a.example/"}"#,
            r#"{"\u0075rl":"file:///etc/passwd"}"#,
            r#"{"url":"file:///etc/passwd\ud800"}"#,
            r#"{"x\ud800":1,"url":"file:///etc/passwd"}"#,
        ] {
            assert!(!allowed(&open, method, params), "{method} {params}");
        }
    }
}

#[test]
fn with_any_limit_unclassified_methods_are_refused() {
    let bounds = limited(|policy| policy.downloads = false);
    let unknown = [
        "Future.method",
        "Runtime.evaluated",
        "nonsense",
        "Tethering.bind",
        "Extensions.loadUnpacked",
    ];
    for method in unknown {
        assert!(!allowed(&bounds, method, "{}"), "{method}");
    }
    table(
        &bounds,
        &[
            ("Target.createBrowserContext", json!({})),
            ("DOM.getDocument", json!({})),
        ],
        &[
            (
                "Target.createBrowserContext",
                json!({"proxyServer": "http://127.0.0.1:1"}),
            ),
            ("Target.openDevTools", json!({"targetId": "T"})),
            ("Page.navigate", json!({"url": "chrome://settings"})),
            (
                "Page.navigate",
                json!({"url": "devtools://devtools/bundled/inspector.html"}),
            ),
            (
                "Browser.setDownloadBehavior",
                json!({"behavior": "allow", "downloadPath": "/own"}),
            ),
        ],
    );
}

const RUNS: [&str; 4] = [
    "Runtime.evaluate",
    "Runtime.callFunctionOn",
    "Runtime.compileScript",
    "Runtime.runScript",
];

#[test]
fn code() {
    let off = limited(|policy| policy.run_code = false);
    for method in RUNS {
        table(
            &off,
            &[],
            &[(method, json!({"contextId": 7})), (method, json!({}))],
        );
    }
    table(
        &off,
        &[
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": "", "worldName": "w"}),
            ),
            ("Page.reload", json!({})),
            ("Debugger.setBreakpointByUrl", json!({"lineNumber": 1})),
        ],
        &[
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": "1", "worldName": "w"}),
            ),
            (
                "Page.addScriptToEvaluateOnLoad",
                json!({"scriptSource": "1"}),
            ),
            ("Page.reload", json!({"scriptToEvaluateOnLoad": "1"})),
            (
                "Debugger.setBreakpointByUrl",
                json!({"lineNumber": 1, "condition": "x()"}),
            ),
            ("Debugger.evaluateOnCallFrame", json!({})),
            ("Page.navigate", json!({"url": "JavaScript:1"})),
            (
                "Page.setDocumentContent",
                json!({"html": "<script>1</script>"}),
            ),
            ("DOM.setOuterHTML", json!({})),
            ("Fetch.fulfillRequest", json!({})),
        ],
    );
}

#[test]
fn code_in_the_pages_own_world() {
    let bounds = limited(|policy| policy.main_world = false);
    let inside = [
        json!({"contextId": 7}),
        json!({"executionContextId": 7}),
        json!({"uniqueContextId": "-7.7"}),
        json!({"objectId": "5.7.1"}),
    ];
    let outside = [
        json!({}),
        json!({"contextId": 1}),
        json!({"contextId": "7"}),
        json!({"contextId": 7, "uniqueContextId": "-1.1"}),
        json!({"objectId": "5.1.1"}),
        json!({"objectId": 5}),
    ];
    for method in RUNS {
        let pairs = |all: &[Value]| -> Vec<(&str, Value)> {
            all.iter().map(|params| (method, params.clone())).collect()
        };
        table(&bounds, &pairs(&inside), &pairs(&outside));
    }
    let script = "Page.addScriptToEvaluateOnNewDocument";
    table(
        &bounds,
        &[(script, json!({"source": "1", "worldName": "w"}))],
        &[
            (script, json!({"source": "1"})),
            ("Fetch.fulfillRequest", json!({})),
        ],
    );
}

#[test]
fn files_and_exports() {
    let bounds = limited(|policy| {
        policy.read = Some(Vec::new());
        policy.write = Some(Vec::new());
        policy.export_cookies = false;
    });
    table(
        &bounds,
        &[
            ("DOM.setFileInputFiles", json!({"files": []})),
            ("Input.dispatchDragEvent", json!({"data": {"items": []}})),
            ("Page.setDownloadBehavior", json!({"behavior": "deny"})),
            ("Network.setCookie", json!({})),
            ("Runtime.evaluate", json!({})),
        ],
        &[
            ("DOM.setFileInputFiles", json!({"files": ["/etc/passwd"]})),
            (
                "DOM.setFileInputFiles",
                json!({"files": ["/own/../etc/passwd"]}),
            ),
            (
                "Input.dispatchDragEvent",
                json!({"data": {"files": ["/etc/passwd"]}}),
            ),
            (
                "Browser.setDownloadBehavior",
                json!({"behavior": "allow", "downloadPath": "/tmp"}),
            ),
            ("Page.setDownloadBehavior", json!({"behavior": "default"})),
            ("Network.getAllCookies", json!({})),
            ("Network.getCookies", json!({})),
            ("Storage.getCookies", json!({})),
            ("DOMStorage.getDOMStorageItems", json!({})),
            ("IndexedDB.requestData", json!({})),
            (
                "Network.loadNetworkResource",
                json!({"url": "https://a.example/"}),
            ),
            ("Tracing.start", json!({})),
        ],
    );
}

#[test]
fn origins() {
    let bounds = limited(|policy| {
        policy.allowed_origins = Some(vec![OriginPattern::read("https://a.example").unwrap()]);
    });
    let go = |url: &str| json!({"url": url});
    table(
        &bounds,
        &[
            ("Page.navigate", go("https://a.example/x")),
            ("Target.createTarget", go("about:blank")),
            ("Fetch.continueRequest", json!({})),
            ("Runtime.evaluate", json!({})),
        ],
        &[
            ("Page.navigate", go("https://b.example/")),
            ("Target.createTarget", go("data:text/html,x")),
            ("Fetch.continueRequest", go("https://b.example/")),
            ("Network.loadNetworkResource", go("https://b.example/")),
        ],
    );
}

#[test]
fn files_of_the_store_are_refused_without_any_limit() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let store = vec![dir.path().join("store")];
    let bounds = Bounds::new(Policy::open(), Vec::new()).keeping_private(store);
    let files = "DOM.setFileInputFiles";
    let downloads = "Browser.setDownloadBehavior";
    table(
        &bounds,
        &[
            (files, json!({"files": [at("cv.pdf")]})),
            (
                downloads,
                json!({"behavior": "allow", "downloadPath": at("out")}),
            ),
            (downloads, json!({"behavior": "default"})),
        ],
        &[
            (files, json!({"files": [at("store/work/state.json")]})),
            (
                downloads,
                json!({"behavior": "allow", "downloadPath": at("store/work")}),
            ),
        ],
    );
}
