//! A profile remembers where it is signed in, and says when that has ended.

use serde_json::{Value, json};

use super::Door;
use crate::harness::{SOON, wait_until};

fn logins(door: &Door) -> Value {
    door.env.row("work").expect("it is listed")["logins"].clone()
}

#[test]
fn a_login_is_listed_until_it_ends() {
    let mut door = Door::open();
    let said = door.login("/single", json!({}));
    assert_eq!(said["site"], "127.0.0.1");
    let all = logins(&door);
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all:#}");
    assert_eq!(
        (&all[0]["site"], &all[0]["signed_in"]),
        (&json!("127.0.0.1"), &json!(true))
    );
    let over_mcp = door.mcp.ok("session_list", json!({}));
    assert_eq!(over_mcp["sessions"][0]["logins"], all);
    let table = door.env.szk(["list"]).ok().stdout;
    assert!(
        table.contains("127.0.0.1") && !table.contains("(ended)"),
        "{table}"
    );
    // A return visit that is still signed in keeps the day of the login.
    let since = all[0]["since"].clone();
    let said = door.login("/account", json!({}));
    assert_eq!(
        (&said["reason"], &said["site"]),
        (&json!("already"), &json!("127.0.0.1"))
    );
    assert_eq!(logins(&door)[0]["since"], since);
    // It outlives the browser.
    door.env.close("work");
    assert_eq!(logins(&door)[0]["signed_in"], true);
    door.mcp.open_session("work");
    door.leave();
    wait_until("the end of the login is listed", SOON, || {
        logins(&door)[0]["signed_in"] == false
    });
    let all = logins(&door);
    assert!(
        all[0]["ended"].as_str().unwrap().contains("`sid`"),
        "{all:#}"
    );
    let table = door.env.szk(["list"]).ok().stdout;
    assert!(table.contains("127.0.0.1 (ended)"), "{table}");
    // And starts over.
    door.login("/single", json!({}));
    let all = logins(&door);
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all:#}");
    assert_eq!(all[0]["signed_in"], true, "{all:#}");
    assert_ne!(all[0]["since"], since);
}

#[test]
fn what_is_no_login_is_not_listed() {
    let mut door = Door::open();
    door.login("/single", json!({"secret": "wrong"}));
    door.login("/code", json!({"handoff": false}));
    door.login("/nothing", json!({}));
    assert_eq!(logins(&door), Value::Null);
}
