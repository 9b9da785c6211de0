//! `browser_act`, on real pages.

mod candidates;
mod clicks;
mod crawled;
mod downloads;
mod dragging;
mod fields;
mod frames;
mod hands;
mod lists;
mod names;
mod outcomes;
mod pointer;
mod refs;
mod reloaded;
mod restless;
mod told;
mod waits;

use serde_json::{Value, json};

use crate::harness::{Lease, Mcp, Site};

/// A session with one page in front.
struct Bench {
    mcp: Mcp,
    site: Site,
    env: Lease,
}

impl Bench {
    /// A page of its own for a test; `body` is its whole content.
    fn of(body: &str) -> Self {
        Self::with(Site::of(body))
    }

    /// The page `/` of a site.
    fn with(site: Site) -> Self {
        let env = Lease::take();
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "viewport": "1000x700"}),
        );
        let mut bench = Self { mcp, site, env };
        bench.go("/");
        bench
    }

    fn go(&mut self, path: &str) {
        let url = self.site.url(path);
        self.mcp.ok("browser_navigate", json!({"url": url}));
    }

    /// An act that must succeed.
    #[track_caller]
    fn act(&mut self, kind: &str, rest: Value) -> Value {
        self.mcp.ok("browser_act", input(kind, rest))
    }

    /// An act that must fail with this failure.
    #[track_caller]
    fn fails(&mut self, kind: &str, rest: Value, code: &str) -> Value {
        self.mcp.fails("browser_act", input(kind, rest), code)
    }

    /// Evaluates something in the page's own world.
    #[track_caller]
    fn page(&mut self, code: &str) -> Value {
        let asked = json!({"world": "main", "code": code});
        self.mcp.ok("browser_run_code", asked)["value"].clone()
    }
}

fn input(kind: &str, rest: Value) -> Value {
    let mut input = rest;
    input["kind"] = json!(kind);
    input
}
