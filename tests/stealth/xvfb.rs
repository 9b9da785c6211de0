//! `[browser] xvfb`: without a window, what only a display can do is as before a person.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;

use serde_json::json;

use crate::harness::process::Process;
use crate::harness::{Answer, Mcp, SOON, Signal, Site, TestEnv, wait_until};

/// What Chromium answers by itself when nobody can see the question, and what shows the kind of screen.
const ASK: &str = "
  const focused = document.hasFocus();
  const asked = (question) => Promise.race([
    question.then(() => 'allowed', () => 'refused'),
    new Promise((done) => setTimeout(done, 1000, 'waits')),
  ]);
  const place = new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail));
  const notes = Notification.requestPermission().then((answer) => answer === 'granted' || Promise.reject());
  const [position, notice, keys] = await Promise.all([asked(place), asked(notes), navigator.keyboard.getLayoutMap()]);
  const {state} = await navigator.permissions.query({name: 'geolocation'});
  return [position, notice, state, keys.size, screen.width, screen.availTop, screenX, screenY, outerWidth, outerHeight, matchMedia('(hover: hover)').matches, focused]";

fn servers(env: &TestEnv) -> Vec<Process> {
    let all = env.processes().into_iter();
    all.filter(|process| process.program().is_some_and(|name| name == "Xvfb"))
        .collect()
}

/// The socket of the X server that draws for this browser.
fn socket(browser: &Process) -> String {
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", browser.pid));
    let environment = environment.expect("it is ours");
    let display = environment
        .split('\0')
        .find_map(|line| line.strip_prefix("DISPLAY=:"));
    format!("/tmp/.X11-unix/X{}", display.expect("it has a display"))
}

#[test]
fn questions_wait_and_the_server_ends_with_its_session() {
    let env = TestEnv::new();
    env.config("[browser]\nxvfb = true\n");
    let site = Site::of("<!doctype html><title>asks</title>");
    let opened = env.open("work");
    assert_eq!(opened["mode"], "headless", "{opened:#}");
    env.navigate("work", &site.url("/"));
    let seen = env.eval("work", &format!("(async () => {{ {ASK} }})()"));
    let expected = json!([
        "waits", "waits", "prompt", 48, 1920, 28, 70, 50, 1480, 940, true, true
    ]);
    assert_eq!(seen, expected);

    // Who has no password is let in by nobody.
    let display = socket(&env.browser());
    let mut stranger = UnixStream::connect(&display).expect("the server listens");
    stranger
        .write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        .unwrap();
    let mut answer = [1; 8];
    stranger.read_exact(&mut answer).unwrap();
    assert_eq!(answer[0], 0, "refused");

    // Another test's server may have the number by then.
    let file = || {
        let meta = std::fs::metadata(&display).ok()?;
        Some((meta.ino(), meta.ctime(), meta.ctime_nsec()))
    };
    let own = file();
    assert!(own.is_some(), "{display}");
    let gone = || servers(&env).is_empty() && file() != own;
    assert_eq!(servers(&env).len(), 1);
    env.close("work");
    wait_until("the server has ended", SOON, gone);

    // It does not outlive a keeper that is killed, either.
    let keeper = env.open("work")["keeper_pid"].as_u64().expect("a number");
    let keeper = u32::try_from(keeper).ok().and_then(Process::find);
    assert_eq!(servers(&env).len(), 1);
    keeper.expect("it runs").signal(Signal::KILL);
    wait_until("the server has ended", SOON, || servers(&env).is_empty());
    env.no_chromium_is_left();
}

/// Says what the mouse did: a press on `#from` and its end to the site, the rest to who asks. Real mice give a frame
/// one `pointermove`; DevTools give many frames two.
const WORKED: &str = r#"<!doctype html><title>worked</title>
<style>
  #from, #to, #long { position: absolute; }
  #from { left: 40px; top: 400px; width: 60px; height: 60px; background: teal; }
  #to { left: 1100px; top: 600px; width: 80px; height: 80px; background: silver; }
  #long { left: 500px; top: 100px; width: 200px; height: 150px; overflow: auto; }
  #long div { height: 3000px; }
</style>
<button id="press">Press</button> <button id="menu">Menu</button>
<select id="list"><option>one<option>two<option>three</select>
<input type="checkbox" id="box">
<div id="long"><div>long</div></div><div id="from"></div><div id="to"></div>
<script>
  const did = { clicks: 0, control: 0, moves: 0, twice: 0, buttons: 0, tops: [] };
  let moved = 0;
  const frame = () => { did.twice += moved > 1; moved = 0; requestAnimationFrame(frame); };
  frame();
  addEventListener('click', (event) => { if (event.target.id === 'press') did[event.ctrlKey ? 'control' : 'clicks']++; });
  addEventListener('pointermove', (event) => { moved++; did.moves++; did.buttons = event.buttons; });
  document.querySelector('#long').addEventListener('scroll', (event) => did.tops.push(event.target.scrollTop));
  document.querySelector('#from').addEventListener('pointerdown', () => fetch('/down'));
  addEventListener('pointerup', (event) => fetch(`/up?button=${event.button}`));
</script>"#;

#[test]
fn the_mouse_serves_all_tabs_and_lets_go() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n\n[browser]\nxvfb = true\n");
    let quiet = |_: &_| Answer::status(204);
    let plan = Site::plan().page("/", WORKED);
    let site = plan.on("/down", quiet).on("/up", quiet).serve();
    env.open("work");
    let mut clients = ["one", "two"].map(|name| {
        let mut client = env.mcp_of(name);
        client.open_session("work");
        client.ok("browser_navigate", json!({"url": site.url("/")}));
        client
    });
    let act = |kind: &str, selector: &str| json!({"kind": kind, "selector": selector});
    // Two windows, one above the other, and one pointer: in turn, and at once.
    for client in &mut clients {
        client.ok("browser_act", act("click", "#press"));
    }
    let both = clients
        .each_mut()
        .map(|client| client.post("browser_act", act("click", "#press")));
    for (client, id) in clients.iter_mut().zip(both) {
        assert_eq!(client.answer(id)["result"]["isError"], false);
    }
    let [one, two] = &mut clients;
    // The menu of a right click is closed again, or nothing would reach the page.
    let mut menu = act("click", "#menu");
    menu["button"] = json!("right");
    one.ok("browser_act", menu);
    one.ok("browser_act", act("click", "#box"));
    let mut list = act("select", "#list");
    list["values"] = json!(["three"]);
    one.ok("browser_act", list);
    let mut control = act("click", "#press");
    control["modifiers"] = json!(["Control"]);
    one.ok("browser_act", control);
    let mut scroll = act("scroll", "#long");
    scroll["dy"] = json!(360);
    one.ok("browser_act", scroll);

    // An act that is cancelled leaves no button down: not for its own tab, nor for others.
    let asked = |path: &str| {
        site.asked()
            .iter()
            .filter(|asked| asked.path == path)
            .count()
    };
    let mut drag = act("drag", "#from");
    drag["to"] = json!("#to");
    let before = asked("/up");
    let id = one.post("browser_act", drag);
    wait_until("the drag has begun", SOON, || asked("/down") > 0);
    one.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    wait_until("the button is up", SOON, || asked("/up") > before);
    two.ok("browser_act", act("click", "#press"));
    one.ok("browser_act", act("hover", "#to"));

    let code = "({...did, box: document.querySelector('#box').checked, list: document.querySelector('#list').value})";
    let told = |client: &mut Mcp| {
        let asked = json!({"world": "main", "code": code});
        client.ok("browser_run_code", asked)["value"].clone()
    };
    let (first, second) = (told(one), told(two));
    assert_eq!(
        (&first["clicks"], &second["clicks"]),
        (&json!(2), &json!(3))
    );
    for (name, expected) in [
        ("control", json!(1)),
        ("box", json!(true)),
        ("list", json!("three")),
        ("buttons", json!(0)),
    ] {
        assert_eq!(first[name], expected, "{name}: {first:#}");
    }
    let [moves, twice] = ["moves", "twice"].map(|name| first[name].as_u64().expect("a number"));
    // A press brings the last movement with it, which on a busy machine may be the second of its frame.
    assert!(moves > 100 && twice <= 2, "{first:#}");
    // It glides: a jump would stop at whole notches only. How often it is drawn on the way depends on what else the
    // machine does (`alone::persons_pace`).
    let tops = first["tops"].as_array().expect("a list");
    let between = tops
        .iter()
        .any(|top| top.as_f64().is_some_and(|top| top % 120.0 != 0.0));
    assert!(between && tops.last() == Some(&json!(360)), "{tops:?}");
    let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(!log.contains("through DevTools"), "{log}");
}

/// Buttons smaller than what a wrong scale would miss by, far from where all scales agree.
const SMALL: &str = r#"<!doctype html><style>button { position: fixed; width: 8px; height: 8px; padding: 0 }</style>
<button id=near style="left: 230px; top: 40px"></button><button id=far style="right: 20px; bottom: 20px"></button>
<script>
  const hits = [];
  onpointerdown = (event) => hits.push(event.target.id || 'missed');
</script>"#;

#[test]
fn the_mouse_hits_small_things_on_a_dense_screen_and_answers_no_question() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n\n[browser]\nxvfb = true\n\n[identity]\ndevice_scale_factor = 1.5\n");
    let site = Site::of(SMALL);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let click = |mcp: &mut Mcp, button: &str| {
        mcp.ok("browser_act", json!({"kind": "click", "selector": button}));
    };
    let told = |mcp: &mut Mcp, code: &str| {
        let asked = json!({"world": "main", "code": code});
        mcp.ok("browser_run_code", asked)["value"].clone()
    };
    for button in ["#far", "#near", "#far"] {
        click(&mut mcp, button);
    }
    let hits = told(&mut mcp, "[...hits, devicePixelRatio]");
    assert_eq!(hits, json!(["far", "near", "far", 1.5]));
    let unseen = || {
        let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
        log.contains("through DevTools")
    };
    assert!(!unseen());

    // The browser's own question covers the button: it is the person's, whatever is clicked below it.
    told(
        &mut mcp,
        "void Notification.requestPermission().then((answer) => hits.push(answer)), 0",
    );
    wait_until("the question covers the button", SOON, || {
        click(&mut mcp, "#near");
        unseen()
    });
    click(&mut mcp, "#near");
    let after = told(
        &mut mcp,
        "[hits.filter((hit) => hit !== 'near'), Notification.permission]",
    );
    assert_eq!(after, json!([["far", "far"], "default"]));
}

/// Takes what is dropped on `#tray`, and takes its time: to begin a drag, and for each place that it passes.
const SLOW: &str = r#"<!doctype html><title>slow</title>
<style>
  div { position: absolute; width: 80px; height: 80px; background: teal; }
  #tray { left: 700px; top: 500px; }
</style>
<div id="card" draggable="true"></div><div id="tray"></div>
<script>
  const took = [];
  const work = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
  card.addEventListener('dragstart', (event) => {
    work(150);
    event.dataTransfer.setData('text/plain', 'card');
  });
  addEventListener('dragover', (event) => {
    work(25);
    if (event.target.id === 'tray') event.preventDefault();
  });
  tray.addEventListener('drop', (event) => took.push(event.dataTransfer.getData('text/plain')));
</script>"#;

/// The browser hears of a drag from its window system, which does not wait for it.
#[test]
fn what_is_dropped_arrives_where_the_browser_is_behind_and_is_said_where_nothing_takes_it() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n\n[browser]\nxvfb = true\n");
    let site = Site::of(SLOW);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let mut drag = |to: &str| {
        let act = json!({"kind": "drag", "selector": "#card", "to": to});
        let did = mcp.ok("browser_act", act).to_string();
        let asked = json!({"world": "main", "code": "took.splice(0)"});
        let took = mcp.ok("browser_run_code", asked)["value"].clone();
        (did.contains("nothing there took what was dropped"), took)
    };
    assert_eq!(drag("#tray"), (false, json!(["card"])));
    assert_eq!(drag("400,300"), (true, json!([])));
    let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(!log.contains("through DevTools"), "{log}");
}
