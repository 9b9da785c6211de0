//! Recipes whose end nothing shows, and recipes that would lack an act: nobody is told that they were done.

use serde_json::{Value, json};

use super::{Provider, call};
use crate::harness::Site;

const SILENT: &str =
    "<title>Silent</title><button>Open</button><button onclick=\"window.pressed = 1\">OK</button>";

#[test]
fn what_a_replay_cannot_see_is_not_said_to_be_done() {
    let site = Site::of(SILENT);
    for (verdict, done, steps) in [(json!(true), true, 0), (json!(null), false, 1)] {
        let first = Provider::planning("NONE", json!(true), |step, _| match step {
            0 => call("browser_act", &json!({"kind": "click", "name": "OK"})),
            _ => call("done", &json!({"success": true, "text": "pressed"})),
        });
        let env = first.env();
        env.open("work");
        env.navigate("work", &site.url("/"));
        let args = ["do", "press OK", "-s", "work", "--json"];
        let saved = env.szk(args.into_iter().chain(["--save", "press"])).json();
        assert_eq!(saved["recipe"], "press", "{saved}");
        let text = saved["text"].to_string();
        assert!(text.contains("nothing shows at its end"), "{text}");

        // Nobody is there who could look.
        env.navigate("work", &site.url("/"));
        let ended = env.szk(args).env("SZK_AGENT_MODEL", "").run();
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let said: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(
            (&said["done"], &said["replayed"]),
            (&json!(false), &json!("press"))
        );
        assert!(said["text"].to_string().contains("is not known"), "{said}");
        assert_eq!(env.eval_main("work", "window.pressed"), 1);

        // A judge looks; what it does not see, the model is asked about.
        let second = Provider::planning("NONE", verdict, |_, body| {
            let told = body["messages"].to_string();
            assert!(told.contains("nothing in it shows whether"), "{told}");
            call(
                "done",
                &json!({"success": false, "text": "nobody can see it"}),
            )
        });
        let command = env.szk(args);
        let ended = command
            .env("SZK_AGENT_BASE_URL", &second.site.url("/v1"))
            .run();
        let said: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(
            (&said["done"], &said["steps"]),
            (&json!(done), &json!(steps)),
            "{said}"
        );
    }
}

/// A switch and a list, whose states are all that an act leaves behind.
const STATES: &str =
    "<title>States</title><div role=switch aria-checked=false tabindex=0 id=alerts>Alerts</div>
    <label>Volume <input type=range max=100 step=10 value=20></label>
    <script>alerts.onclick = () => { alerts.ariaChecked = 'true' }</script>";

#[test]
fn a_replay_that_leads_to_the_same_state_is_done() {
    let site = Site::of(STATES);
    for (task, act) in [
        (
            "switch alerts on",
            json!({"kind": "click", "name": "Alerts"}),
        ),
        (
            "louder",
            json!({"kind": "press", "key": "ArrowRight", "name": "Volume"}),
        ),
    ] {
        let provider = Provider::new(true, move |step, _| match step {
            0 => call("browser_act", &act),
            _ => call("done", &json!({"success": true, "text": "it is so"})),
        });
        let env = provider.env();
        env.open("work");
        env.navigate("work", &site.url("/"));
        let args = ["do", task, "-s", "work", "--json"];
        let saved = env.szk(args.into_iter().chain(["--save", "state"])).json();
        assert_eq!(saved["recipe"], "state", "{saved}");
        assert!(
            !saved["text"].to_string().contains("nothing shows"),
            "{saved}"
        );
        // Nobody needs to look.
        env.navigate("work", &site.url("/"));
        let again = env.szk(args).env("SZK_AGENT_MODEL", "").json();
        assert_eq!(
            (&again["done"], &again["replayed"], &again["steps"]),
            (&json!(true), &json!("state"), &json!(0)),
            "{again}"
        );
    }
}

#[test]
fn a_recipe_has_all_that_was_done_or_is_not_made() {
    let site = Site::plan()
        .page(
            "/",
            "<title>Start</title><label>City <input></label><a href=/map>Map</a>",
        )
        .page(
            "/map",
            "<title>Map</title><canvas width=300 height=150></canvas><p id=out></p><script>document.querySelector('canvas').onclick = () => { out.textContent = 'Found it' }</script>",
        )
        .serve();
    let url = site.url("/map");
    let provider = Provider::new(true, move |_, body| {
        let task = body["messages"][1]["content"].as_str().unwrap();
        let fill = || {
            call(
                "browser_act",
                &json!({"kind": "fill", "name": "City", "text": "Graz"}),
            )
        };
        let tools = body["messages"].as_array().unwrap().iter();
        match (tools.filter(|one| one["role"] == "tool").count(), task) {
            (0, _) => fill(),
            (1, _) => call("browser_navigate", &json!({"url": url})),
            (2, task) if task.contains("point") => {
                call("browser_act", &json!({"kind": "click", "x": 60, "y": 60}))
            }
            (2, _) => call("browser_act", &json!({"kind": "click", "role": "canvas"})),
            _ => call("done", &json!({"success": true, "text": "found"})),
        }
    });
    let env = provider.env();
    env.open("work");
    for (task, kept) in [("press the point", false), ("press the map", true)] {
        env.navigate("work", &site.url("/"));
        let args = ["do", task, "-s", "work", "--json", "--save", "map"];
        let said = env.szk(args).json();
        assert_eq!(said["recipe"].is_string(), kept, "{said}");
        let text = said["text"].to_string();
        assert_eq!(text.contains("was not saved"), !kept, "{text}");
        assert_eq!(text.contains("act at a point"), !kept, "{text}");
    }
    // From the first act on, not from the last address.
    let shown = env.szk(["recipe", "show", "map", "-s", "work"]).ok();
    let steps = [
        "do = \"fill\"",
        "value = \"/map\"",
        "do = \"click\"",
        "Found it",
    ];
    let places: Vec<usize> = steps
        .iter()
        .map(|step| {
            shown
                .stdout
                .find(step)
                .unwrap_or_else(|| panic!("no {step}: {shown:#?}"))
        })
        .collect();
    assert!(places.is_sorted(), "{shown:#?}");
    // So a replay knows that it has found it.
    let again = env
        .szk(["do", "press the map", "-s", "work", "--json"])
        .env("SZK_AGENT_MODEL", "")
        .json();
    assert_eq!(again["done"], true, "{again}");
}
