//! Keeping a clone.

use serde_json::json;

use crate::harness::process::Process;
use crate::harness::{LoginSite, Mcp, SOON, Signal, TestEnv, wait_until};

fn clone(mcp: &mut Mcp) -> String {
    let opened = mcp.ok("session_open", json!({"session": "work", "clone": true}));
    opened["session"].as_str().unwrap().to_owned()
}

#[test]
fn it_becomes_a_profile_with_what_happened_in_it() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.open("work");
    env.close("work");
    let mut mcp = env.mcp();
    let name = clone(&mut mcp);
    login.log_in(&env, &name);
    for (keep_as, code) in [("Not A Name", "INVALID_INPUT"), ("work", "INVALID_INPUT")] {
        mcp.fails(
            "session_close",
            json!({"session": name, "keep_as": keep_as}),
            code,
        );
    }
    let closed = mcp.ok("session_close", json!({"session": name, "keep_as": "shop"}));
    assert_eq!(closed["kept_as"], "shop", "{closed:#}");
    assert!(env.row(&name).is_none());
    let row = env.row("shop").unwrap();
    assert_eq!(
        (&row["kind"], &row["status"]),
        (&json!("profile"), &json!("stored"))
    );
    env.open("shop");
    assert_eq!(login.who(&env, "shop"), login.jane());
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.stranger());
    // Only clones.
    mcp.fails(
        "session_close",
        json!({"session": "shop", "keep_as": "other"}),
        "INVALID_INPUT",
    );
}

#[test]
fn one_whose_keeper_was_killed_can_still_be_kept() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let mut mcp = env.mcp();
    let name = clone(&mut mcp);
    let pid = env.row(&name).unwrap()["keeper_pid"].as_u64().unwrap();
    let keeper = Process::find(u32::try_from(pid).unwrap()).unwrap();
    keeper.signal(Signal::KILL);
    wait_until("the keeper is gone", SOON, || !keeper.lives());
    env.no_chromium_is_left();
    env.szk(["close", &name, "--keep-as", "shop"]).ok();
    assert_eq!(env.row("shop").unwrap()["kind"], "profile");
}
