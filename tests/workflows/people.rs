//! What only a person can do is left to them.

use serde_json::{Value, json};

use super::Bench;
use super::site::CODE;
use crate::harness::{PATIENTLY, wait_until};

#[track_caller]
fn needs(said: &Value, reason: &str) -> String {
    assert_eq!(said["outcome"], "needs_person", "{said:#}");
    assert_eq!(said["reason"], reason, "{said:#}");
    said["handoff_url"].as_str().expect("a link").to_owned()
}

#[test]
fn a_one_time_code() {
    let mut bench = Bench::open();
    let said = bench.login("/code", json!({}));
    let link = needs(&said, "second_factor");
    assert!(link.starts_with("http://127.0.0.1:"), "{link}");
    let told = bench.mcp.ok("session_handoff", json!({"session": "work"}));
    assert_eq!(
        (&told["state"], &told["url"]),
        (&json!("waiting"), &json!(link))
    );
    // The person enters the code and says that they are done.
    bench.mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "[name=code]", "text": CODE}),
    );
    bench.mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    let told = bench
        .mcp
        .ok("session_handoff", json!({"session": "work", "end": "done"}));
    assert_eq!(told["state"], "done");
    // Without an address, the login continues on the current page.
    let said = bench.login("/code", json!({"url": null}));
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    assert_eq!(said["site"], "127.0.0.1");
    assert_eq!(bench.heading(), "Hello Jane");
    let sent = bench
        .site
        .asked()
        .into_iter()
        .filter(|asked| asked.body.contains("word="));
    assert_eq!(sent.count(), 1, "the password was not sent again");
}

#[test]
fn a_one_time_code_in_the_terminal() {
    let mut bench = Bench::open();
    let url = bench.site.url("/code");
    let args = [
        "login",
        &url,
        "-s",
        "work",
        "-u",
        super::site::USER,
        "--secret",
        "shop",
        "--json",
    ];
    let waiting = bench.env.szk(args).start();
    wait_until("a person is waited for", PATIENTLY, || {
        // While the page is navigating, nothing can be asked.
        let code = "document.querySelector('[name=code]') !== null";
        let asked = bench.env.szk(["run-code", code, "-s", "work"]).run();
        asked.stdout.trim() == "true"
            && bench
                .env
                .szk(["handoff", "work", "--no-wait", "--json"])
                .run()
                .code
                == Some(0)
    });
    bench.mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "[name=code]", "text": CODE}),
    );
    bench.mcp.ok(
        "browser_act",
        json!({"kind": "press", "selector": "[name=code]", "key": "Enter"}),
    );
    bench.env.szk(["handoff", "work", "--done"]).ok();
    let ended = waiting.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
}

#[test]
fn a_captcha_beside_the_form() {
    let mut bench = Bench::open();
    let said = bench.login("/robot", json!({"handoff": false}));
    assert_eq!(
        (&said["outcome"], &said["reason"]),
        (&json!("needs_person"), &json!("captcha")),
        "{said:#}"
    );
    assert!(said.get("handoff_url").is_none(), "{said:#}");
    let said = bench.login("/robot", json!({}));
    needs(&said, "captcha");
    // Everything else is filled in, and nothing is submitted.
    let filled = bench.mcp.eval("work", "[...document.querySelectorAll('form[method=post] input')].every((field) => field.value !== '')");
    assert_eq!(filled, true);
    assert!(bench.site.asked().iter().all(|asked| asked.method == "GET"));
    bench.mcp.ok(
        "session_handoff",
        json!({"session": "work", "end": "given_up"}),
    );
    let said = bench.login("/challenge", json!({}));
    needs(&said, "captcha");
}

#[test]
fn a_new_password() {
    let mut bench = Bench::open();
    let said = bench.login("/renew", json!({}));
    needs(&said, "new_password");
    let (said, code) = bench.login_by_hand("/renew", &["--no-handoff"]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("needs_person"), 4),
        "{said:#}"
    );
}
