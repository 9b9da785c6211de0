//! Refs of a page that was reloaded: they go on where role, name and place say that it is the same element.

use serde_json::json;

use super::Bench;

/// An application that is drawn by a script a little after the document was loaded.
const APP: &str = "<!doctype html><title>t</title><div id=root></div><script>
    const rows = JSON.parse(localStorage.rows ?? '[\"Milk\", \"Bread\"]');
    setTimeout(() => {
      root.innerHTML = `<form aria-label=New><label>What <input></label><button type=button>Add</button></form>
        <ul>${rows.map((row) => `<li>${row} <button>Delete ${row}</button> <button>Edit</button></li>`).join('')}</ul>`;
      document.querySelectorAll('button').forEach((el) => { el.onclick = () => { document.title = el.textContent; }; });
    }, 150);
    </script>";

#[test]
fn refs_go_on_when_the_page_is_reloaded() {
    let mut bench = Bench::of(APP);
    bench.act("wait", json!({"text": "Bread"}));
    let seen = bench.mcp.ok("browser_snapshot", json!({}));
    let seen = seen["snapshot"].as_str().unwrap().to_owned();
    let reference = |words: &str, nth: usize| {
        let line = seen.lines().filter(|line| line.contains(words)).nth(nth);
        let (_, after) = line.unwrap().split_once('[').unwrap();
        after.split_once(']').unwrap().0.to_owned()
    };
    let [what, add, milk, edit] = [
        reference("textbox \"What\"", 0),
        reference("button \"Add\"", 0),
        reference("Delete Milk", 0),
        reference("button \"Edit\"", 0),
    ];
    bench
        .mcp
        .ok("browser_navigate", json!({"history": "reload"}));
    // At once, before the script has drawn anything.
    let did = bench.act("click", json!({"ref": milk}));
    assert_eq!(bench.page("document.title"), "Delete Milk");
    let notes = did["notes"].to_string();
    assert!(
        notes.contains("loaded anew") && notes.contains(&milk),
        "{did}"
    );
    bench.act("fill", json!({"ref": what, "text": "Eggs"}));
    bench.act("click", json!({"ref": add}));
    assert_eq!(bench.page("document.title"), "Add");
    // Two are alike: which of them it was is not certain.
    bench.fails("click", json!({"ref": edit}), "REF_STALE");
    // Another page at the same address has another button of this role and place, but not of this name.
    bench.page("localStorage.rows = '[\"Bread\"]'; 0");
    bench.page("location.reload(); 0");
    bench.act("wait", json!({"text": "Delete Bread"}));
    bench.fails("click", json!({"ref": milk}), "REF_STALE");
    let bread = reference("Delete Bread", 0);
    bench.act("click", json!({"ref": bread}));
    assert_eq!(bench.page("document.title"), "Delete Bread");
}
