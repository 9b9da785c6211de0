//! What a step did to an element is expected of its replay: states, values, places.

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

/// A control, an act on it, what its recipe expects then, and what is said where it does not come about.
struct Case {
    control: &'static str,
    /// What happens on the page, where it is not stuck.
    script: &'static str,
    /// What happens where it is.
    stuck: &'static str,
    act: Value,
    expected: &'static str,
    said: &'static str,
}

fn cases() -> Vec<Case> {
    let click = || json!({"kind": "click", "selector": "#one"});
    let drag = |to: &str| json!({"kind": "drag", "selector": "#one", "to": to});
    vec![
        Case {
            control: "<button role=switch aria-checked=false id=one>Alerts</button>",
            script: "one.onclick = () => { one.ariaChecked = 'true' }",
            stuck: "",
            act: click(),
            expected: "expect = { state = { checked = true } }",
            said: "is not checked",
        },
        Case {
            control: "<label>Volume <input type=range id=one max=100 step=10 value=20></label>",
            script: "",
            stuck: "one.onkeydown = (event) => event.preventDefault()",
            act: json!({"kind": "press", "key": "ArrowRight", "selector": "#one"}),
            expected: "expect = { state = { value = \"30\" } }",
            said: "is holding \"20\", not \"30\"",
        },
        Case {
            control: "<ul><li id=first>Apple<li>Pear<li draggable=true id=one>Plum</ul>",
            script: "ondrop = (event) => first.before(one)",
            stuck: "ondrop = (event) => first.after(one)",
            act: drag("#first"),
            expected: "expect = { place = { before = \"Apple\" } }",
            said: "is not before \"Apple\"",
        },
        Case {
            // Its cards are drawn anew whenever one was moved.
            control: "<div role=list aria-label='To do'><div role=listitem draggable=true id=one>Write docs</div></div>
                <div role=list aria-label=Done id=done></div>",
            script: "ondrop = () => { const card = one.outerHTML; one.remove(); done.innerHTML = card }",
            stuck: "",
            act: drag("#done"),
            expected: "expect = { place = { within = \"Done\" } }",
            said: "is not within \"Done\"",
        },
        Case {
            control: "<button role=combobox aria-label=State aria-expanded=true id=box>Ohio</button>
                <ul role=listbox><li role=option tabindex=0 id=one>Nevada<li role=option tabindex=0>Ohio</ul>",
            script: "one.onclick = () => { box.ariaExpanded = 'false'; box.textContent = 'Nevada' }",
            stuck: "one.onclick = () => { box.ariaExpanded = 'false' }",
            act: click(),
            expected: "expect = { appears = { name = \"State\", role = \"combobox\", state = { value = \"Nevada\" } } }",
            said: "does not show combobox \"State\", holding \"Nevada\"",
        },
        Case {
            control: "<button id=one>Go</button><i id=lamp></i>",
            script: "one.onclick = () => { setTimeout(() => lamp.classList.add('on'), 80) }",
            stuck: "",
            act: click(),
            expected: "expect = { changes = true }",
            said: "but nothing changed",
        },
    ]
}

impl Case {
    fn site(&self) -> Site {
        let page = |around: &str, script: &str| {
            let control = self.control;
            format!(
                "<html lang=en><title>Page</title><style>[role=list] {{ width: 200px; min-height: 60px; border: 1px solid }}</style>
                {around}{control}<script>const on = (id) => document.getElementById(id);
                document.ondragstart = (event) => event.dataTransfer.setData('text', 'x');
                document.ondragover = (event) => event.preventDefault();
                {script}</script>"
            )
        };
        let moved = "<h2>News</h2><p>Apples are cheap</p><div><div>";
        Site::plan()
            .page("/", &page("", self.script))
            .page("/moved", &page(moved, self.script))
            .page("/stuck", &page("", self.stuck))
            .serve()
    }
}

#[test]
fn what_became_of_an_element_is_expected_again() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    for case in cases() {
        let site = case.site();
        mcp.ok("browser_navigate", json!({"url": site.url("/")}));
        mcp.ok("browser_snapshot", json!({}));
        mcp.ok("browser_act", case.act.clone());
        let saved = mcp.ok("recipe_save", json!({"name": "state"}));
        let text = saved["text"].as_str().unwrap();
        assert!(text.contains(case.expected), "{}\n{text}", case.expected);
        // That something changed does not say what.
        let known = !case.expected.contains("changes");
        let noted = saved["notes"].to_string().contains("nothing shows");
        assert_eq!(noted, !known, "{saved}");

        mcp.ok("recipe_run", json!({"name": "state"}));
        let at = |path: &str, seconds: u32| {
            let text = text.replace("value = \"/\"", &format!("value = \"{path}\""));
            let text = text.replace("at = \"/\"\n", "");
            let expect = format!("expect = {{ seconds = {seconds}, ");
            json!({"name": "state", "text": text.replace("expect = { ", &expect)})
        };
        mcp.ok("recipe_save", at("/moved", 10));
        mcp.ok("recipe_run", json!({"name": "state"}));
        mcp.ok("recipe_save", at("/stuck", 1));
        let stopped = mcp.fails("recipe_run", json!({"name": "state"}), "RECIPE_STALE");
        let message = stopped["message"].as_str().unwrap();
        assert!(message.contains(case.said), "{}\n{message}", case.said);
        mcp.ok("recipe_delete", json!({"name": "state"}));
    }
}

#[test]
fn a_state_is_a_condition_like_any_other() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let site = Site::of(
        "<title>0</title><label><input type=checkbox> News</label><button onclick='document.title++'>Add</button>",
    );
    let text = format!(
        "[recipe]\nname = \"add\"\nsite = \"{}\"\n\n[[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Add\" }}\n\
         if = {{ appears = {{ role = \"checkbox\", name = \"News\", state = {{ checked = true }} }} }}\n",
        site.origin()
    );
    let title = |mcp: &mut Mcp| {
        let told = mcp.ok("browser_run_code", json!({"code": "document.title"}));
        told["value"].clone()
    };
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok("recipe_save", json!({"name": "add", "text": text}));
    mcp.ok("recipe_run", json!({"name": "add"}));
    assert_eq!(title(&mut mcp), "0");
    mcp.ok("browser_act", json!({"kind": "check", "name": "News"}));
    mcp.ok("recipe_run", json!({"name": "add"}));
    assert_eq!(title(&mut mcp), "1");
    mcp.ok("recipe_delete", json!({"name": "add"}));
}

#[test]
fn several_options_are_chosen_again() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let site = Site::of(
        "<label>Colours <select multiple><option>Red<option>Green, dark<option>Blue</select></label>",
    );
    let chosen = |mcp: &mut Mcp| {
        let code = "[...document.querySelector('select').selectedOptions].map((one) => one.label)";
        mcp.ok("browser_run_code", json!({"code": code}))["value"].clone()
    };
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let values = json!(["Green, dark", "Blue"]);
    mcp.ok(
        "browser_act",
        json!({"kind": "select", "name": "Colours", "values": values}),
    );
    mcp.ok("recipe_save", json!({"name": "colours"}));
    mcp.ok("recipe_run", json!({"name": "colours"}));
    assert_eq!(chosen(&mut mcp), values);
    mcp.ok("recipe_delete", json!({"name": "colours"}));
}

/// A tab, a button that nothing is seen to come of, and a choice in a list that opens.
const SEVERAL: &str = "<div role=tab tabindex=0 aria-selected=false onclick=\"this.ariaSelected = 'true'\">Billing</div>
    <button onclick='window.paid = 1'>Pay</button>
    <button role=combobox aria-label=State aria-expanded=false id=box onclick=\"this.ariaExpanded = 'true'\">Ohio</button>
    <ul role=listbox><li role=option tabindex=0 onclick=\"box.ariaExpanded = 'false'; box.textContent = 'Nevada'\">Nevada</ul>";

#[test]
fn a_batch_ends_with_what_its_last_act_did() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let site = Site::of(SEVERAL);
    for (names, expected) in [
        // That a tab is selected does not show that something was paid.
        (["Billing", "Pay"], None),
        (["State", "Nevada"], Some("state = { value = \"Nevada\" }")),
        (["Pay", "Billing"], Some("state = { selected = true }")),
    ] {
        mcp.ok("browser_navigate", json!({"url": site.url("/")}));
        mcp.ok("browser_snapshot", json!({}));
        let step =
            |name: &str| json!({"tool": "browser_act", "input": {"kind": "click", "name": name}});
        let role = |mut step: Value| {
            if step["input"]["name"] == "State" {
                step["input"]["role"] = json!("combobox");
            }
            step
        };
        let steps = names.map(|name| role(step(name)));
        mcp.ok("browser_batch", json!({"steps": steps}));
        let saved = mcp.ok("recipe_save", json!({"name": "several"}));
        let text = saved["text"].as_str().unwrap();
        let last = text.rsplit("[[step]]").next().unwrap();
        match expected {
            Some(expected) => assert!(last.contains(expected), "{expected}\n{text}"),
            None => assert!(!last.contains("expect"), "{text}"),
        }
        mcp.ok("recipe_run", json!({"name": "several"}));
        mcp.ok("recipe_delete", json!({"name": "several"}));
    }
}
