//! A profile remembers where it is signed in, and says when that has ended.

use serde_json::{Value, json};

use super::Bench;
use crate::harness::{SOON, wait_until};

fn logins(bench: &Bench) -> Value {
    bench.env.row("work").expect("it is listed")["logins"].clone()
}

#[test]
fn a_login_is_listed_until_it_ends() {
    let mut bench = Bench::open();
    let said = bench.login("/single", json!({}));
    assert_eq!(said["site"], "127.0.0.1");
    let all = logins(&bench);
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all:#}");
    assert_eq!(
        (&all[0]["site"], &all[0]["signed_in"]),
        (&json!("127.0.0.1"), &json!(true))
    );
    let over_mcp = bench.mcp.ok("session_list", json!({}));
    assert_eq!(over_mcp["sessions"][0]["logins"], all);
    let table = bench.env.szk(["list"]).ok().stdout;
    assert!(
        table.contains("127.0.0.1") && !table.contains("(ended)"),
        "{table}"
    );
    // A return visit that is still signed in keeps the day of the login.
    let since = all[0]["since"].clone();
    let said = bench.login("/account", json!({}));
    assert_eq!(
        (&said["reason"], &said["site"]),
        (&json!("already"), &json!("127.0.0.1"))
    );
    assert_eq!(logins(&bench)[0]["since"], since);
    // It outlives the browser.
    bench.env.close("work");
    assert_eq!(logins(&bench)[0]["signed_in"], true);
    bench.mcp.open_session("work");
    bench.leave();
    wait_until("the end of the login is listed", SOON, || {
        logins(&bench)[0]["signed_in"] == false
    });
    let all = logins(&bench);
    assert!(
        all[0]["ended"].as_str().unwrap().contains("`sid`"),
        "{all:#}"
    );
    let table = bench.env.szk(["list"]).ok().stdout;
    assert!(table.contains("127.0.0.1 (ended)"), "{table}");
    // And starts over.
    bench.login("/single", json!({}));
    let all = logins(&bench);
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all:#}");
    assert_eq!(all[0]["signed_in"], true, "{all:#}");
    assert_ne!(all[0]["since"], since);
}

#[test]
fn what_is_no_login_is_not_listed() {
    let mut bench = Bench::open();
    bench.login("/single", json!({"secret": "wrong"}));
    bench.login("/code", json!({"handoff": false}));
    bench.login("/nothing", json!({}));
    assert_eq!(logins(&bench), Value::Null);
}
