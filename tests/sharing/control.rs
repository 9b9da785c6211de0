//! The control for these tests: a Chromium that has nothing to do with szk.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::harness::TestEnv;

/// A Chromium with its own debugging port and nothing of szk.
pub(super) struct Control {
    child: Child,
    /// Its addresses, under the same names as ours.
    pub(super) endpoint: Value,
}

impl Control {
    pub(super) fn start(env: &TestEnv) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/matrix");
        let mut child = env
            .command("node")
            .arg(folder.join("control.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        stdout.read_line(&mut line).expect("the control starts");
        let endpoint =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, endpoint }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // When its stdin closes, it ends its browser and exits.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
