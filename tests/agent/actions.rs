//! `[agent.actions]`: programs and recipes that a task may call.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Provider, call, last};
use crate::harness::{Site, TestEnv};

/// Writes the user's own configuration.
fn configure(env: &TestEnv, text: &str) {
    let folder = env.path().join("home/config/szk");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// A program of the user's.
fn program(env: &TestEnv, name: &str, script: &str) -> PathBuf {
    let path = env.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_program_is_called_within_its_bounds() {
    let site = Site::of("<title>Shop</title><button>Buy</button>");
    let provider = Provider::new(true, |step, body| {
        let told = last(body);
        match step {
            0 => {
                let tools = body["tools"].to_string();
                assert!(tools.contains("What an article may cost."), "{tools}");
                assert!(tools.contains("\"article\""), "{tools}");
                call("price", &json!({"article": 5}))
            }
            1 => {
                assert!(told.contains("INVALID_INPUT"), "{told}");
                call("price", &json!({"article": "lamp; touch $HOME/shell"}))
            }
            2 => {
                // What it prints is data, and no shell has seen what it was given.
                assert!(told.starts_with("<page-"), "{told}");
                let given = "got {\"article\":\"lamp; touch $HOME/shell\"} key=";
                assert!(told.contains(given), "{told}");
                assert!(!told.contains("key-of-test"), "{told}");
                call("slow", &json!({}))
            }
            3 => {
                assert!(told.contains("TIMEOUT"), "{told}");
                call("pay", &json!({}))
            }
            4 => {
                assert!(told.contains("NEEDS_APPROVAL"), "{told}");
                assert!(told.contains("`--approve action`"), "{told}");
                call("done", &json!({"success": false, "text": "not paid"}))
            }
            5 => call("pay", &json!({})),
            6 => {
                assert!(
                    told.contains("SCRIPT_FAILED") && told.contains("no money"),
                    "{told}"
                );
                call("done", &json!({"success": true, "text": "tried"}))
            }
            _ => call("pay", &json!({})),
        }
    });
    let env = provider.env();
    let price = program(&env, "price", "echo \"got $(cat) key=$SZK_AGENT_KEY\"");
    let pay = program(
        &env,
        "pay",
        "echo paid >> \"$(dirname \"$0\")/paid\"; echo no money >&2; exit 4",
    );
    let text = format!(
        "[agent.actions.price]\nabout = \"What an article may cost.\"\ncommand = [{price:?}]\nask = false\n\
         parameters = {{ type = \"object\", properties = {{ article = {{ type = \"string\" }} }}, required = [\"article\"] }}\n\
         [agent.actions.slow]\nabout = \"Never ends.\"\ncommand = [\"sleep\", \"600\"]\nask = false\ntimeout = 1\n\
         [agent.actions.pay]\nabout = \"Pays.\"\ncommand = [{pay:?}]\n"
    );
    configure(&env, &text);
    let report = env.szk(["doctor", "--json"]).run().stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|one| one["name"] == "actions").unwrap();
    assert_eq!(check["status"], "ok", "{check}");
    assert!(
        check["detail"].to_string().contains("pay, price, slow"),
        "{check}"
    );

    env.open("work");
    env.navigate("work", &site.url("/"));
    let args = ["do", "buy a lamp", "-s", "work", "--json"];
    let ended = env.szk(args).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    let held = said["unapproved"][0].as_str().unwrap();
    assert!(held.contains("call the action `pay`"), "{held}");
    assert!(!env.path().join("paid").exists());
    assert!(!env.path().join("home/shell").exists());
    // No recipe can repeat what it did.
    let ended = env
        .szk(
            args.into_iter()
                .chain(["--approve", "action", "--save", "buy"]),
        )
        .run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        ended.stdout.contains("a recipe cannot repeat"),
        "{ended:#?}"
    );
    assert_eq!(
        fs::read_to_string(env.path().join("paid")).unwrap(),
        "paid\n"
    );

    // `[policy]` holds for programs of tasks, too.
    env.config("[policy]\nprograms = false\n");
    env.szk(
        args.into_iter()
            .chain(["--approve", "action", "--max-steps", "1"]),
    )
    .run();
    let runs = env.szk(["runs", "list", "-s", "work", "--json"]).json();
    let run = runs["runs"][0]["run"].as_str().unwrap();
    let events = env.in_profile("work", "artifacts/runs").join(run);
    let events = fs::read_to_string(events.join("events.jsonl")).unwrap();
    assert!(events.contains("POLICY_DENIED"), "{events}");
    assert_eq!(
        fs::read_to_string(env.path().join("paid")).unwrap(),
        "paid\n"
    );

    env.config("[agent.actions.evil]\nabout = \"x\"\ncommand = [\"sh\"]\n");
    let failure = env
        .szk(["do", "x", "-s", "work"])
        .fails("INVALID_CONFIG")
        .to_string();
    assert!(
        failure.contains("a project may not set `agent.actions`"),
        "{failure}"
    );
    assert!(failure.contains("which programs run"), "{failure}");
}

#[test]
fn a_recipe_is_an_action_with_its_parameters() {
    let site = Site::of(
        "<title>Order</title><form onsubmit=\"document.body.innerHTML = '<h1>Order of ' + this.who.value + '</h1>'; return false\">\
         <label>Name <input name=who></label><button>Send</button></form>",
    );
    let provider = Provider::new(true, |step, body| match step {
        0 => {
            let tools = body["tools"].to_string();
            assert!(tools.contains("Orders for somebody."), "{tools}");
            // That of another site is not offered.
            assert!(!tools.contains("Elsewhere."), "{tools}");
            call("order", &json!({"whom": "Ann"}))
        }
        1 => {
            assert!(last(body).contains("INVALID_INPUT"), "{}", last(body));
            call("order", &json!({"who": "Ann"}))
        }
        _ => call("done", &json!({"success": true, "text": "ordered"})),
    });
    let env = provider.env();
    configure(
        &env,
        "[agent.actions]\norder = { about = \"Orders for somebody.\", recipe = \"order\", ask = false }\n\
         other = { about = \"Elsewhere.\", recipe = \"other\" }\n\
         missing = { about = \"Elsewhere.\", recipe = \"missing\" }\n",
    );
    env.open("work");
    let folder = env.in_profile("work", "recipes");
    fs::create_dir_all(&folder).unwrap();
    for (name, origin) in [
        ("order", &*site.origin()),
        ("other", "https://other.example"),
    ] {
        let text = format!(
            "[recipe]\nname = \"{name}\"\nsite = \"{origin}\"\n\n[params.who]\n\n\
             [[step]]\ndo = \"fill\"\nvalue = \"{{{{who}}}}\"\non = {{ role = \"textbox\", name = \"Name\" }}\n\n\
             [[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Send\" }}\n"
        );
        fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    }
    env.navigate("work", &site.url("/"));
    let ended = env.szk(["do", "order for Ann", "-s", "work"]).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(
        env.eval("work", "document.body.textContent"),
        "Order of Ann"
    );
}
