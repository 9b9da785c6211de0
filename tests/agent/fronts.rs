//! `agent_run` over MCP and HTTP: programs that give tasks.

use std::io::Read;
use std::net::TcpListener;

use serde_json::{Value, json};

use super::{Provider, call, read};
use crate::harness::mcp::success;
use crate::harness::{Mcp, PATIENTLY, Site};
use crate::serve::{Server, token};

/// A provider whose tasks press the button and are done.
fn presses() -> Provider {
    Provider::new(true, |_, body| match read(body).contains("pressed") {
        false => call("browser_act", &json!({"kind": "click", "name": "Press"})),
        true => call(
            "done",
            &json!({"success": true, "text": "pressed", "result": {"times": 1}}),
        ),
    })
}

#[test]
fn a_program_can_follow_a_task_line_by_line() {
    let site = Site::of(
        "<title>new</title><button onclick=\"document.title = 'pressed'; this.replaceWith('pressed')\">Press</button>",
    );
    let provider = presses();
    let env = provider.env();
    env.open("work");
    let lines = |more: &[&str]| -> Vec<Value> {
        env.navigate("work", &site.url("/"));
        let args = ["do", "press the button", "-s", "work", "--no-recipe"];
        let told = env.szk(args.iter().chain(more).copied()).ok().stdout;
        let lines = told.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let told = lines(&["--events", "--json"]);
    let (result, events) = told.split_last().unwrap();
    let events: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["began", "answer", "acted", "answer", "judged"]);
    assert_eq!(
        (&result["done"], &result["event"]),
        (&json!(true), &Value::Null),
        "{result}"
    );
    // Without it there is one document, with the same in it.
    let alone = lines(&["--json"]);
    let fields = |result: &Value| -> Vec<String> {
        let fields = result.as_object().unwrap().keys();
        fields.cloned().collect()
    };
    assert_eq!((alone.len(), fields(&alone[0])), (1, fields(result)));
    // Events are for programs, whatever else is said.
    assert_eq!(lines(&["--events"]).len(), told.len());
}

#[test]
fn programs_give_tasks_over_mcp_and_http() {
    let site = Site::of(
        "<title>new</title><button onclick=\"document.title = 'pressed'; this.replaceWith('pressed')\">Press</button>",
    );
    let provider = presses();
    let env = provider.env();
    env.open("work");
    let schema = json!({"type": "object", "properties": {"times": {"type": "integer"}}, "required": ["times"]});
    let task = json!({"session": "work", "task": "press the button", "schema": schema});

    env.navigate("work", &site.url("/"));
    let mut mcp = Mcp::open(env.szk(["mcp"]), "2025-11-25");
    let params = json!({"name": "agent_run", "arguments": task, "_meta": {"progressToken": "p"}});
    let id = mcp.request("tools/call", params);
    let is_progress = |message: &Value| message["params"]["progressToken"] == "p";
    let mut reports = Vec::new();
    while reports.len() < 2 {
        let report = mcp.next("progress", PATIENTLY, is_progress);
        reports.push(report["params"]["message"].as_str().unwrap().to_owned());
    }
    assert!(reports[0].contains(&site.origin()), "{reports:?}");
    assert!(reports[1].contains("browser_act"), "{reports:?}");
    let done = success(&mcp.answer(id)["result"]);
    assert_eq!(
        (&done["done"], &done["result"]["times"]),
        (&json!(true), &json!(1)),
        "{done}"
    );
    assert_eq!(done["tokens"], json!({"input": 300, "output": 30}));
    // Only the catalogue's input: no other model, no other limits.
    let more = json!({"session": "work", "task": "x", "max_steps": 0});
    mcp.fails("agent_run", more, "INVALID_INPUT");
    mcp.fails(
        "agent_run",
        json!({"session": "nobody", "task": "x"}),
        "SESSION_NOT_FOUND",
    );
    mcp.leave();

    let server = Server::start(&env);
    let weak = token(&env, "weak", &["--scope", "read,write"]);
    let path = "/v1/sessions/work/tasks";
    let body = json!({"task": "press the button", "schema": schema});
    server
        .call(&weak, "POST", path, &body)
        .fails(403, "POLICY_DENIED");
    let able = token(&env, "able", &["--scope", "read,write,agent"]);
    server
        .call(
            &able,
            "POST",
            "/v1/sessions/work/navigate",
            &json!({"url": site.url("/")}),
        )
        .ok();
    let bearer = format!("Bearer {able}");
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    let told = server.ask("POST", path, &headers, &body.to_string()).text();
    let kinds: Vec<&str> = told
        .lines()
        .filter_map(|line| line.strip_prefix("event: "))
        .collect();
    assert_eq!(
        kinds,
        ["progress", "progress", "progress", "result"],
        "{told}"
    );
    let result = told.lines().rfind(|line| line.starts_with("data: "));
    let result: Value = serde_json::from_str(&result.unwrap()[6..]).unwrap();
    assert_eq!(result["done"], true, "{result}");

    // Whoever hangs up takes the task back: nobody waits for the model any more.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", silent.local_addr().unwrap());
    let serve = env.szk(["serve", "--listen", ":0", "--json"]);
    let server = Server::of(serve.env("SZK_AGENT_BASE_URL", &address).start());
    let stream = server.begin(path, &headers[..1], &body.to_string());
    let (mut asked, _) = silent.accept().unwrap();
    asked.set_read_timeout(Some(PATIENTLY)).unwrap();
    let mut request = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&request).contains("press the button") {
        let read = asked.read(&mut part).expect("the agent asks");
        assert!(read > 0, "the agent hung up early");
        request.extend_from_slice(&part[..read]);
    }
    drop(stream);
    asked
        .read_to_end(&mut request)
        .expect("the agent hangs up, too");
    let runs = env.szk(["runs", "list", "-s", "work", "--json"]).json();
    assert_eq!(runs["runs"][0]["done"], Value::Null, "{runs}");
}
