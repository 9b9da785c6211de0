//! The browser as a person starts it: no pipe, no port, no flag that a page could see.

use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::harness::{Display, SOON, TestEnv, wait_until};

/// Where szk without a display puts its window.
pub(crate) const POSITION: &str = "--window-position=70,50";

/// The flags of gold. People use each of them, or the machine needs it.
const FLAGS: &[&str] = &[
    "--no-first-run",
    "--no-default-browser-check",
    "--window-size=1480,940",
    POSITION,
    // Every mode has it: the suite opens popups without a click.
    "--disable-popup-blocking",
    // The default on a machine with a graphics card. Without one Chromium has no WebGL in pages.
    "--use-angle=gl-egl",
    "--ignore-gpu-blocklist",
];

/// The default on a machine without a graphics card, which the two flags before it would change: the browser
/// draws pages and canvases by itself.
const WITHOUT_A_CARD: &str = "--disable-gpu-compositing";

fn has_card() -> bool {
    let nodes = std::fs::read_dir("/dev/dri")
        .into_iter()
        .flatten()
        .flatten();
    nodes
        .map(|node| node.file_name())
        .any(|name| name.to_string_lossy().starts_with("renderD"))
}

/// A browser that nobody drives; killed on drop.
pub(crate) struct ByHand {
    browser: Child,
}

impl ByHand {
    /// Starts `binary` on `display` with a new profile, at `url`.
    pub(crate) fn start(env: &TestEnv, binary: &Path, display: &Display, url: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("by-hand-")
            .tempdir_in(env.path())
            .expect("a folder can be made")
            .keep();
        let mut command = env.command(binary);
        command
            .env("DISPLAY", display.name())
            .arg(format!("--user-data-dir={}", folder.display()))
            .args(FLAGS);
        if !has_card() {
            command.arg(WITHOUT_A_CARD);
        }
        if geteuid().is_root() {
            // Root has no sandbox; the second flag keeps Chromium from showing a bar about it.
            command.args(["--no-sandbox", "--test-type"]);
        }
        let browser = command
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        Self { browser }
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        // As a person would end it; its processes go with it.
        let _ = kill_process(Pid::from_child(&self.browser), Signal::TERM);
        if std::thread::panicking() {
            let _ = self.browser.kill();
            let _ = self.browser.wait();
        } else {
            wait_until("the browser has ended", SOON, || {
                self.browser.try_wait().is_ok_and(|status| status.is_some())
            });
        }
    }
}
