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
