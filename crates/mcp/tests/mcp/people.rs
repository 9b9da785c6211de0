//! Calls that need a person or take long, from protocol 2026-07-28 on.

use serde_json::{Value, json};
use szk_tools::session::HandoffState;

use super::fake::Fake;
use super::peer::Peer;

/// A client of the newest generation, which says with each request what it can do.
struct Newest {
    peer: Peer,
    capabilities: Value,
    number: u64,
}

impl Newest {
    fn new(fake: &std::sync::Arc<Fake>, capabilities: Value) -> Self {
        Self {
            peer: Peer::start(fake),
            capabilities,
            number: 0,
        }
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.number += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        self.peer.request(self.number, method, params);
        let answer = self.peer.next().await;
        assert_eq!(answer["id"], self.number, "{answer}");
        answer
    }

    async fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", params).await["result"].take()
    }

    /// Calls again with what the last result asked for.
    async fn again(&mut self, tool: &str, arguments: &Value, last: &Value, said: Value) -> Value {
        let mut params =
            json!({"name": tool, "arguments": arguments, "requestState": last["requestState"]});
        if !said.is_null() {
            params["inputResponses"] = json!({"person": said});
        }
        self.ask("tools/call", params).await
    }

    async fn task(&mut self, method: &str, id: &Value) -> Value {
        self.ask(method, json!({"taskId": id})).await
    }

    /// Polls until a task has this status.
    async fn until(&mut self, id: &Value, status: &str) -> Value {
        loop {
            let task = self.task("tasks/get", id).await["result"].take();
            if task["status"] == status {
                return task;
            }
            let status = task["status"].as_str().unwrap();
            assert!(["working", "input_required"].contains(&status), "{task}");
            tokio::task::yield_now().await;
        }
    }
}

fn accept() -> Value {
    json!({"action": "accept", "content": {}})
}

#[tokio::test]
async fn a_login_goes_on_when_the_client_comes_back() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({"elicitation": {}}));
    let input = json!({"url": "https://shop.example/", "username": "jane", "password": "hunter2"});
    let asked = client.call("workflow_login", &input).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["person"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .contains("http://127.0.0.1:9/")
    );
    assert!(!asked.to_string().contains("hunter2"));

    // Without an answer the question stands.
    let again = client
        .again("workflow_login", &input, &asked, Value::Null)
        .await;
    assert_eq!(again["result"]["inputRequests"], asked["inputRequests"]);

    let over = client
        .again("workflow_login", &input, &again["result"], accept())
        .await;
    assert_eq!(
        over["result"]["structuredContent"]["outcome"], "logged_in",
        "{over}"
    );
    assert_eq!(
        fake.heard(),
        [
            (
                "workflow_login",
                json!({"url": "https://shop.example/", "username": "jane", "password": "hunter2"})
            ),
            ("session_handoff", json!({"session": "work", "end": "done"})),
            (
                "workflow_login",
                json!({"session": "work", "tab": "t1", "username": "jane", "password": "hunter2"})
            ),
        ]
    );

    // A person who declines leaves the login as it was before.
    let given_up = client
        .again(
            "workflow_login",
            &input,
            &asked,
            json!({"action": "decline"}),
        )
        .await;
    let result = &given_up["result"];
    assert_eq!(
        result["structuredContent"]["outcome"], "needs_person",
        "{result}"
    );
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("gave up"),
        "{result}"
    );
}

#[tokio::test]
async fn a_state_is_good_for_its_own_call_only() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({"elicitation": {}}));
    let input = json!({"reason": "a code"});
    let asked = client.call("session_handoff", &input).await;
    let made = fake.heard().len();
    let mut forged = asked.clone();
    forged["requestState"] = json!("rs1.AAAA.AAAA");
    for (tool, input, asked) in [
        ("session_handoff", json!({"reason": "another"}), &asked),
        (
            "workflow_login",
            json!({"url": "https://shop.example/"}),
            &asked,
        ),
        ("browser_snapshot", json!({}), &asked),
        ("session_handoff", input.clone(), &forged),
    ] {
        let refused = client.again(tool, &input, asked, accept()).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(
            refused["error"]["message"]
                .as_str()
                .unwrap()
                .contains("requestState")
        );
    }
    assert_eq!(fake.heard().len(), made, "nothing was run");
}

#[tokio::test]
async fn a_person_in_the_live_view_is_waited_for_in_several_requests() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({"elicitation": {"url": {}}}));
    let input = json!({"reason": "a code"});
    let asked = client.call("session_handoff", &input).await;
    let question = &asked["inputRequests"]["person"]["params"];
    assert_eq!(question["mode"], "url", "{asked}");
    assert_eq!(question["url"], "http://127.0.0.1:9/");
    assert_eq!(question["message"], "a code");
    let opened = client
        .again(
            "session_handoff",
            &input,
            &asked,
            json!({"action": "accept"}),
        )
        .await;
    let opened = &opened["result"];
    assert_eq!(opened["resultType"], "input_required", "{opened}");
    assert!(opened.get("inputRequests").is_none(), "{opened}");
    fake.person(HandoffState::Done);
    let over = client
        .again("session_handoff", &input, opened, Value::Null)
        .await;
    assert_eq!(
        over["result"]["structuredContent"]["state"], "done",
        "{over}"
    );

    // Who never finishes: the call ends with the link, before the client gives up.
    fake.person(HandoffState::Waiting);
    let mut last = client.call("session_handoff", &input).await;
    for round in 0.. {
        assert!(round < 10, "clients make at most ten requests");
        let said = match round {
            0 => json!({"action": "accept"}),
            _ => Value::Null,
        };
        last = client.again("session_handoff", &input, &last, said).await["result"].take();
        if last["resultType"] == "complete" {
            break;
        }
    }
    assert_eq!(last["structuredContent"]["state"], "waiting", "{last}");
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_the_link() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({}));
    let link = client
        .call("session_handoff", &json!({"reason": "a code"}))
        .await;
    assert_eq!(link["resultType"], "complete", "{link}");
    assert_eq!(link["structuredContent"]["url"], "http://127.0.0.1:9/");
}

fn tasks() -> Value {
    json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

#[tokio::test]
async fn what_takes_long_is_a_task() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, tasks());
    let found = client.ask("server/discover", json!({})).await;
    let extensions = &found["result"]["capabilities"]["extensions"];
    assert!(
        extensions["io.modelcontextprotocol/tasks"].is_object(),
        "{found}"
    );

    let begun = client
        .call("workflow_scrape", &json!({"session": "work"}))
        .await;
    assert_eq!(begun["resultType"], "task", "{begun}");
    assert!(begun["ttlMs"].as_u64().unwrap() > 60_000, "{begun}");
    let ended = client.until(&begun["taskId"], "completed").await;
    assert_eq!(ended["result"]["isError"], false, "{ended}");
    assert_eq!(
        ended["result"]["structuredContent"]["input"]["session"],
        "work"
    );

    // Its question is the task's.
    let begun = client
        .call("session_handoff", &json!({"reason": "a code"}))
        .await;
    let asked = client.until(&begun["taskId"], "input_required").await;
    let (key, question) = asked["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    let answer = json!({"taskId": begun["taskId"], "inputResponses": {key: accept()}});
    client.ask("tasks/update", answer).await;
    let ended = client.until(&begun["taskId"], "completed").await;
    assert_eq!(
        ended["result"]["structuredContent"]["state"], "done",
        "{ended}"
    );

    // A person who is done in the live view takes the question back.
    let begun = client
        .call(
            "session_handoff",
            &json!({"reason": "a code", "wait": true}),
        )
        .await;
    client.until(&begun["taskId"], "input_required").await;
    fake.person(HandoffState::GivenUp);
    let ended = client.until(&begun["taskId"], "completed").await;
    assert_eq!(
        ended["result"]["structuredContent"]["state"], "given_up",
        "{ended}"
    );
}

#[tokio::test]
async fn a_task_is_cancelled_and_its_call_with_it() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, tasks());
    let begun = client
        .call("session_handoff", &json!({"reason": "a code"}))
        .await;
    client.until(&begun["taskId"], "input_required").await;
    assert!(client.task("tasks/cancel", &begun["taskId"]).await["error"].is_null());
    client.until(&begun["taskId"], "cancelled").await;
    assert_eq!(fake.waiting(), 0, "the call is gone");
    for method in ["tasks/get", "tasks/cancel"] {
        let unknown = client.task(method, &json!("none")).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[tokio::test]
async fn tasks_are_for_those_who_know_them_and_not_without_end() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({}));
    let whole = client.call("workflow_scrape", &json!({})).await;
    assert_eq!(whole["resultType"], "complete", "{whole}");
    let refused = client.task("tasks/get", &json!("none")).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");

    client.capabilities = tasks();
    let short = client.call("session_list", &json!({})).await;
    assert_eq!(short["resultType"], "complete", "{short}");
    // Those that have ended stand in nobody's way: the oldest whose outcome was read make room.
    let mut ids = Vec::new();
    for _ in 0..66 {
        let result = client.call("workflow_scrape", &json!({})).await;
        assert_ne!(result["resultType"], "complete", "{result}");
        client.until(&result["taskId"], "completed").await;
        ids.push(result["taskId"].clone());
    }
    let forgotten = client.task("tasks/get", &ids[0]).await;
    assert_eq!(forgotten["error"]["code"], -32602, "{forgotten}");
    let kept = client.task("tasks/get", &ids[65]).await;
    assert_eq!(kept["error"], Value::Null, "{kept}");
}

#[tokio::test]
async fn a_call_is_made_once_a_person_has_approved_it() {
    let fake = Fake::new();
    let mut client = Newest::new(&fake, json!({"elicitation": {}}));
    let input = json!({});
    let asked = client.call("browser_pdf", &input).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["person"]["params"];
    let message = question["message"].as_str().unwrap();
    assert!(message.starts_with("print this page"), "{message}");

    let over = client.again("browser_pdf", &input, &asked, accept()).await;
    assert_eq!(over["result"]["isError"], false, "{over}");

    // A no, or no answer, is not passed on, and what the model reads holds no token.
    let asked = client.call("browser_pdf", &input).await;
    for said in [json!({"action": "decline"}), Value::Null] {
        let over = client.again("browser_pdf", &input, &asked, said).await;
        assert_eq!(over["result"]["isError"], true, "{over}");
        let text = over.to_string();
        assert!(text.contains("NEEDS_APPROVAL") && !text.contains("one-time"));
    }
    // Nor is an answer to another call.
    let other = json!({"tab": "t2"});
    let refused = client.again("browser_pdf", &other, &asked, accept()).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");

    // A client that only opens links cannot be asked.
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut client = Newest::new(&fake, capabilities);
        let over = client.call("browser_pdf", &input).await;
        assert_eq!(over["isError"], true, "{over}");
    }
    let approvers = fake.approvers.lock().unwrap().clone();
    assert_eq!(
        approvers,
        ["person", "one-time", "person", "nobody", "nobody"]
    );
}

/// Before there was another way, the server asks while the call waits.
#[tokio::test]
async fn a_person_who_does_not_answer_in_time_has_not_approved() {
    let fake = Fake::new();
    fake.hurries
        .store(true, std::sync::atomic::Ordering::SeqCst);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut peer = Peer::start(&fake);
        let hello = json!({"protocolVersion": version, "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "0"}});
        peer.request("init", "initialize", hello);
        peer.next().await;
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        peer.call("print", "browser_pdf", json!({}));
        // The question, and perhaps that it is taken back; this client shows it to nobody.
        let over = loop {
            let line = peer.next().await;
            if line["id"] == "print" {
                break line;
            }
        };
        assert_eq!(over["result"]["isError"], true, "{over}");
        let text = over.to_string();
        assert!(text.contains("did not answer in time"), "{version} {text}");
        assert!(!text.contains("one-time"), "{text}");
    }
    let approvers = fake.approvers.lock().unwrap().clone();
    assert_eq!(approvers, ["person"; 4], "none was made again");
}
