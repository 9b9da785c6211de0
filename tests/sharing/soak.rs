//! Two programs and MCP on one page for a while; `scripts/soak` runs it for ten minutes.

use crate::harness::{TestEnv, script};

/// How much a keeper may grow: allocators keep memory that they once had.
const GROWTH: u64 = 24 << 20;

#[test]
fn nothing_is_lost_and_nothing_grows() {
    let env = TestEnv::new();
    let keeper = env.open("work")["keeper_pid"].to_string();
    let endpoint = env.endpoint("work");
    let text = |key: &str| endpoint[key].as_str().unwrap().to_owned();
    let (http, ws) = (text("http_url"), text("ws_url"));
    let said = script(
        &env,
        "soak.mjs",
        &["12", "work", env!("CARGO_BIN_EXE_szk"), &http, &ws, &keeper],
    );
    let number = |key: &str| said[key].as_u64().unwrap();
    assert_eq!((number("lost"), number("wrong")), (0, 0), "{said}");
    assert!(number("rounds") > 10 && number("sent") > 10, "{said}");
    assert!(number("after") < number("before") + GROWTH, "{said}");
}
