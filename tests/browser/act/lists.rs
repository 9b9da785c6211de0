//! Choosing from lists.

use serde_json::json;

use super::Bench;

#[test]
fn native_lists_change_once() {
    let mut bench = Bench::of(
        "<select id=one><option>Red<option value=g>Green<optgroup label=x><option disabled>Grey<option>Blue</optgroup></select>
         <select id=many multiple size=4><option>a<option>b<option>c<option>d</select>
         <script>var log = []; for (const kind of ['input', 'change']) addEventListener(kind, (event) => log.push([kind, event.target.id, event.isTrusted]), true);</script>",
    );
    for (value, index) in [("Blue", 3), ("g", 1), ("red", 0)] {
        let did = bench.act("select", json!({"selector": "#one", "values": [value]}));
        assert_eq!(bench.page("one.selectedIndex"), index, "{value}: {did}");
        assert_eq!(did["notes"], json!(null), "{did}");
        assert_eq!(
            bench.page("log.splice(0)"),
            json!([["input", "one", true], ["change", "one", true]]),
            "{value}"
        );
    }
    let again = bench.act("select", json!({"selector": "#one", "values": ["Red"]}));
    assert_eq!(again["changed"], false, "{again}");
    let did = bench.act("select", json!({"selector": "#many", "values": ["b", "d"]}));
    assert_eq!(
        bench.page("[...many.selectedOptions].map(o => o.label)"),
        json!(["b", "d"]),
        "{did}"
    );
    assert_eq!(did["value"], "b, d");
    let did = bench.act("select", json!({"selector": "#many", "values": []}));
    assert_eq!(bench.page("many.selectedOptions.length"), 0, "{did}");
    bench.act("select", json!({"selector": "#many", "values": ["a"]}));
    bench.act("fill", json!({"selector": "#many", "text": ""}));
    assert_eq!(bench.page("many.selectedOptions.length"), 0);
    bench.fails(
        "select",
        json!({"selector": "#one", "values": []}),
        "INVALID_INPUT",
    );
    assert_eq!(bench.page("log.every(entry => entry[2])"), true);
    let failure = bench.fails(
        "select",
        json!({"selector": "#one", "values": ["Purple"]}),
        "NOT_FOUND",
    );
    let hint = failure["hint"].as_str().unwrap();
    assert!(
        hint.contains("Green") && !hint.contains("Grey"),
        "{failure}"
    );
    // One that is there and cannot be chosen is no missing one.
    let failure = bench.fails(
        "select",
        json!({"selector": "#one", "values": ["Grey"]}),
        "NOT_ACTIONABLE",
    );
    let said = "has the option `Grey`, but it is disabled";
    assert!(
        failure["message"].as_str().unwrap().contains(said),
        "{failure}"
    );
    let fields = json!({"fields": [{"field": "#one", "value": "Grey"}]});
    let form = bench
        .mcp
        .fails("workflow_fill_form", fields, "INVALID_INPUT");
    assert!(
        form["message"].as_str().unwrap().contains("is disabled"),
        "{form}"
    );
}

#[test]
fn a_field_that_suggests_options_takes_one_of_them() {
    let mut bench = Bench::of(
        "<input id=city list=cities><datalist id=cities><option value=waw>Warsaw<option value=Lublin></datalist>",
    );
    for (wanted, value) in [("Warsaw", "waw"), ("lublin", "Lublin")] {
        let did = bench.act("select", json!({"selector": "#city", "values": [wanted]}));
        assert_eq!(bench.page("city.value"), value, "{did}");
    }
    let failure = bench.fails(
        "select",
        json!({"selector": "#city", "values": ["Opole"]}),
        "INVALID_INPUT",
    );
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("Warsaw, Lublin") && message.contains("`fill`"),
        "{message}"
    );
}

#[test]
fn lists_that_sites_build_are_opened_and_clicked() {
    let mut bench = Bench::of(
        "<div id=box role=combobox tabindex=0 style='width: 200px; border: 1px solid'>Choose</div>
         <script>
           box.onclick = () => setTimeout(() => {
             const list = document.body.appendChild(document.createElement('ul'));
             list.setAttribute('role', 'listbox');
             for (const text of ['Small', 'Medium', 'Large']) {
               const entry = list.appendChild(document.createElement('li'));
               entry.setAttribute('role', 'option');
               entry.textContent = text;
               entry.onclick = () => { box.textContent = text; list.remove(); };
             }
           }, 100);
         </script>",
    );
    let did = bench.act("select", json!({"selector": "#box", "values": ["medium"]}));
    assert_eq!(
        (bench.page("box.textContent"), &did["value"]),
        (json!("Medium"), &json!("Medium"))
    );
    let failure = bench.fails(
        "select",
        json!({"selector": "#box", "values": ["Huge"]}),
        "NOT_FOUND",
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("Large"),
        "{failure}"
    );
}

/// Lists that have nothing to do with the control are left alone, whatever they say.
#[test]
fn only_the_list_of_a_control_is_chosen_from() {
    let mut bench = Bench::of(
        r#"<ul><li><a href="/echo?nav=de" style="display: block">Germany office</a></li></ul>
         <div role=combobox aria-label=Land aria-controls=pl tabindex=0 id=land onclick="pl.hidden = false">Choose</div>
         <ul role=listbox id=pl hidden><li role=option>France</li><li role=option>Germany</li></ul>
         <ul role=listbox aria-label=Country tabindex=0><li role=option>France<li role=option>Other</ul>
         <div role=combobox aria-label=Reason tabindex=0 id=reason>Pick</div><input aria-label=Plain id=plain>
         <div role=combobox tabindex=0 id=portal aria-expanded=false>Choose</div>
         <style>.menu { position: absolute; background: white } .faint { opacity: 0; pointer-events: none }</style>
         <ul class="menu faint" id=menu><li data-value=o>Other</li><li>Otherwise</li><li>Unit one</li><li>Unit two</li></ul>
         <script>
           var took = [];
           for (const one of document.querySelectorAll('[role=option]')) one.onclick = () => { took.push(one.textContent.trim()); if (one.parentElement === pl) { land.textContent = one.textContent; pl.hidden = true } };
           portal.onclick = () => { menu.classList.toggle('faint'); portal.ariaExpanded = `${!menu.matches('.faint')}` };
           for (const one of menu.children) one.onclick = () => { portal.textContent = one.textContent; portal.onclick() };
         </script>"#,
    );
    let germany = json!({"name": "Land", "values": ["Germany"]});
    let did = bench.act("select", germany);
    assert_eq!(
        bench.page("[land.textContent, took.splice(0).join()]"),
        json!(["Germany", "Germany"]),
        "{did}"
    );
    let fields = json!({"fields": [{"field": "Land", "value": "France"}]});
    let form = bench.mcp.ok("workflow_fill_form", fields);
    assert_eq!(form["fields"][0]["state"], "filled", "{form}");
    assert_eq!(
        bench.page("[land.textContent, took.splice(0).join(), location.pathname]"),
        json!(["France", "France", "/"])
    );
    for control in ["#reason", "#plain"] {
        let other = json!({"selector": control, "values": ["Other"]});
        let failure = bench.fails("select", other, "NOT_FOUND");
        assert!(!failure.to_string().contains("France"), "{failure}");
    }
    assert_eq!(bench.page("took.length"), 0);
    // A list elsewhere that the click has shown, be it by its style alone.
    let other = json!({"selector": "#portal", "values": ["other"]});
    let did = bench.act("select", other);
    assert_eq!(bench.page("portal.textContent"), "Other", "{did}");
    let unit = json!({"selector": "#portal", "values": ["Unit"]});
    let failure = bench.fails("select", unit, "AMBIGUOUS");
    let hint = failure["hint"].as_str().unwrap();
    assert!(hint.contains("Unit one, Unit two"), "{failure}");
    // One that is open already.
    assert_eq!(bench.page("portal.ariaExpanded"), "true");
    let two = json!({"selector": "#portal", "values": ["Unit t"]});
    let did = bench.act("select", two);
    assert_eq!(bench.page("portal.textContent"), "Unit two", "{did}");
}

/// A list that does not react has not taken the choice; the hint has each option once.
#[test]
fn a_list_that_takes_no_choice_says_so() {
    let mut bench = Bench::of(
        "<ul role=listbox id=dead tabindex=0><li role=option aria-selected=false>One<li role=option aria-selected=true>Two</ul>
         <div role=combobox id=box aria-controls=list tabindex=0>Pick</div><ul role=listbox id=list><li role=option>One</ul>
         <ul role=listbox id=slow tabindex=0><li role=option>One<li role=option>Two</ul>
         <ul role=listbox id=many tabindex=0 aria-multiselectable=true><li role=option aria-selected=true>One<li role=option aria-selected=false>Two</ul>
         <script>
           slow.onclick = (event) => setTimeout(() => event.target.setAttribute('aria-selected', 'true'), 300);
           many.onclick = ({ target }) => { target.ariaSelected = `${target.ariaSelected !== 'true'}` };
         </script>",
    );
    for list in ["#dead", "#box"] {
        let one = json!({"selector": list, "values": ["One"]});
        let failure = bench.fails("select", one, "NOT_ACTIONABLE");
        let message = failure["message"].as_str().unwrap();
        assert!(message.starts_with("nothing shows that"), "{failure}");
        assert_eq!(failure["effect"], "done", "{failure}");
    }
    let none = json!({"selector": "#dead", "values": ["Three"]});
    let failure = bench.fails("select", none, "NOT_FOUND");
    assert_eq!(failure["hint"], "options: One, Two", "{failure}");
    assert_eq!(failure["effect"], "none", "{failure}");
    bench.act("select", json!({"selector": "#slow", "values": ["Two"]}));
    bench.act(
        "select",
        json!({"selector": "#many", "values": ["One", "Two"]}),
    );
    let chosen = "[...many.children].map((one) => one.ariaSelected)";
    assert_eq!(bench.page(chosen), json!(["true", "true"]));
}

#[test]
fn a_list_in_its_label_has_the_name_of_the_label() {
    let mut bench = Bench::of(
        "<label>Country <select><option>Albania<option>Algeria</select></label>
         <label>Dish <input list=dishes><datalist id=dishes><option>Apple pie</datalist></label>",
    );
    let did = bench.act(
        "select",
        json!({"selector": "select", "values": ["Algeria"]}),
    );
    assert_eq!(did["target"], "<select> \"Country\"");
    let did = bench.act("fill", json!({"selector": "input", "text": "Apple pie"}));
    assert_eq!(did["target"], "<input> \"Dish\"");
}
