//! Targets by the name that people read, and by role.

use serde_json::json;

use super::Bench;

#[test]
fn a_name_must_be_the_only_one_and_may_come_late() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><label>E-mail: * <input id=mail></label><button>Save</button><a href=#saved>Save</a>
         <div id=card style='cursor: pointer' onclick=\"this.dataset.hit = 1\">Gold <b>card</b></div>
         <p id=text>Some words to select</p><input type=checkbox aria-label=Agree id=agree>
         <p id=wide>Terms of use apply</p><ul role=tree id=tree><li role=treeitem tabindex=0>Animals<ul role=group>
         <li role=treeitem tabindex=-1>Cats<li role=treeitem tabindex=-1>Dogs<li role=treeitem tabindex=-1>Owls</ul></ul>
         <script>tree.onclick = event => { tree.dataset.hit = event.target.firstChild.data }</script>
         <input type=radio aria-label=Cut id=cut style='position: absolute; clip-path: inset(50%)'>
         <div id=list style='height: 100px; overflow: auto'><div style='height: 900px'>rows</div></div>
         <button id=soon onclick=\"setTimeout(() => { const made = document.createElement('button'); made.textContent = 'Later'; made.onclick = () => { made.dataset.hit = 1 }; document.body.append(made) }, 400)\">Soon</button>",
    );
    bench.act("fill", json!({"name": "e-mail", "text": "a@b.c"}));
    assert_eq!(bench.page("mail.value"), "a@b.c");
    bench.act("click", json!({"text": "Gold card"}));
    assert_eq!(bench.page("card.dataset.hit"), "1");
    // Two of them: the refs are in the failure, and a role says which is meant.
    let failure = bench.mcp.fails(
        "browser_act",
        json!({"kind": "click", "name": "Save"}),
        "AMBIGUOUS",
    );
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("button \"Save\" [e") && message.contains("link \"Save\" [e"),
        "{message}"
    );
    let went = bench.act("click", json!({"name": "Save", "role": "link"}));
    assert!(
        went["navigation"]["url"]
            .as_str()
            .unwrap()
            .ends_with("#saved"),
        "{went}"
    );
    bench.act("click", json!({"name": "Soon"}));
    bench.act("click", json!({"selector": "text=Later"}));
    let none = bench.mcp.fails(
        "browser_act",
        json!({"kind": "click", "name": "Delete"}),
        "NOT_FOUND",
    );
    assert!(
        none["hint"].as_str().unwrap().contains("\"Save\""),
        "{none}"
    );
    // What is selected is told; a box holds no `on`; the wheel turns what is under it.
    let did = bench.act("click", json!({"selector": "#text", "count": 3}));
    assert_eq!(did["selection"], "Some words to select", "{did}");
    // Words in something wide are hit where they are, and what holds others beside them.
    let did = bench.act("click", json!({"text": "terms", "count": 2}));
    assert_eq!(did["selection"], "Terms", "{did}");
    bench.act("click", json!({"name": "Animals"}));
    assert_eq!(bench.page("tree.dataset.hit"), "Animals");
    // What no pointer reaches is switched by its key.
    let did = bench.act("check", json!({"name": "Cut"}));
    assert_eq!(bench.page("cut.checked"), true, "{did}");
    let did = bench.act("click", json!({"name": "Agree"}));
    assert!(did.get("value").is_none_or(|value| value != "on"), "{did}");
    let place = bench.page("(() => { const { x, y } = list.getBoundingClientRect(); return [Math.round(x + 20), Math.round(y + 20)] })()");
    let did = bench.act("scroll", json!({"x": place[0], "y": place[1], "dy": 120}));
    assert!(
        did["notes"].to_string().contains("scrolled by 0,120"),
        "{did}"
    );
}
