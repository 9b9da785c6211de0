//! Several calls in one answer: what is carried out, and what a surprise leaves out.

use serde_json::{Value, json};

use super::{Provider, call};
use crate::harness::Site;

const FORM: &str = "<title>Order</title><form action=/sent><label>Name <input name=name></label>\
  <label>City <input name=city></label><button>Send</button></form>";

/// A message that calls several tools.
fn calls(all: &[(&str, Value)]) -> Value {
    let calls = all.iter().enumerate().map(|(at, (name, arguments))| {
        let mut one = call(name, arguments)["tool_calls"][0].take();
        one["id"] = format!("c{at}").into();
        one
    });
    json!({"content": null, "tool_calls": calls.collect::<Vec<_>>()})
}

/// What came of the calls of the last answer, each with the id of its call.
fn came(body: &Value) -> Vec<(&str, &str)> {
    let messages = body["messages"].as_array().unwrap();
    let last = messages
        .iter()
        .rposition(|one| one["role"] == "assistant")
        .unwrap();
    let told = messages[last + 1..].iter().map(|one| {
        let text = |field: &str| one[field].as_str().unwrap();
        (text("tool_call_id"), text("content"))
    });
    told.collect()
}

#[test]
fn acts_of_one_answer_go_as_far_as_the_first_surprise() {
    let site = Site::plan()
        .page("/", FORM)
        .page("/sent", "<title>Sent</title><button>Back</button>")
        .serve();
    let fill = |name: &str, text: &str| json!({"kind": "fill", "name": name, "text": text});
    let click = |name: &str| json!({"kind": "click", "name": name});
    let act = "browser_act";
    let done = json!({"success": true, "text": "sent"});
    let provider = Provider::new(true, move |step, body| {
        let left_out = |(_, told): &(&str, &str)| told.starts_with("Not done:");
        match step {
            0 => calls(&[
                (act, fill("Name", "Jane")),
                (act, fill("Town", "Graz")),
                (act, click("Send")),
            ]),
            // The second has failed, so nothing was sent.
            1 => {
                let told = came(body);
                assert_eq!(told.len(), 3, "{told:?}");
                assert_eq!([told[0].0, told[1].0, told[2].0], ["c0", "c1", "c2"]);
                assert!(
                    told[1].1.contains("Town") && !left_out(&told[1]),
                    "{told:?}"
                );
                assert!(left_out(&told[2]), "{told:?}");
                calls(&[("browser_snapshot", json!({})), (act, click("Send"))])
            }
            2 => {
                let told = came(body);
                assert!(told[0].1.contains("Jane") && left_out(&told[1]), "{told:?}");
                calls(&[
                    (act, fill("City", "Graz")),
                    (act, click("Send")),
                    (act, click("Back")),
                ])
            }
            // It was sent; the page is another one.
            3 => {
                let told = came(body);
                assert!(
                    told[1].1.contains("/sent") && left_out(&told[2]),
                    "{told:?}"
                );
                calls(&[(act, click("Back")), ("done", done.clone())])
            }
            _ => {
                let told = came(body);
                assert!(
                    told.len() == 1 || told[1].1.contains("see first"),
                    "{told:?}"
                );
                call("done", &done)
            }
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let ended = env.szk(["do", "order", "-s", "work", "--json"]).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let asked = site.asked();
    let sent: Vec<_> = asked
        .iter()
        .filter(|one| one.path.starts_with("/sent"))
        .collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&said["steps"], &said["tokens"]["input"]),
        (&json!(5), &json!(600))
    );
}
