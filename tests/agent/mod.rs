//! `szk do` and `agent_run`: a task carried out by a model behind a real HTTP server.

mod actions;
mod approvals;
mod batches;
mod code;
mod eval;
mod failing;
mod fronts;
mod injection;
mod library;
mod limits;
mod places;
mod planning;
mod programs;
mod recipes;
mod resume;
mod tasks;
mod unverified;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Answer, Site, TestEnv};

/// A provider of chat completions: each request is answered by a function of the conversation.
pub(crate) struct Provider {
    site: Site,
    /// The bodies of all requests.
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Provider {
    /// Answers requests with tools by `decide`, and those of the judge with `verdict`. It knows no other plan.
    fn new(verdict: bool, decide: impl Fn(usize, &Value) -> Value + Send + Sync + 'static) -> Self {
        Self::planning("NONE", json!(verdict), decide)
    }

    /// The same with a plan for when it goes round in circles, and a judge that may say neither.
    fn planning(
        plan: &'static str,
        verdict: Value,
        decide: impl Fn(usize, &Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&asked);
        let site = Site::plan()
            .on("/v1/chat/completions", move |request| {
                assert_eq!(request.header("authorization"), "Bearer key-of-test");
                let body: Value = serde_json::from_str(&request.body).unwrap();
                let mut all = all.lock().unwrap();
                let step = all
                    .iter()
                    .filter(|one: &&Value| one["tools"].is_array())
                    .count();
                all.push(body.clone());
                drop(all);
                let message = match (body["tools"].is_array(), is_plan(&body)) {
                    (true, _) => decide(step, &body),
                    (false, true) => json!({"content": plan}),
                    (false, false) if verdict["status"].is_u64() => verdict.clone(),
                    (false, false) => {
                        json!({"content": json!({"done": verdict, "why": "seen"}).to_string()})
                    }
                };
                if let Some(status) = message["status"].as_u64() {
                    return Answer::json(&json!({})).with_status(status.try_into().unwrap());
                }
                Answer::json(&json!({
                    "choices": [{"message": message}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10},
                }))
            })
            .serve();
        Self { site, asked }
    }

    /// A home whose tasks go to this provider.
    fn env(&self) -> TestEnv {
        let mut env = TestEnv::new();
        env.set("SZK_AGENT_MODEL", "test-model");
        env.set("SZK_AGENT_BASE_URL", &self.site.url("/v1"));
        env.set("SZK_AGENT_KEY", "key-of-test");
        env
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

/// Whether a plan is asked for: no tool can be called, and the answer has no schema, as that of a judge.
fn is_plan(body: &Value) -> bool {
    !body["tools"].is_array() && body["response_format"].is_null()
}

/// A message that calls a tool.
fn call(name: &str, arguments: &Value) -> Value {
    json!({
        "content": null,
        "tool_calls": [{
            "id": "c1",
            "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        }],
    })
}

/// All that the model has read of pages so far.
fn read(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap().iter().skip(1);
    let texts = messages.filter_map(|message| message["content"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// What the model was told last.
fn last(body: &Value) -> &str {
    let messages = body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap()
}
