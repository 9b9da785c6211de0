//! The same while szk works on the suite's page: it reads, acts at both paces, or captures the console.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use szk_detectors::Report;

use super::lab::{Lab, every, visit};
use super::ordinary::{check, check_except, config};
use crate::harness::Mcp;

/// What szk does, one call after another, until the page has reported.
const READING: &[&str] = &[
    r#"["browser_snapshot", {"tab": "t1"}]"#,
    r#"["browser_find", {"tab": "t1", "text": "Close nothing"}]"#,
    r#"["browser_extract", {"tab": "t1", "form": "text"}]"#,
    r#"["browser_logs", {"tab": "t1"}]"#,
    r#"["browser_tabs", {}]"#,
    r#"["browser_run_code", {"tab": "t1", "code": "document.title"}]"#,
];

/// Acts that are no user activation, because nobody touches gold either.
const ACTING: &[&str] = &[
    r##"["browser_act", {"tab": "t1", "kind": "hover", "selector": "#state"}]"##,
    r#"["browser_act", {"tab": "t1", "kind": "scroll", "dy": 120}]"#,
    r#"["browser_act", {"tab": "t1", "kind": "hover", "selector": "p:not(#state)"}]"#,
];

/// An act brings its tab to the front, and so covers the popups that the page has opened.
fn covered(_check: &str, realm: &str) -> bool {
    realm.contains("popup")
}

/// A console that is listened to takes time (`docs/stealth.md`), which this check sees now and then.
fn costs_time(check: &str, _realm: &str) -> bool {
    check == "runtime.table-time"
}

/// A client at work; stops on drop, and fails if it hardly worked.
struct Work {
    stop: Arc<AtomicBool>,
    worker: Option<JoinHandle<usize>>,
}

impl Work {
    fn start(mut mcp: Mcp, calls: Vec<(String, Value)>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let worker = thread::spawn(move || {
            let mut done = 0;
            while !stopped.load(Ordering::SeqCst) {
                for (tool, input) in &calls {
                    // A page may be busy, or a popup in front: what counts is what the page sees.
                    let answer = mcp.call(tool, input.clone());
                    done += usize::from(answer["isError"] == false);
                }
            }
            done
        });
        Self {
            stop,
            worker: Some(worker),
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let done = self.worker.take().map(JoinHandle::join);
        if !thread::panicking() {
            let done = done.expect("it was started").expect("it works");
            assert!(done >= 6, "it hardly worked: {done} calls");
        }
    }
}

/// The calls as they are, or one round of them at each of the paces.
fn calls(lines: &[&str], paces: &[&str]) -> Vec<(String, Value)> {
    let call = |line: &&str| -> (String, Value) { serde_json::from_str(line).expect("a call") };
    if paces.is_empty() {
        return lines.iter().map(call).collect();
    }
    let rounds = paces.iter().flat_map(|pace| {
        lines.iter().map(call).map(move |(tool, mut input)| {
            input["input"] = json!(pace);
            (tool, input)
        })
    });
    rounds.collect()
}

/// A visit during which szk works on the page; `prepare` comes before.
fn working(mode: &str, lines: &[&str], paces: &[&str], prepare: fn(&mut Mcp)) -> Report {
    let lab = Lab::new();
    lab.env.config(&config(""));
    visit(mode, |url| {
        let mut mcp = lab.env.mcp();
        mcp.open_session("work");
        prepare(&mut mcp);
        mcp.ok("browser_navigate", json!({"url": url}));
        Work::start(mcp, calls(lines, paces))
    })
}

/// A person's session that captures the console besides: what leaves no trace together leaves none alone.
/// `scripts/detect` has both apart.
#[test]
fn while_it_is_read_and_the_console_captured() {
    if every() {
        check(&working("szk-reading", READING, &[], |_| ()));
        check_except(&capturing("fast"), costs_time);
        check(&capturing("human"));
        return;
    }
    check(&reading_and_capturing("szk-console", "human", READING));
}

/// Everything is recorded meanwhile: what a person does is heard in each of the page's documents then.
#[test]
fn while_szk_acts_at_both_paces_and_records() {
    let acting = working("szk-acting", ACTING, &["fast", "human"], |mcp| {
        mcp.ok("recipe_record", json!({"action": "start"}));
    });
    check_except(&acting, covered);
}

/// A visit during which the console is captured in a session of this pace.
fn capturing(pace: &str) -> Report {
    reading_and_capturing("szk-console", pace, &READING[3..4])
}

/// The same while szk reads in these ways.
fn reading_and_capturing(mode: &str, pace: &str, lines: &[&str]) -> Report {
    let lab = Lab::new();
    lab.env
        .config(&format!("{}[session]\ninput = {pace:?}\n", config("")));
    visit(mode, |url| {
        let mut mcp = lab.env.mcp();
        mcp.open_session("work");
        mcp.ok("browser_logs", json!({"capture": true}));
        mcp.ok("browser_navigate", json!({"url": url}));
        Work::start(mcp, calls(lines, &[]))
    })
}
