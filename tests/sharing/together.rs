//! Several clients on one profile that know nothing of each other.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Mcp, Site, TestEnv};

/// A page that records what real input did to it.
const PAGE: &str = "<title>form</title><input autofocus><script>
  window.heard = '';
  addEventListener('keydown', event => { if (event.isTrusted) heard += event.key; });
</script>";

/// Steps of each client.
const STEPS: usize = 30;

/// Signs in under a name, and then types one letter after the other, without ever naming a tab. Returns
/// the tab it worked in.
fn work(mut mcp: Mcp, letter: char, url: &str) -> (Mcp, String) {
    mcp.open_session("work");
    let mut tabs = BTreeSet::new();
    let mut worked = |answer: &Value| {
        tabs.insert(answer["tab"].as_str().expect("it names its tab").to_owned());
    };
    worked(&mcp.ok("browser_navigate", json!({"session": "work", "url": url})));
    for _ in 0..STEPS {
        let typed = json!({"session": "work", "kind": "type", "selector": "input", "text": letter});
        worked(&mcp.ok("browser_act", typed));
    }
    let code = json!({"session": "work", "world": "main",
        "code": "[location.search, heard, document.querySelector('input').value, document.cookie]"});
    let found = mcp.ok("browser_run_code", code);
    worked(&found);
    let typed = letter.to_string().repeat(STEPS);
    let expected = json!([format!("?{letter}"), typed, typed, "login=kept"]);
    assert_eq!(found["value"], expected, "{found}");
    assert_eq!(tabs.len(), 1, "{tabs:?}");
    (mcp, tabs.pop_first().expect("one"))
}

#[test]
fn nobody_works_in_anothers_tab() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut first = env.mcp_of("Agent a");
    first.open_session("work");
    first.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    first.eval("work", "document.cookie = 'login=kept'; return 0");
    let all = [('b', env.mcp_of("Agent b")), ('c', env.mcp_of("Agent c"))];
    let mut done = thread::scope(|scope| {
        let started = [('a', first)].into_iter().chain(all);
        let running: Vec<_> = started
            .map(|(letter, mcp)| {
                let url = site.url(&format!("/?{letter}"));
                scope.spawn(move || work(mcp, letter, &url))
            })
            .collect();
        let ends = running.into_iter().map(|one| one.join().expect("it works"));
        ends.collect::<Vec<_>>()
    });
    let tabs: BTreeSet<&String> = done.iter().map(|(_, tab)| tab).collect();
    assert_eq!(tabs.len(), 3, "{tabs:?}");
    env.browser();

    // Everybody sees who has what.
    let tab_b = done[1].1.clone();
    let (a, tab_a) = &mut done[0];
    let listed = a.ok("browser_tabs", json!({"session": "work"}));
    let row = |id: &str| {
        let mut rows = listed["tabs"].as_array().unwrap().iter();
        rows.find(|row| row["id"] == id).unwrap().clone()
    };
    assert_eq!(row(tab_a)["yours"], true, "{listed:#}");
    assert_eq!(row(tab_a)["current"], true, "{listed:#}");
    assert_eq!(row(&tab_b)["client"], "Agent b", "{listed:#}");
    let session = env.row("work").unwrap();
    assert!(
        session["clients"].to_string().contains("Agent c"),
        "{session:#}"
    );
    assert!(
        session["tabs"].to_string().contains("Agent c"),
        "{session:#}"
    );

    // A named tab of another: looking is free, a write is refused, and nothing arrives there.
    let found = a.ok(
        "browser_find",
        json!({"session": "work", "tab": tab_b, "text": "b"}),
    );
    assert_eq!(found["tab"], json!(tab_b));
    let typing = |tab: &str| json!({"session": "work", "tab": tab, "kind": "type", "selector": "input", "text": "xy"});
    let refused = a.fails("browser_act", typing(&tab_b), "TAB_TAKEN");
    assert!(
        refused["message"].to_string().contains("Agent b"),
        "{refused}"
    );
    assert_eq!(refused["effect"], "none");
    let heard = json!({"session": "work", "world": "main", "code": "heard"});
    let b = &mut done[1].0;
    assert_eq!(
        b.ok("browser_run_code", heard.clone())["value"],
        "b".repeat(STEPS)
    );

    // Taken: now it is the other way round, and the one that lost it goes on in a tab of its own.
    let a = &mut done[0].0;
    let take = json!({"session": "work", "action": "focus", "tab": tab_b, "take": true});
    a.ok("browser_tabs", take);
    a.ok("browser_act", typing(&tab_b));
    assert_eq!(
        a.ok("browser_run_code", heard)["value"],
        "b".repeat(STEPS) + "xy"
    );
    let b = &mut done[1].0;
    b.fails("browser_act", typing(&tab_b), "TAB_TAKEN");
    let own = b.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/?again")}),
    );
    assert_ne!(own["tab"], json!(tab_b));

    // Closing under others is refused; with force everybody who follows the session hears of it.
    let mut follows = env
        .szk(["logs", "-s", "work", "--follow", "--since", "0", "--json"])
        .start();
    follows.until("the stream", |line| line.contains("tab_taken"));
    let busy = b.fails("session_close", json!({"session": "work"}), "SESSION_BUSY");
    for other in ["Agent a", "Agent c"] {
        assert!(busy["message"].to_string().contains(other), "{busy}");
    }
    assert_eq!(env.row("work").unwrap()["status"], "open");
    b.ok("session_close", json!({"session": "work", "force": true}));
    let told = follows.end().stdout;
    for event in [
        r#""event":"client_came","client":"Agent c""#.to_owned(),
        format!(r#""event":"tab_taken","tab":"{tab_b}","client":"Agent a","from":"Agent b""#),
        r#""event":"navigated""#.to_owned(),
        r#""event":"closing","client":"Agent b""#.to_owned(),
    ] {
        assert!(told.contains(&event), "{event} is not in {told}");
    }
    env.no_chromium_is_left();
}

/// The page judges: what it heard is all of the one that has the tab, in order, and nothing else.
#[test]
fn of_two_clients_that_name_one_tab_one_is_refused_and_nothing_is_mixed() {
    let env = TestEnv::new();
    let site = Site::of(
        "<input><button>Press</button><script>
          window.heard = '';
          const hear = (event, what) => { if (event.isTrusted) heard += what; };
          // Before a letter, szk sends the caret to the end.
          addEventListener('keydown', (event) => hear(event, event.key.length === 1 ? event.key : ''));
          addEventListener('click', (event) => hear(event, event.target.tagName === 'BUTTON' ? '!' : ''));
        </script>",
    );
    let [mut a, mut b] = ["Agent a", "Agent b"].map(|name| env.mcp_of(name));
    a.open_session("work");
    b.open_session("work");
    let went = a.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    let tab = went["tab"].clone();
    let typing = |text: &str| json!({"session": "work", "tab": tab, "kind": "type", "selector": "input", "text": text});
    let press = json!({"session": "work", "tab": tab, "kind": "click", "selector": "button"});
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..STEPS {
                a.ok("browser_act", typing("a"));
                a.ok("browser_act", press.clone());
            }
        });
        scope.spawn(|| {
            for _ in 0..STEPS {
                b.fails("browser_act", typing("x"), "TAB_TAKEN");
                b.fails("browser_act", press.clone(), "TAB_TAKEN");
            }
        });
    });
    let heard = a.ok(
        "browser_run_code",
        json!({"session": "work", "world": "main", "code": "[heard, document.querySelector('input').value]"}),
    );
    let expected = json!(["a!".repeat(STEPS), "a".repeat(STEPS)]);
    assert_eq!(heard["value"], expected);
}
