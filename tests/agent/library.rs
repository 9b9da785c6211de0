//! A Rust program that carries out a task with an action of its own: `examples/rust/task.rs`.

use std::time::Duration;

use serde_json::json;
use szk_agent::model::BoxFuture;
use szk_agent::{Agent, Limits, Recipe, Task, model_of};

use super::{Provider, call, last};
use crate::harness::Site;

#[allow(dead_code, reason = "its `main` reads the command line")]
#[path = "../../examples/rust/task.rs"]
mod example;

#[test]
fn a_program_lets_the_model_do_what_only_it_can() {
    let site = Site::of(
        "<title>Shop</title><button onclick=\"this.textContent = 'Bought'\">Lamp, € 35</button>",
    );
    let provider = Provider::new(true, |step, body| match step {
        0 => {
            let tools = body["tools"].to_string();
            assert!(tools.contains("The most that we pay"), "{tools}");
            call("look_up_price", &json!({"article": "sofa"}))
        }
        1 => {
            let told = last(body);
            assert!(
                told.contains("INVALID_INPUT") && told.contains("no price"),
                "{told}"
            );
            call("look_up_price", &json!({"article": "lamp"}))
        }
        2 => {
            // What an action says is data, too: it may come from anywhere.
            let told = last(body);
            assert!(
                told.starts_with("<page-") && told.contains("\n40\n"),
                "{told}"
            );
            call("browser_act", &json!({"kind": "click", "role": "button"}))
        }
        _ => call("done", &json!({"success": true, "text": "bought"})),
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let client = env.client();
    let model = model_of(&client.agent_settings().unwrap()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let came = runtime
        .block_on(example::run(&client, &*model, "work", "buy a lamp"))
        .unwrap();
    assert!(came.done, "{came:?}");
    assert_eq!((came.steps, came.judged), (4, Some(true)));
    assert_eq!(env.eval("work", "document.body.innerText"), "Bought");
}

/// Somebody who is asked, and never answers.
fn silent(_: &str) -> BoxFuture<'_, Option<String>> {
    Box::pin(std::future::pending())
}

#[test]
fn the_time_of_a_task_passes_while_a_person_is_asked() {
    let provider = Provider::new(true, |_, _| {
        call("ask_person", &json!({"question": "which one?"}))
    });
    let env = provider.env();
    env.open("work");
    let client = env.client();
    let model = model_of(&client.agent_settings().unwrap()).unwrap();
    let limits = Limits::of(&client.agent_settings().unwrap(), None, None).unwrap();
    let task = Task {
        words: "buy a lamp".to_owned(),
        session: Some("work".to_owned()),
        origins: vec!["https://a.example".to_owned()],
        limits: Limits {
            time: Some(Duration::from_secs(5)),
            ..limits
        },
        recipe: Recipe::None,
        ..Task::default()
    };
    let agent = Agent {
        ask: &silent,
        ..Agent::new(&client, &*model)
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let came = runtime.block_on(agent.carry_out(&task)).unwrap();
    assert!(!came.done && came.text.contains("5 seconds"), "{came:?}");
}
