//! Where several elements match, the failure lists them with refs, whatever they were described by.

use serde_json::{Value, json};

use super::Bench;

/// The first ref that a text lists.
fn first(text: &str) -> String {
    let (_, after) = text.split_once(" [e").unwrap_or_else(|| panic!("{text}"));
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    format!("e{digits}")
}

#[test]
fn several_that_match_are_listed_with_their_refs() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><div id=list><button>Delete</button><button>Delete</button><span>plain</span><span>plain</span></div>
         <iframe srcdoc='<button>Inner</button><button>Inner</button>'></iframe>
         <label>Name <input></label><fieldset><legend>Other</legend><label>Name <input></label></fieldset><p id=card draggable=true>Card</p>
         <script>document.querySelectorAll('button').forEach((el, nth) => { el.onclick = () => { document.title = `hit ${nth}`; }; });</script>",
    );
    let failed = |bench: &mut Bench, kind: &str, rest: Value| {
        let failure = bench.fails(kind, rest, "AMBIGUOUS");
        failure["message"].as_str().unwrap().to_owned()
    };
    // Nothing was looked at before: the failure itself says what to use.
    for target in [
        json!({"selector": "#list button"}),
        json!({"selector": "//div/button"}),
        json!({"selector": "text=Delete"}),
        json!({"text": "Delete"}),
        json!({"name": "Delete", "role": "button"}),
    ] {
        let said = failed(&mut bench, "click", target);
        assert_eq!(said.matches("button \"Delete\" [e").count(), 2, "{said}");
        bench.act("click", json!({"ref": first(&said)}));
        assert_eq!(bench.page("document.title"), "hit 0", "{said}");
    }
    let said = failed(&mut bench, "click", json!({"selector": "iframe >> button"}));
    assert_eq!(said.matches("button \"Inner\" [e").count(), 2, "{said}");
    bench.act("click", json!({"ref": first(&said)}));
    let said = failed(
        &mut bench,
        "drag",
        json!({"selector": "#card", "to": "#list button"}),
    );
    assert!(said.contains("button \"Delete\" [e"), "{said}");
    // What has no line of its own is described.
    let said = failed(&mut bench, "click", json!({"selector": "span"}));
    assert!(said.contains("plain"), "{said}");
    // Scopes and fields of forms.
    let scope = json!({"scope": "#list button"});
    let failure = bench.mcp.fails("browser_snapshot", scope, "AMBIGUOUS");
    let said = failure["message"].as_str().unwrap();
    assert_eq!(said.matches("button \"Delete\" [e").count(), 2, "{said}");
    let fields = json!({"fields": [{"field": "Name", "value": "Ann"}]});
    let filled = bench.mcp.call("workflow_fill_form", fields);
    let said = filled["content"][0]["text"].as_str().unwrap();
    assert_eq!(said.matches("textbox \"Name\" [e").count(), 2, "{said}");
    // The terminal lists the same, in a batch as well.
    let ran = bench
        .env
        .szk(["batch", "click '#list button'", "-s", "work"])
        .run();
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(said.matches("button \"Delete\" [e").count(), 2, "{said}");
    // A name is looked for in all frames, and says so where a frame is given.
    let failure = bench.fails(
        "click",
        json!({"selector": "text=Inner", "frame": "iframe"}),
        "INVALID_INPUT",
    );
    assert!(
        failure["hint"].to_string().contains("all frames"),
        "{failure}"
    );
}
