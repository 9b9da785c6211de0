//! Questions of a page: reported at once, held for an answer, and dismissed when none comes.

use serde_json::{Value, json};

use crate::harness::{Display, Mcp, PATIENTLY, Site, TestEnv, wait_for};

const PAGE: &str = "<!doctype html><title>asks</title>
<button id=ask onclick=\"out.textContent = confirm('Delete all?')\">Ask</button>
<button id=name onclick=\"out.textContent = prompt('Name?', 'nobody')\">Name</button>
<button id=twice onclick=\"out.textContent = [confirm('One?'), confirm('Two?')].join()\">Twice</button>
<button id=alert onclick=\"alert('Hello'); out.textContent = 'read'\">Alert</button>
<input id=field oninput=\"if (this.value.length === 2) out.textContent = confirm('Go on?')\">
<input type=checkbox id=box onclick=\"return confirm('Really?')\">
<div id=drag draggable=true ondragstart=\"confirm('Drag?')\" ondragend=\"out.textContent = 'dragged'\">Drag</div>
<div id=drop ondragover='event.preventDefault()' ondrop=\"out.textContent = 'dropped'\">Drop</div>
<button id=later onclick=\"setTimeout(() => { out.textContent = confirm('Later?') }, 300)\">Later</button>
<p id=out>-</p>";

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::plan()
        .page("/", PAGE)
        .page("/next", "<title>next</title>")
        .page(
            "/early",
            "<title>early</title><p id=out><script>out.textContent = confirm('Early?')</script>",
        )
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    (mcp, site)
}

fn click(mcp: &mut Mcp, selector: &str) -> Value {
    mcp.call(
        "browser_act",
        json!({"kind": "click", "selector": selector}),
    )
}

/// The only dialog of an act, and the whole answer.
#[track_caller]
fn open_dialog(told: &Value) -> (Value, String) {
    let did = &told["structuredContent"];
    let dialogs = did["dialogs"]
        .as_array()
        .unwrap_or_else(|| panic!("{told:#}"));
    assert_eq!(dialogs.len(), 1, "{told:#}");
    assert_eq!(dialogs[0].get("accepted"), None, "it is open: {told:#}");
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(
        did["notes"].to_string().contains("browser_arm") && text.contains("browser_arm"),
        "{told:#}"
    );
    (dialogs[0].clone(), text.to_owned())
}

#[track_caller]
fn arm(mcp: &mut Mcp, how: Value) -> Value {
    let mut input = how;
    input["event"] = json!("dialog");
    mcp.ok("browser_arm", input)
}

fn out(mcp: &mut Mcp) -> Value {
    mcp.eval("work", "document.querySelector('#out').textContent")
}

fn logged(mcp: &mut Mcp) -> Vec<Value> {
    let logs = mcp.ok("browser_logs", json!({"kind": "dialogs"}));
    logs["entries"].as_array().unwrap().clone()
}

#[test]
fn a_question_is_told_at_once_and_waits_for_its_answer() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let told = click(&mut mcp, "#ask");
    let (dialog, text) = open_dialog(&told);
    assert_eq!(
        (&dialog["kind"], &dialog["message"]),
        (&json!("confirm"), &json!("Delete all?"))
    );
    assert!(
        text.contains("Delete all?") && text.contains("is open"),
        "{text}"
    );
    assert_eq!(told["structuredContent"]["changed"], true, "{told:#}");
    // Calls that would have to ask the page say what is in the way and do not wait.
    for (tool, input) in [
        ("browser_snapshot", json!({})),
        ("browser_find", json!({"text": "Ask"})),
        ("browser_act", json!({"kind": "click", "selector": "#name"})),
        ("browser_extract", json!({})),
    ] {
        let failure = mcp.fails(tool, input, "SESSION_BUSY");
        let said = failure.to_string();
        assert!(
            said.contains("Delete all?") && said.contains("browser_arm"),
            "{tool}: {failure}"
        );
    }
    assert_eq!(arm(&mut mcp, json!({"accept": true}))["answered"], true);
    assert_eq!(out(&mut mcp), "true");
    click(&mut mcp, "#ask");
    arm(&mut mcp, json!({"accept": false}));
    assert_eq!(out(&mut mcp), "false");
    open_dialog(&click(&mut mcp, "#name"));
    arm(&mut mcp, json!({"text": "Jane"}));
    assert_eq!(out(&mut mcp), "Jane");
    let answers: Vec<Value> = logged(&mut mcp)
        .iter()
        .map(|one| one["accepted"].clone())
        .collect();
    assert_eq!(answers, [json!(true), json!(false), json!(true)]);
}

#[test]
fn what_is_armed_is_asked_first_and_once() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    arm(&mut mcp, json!({"accept": true}));
    let told = click(&mut mcp, "#twice");
    let dialogs = &told["structuredContent"]["dialogs"];
    assert_eq!(dialogs[0]["accepted"], true, "{told:#}");
    assert_eq!(dialogs[1].get("accepted"), None, "{told:#}");
    arm(&mut mcp, json!({"accept": false}));
    assert_eq!(out(&mut mcp), "true,false");
    // A call's own answer applies to all its dialogs.
    let own = json!({"kind": "click", "selector": "#twice", "dialog": "accept"});
    mcp.ok("browser_act", own);
    assert_eq!(out(&mut mcp), "true,true");
}

#[test]
fn a_batch_arms_before_and_answers_after() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let step = |tool: &str, input: Value| json!({"tool": tool, "input": input});
    let ask = step("browser_act", json!({"kind": "click", "selector": "#ask"}));
    let yes = step("browser_arm", json!({"event": "dialog", "accept": true}));
    let read = step(
        "browser_run_code",
        json!({"code": "document.querySelector('#out').textContent"}),
    );
    let before = mcp.ok("browser_batch", json!({"steps": [yes, ask, read]}));
    assert_eq!(before["steps"][2]["data"]["value"], "true", "{before:#}");
    let no = step("browser_arm", json!({"event": "dialog", "accept": false}));
    let after = mcp.ok("browser_batch", json!({"steps": [ask, no, read]}));
    assert_eq!(after.get("stopped"), None, "{after:#}");
    assert_eq!(after["steps"][1]["data"]["answered"], true, "{after:#}");
    assert_eq!(after["steps"][2]["data"]["value"], "false", "{after:#}");
    // A step that needs the page meanwhile stops the batch and says why.
    let stopped = mcp.short("browser_batch", json!({"steps": [ask, read]}));
    assert_eq!(stopped["steps"][1]["error"]["code"], "SESSION_BUSY");
    arm(&mut mcp, json!({}));
}

#[test]
fn nobody_answers_and_that_is_told() {
    let env = TestEnv::new();
    env.config("[session]\ndialog_seconds = 1\n");
    let (mut mcp, _site) = open(&env);
    let told = click(&mut mcp, "#ask");
    let (_, text) = open_dialog(&told);
    assert!(text.contains("Delete all?"), "{text}");
    wait_for("the end of it", PATIENTLY, || {
        let all = logged(&mut mcp);
        (all[0]["accepted"] == false).then_some(())
    });
    assert_eq!(logged(&mut mcp)[0]["unanswered"], true);
    let next = mcp.call("browser_snapshot", json!({}));
    let text = next["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("without an answer"), "{text}");
    assert_eq!(out(&mut mcp), "false");
    let again = mcp.call("browser_snapshot", json!({}));
    let text = again["content"][0]["text"].as_str().unwrap();
    assert!(!text.contains("without an answer"), "once: {text}");
}

#[test]
fn in_a_window_it_waits_for_the_person() {
    let display = Display::start();
    let mut env = TestEnv::new();
    env.set("DISPLAY", display.name());
    env.config("[session]\ndialog_seconds = 1\n");
    let (mut mcp, _site) = open(&env);
    let told = click(&mut mcp, "#ask");
    let (_, text) = open_dialog(&told);
    assert!(!text.contains("dismissed"), "{text}");
    // Three times as long as it would be held without a window.
    mcp.ok("browser_tabs", json!({"action": "open"}));
    let code = "new Promise(later => setTimeout(() => later('later'), 3000))";
    assert_eq!(mcp.eval("work", code), "later");
    let held = logged(&mut mcp);
    assert_eq!(held[0].get("accepted"), None, "it is still open: {held:#?}");
    mcp.ok("browser_tabs", json!({"action": "focus", "tab": "t1"}));
    arm(&mut mcp, json!({"accept": true}));
    assert_eq!(out(&mut mcp), "true");
}

#[test]
fn alerts_are_read_and_go() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let told = click(&mut mcp, "#alert");
    let dialog = &told["structuredContent"]["dialogs"][0];
    assert_eq!(
        (&dialog["kind"], &dialog["accepted"]),
        (&json!("alert"), &json!(true)),
        "{told:#}"
    );
    assert_eq!(out(&mut mcp), "read");
}

/// The question may come in the middle of an act; nothing hangs or is left behind.
#[test]
fn questions_in_the_middle_of_an_act() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let typed = mcp.call(
        "browser_act",
        json!({"kind": "fill", "selector": "#field", "text": "abcdef"}),
    );
    let (dialog, _) = open_dialog(&typed);
    assert_eq!(dialog["message"], "Go on?");
    arm(&mut mcp, json!({}));
    assert_eq!(out(&mut mcp), "true");
    let checked = mcp.call("browser_act", json!({"kind": "check", "selector": "#box"}));
    open_dialog(&checked);
    arm(&mut mcp, json!({"accept": true}));
    assert_eq!(
        mcp.eval("work", "document.querySelector('#box').checked"),
        true
    );
    let dragged = mcp.call(
        "browser_act",
        json!({"kind": "drag", "selector": "#drag", "to": "#drop"}),
    );
    open_dialog(&dragged);
    arm(&mut mcp, json!({}));
    // The next act works as if nothing had happened.
    let button = mcp.ok(
        "browser_act",
        json!({"kind": "fill", "selector": "#field", "text": "x"}),
    );
    assert_eq!(button["value"], "x", "{button}");
    open_dialog(&click(&mut mcp, "#ask"));
    arm(&mut mcp, json!({}));
    assert_eq!(out(&mut mcp), "true");
}

/// A wait ends when the page asks; a page that asks while loading has arrived.
#[test]
fn waits_and_navigations_do_not_hang() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    click(&mut mcp, "#later");
    let failure = mcp.fails(
        "browser_act",
        json!({"kind": "wait", "selector": "#never"}),
        "SESSION_BUSY",
    );
    assert!(failure.to_string().contains("Later?"), "{failure}");
    // It is possible to leave the page.
    let next = mcp.ok("browser_navigate", json!({"url": site.url("/next")}));
    assert_eq!(next["title"], "next");
    let early = mcp.call("browser_navigate", json!({"url": site.url("/early")}));
    let text = early["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Early?") && text.contains("browser_arm"),
        "{early:#}"
    );
    assert_eq!(early["structuredContent"]["loaded"], true, "{early:#}");
    arm(&mut mcp, json!({}));
    assert_eq!(out(&mut mcp), "true");
}

/// A timer of the page may ask at any moment of any call. None of them waits in vain, or for its whole time.
#[test]
fn a_question_of_a_timer_holds_no_call_up() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let never = "new Promise(() => {})";
    for (tool, input) in [
        ("browser_act", json!({"kind": "click", "selector": "#out"})),
        ("browser_act", json!({"kind": "click", "name": "Ask for"})),
        ("browser_act", json!({"kind": "press", "key": "F8"})),
        ("browser_snapshot", json!({"mode": "full"})),
        ("browser_find", json!({"text": "Twice"})),
        ("browser_extract", json!({})),
        ("browser_screenshot", json!({})),
        ("browser_run_code", json!({"code": never})),
        ("browser_run_code", json!({"code": never, "world": "main"})),
    ] {
        for ms in [10, 60, 250] {
            let code = format!(
                "void setTimeout(() => {{ document.title = 'said ' + confirm('Late?') }}, {ms})"
            );
            mcp.eval("work", &code);
            let told = mcp.call(tool, input.clone());
            let text = told["content"][0]["text"].as_str().unwrap();
            if told["isError"] == true && !text.contains("Ask for") {
                assert!(
                    text.contains("SESSION_BUSY") && text.contains("Late?"),
                    "{tool} {ms}: {text}"
                );
            }
            // Open, or about to be.
            arm(&mut mcp, json!({"accept": true}));
            let title = "new Promise((done) => { const look = () => document.title.startsWith('said') ? done(document.title) : setTimeout(look); look() })";
            assert_eq!(mcp.eval("work", title), "said true", "{tool} {ms}");
            mcp.eval("work", "void (document.title = 'asks')");
        }
    }
    // One that opens after the act is done does not undo that.
    let told = click(&mut mcp, "#later");
    assert_ne!(told["isError"], true, "{told:#}");
    arm(&mut mcp, json!({"accept": true}));
    mcp.ok("browser_act", json!({"kind": "wait", "text": "true"}));
    // Code that asks itself.
    let asks = json!({"code": "confirm('Now?')", "world": "main"});
    let failure = mcp.fails("browser_run_code", asks, "SESSION_BUSY");
    assert_eq!(failure["effect"], "unknown", "{failure}");
    assert!(failure.to_string().contains("Now?"), "{failure}");
    assert_eq!(arm(&mut mcp, json!({}))["answered"], true);
}

/// A caller that always gives the same answer only has to say so once.
#[test]
fn a_standing_answer_is_given_at_once() {
    for (setting, said) in [("accept", "true"), ("dismiss", "false")] {
        let env = TestEnv::new();
        env.config(&format!("[session]\ndialogs = \"{setting}\"\n"));
        let (mut mcp, _site) = open(&env);
        click(&mut mcp, "#ask");
        let read = "document.querySelector('#out').textContent";
        assert_eq!(mcp.eval("work", read), said, "{setting}");
    }
}
