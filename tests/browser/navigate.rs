//! `browser_navigate`.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::unreachable;
use crate::harness::mcp::failure;
use crate::harness::{Answer, Lease, Mcp, SOON, Signal, Site, TestEnv, wait_until};

fn site() -> Site {
    Site::plan()
        .page("/a", "<title>a</title><a href='#part'>part</a>")
        .page("/b", "<title>b</title>")
        .on("/moved", |_| Answer::status(302).header("location", "/b"))
        .on("/missing", |_| {
            Answer::html("<title>nothing here</title>").with_status(404)
        })
        .on("/empty", |_| Answer::status(204))
        .on("/file", |_| {
            Answer::html("data").header("content-disposition", "attachment; filename=data.txt")
        })
        .serve()
}

/// A client with the session `work` open.
pub(super) fn open(env: &TestEnv) -> Mcp {
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp
}

#[test]
fn it_says_where_it_ended() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    let there = mcp.ok("browser_navigate", json!({"url": site.url("/moved")}));
    assert_eq!(there["url"], site.url("/b"));
    assert_eq!(
        (&there["title"], &there["status"], &there["loaded"]),
        (&json!("b"), &json!(200), &json!(true))
    );
    let missing = mcp.ok("browser_navigate", json!({"url": site.url("/missing")}));
    assert_eq!(
        (&missing["status"], &missing["title"]),
        (&json!(404), &json!("nothing here")),
        "an answer is an answer"
    );
    mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    let part = mcp.ok("browser_navigate", json!({"url": site.url("/a#part")}));
    assert_eq!(
        (&part["loaded"], &part["title"]),
        (&json!(false), &json!("a")),
        "{part}"
    );
}

/// Sees what the page's own listeners do on the event that the call waits for.
#[test]
fn the_title_is_the_one_after_what_was_waited_for() {
    const PAGE: &str = "<title>parsed</title><img src=/slow><script>
      addEventListener('load', () => document.title = 'loaded');
      document.addEventListener('DOMContentLoaded', () => {
        document.title = 'ready';
        addEventListener('load', () => document.title += ', late');
      });
    </script>";
    let env = TestEnv::new();
    let held = Arc::new(AtomicBool::new(false));
    let holds = Arc::clone(&held);
    let image = move |_: &_| {
        wait_until("the image may come", SOON, || !holds.load(Ordering::SeqCst));
        Answer::html("")
    };
    let site = Site::plan().page("/", PAGE).on("/slow", image).serve();
    let mut mcp = open(&env);
    let mut titled = |wait: &str| {
        let asked = json!({"url": site.url("/"), "wait": wait});
        let there = mcp.ok("browser_navigate", asked);
        there["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(titled("load"), "loaded, late");
    held.store(true, Ordering::SeqCst);
    assert_eq!(titled("domcontentloaded"), "ready");
    held.store(false, Ordering::SeqCst);
    // Before the page is parsed, its first words are all there is.
    titled("commit");
    assert_eq!(titled("load"), "loaded, late");
    // Also where nothing is painted and timers are slow.
    let hidden = json!({"action": "open", "url": site.url("/")});
    let tab = mcp.ok("browser_tabs", hidden)["tab"].clone();
    mcp.ok("browser_tabs", json!({"action": "focus", "tab": "t1"}));
    let asked = json!({"url": site.url("/"), "tab": tab});
    assert_eq!(mcp.ok("browser_navigate", asked)["title"], "loaded, late");
}

/// A page may stop the event before our listener hears it.
#[test]
fn the_title_is_told_of_a_page_that_stops_the_event() {
    const STOPS: &str = "<title>parsed</title><script>
      for (const event of ['DOMContentLoaded', 'load']) addEventListener(event, (it) => {
        it.stopImmediatePropagation();
        document.title = event;
      }, true);
    </script>";
    let env = Lease::take();
    let site = Site::plan().page("/", STOPS).serve();
    let mut mcp = env.mcp();
    for (wait, title) in [("load", "load"), ("domcontentloaded", "DOMContentLoaded")] {
        let asked = json!({"session": "work", "url": site.url("/"), "wait": wait});
        let there = mcp.ok("browser_navigate", asked);
        // It may have gone on to its other event by then.
        let titles = [title, "load"];
        assert!(
            titles.contains(&there["title"].as_str().unwrap()),
            "{there}"
        );
    }
}

#[test]
fn what_does_not_load_is_an_error() {
    let env = Lease::take();
    let mut mcp = open(&env);
    let dead = Site::of("").origin();
    let failure = mcp.fails(
        "browser_navigate",
        json!({"url": dead}),
        "NAVIGATION_FAILED",
    );
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("ERR_CONNECTION_REFUSED"),
        "{failure}"
    );
    // The same for a page that was open before.
    let dying = site();
    mcp.ok("browser_navigate", json!({"url": dying.url("/a")}));
    drop(dying);
    let failure = mcp.fails(
        "browser_navigate",
        json!({"history": "reload"}),
        "NAVIGATION_FAILED",
    );
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("ERR_CONNECTION_REFUSED"), "{failure}");
    unreachable::leads_nowhere(&mut mcp, &dead);
    for input in [
        json!({}),
        json!({"url": "about:blank", "history": "back"}),
        json!({"url": "http://"}),
        json!({"url": ""}),
    ] {
        mcp.fails("browser_navigate", input, "INVALID_INPUT");
    }
    assert_eq!(mcp.eval("work", "1"), 1);
}

#[test]
fn what_loads_for_ever_ends_with_its_budget() {
    let env = Lease::take();
    // Accepts and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let mut mcp = open(&env);
    let failure = mcp.fails(
        "browser_navigate",
        json!({"url": url, "timeout_ms": 500}),
        "TIMEOUT",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("500"),
        "{failure}"
    );
    let site = site();
    assert_eq!(
        mcp.ok("browser_navigate", json!({"url": site.url("/a")}))["title"],
        "a"
    );
}

#[test]
fn downloads_and_empty_answers_load_nothing() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    // The requested page did not come: the tab is where it was.
    let empty = json!({"url": site.url("/empty")});
    let failure = mcp.fails("browser_navigate", empty, "NAVIGATION_FAILED");
    assert_eq!(failure["effect"], "done", "{failure}");
    let answer = mcp.ok("browser_navigate", json!({"url": site.url("/file")}));
    assert_eq!(
        (&answer["loaded"], &answer["url"]),
        (&json!(false), &json!(site.url("/a"))),
        "{answer}"
    );
}

#[test]
fn tabs_are_chosen_by_id() {
    let env = Lease::take();
    let site = site();
    let mut mcp = open(&env);
    let first = mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    let second = mcp.ok(
        "browser_navigate",
        json!({"url": site.url("/b"), "tab": "new"}),
    );
    assert_ne!(first["tab"], second["tab"]);
    let title = |mcp: &mut Mcp, tab: &serde_json::Value| {
        mcp.ok(
            "browser_run_code",
            json!({"tab": tab, "code": "document.title"}),
        )
    };
    assert_eq!(title(&mut mcp, &first["tab"])["value"], "a");
    assert_eq!(title(&mut mcp, &second["tab"])["value"], "b");
    let failure = mcp.fails(
        "browser_run_code",
        json!({"tab": "t99", "code": "1"}),
        "NOT_FOUND",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("t99"),
        "{failure}"
    );
}

#[test]
fn a_dialog_does_not_stop_the_session() {
    let env = TestEnv::new();
    let site = Site::of(
        "<title>asks</title><script>onload = () => setTimeout(() => alert('hello'))</script>",
    );
    let mut mcp = open(&env);
    mcp.ok(
        "browser_navigate",
        json!({"url": site.url("/"), "wait": "commit"}),
    );
    let other = mcp.ok(
        "browser_navigate",
        json!({"url": "about:blank", "tab": "new"}),
    );
    assert_eq!(
        mcp.ok(
            "browser_run_code",
            json!({"tab": other["tab"], "code": "1"})
        )["value"],
        1
    );
    mcp.ok("session_close", json!({}));
    env.no_chromium_is_left();
}

/// A tab can leave a page that opens one dialog after another, endlessly.
#[test]
fn a_page_that_asks_for_ever_is_left() {
    let env = Lease::take();
    let site = Site::plan()
        .page("/a", "<title>a</title>")
        .page(
            "/loop",
            "<title>loop</title><script>setTimeout(() => { while (true) alert('again'); });</script>",
        )
        .serve();
    let mut mcp = open(&env);
    let stuck = json!({"url": site.url("/loop"), "wait": "commit"});
    mcp.ok("browser_navigate", stuck);
    let there = mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    assert_eq!(there["title"], "a");
    assert_eq!(mcp.eval("work", "document.title"), "a");
}

/// Chromium can no longer answer such a dialog, and accepts no other navigation.
#[test]
fn a_page_that_begins_to_ask_while_it_is_left_is_replaced() {
    begins_while_it_is_left("while (true) alert('again');");
}

/// A script that never pauses blocks the tab in the same way, and there is no dialog to tell of it.
#[test]
fn a_page_that_begins_to_spin_while_it_is_left_is_replaced() {
    begins_while_it_is_left("while (true);");
}

/// A page that runs `script` while the answer to the next navigation is on its way: it says so itself, and the
/// answer waits for that.
fn begins_while_it_is_left(script: &str) {
    let env = TestEnv::new();
    let (ask, asked) = channel::<()>();
    let (begin, began) = channel::<()>();
    let (asked, began) = (Mutex::new(asked), Mutex::new(Some(began)));
    let begins =
        "const says = new XMLHttpRequest(); says.open('GET', '/begins', false); says.send();";
    let page = format!(
        "<title>loop</title><script>fetch('/ask').then(() => {{ {begins} {script} }});</script>"
    );
    let site = Site::plan()
        .page("/loop", &page)
        .on("/ask", move |_| {
            // Err: the test is over.
            let _ = asked.lock().unwrap().recv();
            Answer::html("")
        })
        .on("/begins", move |_| {
            let _ = begin.send(());
            Answer::html("")
        })
        .on("/next", move |_| {
            // The second time the page is gone.
            if let Some(began) = began.lock().unwrap().take() {
                ask.send(()).unwrap();
                began.recv_timeout(SOON).expect("the script begins");
                // Nothing more comes; meanwhile it is under way.
                let _ = began.recv_timeout(Duration::from_millis(500));
            }
            Answer::html("<title>next</title>")
        })
        .serve();
    let mut mcp = open(&env);
    let emulated = json!({"color_scheme": "dark"});
    mcp.ok("browser_emulate", emulated);
    mcp.ok("browser_navigate", json!({"url": site.url("/loop")}));
    let there = mcp.ok("browser_navigate", json!({"url": site.url("/next")}));
    assert_eq!(
        (&there["title"], &there["tab"]),
        (&json!("next"), &json!("t1"))
    );
    assert_eq!(mcp.eval("work", "document.title"), "next");
    let dark = "matchMedia('(prefers-color-scheme: dark)').matches";
    assert_eq!(
        mcp.eval("work", dark),
        true,
        "what stands in the tab is kept"
    );
    let tabs = mcp.ok("browser_tabs", json!({"action": "list"}));
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs}");
}

/// A tab restored with its profile is on its way to its page; it can still be sent elsewhere.
#[test]
fn a_page_that_is_on_its_way_begins_anew() {
    let env = TestEnv::new();
    let asked = AtomicUsize::new(0);
    let (came, comes) = channel();
    let (ends, ended) = channel::<()>();
    let ended = Mutex::new(ended);
    let site = Site::plan()
        .on("/", move |_| {
            let nth = asked.fetch_add(1, Ordering::Relaxed);
            if nth == 1 {
                came.send(()).unwrap();
                // Err: the test is over.
                let _ = ended.lock().unwrap().recv();
            }
            Answer::html(format!("<title>{nth}</title>"))
        })
        .serve();
    let mut mcp = open(&env);
    let there = json!({"url": site.url("/"), "session": "work"});
    mcp.ok("browser_navigate", there.clone());
    mcp.ok("session_close", json!({"session": "work"}));
    mcp.open_session("work");
    comes.recv().unwrap();
    assert_eq!(mcp.ok("browser_navigate", there)["title"], "2");
    drop(ends);
}

#[test]
fn an_idle_network_can_be_waited_for() {
    let env = Lease::take();
    let page = "<title>busy</title><script>
        const ask = async () => { for (let nth = 0; nth < 3; nth++) { await fetch('/data'); await new Promise((go) => setTimeout(go, 100)); } document.title = 'idle'; };
        addEventListener('load', ask);</script>";
    let site = Site::plan().page("/", page).page("/data", "data").serve();
    let mut mcp = open(&env);
    let there = json!({"url": site.url("/"), "wait": "networkidle"});
    assert_eq!(mcp.ok("browser_navigate", there)["title"], "idle");
    let main = json!({"world": "main", "code": "document.title = 'busy'; ask(); 1"});
    mcp.ok("browser_run_code", main);
    let wait = json!({"kind": "wait", "state": "networkidle"});
    mcp.ok("browser_act", wait);
    assert_eq!(mcp.eval("work", "document.title"), "idle");
    let both = json!({"kind": "wait", "state": "networkidle", "selector": "p"});
    mcp.fails("browser_act", both, "INVALID_INPUT");
}

fn kill_renderers(env: &TestEnv) {
    let mut renderers = env.chromium_processes();
    renderers.retain(|process| process.flags().any(|flag| flag == "--type=renderer"));
    for process in renderers {
        process.signal(Signal::KILL);
    }
}

#[test]
fn calls_do_not_wait_for_a_process_that_has_died_and_the_tab_comes_back() {
    let env = TestEnv::new();
    let site = site();
    // A tab that has not been anywhere yet, and one that has.
    for round in 0..2 {
        let mut mcp = open(&env);
        for (tool, input) in [
            (
                "browser_run_code",
                json!({"session": "work", "code": "new Promise(() => {})", "timeout_ms": 60_000}),
            ),
            (
                "browser_run_code",
                json!({"session": "work", "code": "new Promise(() => {})", "world": "main", "timeout_ms": 60_000}),
            ),
            (
                "browser_act",
                json!({"session": "work", "kind": "wait", "text": "never", "timeout_ms": 60_000}),
            ),
        ] {
            let id = mcp.post(tool, input);
            // It has started once the page is busy with it: a second call on the same page gets an
            // answer.
            mcp.eval("work", "1");
            kill_renderers(&env);
            let failure = failure(&mcp.answer(id)["result"]);
            assert_eq!(
                failure["code"], "BROWSER_CRASHED",
                "{round} {tool} {failure}"
            );
            assert!(
                failure["hint"]
                    .as_str()
                    .unwrap()
                    .contains("browser_navigate"),
                "{failure}"
            );
            let there = mcp.ok("browser_navigate", json!({"url": site.url("/b")}));
            assert_eq!(there["title"], "b", "{round} {tool}");
        }
        mcp.ok("session_close", json!({"session": "work"}));
    }
}

#[test]
fn a_tab_whose_process_has_died_says_so_and_comes_back() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = open(&env);
    let kill = || kill_renderers(&env);
    mcp.ok("browser_navigate", json!({"url": site.url("/a")}));
    kill();
    wait_until("the crash is told", SOON, || {
        let read = mcp.call("browser_snapshot", json!({"timeout_ms": 1000}));
        read["isError"] == true && failure(&read)["code"] == "BROWSER_CRASHED"
    });
    for _ in 0..6 {
        // The processes that were to show the next page die as well.
        kill();
        let there = mcp.ok("browser_navigate", json!({"url": site.url("/b")}));
        assert_eq!(there["title"], "b");
        assert_eq!(mcp.eval("work", "1 + 1"), 2);
    }
}
