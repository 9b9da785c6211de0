//! What the event stream tells: everything that clients of a session cannot see for themselves.

use serde_json::json;

use crate::harness::{Answer, Signal, Site, TestEnv};

#[test]
fn a_follower_hears_of_everything_that_others_do() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>a</title><a id=file href='/file'>File</a>")
        .on("/file", |_| {
            let header = "attachment; filename=\"report.txt\"";
            Answer::html("text").header("content-disposition", header)
        })
        .serve();
    let mut agent = env.mcp_of("Agent a");
    agent.open_session("work");
    let mut follows = env
        .szk(["logs", "-s", "work", "--follow", "--since", "0", "--json"])
        .start();
    let mut tells = |event: &str| {
        follows.until(event, |line| line.contains(event));
    };
    let mut does = |tool: &str, mut input: serde_json::Value| {
        input["session"] = json!("work");
        agent.ok(tool, input)
    };
    tells(r#""event":"client_came","client":"Agent a""#);
    does("browser_navigate", json!({"url": site.url("/")}));
    tells(r#""event":"navigated""#);
    does("browser_snapshot", json!({}));
    tells(r#""event":"snapshot_taken""#);
    does("browser_act", json!({"kind": "click", "selector": "#file"}));
    tells(r#""name":"report.txt","state":"completed""#);
    let code = "setTimeout(() => confirm('sure?')); return 0";
    does("browser_run_code", json!({"code": code, "world": "main"}));
    tells(r#""event":"dialog_opened""#);
    does("browser_arm", json!({"event": "dialog", "accept": true}));
    tells(r#""event":"dialog_closed""#);
    does("browser_tabs", json!({"action": "open", "label": "more"}));
    tells(r#""event":"tab_opened""#);
    does("browser_tabs", json!({"action": "close", "tab": "more"}));
    tells(r#""event":"tab_closed""#);
    does("session_handoff", json!({"reason": "Press the button."}));
    tells(r#""event":"handoff_began""#);
    does("session_handoff", json!({"end": "done"}));
    tells(r#""event":"handoff_ended","how":"done""#);
    let cookie = json!([{"name": "a", "value": "1", "domain": "a.test", "path": "/"}]);
    std::fs::write(env.work().join("cookies.json"), cookie.to_string()).unwrap();
    env.szk(["state", "import", "work", "cookies.json"]).ok();
    tells(r#""event":"state_imported","client":"e2e""#);
    env.browser().signal(Signal::KILL);
    tells(r#""event":"browser_exited""#);
    tells(r#""event":"browser_restarted""#);
    drop(agent);
    tells(r#""event":"client_left","client":"Agent a""#);
    env.szk(["close", "work"]).ok();
    tells(r#""event":"closing""#);
}

#[test]
fn numbers_of_events_go_on_when_a_session_is_opened_again() {
    let env = TestEnv::new();
    let all = |since: &str| {
        let mut follows = env
            .szk(["logs", "-s", "work", "--follow", "--since", since, "--json"])
            .start();
        let told = follows.until("a tab opens", |line| line.contains("tab_opened"));
        let first: serde_json::Value = serde_json::from_str(told.lines().next().unwrap()).unwrap();
        first
    };
    env.open("work");
    let before = all("0")["event"]["seq"].as_u64().unwrap();
    assert_eq!(before, 1);
    env.close("work");
    env.open("work");
    let first = all("0")["event"]["seq"].as_u64().unwrap();
    assert!(first > before + 1, "{first}");
    // What the session told after that, until it closed, is lost, and the reader is told how much it is.
    let missed = all("1")["missed"].as_u64();
    assert_eq!(missed, Some(first - 2));
    let last = (first - 1).to_string();
    assert_eq!(all(&last)["event"]["seq"].as_u64(), Some(first));
}
