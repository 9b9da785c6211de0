//! The conformance suite of MCP, for each revision.
//!
//! Most of its scenarios call tools, prompts and resources that it makes up. [`server`] has them: the server
//! of szk, with what the suite demands beside its own. What does not pass is in
//! `conformance-REVISION.yml` beside the packages, with its reason; the suite fails on any other, and on a
//! listed one that passes.

mod answers;
mod caller;
mod catalogue;
mod rounds;
mod server;
mod tasks;

use std::time::Duration;

use super::{Server, token};
use crate::harness::{TestEnv, node};

/// With the scenarios that need nothing of the suite's own, at the program's own front door.
const REVISIONS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &["server-session-lifecycle", "dns-rebinding-protection"],
    ),
    (
        "2026-07-28",
        &["http-header-validation", "dns-rebinding-protection"],
    ),
];

#[track_caller]
fn passes(env: &TestEnv, address: &str, more: &[&str]) -> String {
    let suite = node::folder().join("conformance.mjs");
    let suite = suite.to_str().unwrap();
    let args = [suite, "server", "--url", address].into_iter();
    let ended = env
        .program("node", args.chain(more.iter().copied()))
        .limit(Duration::from_secs(240))
        .ok();
    ended.stdout
}

#[test]
fn the_suite_of_mcp_passes_but_for_what_is_listed() {
    let env = TestEnv::new();
    let (_running, address) = server::start();
    for (revision, _) in REVISIONS {
        let listed = node::folder().join(format!("conformance-{revision}.yml"));
        let listed = listed.to_str().unwrap();
        let more = ["--requirements", revision, "--expected-failures", listed];
        let said = passes(&env, &address, &more);
        assert!(said.contains("✓ tools-call-with-progress: "), "{said}");
    }
}

#[test]
fn the_program_itself_passes_what_needs_nothing_of_the_suites_own() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    // The suite's client takes nothing but an address.
    let address = format!("{}/token/{all}/mcp", server.url);
    for (revision, scenarios) in REVISIONS {
        for scenario in scenarios {
            passes(
                &env,
                &address,
                &["--spec-version", revision, "--scenario", scenario],
            );
        }
    }
}
