//! Forms outside the page's own document.

use serde_json::json;

use super::Bench;

/// Right and wrong, over MCP and in the terminal.
#[track_caller]
fn check(path: &str, wrong: &str) {
    let mut bench = Bench::open();
    let said = bench.login(path, json!({"secret": "wrong"}));
    assert_eq!(said["outcome"], "refused", "{said:#}");
    assert_eq!(said["message"], wrong, "{said:#}");
    let said = bench.login(path, json!({}));
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    assert_eq!(bench.heading(), "Hello Jane");
    bench.leave();
    let (said, code) = bench.login_by_hand(path, &["--success-text", "Hello Jane"]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("logged_in"), 0),
        "{said:#}"
    );
    assert_eq!(said["checked"], "text `Hello Jane`");
}

#[test]
fn a_frame_of_the_same_process() {
    check("/within", "Incorrect username or password.");
}

#[test]
fn a_frame_of_another_process() {
    check("/across", "Incorrect username or password.");
}

#[test]
fn an_open_shadow_tree() {
    check("/open", "Das Passwort ist falsch.");
}

#[test]
fn a_closed_shadow_tree() {
    check("/closed", "Das Passwort ist falsch.");
}

#[test]
fn a_form_that_is_no_form() {
    check("/plain", "Das Passwort ist falsch.");
}
