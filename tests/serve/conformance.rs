//! The conformance suite of MCP against `/mcp`, as it stands for each revision.
//!
//! Most of its scenarios call tools, prompts and resources that it makes up, which szk does not have. What
//! does not pass is in `conformance-REVISION.yml` beside the packages; the suite fails on any other, and on
//! a listed one that passes.

use std::time::Duration;

use super::{Server, token};
use crate::harness::{TestEnv, node};

/// With a scenario that must have run, and passed.
const REVISIONS: [(&str, &str); 2] = [
    (
        "2025-11-25",
        "✓ server-session-lifecycle: 3 passed, 0 failed",
    ),
    (
        "2026-07-28",
        "✓ http-header-validation: 14 passed, 0 failed",
    ),
];

#[test]
fn the_suite_of_mcp_passes_but_for_what_is_listed() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    let packages = node::folder();
    // The suite's client takes nothing but an address.
    let address = format!("{}/token/{all}/mcp", server.url);
    for (revision, passed) in REVISIONS {
        let listed = packages.join(format!("conformance-{revision}.yml"));
        let suite = packages.join("conformance.mjs");
        let args = [
            suite.to_str().unwrap(),
            "server",
            "--url",
            &address,
            "--requirements",
            revision,
            "--expected-failures",
            listed.to_str().unwrap(),
        ];
        let ended = env
            .program("node", args)
            .limit(Duration::from_secs(240))
            .ok();
        assert!(ended.stdout.contains(passed), "{}", ended.stdout);
    }
}
