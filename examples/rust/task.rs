//! Carries out a task with an action of the program's own: the model may look up prices in the program's list.
//! `cargo run -p szk-agent --example task PATH-OF-SZK 'TASK'`, with SZK_AGENT_MODEL and SZK_AGENT_KEY set.

use serde_json::{Map, Value, json};
use szk_agent::model::{BoxFuture, ChatModel, Tool};
use szk_agent::{Action, Agent, Limits, Outcome, Recipe, Task, model_of};
use szk_client::{Caller, Client, Identity};
use szk_tools::Failure;

/// What the program knows and the page does not.
pub(crate) struct PriceList;

impl Action for PriceList {
    fn tool(&self) -> Tool {
        Tool {
            name: "look_up_price".to_owned(),
            description: "The most that we pay for an article, in euros.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "article": { "type": "string" } },
                "required": ["article"],
            }),
        }
    }

    fn call<'a>(
        &'a self,
        arguments: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, Failure>> {
        let article = arguments.get("article").and_then(Value::as_str);
        let price = match article {
            Some("lamp") => Ok("40".to_owned()),
            _ => Err(Failure::invalid("no price is known for this article")),
        };
        Box::pin(std::future::ready(price))
    }
}

/// Carries out a task where the session is, and prints each step.
#[allow(clippy::print_stderr, reason = "it is a program for terminals")]
pub(crate) async fn run(
    client: &Client,
    model: &dyn ChatModel,
    session: &str,
    words: &str,
) -> Result<Outcome, Failure> {
    let task = Task {
        words: words.to_owned(),
        session: Some(session.to_owned()),
        limits: Limits::of(&client.agent_settings()?, None, None)?,
        judge: true,
        recipe: Recipe::None,
        ..Task::default()
    };
    let agent = Agent {
        tell: &|event| {
            let line = event.line();
            if !line.is_empty() {
                eprintln!("{line}");
            }
        },
        actions: &[&PriceList],
        ..Agent::new(client, model)
    };
    agent.carry_out(&task).await
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "it is a program for terminals")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let szk = args.next().unwrap_or_else(|| "szk".to_owned());
    let words = args.next().unwrap_or_else(|| "buy a lamp".to_owned());
    let who = Caller {
        client: Identity::named("example"),
        present: true,
    };
    let client = Client::from_process(who)?.with_program(szk.into());
    let model = model_of(&client.agent_settings()?)?;
    let came = run(&client, &*model, "default", &words).await?;
    println!("{}", came.text);
    Ok(())
}
