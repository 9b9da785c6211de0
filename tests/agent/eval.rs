//! `scripts/eval`: what it says of a model that solves one task and lies about another, and of the scripted one.

use serde_json::{Value, json};

use super::{Provider, call, read};
use crate::harness::{TestEnv, node};

#[test]
fn the_evaluation_tells_what_was_done_from_what_was_said() {
    let provider = Provider::new(true, |_, body| {
        let text = read(body);
        let told = body["messages"].as_array().unwrap().iter();
        let acts = told.filter(|one| one["role"] == "tool").count();
        let shops = text.contains("Put the cheapest lamp into the cart");
        let codes = body["tools"].to_string().contains("run_code");
        let add = json!({"kind": "click", "name": "Add Night lamp, € 12"});
        let pay = json!({"kind": "click", "name": "Check out"});
        match (shops, codes, acts) {
            (true, true, 0) => {
                let code = format!("({{acts: [{add}, {pay}]}})");
                call("run_code", &json!({"code": code}))
            }
            (true, false, 0) => call("browser_act", &add),
            (true, false, 1) => call("browser_act", &pay),
            _ => call("done", &json!({"success": true, "text": "done"})),
        }
    });
    let mut env = provider.env();
    env.set("SZK", env!("CARGO_BIN_EXE_szk"));
    let args = ["--json", "shop-cheapest", "table-sort"];
    let results = node::script(&env, "eval/run.mjs", &args);
    for (surface, steps, tokens) in [("acts", 3, 440), ("code", 2, 330), ("recipe", 0, 110)] {
        let [shop, table] = &results[surface].as_array().unwrap()[..] else {
            panic!("{results:#}");
        };
        let found = |one: &Value| (one["solved"].clone(), one["claimed"].clone());
        assert_eq!(
            found(shop),
            (json!(true), json!(true)),
            "{surface}: {results:#}"
        );
        assert_eq!(shop["steps"], steps, "{surface}");
        // Where nothing at the end of the recipe shows that it was done, a judge looks.
        let used = &shop["tokens"];
        let looked = *used == tokens || surface == "recipe" && *used == 0;
        assert!(looked, "{surface}: {used}");
        let lied = surface != "recipe";
        assert_eq!(
            found(table),
            (json!(false), json!(lied)),
            "{surface}: {results:#}"
        );
    }
}

#[test]
fn the_scripted_model_solves_tasks_from_what_it_is_shown() {
    let mut env = TestEnv::new();
    env.set("SZK", env!("CARGO_BIN_EXE_szk"));
    let args = ["--json", "--with", "acts,code", "sign-up", "validation"];
    let results = node::script(&env, "eval/run.mjs", &args);
    // Several acts of an answer are one step, with code and without; only the end is another.
    for (surface, name, steps) in [
        ("acts", "sign-up", 2),
        ("acts", "validation", 3),
        ("code", "sign-up", 2),
        ("code", "validation", 3),
    ] {
        let rows = results[surface].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        assert_eq!(
            (&row["solved"], &row["claimed"], &row["steps"]),
            (&json!(true), &json!(true), &json!(steps)),
            "{surface}: {results:#}"
        );
        assert!(row["tokens"].as_u64() > Some(1000), "{results:#}");
    }
}
