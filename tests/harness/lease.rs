//! Surroundings that one test hands on to the next: starting and ending a browser is most of what a short
//! test costs.
//!
//! They are for tests about pages, and for tests about clients that share one. A test about profiles,
//! settings, processes or the browser's end makes a [`TestEnv`] of its own.

use std::fs;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::env::TestEnv;
use super::mcp::Mcp;
use super::process::Process;
use super::site::{Answer, Asked, Site};
use super::wait::{SOON, wait_until};

/// Those that wait for their next test: never more than there are tests at a time.
static FREE: Mutex<Vec<Surroundings>> = Mutex::new(Vec::new());

struct Surroundings {
    /// Held until the end: see [`janitor`].
    janitor: Child,
    env: TestEnv,
    /// The browser and its keeper, which a test must leave as they are.
    browser: Process,
    keeper: Value,
}

/// A test's turn with them. The session `work` is open with a viewport of 1000x700 and one tab, which
/// is blank; no site has left anything in the profile, and the working directory is empty.
///
/// What the next test can tell: the numbers of tabs and of entries in the event log go on.
pub(crate) struct Lease {
    /// Taken out when the turn ends.
    surroundings: Option<Surroundings>,
    /// They had no test before, and get none after.
    alone: bool,
}

impl Lease {
    pub(crate) fn take() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut surroundings = free.unwrap_or_else(Surroundings::new);
        surroundings.env.watch();
        Self {
            surroundings: Some(surroundings),
            alone: false,
        }
    }

    /// Surroundings for one test alone, which may close their session: for tests that share what they do with
    /// others that need no more than a turn.
    pub(crate) fn alone() -> Self {
        Self {
            surroundings: Some(Surroundings::new()),
            alone: true,
        }
    }

    fn held(&self) -> &Surroundings {
        let held = self.surroundings.as_ref();
        held.expect("they are there until the turn ends")
    }
}

impl Deref for Lease {
    type Target = TestEnv;

    fn deref(&self) -> &TestEnv {
        &self.held().env
    }
}

impl Drop for Lease {
    /// Hands on what is tidy again. What a failed test leaves behind is looked at and thrown away.
    fn drop(&mut self) {
        let Some(mut held) = self.surroundings.take() else {
            return;
        };
        if self.alone || std::thread::panicking() {
            return;
        }
        if catch_unwind(AssertUnwindSafe(|| held.tidy())).is_ok() {
            held.env.unwatch();
            let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
            free.push(held);
        }
    }
}

impl Surroundings {
    fn new() -> Self {
        let env = TestEnv::new();
        let opened = env.mcp().ok(
            "session_open",
            json!({"session": "work", "viewport": "1000x700"}),
        );
        Self {
            janitor: janitor(&env),
            browser: env.browser(),
            keeper: opened["keeper_pid"].clone(),
            env,
        }
    }

    /// Leaves one blank tab of the usual size, which knows nothing of the last test.
    fn tidy(&mut self) {
        let mut mcp = self.env.mcp().reading_logs_since(0);
        self.end_other_sessions(&mut mcp);
        let opened = mcp.open_session("work");
        assert_eq!(opened["keeper_pid"], self.keeper, "the session was closed");
        assert!(self.browser.lives(), "the browser was started again");
        // Refused where no person is waited for.
        let end = json!({"session": "work", "end": "given_up"});
        mcp.call("session_handoff", end);
        // Who waits next would hear of that end.
        let wait = json!({"session": "work", "wait": true});
        mcp.call("session_handoff", wait);
        forget_cookies(&mut mcp);
        let open = json!({"session": "work", "action": "open"});
        let open = mcp.ok("browser_tabs", open);
        for row in open["tabs"].as_array().expect("a list of tabs") {
            if row["id"] != open["tab"] {
                // The window has its size back; a page that is stuck says no.
                let reset =
                    json!({"session": "work", "tab": row["id"], "reset": true, "timeout_ms": 2000});
                mcp.call("browser_emulate", reset);
                mcp.ok("browser_tabs", json!({"action": "close", "tab": row["id"]}));
            }
        }
        let size = "[innerWidth, innerHeight]";
        wait_until("the usual size", SOON / 10, || {
            mcp.eval("work", size) == json!([1000, 700])
        });
        open["tab"]
            .as_str()
            .expect("an id")
            .clone_into(&mut self.env.tab);
        let last = json!({"session": "work", "limit": 1});
        let logs = mcp.ok("browser_logs", last);
        self.env.logged = logs["next"].as_u64().expect("a cursor");
        for folder in ["work", "home/config", "home/data"] {
            empty(&self.env.path().join(folder));
        }
        empty(&self.env.in_profile("work", "downloads"));
        // Their key went with the configuration.
        let _ = fs::remove_file(self.env.store().join(".secrets"));
        drop(mcp);
        wait_until("all clients have left", SOON, || {
            let row = self.env.row("work").expect("it is open");
            row["clients"].as_array().is_none_or(Vec::is_empty)
        });
    }

    fn end_other_sessions(&self, mcp: &mut Mcp) {
        let list = mcp.ok("session_list", json!({}));
        for row in list["sessions"].as_array().expect("a list of sessions") {
            let name = row["session"].as_str().expect("it has a name");
            if name != "work" {
                self.env.szk(["close", name, "--force"]).run();
                self.env.szk(["delete", name, "--yes"]).run();
            }
        }
    }
}

/// Has all cookies of the hosts removed that sites have here: these know no ports.
fn forget_cookies(mcp: &mut Mcp) {
    let cleared = Answer::redirect("/look").header("clear-site-data", "\"cookies\"");
    let site = Site::plan()
        .on("/", move |_| cleared.clone())
        .page("/look", "<title>forgotten</title>")
        .serve();
    let tab = mcp.ok("browser_tabs", json!({"session": "work", "action": "open"}));
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("http://{host}:{}/", site.port());
        let there = json!({"session": "work", "tab": tab["tab"], "url": url});
        mcp.ok("browser_navigate", there);
    }
    let asked = site.asked();
    let looked = asked.iter().filter(|asked| asked.path == "/look");
    let cookies: Vec<String> = looked.map(Asked::cookies).collect();
    assert_eq!(cookies, ["", ""]);
}

fn empty(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let removed = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
            _ => fs::remove_file(path),
        };
        removed.expect("it can be removed");
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        // The folder is about to go; nothing is left for it to do.
        let _ = self.janitor.kill();
        let _ = self.janitor.wait();
    }
}

/// What a janitor runs: nothing until its standard input ends.
pub(super) const JANITOR: &str = "read -r _; \"$0\" close work --quiet; rm -rf \"$1\"";

/// Closes the session and removes the folder when this process ends, which drops no static: its standard
/// input ends then.
fn janitor(env: &TestEnv) -> Child {
    let mut command = env.command("sh");
    command
        .args(["-c", JANITOR, env!("CARGO_BIN_EXE_szk")])
        .arg(env.path())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("a shell can be started")
}
