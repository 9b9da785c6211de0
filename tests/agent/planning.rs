//! A model that goes round in circles plans anew, once; and notes that outlive the conversation.

use serde_json::{Value, json};

use super::{Provider, call, is_plan, last, read};
use crate::harness::Site;

const PAGE: &str =
    "<title>Shop</title><button onclick=\"this.textContent = 'Ordered'\">Menu</button>";

fn click(name: &str) -> Value {
    call("browser_act", &json!({"kind": "click", "name": name}))
}

/// What the planner was asked, each time.
fn plans(provider: &Provider) -> Vec<Value> {
    provider.asked().into_iter().filter(is_plan).collect()
}

#[test]
fn a_new_plan_takes_the_place_of_what_was_tried() {
    let site = Site::of(PAGE);
    let provider = Provider::planning("1. Use the menu.", json!(true), |_, body| {
        let planned = body["messages"].to_string().contains("Use the menu");
        match (planned, read(body).contains("Ordered")) {
            (false, _) => click("No such button"),
            (true, false) => click("Menu"),
            (true, true) => call("done", &json!({"success": true, "text": "ordered"})),
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let ended = env.szk(["do", "order", "-s", "work", "--json"]).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    // Four times the same, one with the plan, and the end; the plan and the judge are no steps, but cost.
    assert_eq!(
        (&said["steps"], &said["tokens"]["input"]),
        (&json!(6), &json!(800)),
        "{said}"
    );
    let plans = plans(&provider);
    assert_eq!(plans.len(), 1);
    let asked = plans[0]["messages"][1]["content"].as_str().unwrap();
    assert!(asked.contains("Task: order"), "{asked}");
    assert_eq!(asked.matches("No such button").count(), 4, "{asked}");
    assert!(asked.contains("button \"Menu\""), "{asked}");
    // The plan is the model's own word, after the task with what was tried.
    let asked = provider.asked();
    let next = asked.iter().position(is_plan).unwrap() + 1;
    let messages = asked[next]["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|one| one["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert!(last(&asked[next]).contains("The page now:"));
    let run = said["run"].as_str().unwrap();
    let shown = env.szk(["runs", "show", run, "-s", "work"]).ok();
    assert!(shown.stdout.contains("Use the menu"), "{shown:#?}");
}

#[test]
fn a_circle_with_the_new_plan_ends_the_run_and_none_ends_it_at_once() {
    let site = Site::of(PAGE);
    for (plan, steps) in [("1. Try again.", 7), ("NONE", 4)] {
        let provider = Provider::planning(plan, json!(true), |_, _| click("No such button"));
        let env = provider.env();
        env.open("work");
        env.navigate("work", &site.url("/"));
        let ended = env.szk(["do", "order", "-s", "work", "--json"]).run();
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let said: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(said["steps"], steps, "{plan}: {said}");
        assert!(said["text"].to_string().contains("in circles"), "{said}");
        assert_eq!(plans(&provider).len(), 1, "{plan}");
    }
}

#[test]
fn plans_and_notes_survive_compaction_and_resumption() {
    let words: String = (0..700)
        .map(|number| format!("<p>The {number}th paragraph of a very long story.</p>"))
        .collect();
    let site = Site::of(&format!("<title>Story</title>{words}"));
    let provider = Provider::planning("1. Read it all.", json!(true), |step, body| {
        let read = read(body);
        match step {
            0 => call("remember", &json!({"note": "the code is 4711"})),
            1..=4 => click("No such button"),
            _ if read.contains("szk was interrupted") => {
                assert!(read.contains("the code is 4711"), "{read:.3000}");
                call("done", &json!({"success": true, "text": "4711"}))
            }
            number => call(
                "browser_snapshot",
                &json!({"mode": "full", "cursor": format!("{number}")}),
            ),
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let args = ["do", "read", "-s", "work", "--json", "--max-steps", "16"];
    let ended = env.szk(args).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let asked = provider.asked();
    let latest = asked.last().unwrap();
    let task = latest["messages"][1]["content"].as_str().unwrap();
    assert!(task.contains("Your notes:"), "{task:.3000}");
    assert!(task.contains("the code is 4711"), "{task:.3000}");
    assert!(latest.to_string().contains("Read it all"), "{latest:.3000}");

    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    let run = said["run"].as_str().unwrap();
    let again = [
        "runs",
        "resume",
        run,
        "-s",
        "work",
        "--max-steps",
        "30",
        "--json",
    ];
    let resumed = env.szk(again).run();
    assert_eq!(resumed.code, Some(0), "{resumed:#?}");
    let asked = provider.asked();
    let resumed = asked
        .iter()
        .rfind(|body| body["tools"].is_array())
        .unwrap()
        .to_string();
    assert!(resumed.contains("Read it all"), "{resumed:.3000}");
    // What the plan took the place of is not told again.
    assert!(!resumed.contains("Make another plan"), "{resumed:.3000}");
}
