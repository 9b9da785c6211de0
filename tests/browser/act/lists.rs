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
        json!({"selector": "#one", "values": ["Grey"]}),
        "NOT_FOUND",
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("Green"),
        "{failure}"
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
