//! What szk itself does in a page leaves no trace there.

use serde_json::json;

use crate::harness::{SOON, Site, TestEnv, wait_until};

/// Counts signs of an enabled `Runtime`, and every change to the document.
const PAGE: &str = r#"<!doctype html><title>watched</title><p id=p>text</p><script>
  var stacks = 0, changes = 0, globals = Object.getOwnPropertyNames(window).length;
  Error.prepareStackTrace = () => { stacks++; return ''; };
  setInterval(() => console.debug(new Error('trap')), 10);
  new MutationObserver(() => changes++).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
</script>"#;

#[test]
fn operations_neither_enable_nor_write_nor_define_anything() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for _ in 0..3 {
        mcp.eval("work", "document.querySelector('#p').textContent");
        mcp.ok("browser_screenshot", json!({}));
        mcp.ok("browser_screenshot", json!({"selector": "#p"}));
        mcp.ok("session_list", json!({}));
        mcp.ok("session_state", json!({"action": "export"}));
    }
    let main = json!({"world": "main", "code": "[stacks, changes, Object.getOwnPropertyNames(window).length - globals]"});
    let seen = mcp.ok("browser_run_code", main)["value"].clone();
    assert_eq!(seen, json!([0, 0, 0]));
}

/// Chromium itself may ask for the stack of an uncaught error, whoever listens; nothing else does.
#[test]
fn hearing_uncaught_errors_neither_enables_nor_defines_anything() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let seen = [false, true].map(|capture| {
        mcp.ok("browser_logs", json!({"capture": capture}));
        mcp.ok("browser_navigate", json!({"url": site.url("/")}));
        let mut main = |code: &str| {
            let call = json!({"world": "main", "code": code});
            mcp.ok("browser_run_code", call)["value"].clone()
        };
        main("globals++; window.over = 0; addEventListener('unhandledrejection', () => { over++; }); 0");
        for _ in 0..3 {
            main("Promise.reject(new Error('x')); 0");
        }
        main("new Promise((done) => { const look = () => over < 3 ? setTimeout(look) : done(0); look(); })");
        if capture {
            wait_until("all are told", SOON, || {
                let found = mcp.ok("browser_logs", json!({"type": "exception"}));
                found["entries"].as_array().unwrap().len() == 3
            });
        }
        let main = json!({"world": "main", "code": "[stacks, changes, Object.getOwnPropertyNames(window).length - globals]"});
        mcp.ok("browser_run_code", main)["value"].clone()
    });
    assert_eq!(seen[0], seen[1]);
    assert_eq!((&seen[1][1], &seen[1][2]), (&json!(0), &json!(0)));
}

#[test]
fn no_debugging_port_is_open_until_it_is_asked_for() {
    let env = TestEnv::new();
    env.open("quiet");
    let browser = env.browser();
    let listening = std::fs::read_to_string(format!("/proc/{}/net/tcp", browser.pid)).unwrap();
    let inodes: Vec<String> = std::fs::read_dir(format!("/proc/{}/fd", browser.pid))
        .unwrap()
        .flatten()
        .filter_map(|fd| {
            Some(
                std::fs::read_link(fd.path())
                    .ok()?
                    .to_str()?
                    .strip_prefix("socket:[")?
                    .trim_end_matches(']')
                    .to_owned(),
            )
        })
        .collect();
    let own = listening.lines().filter(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(3) == Some(&"0A")
            && fields
                .get(9)
                .is_some_and(|inode| inodes.iter().any(|own| own == inode))
    });
    assert_eq!(own.count(), 0, "Chromium listens on nothing");
}
