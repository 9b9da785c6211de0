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
    hidden_boxes_go_by_their_labels(&mut bench);
}

/// Labels in one line of text are drawn in the stead of boxes that are hidden, and are controls of their own.
fn hidden_boxes_go_by_their_labels(bench: &mut Bench) {
    let body = "<input type=radio name=q id=q1 style='display: none'><label for=q1>Plan A</label>
        <input type=radio name=q id=q2 style='display: none'><label for=q2>Plan B</label>
        <label>Send <i>news</i><input type=checkbox id=news style='visibility: hidden'></label>
        <p>About tail words</p>tail words <b id=bold>in bold</b>";
    bench.page(&format!("document.body.innerHTML = {}; 0", json!(body)));
    let read = bench.mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap();
    for line in [
        "- radio \"Plan A\" [e",
        "- radio \"Plan B\" [e",
        "- checkbox \"Send news\" [e",
        "- text: tail words in bold",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("text: Plan") && !text.contains("text: Send"));
    let (_, news) = text.split_once("\"Send news\" [").unwrap();
    let news = news.split_once(']').unwrap().0.to_owned();
    let chosen = "[q1, q2].findIndex((box) => box.checked)";
    bench.act("click", json!({"name": "Plan B"}));
    assert_eq!(bench.page(chosen), 1);
    bench.act("check", json!({"name": "Plan A"}));
    assert_eq!(bench.page(chosen), 0);
    bench.act("click", json!({"selector": "text=Plan B"}));
    assert_eq!(bench.page(chosen), 1);
    let again = bench.act("check", json!({"selector": "label[for=q2]"}));
    assert_eq!(again["changed"], false, "{again}");
    bench.act("check", json!({"selector": "label[for=q1]"}));
    assert_eq!(bench.page(chosen), 0);
    bench.act("check", json!({"ref": news}));
    assert_eq!(bench.page("news.checked"), true);
    let read = bench.mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap();
    let line = format!("\"Send news\" [{news}] checked");
    assert!(text.contains(&line), "{text}");
    bench.act("uncheck", json!({"name": "Send news"}));
    assert_eq!(bench.page("news.checked"), false);
    // Words are those of the innermost element that holds them.
    let did = bench.act("click", json!({"text": "in bold"}));
    assert_eq!(did["target"], "<b#bold> \"in bold\"", "{did}");
    bench.page("document.querySelector('p').onclick = () => { document.title = 'p' }; 0");
    bench.act("click", json!({"text": "tail words in bold"}));
    assert_ne!(bench.page("document.title"), "p");
}

/// What nothing names goes by the text next to it, by what it is in, and by its number; a path finds it as well.
#[test]
fn what_nothing_names_goes_by_its_place_and_a_path_finds_anything() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><style>button, .in { width: 24px; height: 24px }</style>
         <div role=toolbar aria-label='Font'><button></button><button></button><button></button></div>
         <ul><li>Milk <span>2 l</span> <button></button><button></button><li>Bread &quot;[e99]&quot; <button></button><button></button></ul>
         <table><tr><td>Ann<td>1990<td><input type=checkbox><tr><td>Bob<td>1991<td><input type=checkbox></table>
         <p>Colour <input></p> <button></button>
         <iframe srcdoc='<button id=inner>Inner</button>'></iframe>
         <script>
           var log = [];
           document.querySelectorAll('button').forEach((el, nth) => { el.onclick = () => log.push(nth); });
           const row = () => { const li = document.createElement('li'); li.innerHTML = 'Milk <span>3 l</span> <button></button><button></button>'; li.onclick = () => log.push('new'); document.querySelector('li').replaceWith(li); };
         </script>",
    );
    let seen = bench.mcp.ok("browser_snapshot", json!({}));
    let lines: Vec<String> = seen["snapshot"]
        .as_str()
        .unwrap()
        .lines()
        .filter(|line| {
            line.contains("button [") || line.contains("checkbox [") || line.contains("textbox [")
        })
        .map(|line| line.trim().to_owned())
        .collect();
    let expected = [
        "- button [e1] in=\"Font\" nth=1/3",
        "- button [e2] in=\"Font\" nth=2/3",
        "- button [e3] in=\"Font\" nth=3/3",
        "- button [e4] near=\"Milk\" nth=1/2",
        "- button [e5] near=\"Milk\" nth=2/2",
        "- button [e6] near=\"Bread \\\"[e99]\\\"\" nth=1/2",
        "- button [e7] near=\"Bread \\\"[e99]\\\"\" nth=2/2",
        "- checkbox [e8] near=\"Ann\"",
        "- checkbox [e9] near=\"Bob\"",
        "- textbox [e10] near=\"Colour\"",
    ];
    assert_eq!(lines[..expected.len()], expected, "{seen:#}");
    bench.act("check", json!({"name": "Bob", "role": "checkbox"}));
    bench.act(
        "fill",
        json!({"name": "colour", "role": "textbox", "text": "red"}),
    );
    let checked = "[...document.querySelectorAll('input')].map((el) => el.type === 'checkbox' ? el.checked : el.value)";
    assert_eq!(bench.page(checked), json!([false, true, "red"]));
    let several = bench.fails(
        "click",
        json!({"name": "Milk", "role": "button"}),
        "AMBIGUOUS",
    );
    let message = several["message"].as_str().unwrap();
    assert!(
        message.contains("button near=\"Milk\" nth=2/2 [e5]"),
        "{several}"
    );
    // Made anew, it is the same to everybody, and its ref goes on.
    bench.page("row(); 0");
    bench.act("click", json!({"ref": "e5"}));
    assert_eq!(bench.page("log.splice(0)"), json!(["new"]));
    // Paths, as other tools write them: in acts, in waits, as a scope, in frames and in batches.
    bench.act(
        "click",
        json!({"selector": "//div[@role='toolbar']/button[2]"}),
    );
    bench.act("click", json!({"selector": "xpath=(//li)[2]/button[1]"}));
    bench.act(
        "click",
        json!({"selector": "ul >> //li[contains(., 'Bread')]/button[last()]"}),
    );
    bench.act(
        "click",
        json!({"selector": "iframe >> //button[text()='Inner']"}),
    );
    assert_eq!(bench.page("log.splice(0)"), json!([1, 5, 6]));
    bench.act("wait", json!({"selector": "//li[2]", "state": "visible"}));
    bench.act("wait", json!({"selector": "//li[3]", "state": "detached"}));
    let scoped = bench
        .mcp
        .ok("browser_snapshot", json!({"scope": "//table"}));
    assert_eq!(
        scoped["snapshot"]
            .as_str()
            .unwrap()
            .matches("checkbox")
            .count(),
        2,
        "{scoped}"
    );
    let several = bench.fails("click", json!({"selector": "//button"}), "AMBIGUOUS");
    assert!(
        several["message"]
            .as_str()
            .unwrap()
            .contains("elements match `//button`: button in=\"Font\" nth=1/3 [e1]"),
        "{several}"
    );
    bench.fails("click", json!({"selector": "//nav"}), "NOT_FOUND");
    for wrong in ["//li[", "xpath=count(//li)"] {
        let failure = bench.fails("click", json!({"selector": wrong}), "INVALID_INPUT");
        assert!(
            failure["hint"].as_str().unwrap().contains("xpath="),
            "{failure}"
        );
    }
    bench.mcp.fails(
        "browser_snapshot",
        json!({"scope": "//li["}),
        "INVALID_INPUT",
    );
    let steps = [
        "click //div/button[3]",
        "wait 'xpath=//li[1]'",
        "snapshot --scope //ul",
    ];
    let line: Vec<&str> = ["batch"].into_iter().chain(steps).collect();
    let ran = bench.env.szk(line.into_iter().chain(["-s", "work"])).ok();
    assert!(ran.stdout.contains("near=\"Milk\""), "{}", ran.stdout);
    assert_eq!(bench.page("log"), json!([2]));
}

/// Soft hyphens are not shown, and an accent is one letter with the one below it.
#[test]
fn names_and_texts_are_found_as_they_are_shown() {
    let mut bench = Bench::of(
        "<!doctype html><meta charset=utf-8><title>t</title><button onclick='hits++'>Daten&shy;schutz</button><label>E&#x301;tat <input id=state></label>
         <p style='cursor: text' onmousedown='hits++'>Vor <b>Daten&shy;verar&shy;beitung cafe&#x301;</b></p><select aria-label=City><option>A<option>Zu&shy;\u{308}rich</select>
         <script>var hits = 0</script>",
    );
    let read = bench.mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap();
    assert!(text.contains("button \"Datenschutz\""), "{text}");
    bench.act("click", json!({"name": "Datenschutz"}));
    assert_eq!(bench.page("hits"), 1);
    bench.act("fill", json!({"name": "\u{c9}tat", "text": "new"}));
    assert_eq!(bench.page("state.value"), "new");
    for text in [
        "Datenschutz",
        "datenverarbeitung caf\u{e9}",
        "Daten\u{ad}schutz",
    ] {
        let found = bench.mcp.ok("browser_find", json!({"text": text}));
        assert_eq!(found["total"], 1, "{text}: {found}");
        bench.act("wait", json!({"text": text}));
    }
    bench.act("wait", json!({"text": r"/Daten\w+beitung/"}));
    bench.act("click", json!({"text": "Datenverarbeitung caf\u{e9}"}));
    assert_eq!(bench.page("hits"), 2);
    bench.act("select", json!({"name": "City", "values": ["z\u{fc}rich"]}));
}
