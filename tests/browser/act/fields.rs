//! Writing: fields of all kinds, and what they hold afterwards.

use serde_json::json;

use super::Bench;
use crate::harness::Site;

const PAGE: &str = r#"<!doctype html><form novalidate onsubmit="sent++; return false">
<input id=text value=old> <input id=secret type=password> <input id=number type=number>
<textarea id=area rows=3></textarea> <input id=fixed value=x readonly> <input id=short maxlength=3>
<input id=date type=date> <input id=time type=time> <input id=both type=datetime-local> <input id=month type=month> <input id=week type=week>
<input id=range type=range min=0 max=50 step=5 value=10> <input id=wide type=range min=0 max=1000 value=0 style="width: 300px"> <input id=color type=color> <button>Send</button>
</form><div id=rich contenteditable style="min-height: 30px; border: 1px solid">bold <b>text</b></div>
<p id=para>not a field</p>
<script>
  var sent = 0, log = [], trusted = true;
  for (const kind of ['keydown', 'keyup', 'input', 'change', 'compositionend'])
    addEventListener(kind, (event) => { trusted &&= event.isTrusted || kind === 'compositionend'; log.push([kind, event.target.id, event.key ?? event.data ?? '', event.code ?? '', event.shiftKey ?? false]); }, true);
</script>"#;

#[test]
fn text_is_filled_typed_and_read_back() {
    let mut bench = Bench::of(PAGE);
    let did = bench.act("fill", json!({"selector": "#text", "text": "New Text!"}));
    assert_eq!(
        (&did["value"], bench.page("text.value")),
        (&json!("New Text!"), json!("New Text!"))
    );
    bench.act("type", json!({"selector": "#text", "text": " and more"}));
    assert_eq!(bench.page("text.value"), "New Text! and more");
    bench.act("press", json!({"selector": "#text", "key": "Control+A"}));
    let did = bench.act("type", json!({"text": "x"}));
    assert_eq!(
        (bench.page("text.value"), &did["value"]),
        (json!("x"), &json!("x")),
        "into the focus: {did}"
    );
    bench.act("fill", json!({"selector": "#text", "text": ""}));
    assert_eq!(bench.page("text.value"), "", "empty clears");
    let secret = bench.act("fill", json!({"selector": "#secret", "text": "pass"}));
    assert_eq!(
        (&secret["value"], bench.page("secret.value")),
        (&json!("••••"), json!("pass"))
    );
    bench.act("fill", json!({"selector": "#number", "text": "-12.5"}));
    assert_eq!(bench.page("number.value"), "-12.5");
    bench.act("fill", json!({"selector": "#area", "text": "one\ntwo"}));
    assert_eq!(bench.page("area.value"), "one\ntwo");
    // A tab is text, too: its key would go on to the next field.
    let code = "function(){\n\treturn 1;\n}\n";
    bench.act("fill", json!({"selector": "#area", "text": code}));
    bench.act("type", json!({"selector": "#area", "text": "a\tb"}));
    assert_eq!(bench.page("area.value"), format!("{code}a\tb"));
    assert_eq!(bench.page("fixed.value"), "x");
    bench.act("fill", json!({"selector": "#rich", "text": "a\tb"}));
    assert_eq!(bench.page("rich.innerText"), "a\tb");
    bench.act("fill", json!({"selector": "#rich", "text": "plain\nlines"}));
    assert_eq!(
        bench.page("rich.innerText.replace(/\\n+/g, '\\n')"),
        "plain\nlines"
    );
    bench.fails(
        "fill",
        json!({"selector": "#fixed", "text": "y"}),
        "NOT_ACTIONABLE",
    );
    bench.fails(
        "fill",
        json!({"selector": "#para", "text": "y"}),
        "INVALID_INPUT",
    );
    assert_eq!(bench.page("[trusted, sent]"), json!([true, 0]));
    bench.act("press", json!({"selector": "#text", "key": "Enter"}));
    assert_eq!(bench.page("sent"), 1, "Enter sends the form");
}

/// In a freshly loaded document the body, which surrounds everything, has the focus.
#[test]
fn what_is_edited_in_place_takes_text_on_a_fresh_page() {
    let page = "<div contenteditable id=rich style='min-height: 20px'>old</div><div contenteditable id=parts><p id=one>first</p><p id=two>second</p></div>";
    let mut bench = Bench::of(page);
    let did = bench.act("fill", json!({"selector": "#rich", "text": "new"}));
    assert_eq!(
        (&did["value"], bench.page("rich.innerText")),
        (&json!("new"), json!("new"))
    );
    bench.go("/");
    let did = bench.act("type", json!({"selector": "#rich", "text": " and more"}));
    assert_eq!(bench.page("rich.innerText"), "old and more", "{did}");
    bench.go("/");
    bench.act("fill", json!({"selector": "#two", "text": "2"}));
    assert_eq!(
        bench.page("[one.innerText, two.innerText]"),
        json!(["first", "2"]),
        "a part is filled, and the rest stays"
    );
    let framed = Site::plan()
        .page("/", "<iframe src=/editor></iframe>")
        .page("/editor", "<body contenteditable>old</body>")
        .serve();
    let mut bench = Bench::with(framed);
    let body = json!({"frame": "iframe", "selector": "body", "text": "new"});
    bench.act("fill", body);
    assert_eq!(
        bench.page("frames[0].document.body.innerText.trim()"),
        "new"
    );
}

/// A field that ends up without the text was not filled, whatever its page did.
#[test]
fn a_value_that_is_not_there_is_an_error() {
    let mut bench = Bench::of(
        r#"<input id=short maxlength=3><input id=digits onbeforeinput="if (/\D/.test(event.data)) event.preventDefault()">
           <input id=num type=number step=any><input id=typed type=number step=any><input id=strip oninput="this.value = this.value.replace(/\D/g, '')">
           <input id=back value=stays oninput="this.value = 'stays'"><input id=phone oninput="if (this.value.length === 10) this.value = '(' + this.value.slice(0, 3) + ') ' + this.value.slice(3, 6) + '-' + this.value.slice(6)">
           <input id=chips onkeyup="if (this.value.endsWith(',')) { document.body.append(this.value); this.value = '' }">
           <select id=list onchange="this.value = 'a'"><option>a<option>b</select><input type=checkbox id=box onclick="return false"><input type=range id=range min=0 max=50 step=5>
           <div id=rich contenteditable onbeforeinput="event.preventDefault()">fixed</div>"#,
    );
    for (kind, rest, says) in [
        (
            "fill",
            json!({"selector": "#short", "text": "abcdef"}),
            "\"abc\"",
        ),
        (
            "type",
            json!({"selector": "#digits", "text": "abc"}),
            "\"\"",
        ),
        (
            "fill",
            json!({"selector": "#back", "text": "other"}),
            "\"stays\"",
        ),
        (
            "fill",
            json!({"selector": "#rich", "text": "x"}),
            "\"fixed\"",
        ),
        (
            "select",
            json!({"selector": "#list", "values": ["b"]}),
            "\"a\"",
        ),
        ("check", json!({"selector": "#box"}), "still not checked"),
        // Without its decimal mark it is another number.
        ("fill", json!({"selector": "#num", "text": "3,5"}), "\"35\""),
        (
            "type",
            json!({"selector": "#typed", "text": "3,5"}),
            "\"35\"",
        ),
        (
            "fill",
            json!({"selector": "#num", "text": "1.000,50"}),
            "\"1.00050\"",
        ),
        (
            "fill",
            json!({"selector": "#strip", "text": "€ 1.234,50"}),
            "\"123450\"",
        ),
    ] {
        let failure = bench.fails(kind, rest, "NOT_ACTIONABLE");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(says), "{kind}: {message}");
        assert_eq!(failure["effect"], "done", "{kind}: {failure}");
    }
    for text in ["37", "999"] {
        let input = json!({"selector": "#range", "text": text});
        let failure = bench.fails("fill", input, "INVALID_INPUT");
        assert_eq!(failure["effect"], "none", "{failure}");
    }
    // The page may format the text as it likes, and clearing a field counts as cleared.
    let did = bench.act("fill", json!({"selector": "#phone", "text": "1234567890"}));
    assert_eq!(did["value"], "(123) 456-7890");
    bench.act("type", json!({"selector": "#chips", "text": "a,"}));
    let did = bench.act("fill", json!({"selector": "#num", "text": "1,234.50"}));
    assert_eq!(did["value"], "1234.50");
    // The same from a batch and from the form workflow.
    let fill = |id: &str, text: &str| json!({"tool": "browser_act", "input": {"kind": "fill", "selector": id, "text": text}});
    let steps =
        json!({"steps": [fill("#phone", "1"), fill("#short", "abcdef"), fill("#phone", "2")]});
    let stopped = bench.mcp.short("browser_batch", steps);
    assert_eq!(stopped["steps"].as_array().unwrap().len(), 2, "{stopped}");
    assert_eq!(bench.page("phone.value"), "1");
    for (field, value) in [("back", "other"), ("num", "3,5")] {
        let fields = json!({"fields": [{"field": field, "value": value}]});
        let form = bench.mcp.short("workflow_fill_form", fields);
        assert_eq!(form["fields"][0]["state"], "differs", "{form}");
    }
    // A box says what it is, and not what was asked for.
    let fields = json!({"fields": [{"field": "#box", "value": true}]});
    let form = bench.mcp.short("workflow_fill_form", fields);
    assert_eq!(form["fields"][0]["state"], "differs", "{form}");
    assert_eq!(form["fields"][0]["value"], "not checked", "{form}");
}

#[test]
fn capitals_come_with_shift_and_other_scripts_with_an_input_method() {
    let mut bench = Bench::of(PAGE);
    bench.act("fill", json!({"selector": "#secret", "text": "aB!"}));
    let keys = bench.page("log.filter(([kind]) => kind.startsWith('key')).map(([kind, , key, code, shift]) => [kind[3], key, code, shift])");
    assert_eq!(
        keys,
        json!([
            ["d", "a", "KeyA", false],
            ["u", "a", "KeyA", false],
            ["d", "Shift", "ShiftLeft", true],
            ["d", "B", "KeyB", true],
            ["u", "B", "KeyB", true],
            ["d", "!", "Digit1", true],
            ["u", "!", "Digit1", true],
            ["u", "Shift", "ShiftLeft", false],
        ])
    );
    bench.page("log.length = 0");
    let text = "日本語 🙂👍 é";
    let did = bench.act("fill", json!({"selector": "#area", "text": text}));
    assert_eq!(
        (&did["value"], bench.page("area.value")),
        (&json!(text), json!(text))
    );
    let composed =
        bench.page("log.filter(([kind]) => kind === 'compositionend').map((entry) => entry[2])");
    assert_eq!(composed, json!(["日本語", "é"]));
    assert_eq!(bench.page("trusted"), true);
}

#[test]
fn dates_and_sliders_are_worked_by_their_keys() {
    let mut bench = Bench::of(PAGE);
    for (id, value) in [
        ("date", "2026-11-21"),
        ("time", "14:05"),
        ("both", "2026-03-04T05:06"),
        ("month", "2027-02"),
        ("week", "2026-W07"),
        ("date", ""),
        ("time", ""),
        ("both", ""),
        ("month", ""),
        ("week", ""),
        ("range", "35"),
        ("wide", "640"),
    ] {
        let did = bench.act("fill", json!({"selector": format!("#{id}"), "text": value}));
        assert_eq!(bench.page(&format!("{id}.value")), value, "{id}: {did}");
        assert_eq!(did["value"], value, "{id}: {did}");
        assert_eq!(did["notes"], json!(null), "{id} needed a script: {did}");
    }
    assert_eq!(bench.page("trusted"), true);
    let did = bench.act("fill", json!({"selector": "#color", "text": "#102030"}));
    assert_eq!(bench.page("color.value"), "#102030");
    assert!(
        did["notes"][0].as_str().unwrap().contains("script"),
        "{did}"
    );
    bench.fails(
        "fill",
        json!({"selector": "#date", "text": "tomorrow"}),
        "INVALID_INPUT",
    );
}

#[test]
fn files_go_to_the_field_or_to_the_chooser() {
    let mut bench = Bench::of(
        "<input type=file id=one onchange='told(this)'><input type=file id=many multiple hidden onchange='told(this)'>
         <button id=choose onclick='many.click()'>Choose</button><button id=no>No</button>
         <script>var names = []; function told(field) { names = [...field.files].map(file => file.name + ':' + file.size); }</script>",
    );
    let path = |name: &str| {
        let path = bench.env.work().join(name);
        std::fs::write(&path, name).unwrap();
        path
    };
    let (a, b) = (path("a.txt"), path("bb.txt"));
    let did = bench.act("upload", json!({"selector": "#one", "paths": [a]}));
    assert_eq!(
        (&did["value"], bench.page("names")),
        (&json!("a.txt"), json!(["a.txt:5"]))
    );
    bench.fails(
        "upload",
        json!({"selector": "#one", "paths": [a, b]}),
        "INVALID_INPUT",
    );
    bench.act("upload", json!({"selector": "#choose", "paths": [a, b]}));
    assert_eq!(bench.page("names"), json!(["a.txt:5", "bb.txt:6"]));
    bench.fails(
        "upload",
        json!({"selector": "#one", "paths": ["/no/such/file"]}),
        "NOT_FOUND",
    );
    bench.fails(
        "upload",
        json!({"selector": "#one", "paths": ["relative"]}),
        "NOT_FOUND",
    );
}

/// Files are given only where the page got them.
#[test]
fn files_that_no_page_got_are_not_given() {
    let site = Site::of(
        "<a id=link href='/?lk=1'>Link</a><button id=no>No</button><input type=file id=folder webkitdirectory><input type=file id=one>
         <input type=file id=clears onchange='log.push(this.files[0].name); this.value = null'>
         <button id=choose onclick='folder.click()'>Choose</button>
         <script>
           var log = [];
           for (const kind of ['change', 'cancel']) folder.addEventListener(kind, () => log.push(kind));
           const names = () => [...folder.files].map((file) => file.webkitRelativePath).sort().join();
         </script>",
    );
    let mut bench = Bench::with(site);
    let work = bench.env.work().to_path_buf();
    let (file, dir) = (work.join("a.txt"), work.join("dir"));
    std::fs::write(&file, "a").unwrap();
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("b.txt"), "b").unwrap();
    let mut refuses = |target: &str, path: &std::path::Path, said: &str, effect: &str| {
        let asked = json!({"selector": target, "paths": [path]});
        let failure = bench.fails("upload", asked, "INVALID_INPUT");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(said), "{target}: {failure}");
        assert_eq!(failure["effect"], effect, "{target}: {failure}");
    };
    refuses(
        "#no",
        &file,
        "was clicked and opened no file chooser",
        "unknown",
    );
    refuses("#folder", &file, "takes a folder", "none");
    refuses("#choose", &file, "takes a folder", "unknown");
    refuses("#one", &dir, "takes files, and", "none");
    assert_eq!(bench.page("[log.join(), names()]"), json!(["", ""]));
    // The same of files that are armed for a chooser.
    let armed = json!({"event": "chooser", "paths": [file]});
    bench.mcp.ok("browser_arm", armed);
    let did = bench.act("click", json!({"selector": "#choose"}));
    let notes = did["notes"].to_string();
    assert!(!notes.contains("got the armed files"), "{did}");
    let armed = json!({"event": "chooser", "paths": [file]});
    let failure = bench.mcp.fails("browser_arm", armed, "INVALID_INPUT");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("takes a folder"),
        "{failure}"
    );
    bench
        .mcp
        .ok("browser_arm", json!({"event": "chooser", "paths": [dir]}));
    assert_eq!(
        bench.page("[log.splice(0).join(), names()]"),
        json!(["change", "dir/b.txt"])
    );
    bench.page("folder.value = ''; 0");
    for target in ["#folder", "#choose"] {
        let did = bench.act("upload", json!({"selector": target, "paths": [dir]}));
        assert_eq!(bench.page("names()"), "dir/b.txt", "{target} {did}");
    }
    // A page that empties its field has had the file; the same file again is no change.
    bench.page("log.length = 0");
    bench.act("upload", json!({"selector": "#clears", "paths": [file]}));
    assert_eq!(bench.page("log.join()"), "a.txt");
    for _ in 0..2 {
        let did = bench.act("upload", json!({"selector": "#one", "paths": [file]}));
        assert_eq!(did["value"], "a.txt", "{did}");
    }
    let asked = json!({"selector": "#link", "paths": [file]});
    let failure = bench.fails("upload", asked, "INVALID_INPUT");
    let said = "opened no file chooser: the click led to another page";
    assert!(
        failure["message"].as_str().unwrap().contains(said),
        "{failure}"
    );
    assert_eq!(failure["effect"], "unknown", "{failure}");
    // Nothing from elsewhere goes along with a folder.
    std::os::unix::fs::symlink("/etc/hostname", dir.join("link")).unwrap();
    bench.go("/");
    let asked = json!({"selector": "#folder", "paths": [dir]});
    let failure = bench.fails("upload", asked, "INVALID_INPUT");
    assert!(
        failure["message"].as_str().unwrap().contains("leads out"),
        "{failure}"
    );
}

/// A box that is neither on nor off becomes what is asked for, however many clicks that takes; what the page makes of
/// it then is told.
#[test]
fn a_mixed_box_is_neither_checked_nor_unchecked() {
    let mut bench = Bench::of(
        "<input type=checkbox id=off><input type=checkbox id=on checked><input type=checkbox id=stuck>
         <input type=checkbox id=refused><div role=checkbox tabindex=0 id=own aria-checked=mixed>All</div>
         <script>
           const mix = () => { off.indeterminate = on.indeterminate = stuck.indeterminate = true; own.ariaChecked = 'mixed' };
           mix();
           // A server says what they are.
           stuck.onclick = async () => { await fetch('/stuck'); stuck.indeterminate = true };
           refused.onclick = async () => { await fetch('/refused'); refused.checked = false };
           own.onclick = () => { own.ariaChecked = own.ariaChecked === 'true' ? 'false' : 'true' };
         </script>",
    );
    for (kind, is) in [("uncheck", false), ("check", true)] {
        bench.page("mix()");
        for (id, state) in [
            ("off", "[off.checked, off.indeterminate]"),
            ("on", "[on.checked, on.indeterminate]"),
            (
                "own",
                "[own.ariaChecked === 'true', own.ariaChecked === 'mixed']",
            ),
        ] {
            let did = bench.act(kind, json!({"selector": format!("#{id}")}));
            assert_eq!(bench.page(state), json!([is, false]), "{kind} {id}: {did}");
        }
    }
    for (kind, selector, said) in [
        ("uncheck", "#stuck", "is still partly checked"),
        ("check", "#refused", "is still not checked"),
    ] {
        let failure = bench.fails(kind, json!({"selector": selector}), "NOT_ACTIONABLE");
        assert!(
            failure["message"].as_str().unwrap().contains(said),
            "{failure}"
        );
    }
}

/// An input method writes where the caret is, which stays in a field when the focus has left it.
#[test]
fn what_the_layout_lacks_goes_to_what_has_the_focus() {
    let mut bench = Bench::of(
        "<!doctype html><input id=field value=hello>
        <div id=keys tabindex=0 role=application aria-label=Keys>Keys</div>
        <div id=lent tabindex=0 role=textbox aria-label=Lent onfocus='area.focus()'>Lent</div>
        <textarea id=area style='position: absolute; left: -999px'></textarea>
        <iframe srcdoc='<body contenteditable>'></iframe>
        <script>
            const log = [];
            keys.onkeydown = keys.onkeypress = keys.onkeyup = ({type, key, code}) => log.push([type, key, code]);
        </script>",
    );
    let focused = "document.activeElement.id";
    bench.act("click", json!({"selector": "#field"}));
    for (key, code) in [("ä", "Quote"), ("日", "")] {
        bench.act("press", json!({"selector": "#keys", "key": key}));
        let expected = ["keydown", "keypress", "keyup"].map(|kind| json!([kind, key, code]));
        assert_eq!(bench.page("log.splice(0)"), json!(expected));
        assert_eq!(bench.page(focused), "keys");
    }
    bench.act("type", json!({"selector": "#keys", "text": "äx🙂"}));
    assert_eq!(
        bench.page("log.splice(0).filter(([kind]) => kind === 'keydown').map(([, key]) => key)"),
        json!(["ä", "x", "🙂"])
    );
    assert_eq!(bench.page("field.value"), "hello");
    // What can be edited has its input method still, wherever the focus goes.
    bench.act("press", json!({"selector": "#field", "key": "ä"}));
    assert_eq!(bench.page("field.value"), "helloä");
    bench.act("press", json!({"selector": "#lent", "key": "日"}));
    assert_eq!(bench.page("area.value"), "日");
    bench.act("click", json!({"selector": "iframe"}));
    bench.act("press", json!({"key": "日"}));
    assert_eq!(bench.page("frames[0].document.body.textContent"), "日");
}

/// The field that was there before the first letter is gone with what it held.
#[test]
fn a_field_that_is_rendered_anew_is_read_where_it_is() {
    let mut bench = Bench::of(
        "<!doctype html><div id=app></div><script>
           var kept = '';
           const render = () => {
             app.innerHTML = '<label>Query <input></label><label>Other <input></label>';
             const field = app.querySelector('input');
             field.value = kept;
             field.oninput = () => { kept = field.value; render(); app.querySelector('input').focus(); };
           };
           render();
         </script>",
    );
    let field = "label:first-child input";
    let did = bench.act("type", json!({"selector": field, "text": "abc"}));
    assert_eq!(bench.page("kept"), "abc");
    assert_eq!(did["value"], "abc", "{did}");
    let did = bench.act("fill", json!({"selector": field, "text": "xyz"}));
    assert_eq!(bench.page("kept"), "xyz");
    assert_eq!(did["value"], "xyz", "{did}");
}
