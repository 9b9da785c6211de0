//! A browser that nobody uses does nothing.

use std::collections::HashSet;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::process::Process;
use crate::harness::{PATIENTLY, Site, TestEnv, wait_until};

/// Several times as long as the pause between two looks at what changed.
const REST: Duration = Duration::from_secs(5);

/// Storage of an origin that is no longer open is read in a hidden tab, which takes a process.
#[test]
fn what_was_left_is_read_and_not_read_again() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    env.open("work");
    let page = "<script>localStorage.name = 'value'</script>";
    let sites: Vec<Site> = (0..4).map(|_| Site::of(page)).collect();
    for site in &sites {
        env.navigate("work", &site.url("/"));
    }
    env.navigate("work", "about:blank");
    wait_until("each origin's storage is saved", PATIENTLY, || {
        let bytes = fs::read(env.in_profile("work", "state.json")).unwrap_or_default();
        let state: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let saved = |site: &Site| {
            let mut origins = state["origins"].as_array().into_iter().flatten();
            origins.any(|origin| origin["origin"] == site.origin().as_str())
        };
        sites.iter().all(saved)
    });

    let mut seen: HashSet<Process> = HashSet::new();
    let mut since = Instant::now();
    wait_until("no process is started for a while", PATIENTLY, || {
        for process in env.chromium_processes() {
            if seen.insert(process) {
                since = Instant::now();
            }
        }
        since.elapsed() >= REST
    });
}
