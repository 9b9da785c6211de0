//! `workflow_fill_form`: every kind of control, found before the first is touched.

use std::fs;

use serde_json::{Value, json};

use super::Bench;
use crate::harness::Site;

const FORM: &str = "<!doctype html><meta charset=utf-8><title>form</title><form onsubmit=\"document.title = 'sent'; return false\">
  <label>First name * <input name=first></label><label>Last name <input name=last maxlength=5></label>
  <input placeholder='Nickname'> <label>About <textarea name=about></textarea></label>
  <label>Country <select name=country><option value=>Choose<option value=pl>Poland<option value=fr>France</select></label>
  <label>Langs <select name=langs multiple><option>en<option>de<option>pl</select></label>
  <fieldset><legend>Colour</legend><label><input type=radio name=color value=r>Red</label><label><input type=radio name=color value=b>Blue</label></fieldset>
  <fieldset><legend>Toppings</legend><label><input type=checkbox name=t value=1 checked>Ham</label><label><input type=checkbox name=t value=2>Egg</label></fieldset>
  <label><input type=checkbox name=ok>I agree</label><div role=switch aria-checked=false tabindex=0 aria-label=News onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')\">News</div>
  <label>Birthday <input type=date name=birth></label><label>Level <input type=range name=level min=0 max=10 value=2></label><label>Age <input type=number name=age></label>
  <label>Key <input name=key></label><label>Off <input disabled></label><label>Name on card <input></label><label>Name of pet <input></label>
  <label>Photo <input type=file name=photo></label><div contenteditable role=textbox aria-label=Notes style='min-height: 20px'></div>
  <iframe srcdoc=\"<label>Inner <input></label>\"></iframe>
  <button type=button>Cancel</button><button>Save</button></form>";

fn bench() -> Bench {
    let mut bench = Bench::at(Site::of(FORM));
    let url = bench.site.url("/");
    bench.mcp.ok("browser_navigate", json!({"url": url}));
    bench
}

#[track_caller]
fn page(bench: &mut Bench, code: &str) -> Value {
    bench.mcp.eval("work", code)
}

#[test]
fn every_kind_of_control() {
    let mut bench = bench();
    for empty in [
        json!({"fields": [{"field": "", "value": "x"}]}),
        json!({"fields": [{"field": "last", "value": "x"}], "button": " "}),
    ] {
        bench
            .mcp
            .fails("workflow_fill_form", empty, "INVALID_INPUT");
    }
    let photo = bench.env.work().join("me.png");
    fs::write(&photo, "x").unwrap();
    let fields = json!([
        {"field": "First name", "value": "Jane"}, {"field": "last", "value": "Doe"}, {"field": "nickname", "value": "jd"},
        {"field": "About", "value": "two\nlines"}, {"field": "Country", "value": "Poland"}, {"field": "Langs", "value": ["en", "pl"]},
        {"field": "Colour", "value": "Blue"}, {"field": "Toppings", "value": ["Egg"]}, {"field": "I agree", "value": true},
        {"field": "News", "value": true}, {"field": "Birthday", "value": "1990-05-17"}, {"field": "Level", "value": 7}, {"field": "Age", "value": 33},
        {"field": "input[name=key]", "secret": "shop"}, {"field": "Photo", "paths": ["me.png"]}, {"field": "Notes", "value": "hi"}, {"field": "Inner", "value": "deep"},
    ]);
    let said = bench.mcp.ok(
        "workflow_fill_form",
        json!({"fields": fields, "submit": true}),
    );
    for field in said["fields"].as_array().unwrap() {
        assert_eq!(field["state"], "filled", "{field:#}");
    }
    assert_eq!(said["fields"][4]["value"], "Poland");
    assert_eq!(
        said["fields"][13].get("value"),
        None,
        "a secret is not read back"
    );
    assert_eq!(said["submitted"]["by"], "pressed \"Save\"");
    let held = page(
        &mut bench,
        "const f = new FormData(document.forms[0]); return [document.title, f.get('first'), f.get('last'), f.get('about').replace(/\\r/g, ''), f.get('country'), f.getAll('langs'), f.get('color'), f.getAll('t'), f.get('ok'), f.get('birth'), f.get('level'), f.get('age'), f.get('photo').name, f.get('key').length > 5, document.querySelector('[role=switch]').ariaChecked, document.querySelector('[contenteditable]').textContent, document.querySelector('iframe').contentDocument.querySelector('input').value]",
    );
    assert_eq!(
        held,
        json!([
            "sent",
            "Jane",
            "Doe",
            "two\nlines",
            "pl",
            ["en", "pl"],
            "b",
            ["2"],
            "on",
            "1990-05-17",
            "7",
            "33",
            "me.png",
            true,
            "true",
            "hi",
            "deep"
        ])
    );
    let again = bench.mcp.ok(
        "workflow_fill_form",
        json!({"fields": [{"field": "Country", "value": "Poland"}]}),
    );
    assert_eq!(again["fields"][0]["state"], "already");
}

#[test]
fn nothing_is_touched_when_something_is_wrong() {
    let mut bench = bench();
    for (field, code) in [
        (json!({"field": "Street", "value": "x"}), "NOT_FOUND"),
        (json!({"field": "Name", "value": "x"}), "AMBIGUOUS"),
        (
            json!({"field": "Country", "value": "Atlantis"}),
            "INVALID_INPUT",
        ),
        (
            json!({"field": "Colour", "value": "Green"}),
            "INVALID_INPUT",
        ),
        (
            json!({"field": "Last name", "value": "Longname"}),
            "INVALID_INPUT",
        ),
        (json!({"field": "Off", "value": "x"}), "INVALID_INPUT"),
        (
            json!({"field": "I agree", "value": "maybe"}),
            "INVALID_INPUT",
        ),
        (
            json!({"field": "Photo", "value": "me.png"}),
            "INVALID_INPUT",
        ),
        (
            json!({"field": "Photo", "paths": ["/nonexistent"]}),
            "INVALID_INPUT",
        ),
        (
            json!({"field": "I agree", "secret": "shop"}),
            "INVALID_INPUT",
        ),
    ] {
        let fields = json!([{"field": "First name", "value": "Jane"}, field]);
        let failure = bench
            .mcp
            .fails("workflow_fill_form", json!({ "fields": fields }), code);
        assert_eq!(failure["effect"], "none", "{failure:#}");
        assert!(
            failure["hint"].as_str().unwrap().contains("`Country`"),
            "{failure:#}"
        );
    }
    assert_eq!(page(&mut bench, "document.forms[0].first.value"), "");
    // `partial` fills the fields it finds and reports the others.
    let fields =
        json!([{"field": "Street", "value": "x"}, {"field": "First name", "value": "Jane"}]);
    let said = bench.mcp.ok(
        "workflow_fill_form",
        json!({"fields": fields, "partial": true}),
    );
    assert_eq!(said["fields"][0]["state"], "not_found");
    assert_eq!(said["fields"][1]["state"], "filled");
}

#[test]
fn in_the_terminal() {
    let mut bench = bench();
    let ended = bench
        .env
        .szk([
            "fill-form",
            "First name=Jane",
            "I agree=true",
            "Colour=Red",
            "--secret",
            "Key=shop",
            "--button",
            "Save",
            "-s",
            "work",
        ])
        .ok();
    assert!(
        ended.stdout.starts_with("filled 4 of 4 fields"),
        "{}",
        ended.stdout
    );
    assert_eq!(page(&mut bench, "document.title"), "sent");
    bench
        .env
        .szk(["fill-form", "Nothing=1", "-s", "work"])
        .fails("NOT_FOUND");
}

#[test]
fn what_came_of_it_is_in_the_answer() {
    let site = Site::of(
        "<form onsubmit=\"setTimeout(() => { said.textContent = 'Thank you, ' + who.value }, 250); return false\">
           <label>Who <input id=who></label> <label>When <input id=date onfocus=\"picker.hidden = false\"></label> <label>Note <input id=note></label> <label>Age <input id=age type=number max=99></label>
           <label><input id=news type=checkbox onchange=\"extra.hidden = false\"> News</label><p id=extra hidden>Every week</p>
           <div class=styled style='position: relative; width: 120px; height: 24px'><label for=size hidden>Size</label>
             <select id=size aria-label=Size style='position: absolute; inset: 0'><option>Small<option>Large</select>
             <span class=label style='position: absolute; inset: 0; background: white'>Small</span></div>
           <button>Send</button></form><p id=said></p>
         <div id=picker role=dialog aria-label='Choose a date' hidden style='position: fixed; inset: 0; background: white'>March</div>",
    );
    let mut bench = Bench::at(site);
    let url = bench.site.url("/");
    let look = json!({"url": url, "snapshot": "interactive"});
    bench.mcp.ok("browser_navigate", look.clone());
    let said = bench.mcp.ok(
        "workflow_fill_form",
        json!({"fields": [{"field": "Who", "value": "Jane"}, {"field": "Size", "value": "Large"}], "submit": true}),
    );
    assert_eq!(said["fields"][1]["state"], "filled", "{said:#}");
    let diff = said["diff"].as_str().unwrap();
    // It comes late, and what was filled is said once.
    assert!(diff.contains("Thank you, Jane"), "{diff}");
    assert!(!diff.contains("\"Who\""), "{diff}");
    let wrong = json!({"fields": [{"field": "Age", "value": 150}], "submit": true});
    let said = bench.mcp.ok("workflow_fill_form", wrong);
    let message = said["messages"][0].as_str().unwrap();
    assert!(
        message.starts_with("Age: ") && message.contains("99"),
        "{said:#}"
    );
    assert!(
        said["diff"].as_str().unwrap().contains("invalid"),
        "{said:#}"
    );
    let news = json!({"fields": [{"field": "News", "value": true}]});
    let said = bench.mcp.ok("workflow_fill_form", news);
    assert_eq!(said["fields"][0]["value"], "checked", "{said:#}");
    let diff = said["diff"].as_str().unwrap();
    assert!(
        diff.contains("Every week") && !diff.contains("checkbox"),
        "{diff}"
    );
    // What covers a later field came with an earlier one.
    bench.mcp.ok("browser_navigate", look);
    let said = bench.mcp.ok(
        "workflow_fill_form",
        json!({"fields": [{"field": "When", "value": "1 May"}, {"field": "Note", "value": "x"}], "partial": true}),
    );
    assert_eq!(said["fields"][1]["state"], "failed", "{said:#}");
    let note = said["fields"][1]["note"].as_str().unwrap();
    assert!(
        note.contains("the dialog \"Choose a date\" has opened"),
        "{note}"
    );
    let diff = said["diff"].as_str().unwrap();
    assert!(diff.contains("dialog \"Choose a date\""), "{diff}");
    without_a_form(&mut bench);
}

/// Nothing is pressed but a button that belongs to the fields.
fn without_a_form(bench: &mut Bench) {
    const DELETE: &str = "<button onclick=\"document.title = 'deleted'\">Delete all</button>";
    let show = |bench: &mut Bench, body: &str| {
        let body = json!(format!("{DELETE}{body}"));
        page(
            bench,
            &format!("document.title = ''; document.body.innerHTML = {body}; 0"),
        );
    };
    let mail = json!({"fields": [{"field": "Mail", "value": "a"}], "submit": true});
    show(
        bench,
        "<div><label>Mail <input></label><button onclick=\"document.title = 'saved'\">Save</button></div>",
    );
    let said = bench.mcp.ok("workflow_fill_form", mail.clone());
    assert_eq!(said["submitted"]["by"], "pressed \"Save\"", "{said}");
    assert_eq!(page(bench, "document.title"), "saved");
    show(
        bench,
        &format!(
            "<label>Mail <input onkeydown=\"if (event.key === 'Enter') document.title = 'Enter'\"></label>{DELETE}<ul><li><button>Row 0</button><li><button>Row 1</button></ul>"
        ),
    );
    let said = bench.mcp.ok("workflow_fill_form", mail);
    assert_eq!(said["submitted"]["by"], "pressed Enter", "{said}");
    assert_eq!(page(bench, "document.title"), "Enter");
    let command = ["fill-form", "Mail=b", "--submit", "-s", "work"];
    show(bench, "<label>Mail <input></label>");
    let said = bench.env.szk(command).ok().stdout;
    assert!(said.contains("no submit button was found"), "{said}");
    // Enter does nothing in a box: nothing is touched.
    show(bench, "<label><input type=checkbox id=box> Agree</label>");
    let agree = json!({"fields": [{"field": "Agree", "value": true}], "submit": true});
    let failure = bench.mcp.fails("workflow_fill_form", agree, "NOT_FOUND");
    let hint = failure["hint"].as_str().unwrap();
    assert!(
        hint.contains("`button`") && hint.contains("`Delete all`"),
        "{failure}"
    );
    assert_eq!(failure["effect"], "none", "{failure}");
    assert_eq!(
        page(
            bench,
            "[document.title, document.querySelector('#box').checked]"
        ),
        json!(["", false])
    );
}
