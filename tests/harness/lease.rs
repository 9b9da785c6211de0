//! Surroundings that one test hands on to the next: starting and ending a browser is most of what a short
//! test costs.
//!
//! They are for tests about pages. A test about profiles, settings, cookies, downloads, processes or
//! the ids of tabs makes a [`TestEnv`] of its own.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::env::TestEnv;

/// Those that wait for their next test: never more than there are tests at a time.
static FREE: Mutex<Vec<Surroundings>> = Mutex::new(Vec::new());

struct Surroundings {
    /// Held until the end: see [`janitor`].
    janitor: Child,
    env: TestEnv,
}

/// A test's turn with them. The session `work` is open with a viewport of 1000x700 and one tab, which
/// is blank; the origin of the test's own [`Site`](super::Site) is new to the profile.
pub(crate) struct Lease {
    /// Taken out when the turn ends.
    surroundings: Option<Surroundings>,
}

impl Lease {
    pub(crate) fn take() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut surroundings = free.unwrap_or_else(Surroundings::new);
        surroundings.env.watch();
        Self {
            surroundings: Some(surroundings),
        }
    }
}

impl Deref for Lease {
    type Target = TestEnv;

    fn deref(&self) -> &TestEnv {
        let held = self.surroundings.as_ref();
        &held.expect("they are there until the turn ends").env
    }
}

impl Drop for Lease {
    /// Hands on what is tidy again. What a failed test leaves behind is looked at and thrown away.
    fn drop(&mut self) {
        let Some(mut held) = self.surroundings.take() else {
            return;
        };
        if std::thread::panicking() {
            return;
        }
        if catch_unwind(AssertUnwindSafe(|| tidy(&held.env))).is_ok() {
            held.env.unwatch();
            let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
            free.push(held);
        }
    }
}

impl Surroundings {
    fn new() -> Self {
        let env = TestEnv::new();
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "viewport": "1000x700"}),
        );
        Self {
            janitor: janitor(&env),
            env,
        }
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        // The folder is about to go; nothing is left for it to do.
        let _ = self.janitor.kill();
        let _ = self.janitor.wait();
    }
}

/// Leaves one blank tab of the usual size, which knows nothing of the last test.
fn tidy(env: &TestEnv) {
    let mut mcp = env.mcp();
    let open = mcp.ok("browser_tabs", json!({"session": "work", "action": "open"}));
    for row in open["tabs"].as_array().expect("a list of tabs") {
        if row["id"] != open["tab"] {
            mcp.ok("browser_tabs", json!({"action": "close", "tab": row["id"]}));
        }
    }
    mcp.ok(
        "browser_act",
        json!({"kind": "resize", "width": 1000, "height": 700}),
    );
}

/// Closes the session and removes the folder when this process ends, which drops no static: its standard
/// input ends then.
fn janitor(env: &TestEnv) -> Child {
    let script = "cat > /dev/null; \"$0\" close work --quiet; rm -rf \"$1\"";
    let mut command = env.command("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_szk")])
        .arg(env.path())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("a shell can be started")
}
