//! One kind of login after another, with right and wrong passwords.

use serde_json::{Value, json};

use super::Bench;

#[track_caller]
fn is_in(said: &Value, bench: &mut Bench) {
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    assert!(said["checked"].is_string(), "{said:#}");
    assert!(
        said["url"].as_str().unwrap().ends_with("/account"),
        "{said:#}"
    );
    assert_eq!(bench.heading(), "Hello Jane");
}

#[track_caller]
fn is_refused(said: &Value, reason: &str, message: &str) {
    assert_eq!(said["outcome"], "refused", "{said:#}");
    assert_eq!(said["reason"], reason, "{said:#}");
    assert_eq!(
        said["message"].as_str().unwrap_or_default(),
        message,
        "{said:#}"
    );
}

#[test]
fn a_page_with_a_form() {
    let mut bench = Bench::open();
    let said = bench.login("/single", json!({}));
    is_in(&said, &mut bench);
    assert_eq!(
        said["steps"].as_array().unwrap()[1..],
        [
            json!("filled \"E-mail\" with the user name"),
            json!("filled \"Password\" with the password"),
            json!("pressed \"Sign in\"")
        ]
    );
    let asked = bench.site.asked();
    let sent = asked.iter().filter(|asked| asked.method == "POST").count();
    assert_eq!(sent, 1, "a password is sent once");
    // The same in the terminal finds that it is signed in.
    let (said, code) = bench.login_by_hand("/account", &[]);
    assert_eq!(
        (&said["outcome"], &said["reason"], code),
        (&json!("logged_in"), &json!("already"), 0)
    );
    bench.leave();
    let (said, code) = bench.login_by_hand("/single", &[]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("logged_in"), 0),
        "{said:#}"
    );
    assert!(said.get("reason").is_none(), "{said:#}");
}

#[test]
fn a_wrong_password_and_a_locked_account() {
    let mut bench = Bench::open();
    let wrong = "Incorrect username or password.";
    let said = bench.login("/single", json!({"secret": "wrong"}));
    is_refused(&said, "wrong_credentials", wrong);
    let (said, code) = bench.login_by_hand("/single", &["--secret", "wrong"]);
    is_refused(&said, "wrong_credentials", wrong);
    assert_eq!(code, 10);
    let said = bench.login("/single", json!({"username": "locked@example.org"}));
    is_refused(
        &said,
        "locked",
        "Your account has been locked. Write to us.",
    );
    let said = bench.login("/silent", json!({"secret": "wrong"}));
    is_refused(&said, "form_again", "");
    let said = bench.login("/alerting", json!({}));
    is_refused(&said, "wrong_credentials", "Wrong password!");
    // A wrong condition does not turn a refusal into a success.
    let said = bench.login(
        "/single",
        json!({"secret": "wrong", "success_text": "Sign in"}),
    );
    is_refused(&said, "wrong_credentials", wrong);
}

#[test]
fn two_steps() {
    let mut bench = Bench::open();
    let said = bench.login("/steps", json!({}));
    is_in(&said, &mut bench);
    bench.leave();
    let (said, code) = bench.login_by_hand("/steps", &[]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("logged_in"), 0),
        "{said:#}"
    );
    bench.leave();
    let said = bench.login("/steps", json!({"username": "nobody@example.org"}));
    is_refused(&said, "wrong_credentials", "We couldn't find your account.");
    let said = bench.login("/steps", json!({"secret": "wrong"}));
    is_refused(&said, "wrong_credentials", "Wrong password. Try again.");
}

#[test]
fn a_form_with_a_number_that_must_come_back() {
    let mut bench = Bench::open();
    let said = bench.login("/csrf", json!({"secret": "wrong"}));
    is_refused(
        &said,
        "wrong_credentials",
        "Incorrect username or password.",
    );
    let said = bench.login("/csrf", json!({}));
    is_in(&said, &mut bench);
    bench.leave();
    let (said, code) = bench.login_by_hand("/csrf", &[]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("logged_in"), 0),
        "{said:#}"
    );
}

#[test]
fn a_chain_of_redirects() {
    let mut bench = Bench::open();
    let said = bench.login("/chain", json!({}));
    is_in(&said, &mut bench);
    bench.leave();
    let (said, code) = bench.login_by_hand("/chain", &[]);
    assert_eq!(
        (&said["outcome"], code),
        (&json!("logged_in"), 0),
        "{said:#}"
    );
    assert!(
        said["url"].as_str().unwrap().ends_with("/account"),
        "{said:#}"
    );
}

#[test]
fn who_is_in_already_and_who_has_to_look_for_the_door() {
    let mut bench = Bench::open();
    // It passes through the page that leads there.
    let said = bench.login("/front", json!({}));
    is_in(&said, &mut bench);
    assert_eq!(said["steps"][1], "pressed \"Log in\"");
    let said = bench.login("/account", json!({}));
    is_in(&said, &mut bench);
    assert_eq!(said["reason"], "already");
    let said = bench.login("/account", json!({"success_selector": "button"}));
    assert_eq!(said["reason"], "already");
    // If nothing shows the outcome, it claims none.
    let said = bench.login("/nothing", json!({}));
    assert_eq!(
        (&said["outcome"], &said["reason"]),
        (&json!("unknown"), &json!("no_form"))
    );
    let (said, code) = bench.login_by_hand("/nothing", &[]);
    assert_eq!((&said["outcome"], code), (&json!("unknown"), 4));
}

#[test]
fn a_condition_is_always_checked() {
    let mut bench = Bench::open();
    let said = bench.login(
        "/single",
        json!({"success_url": "/account", "success_text": "hello jane", "success_selector": "h1"}),
    );
    is_in(&said, &mut bench);
    assert_eq!(
        said["checked"],
        "address `/account` and text `hello jane` and selector `h1`"
    );
    bench.leave();
    let said = bench.login("/single", json!({"success_text": "Hello Bob"}));
    assert_eq!(
        (&said["outcome"], &said["reason"]),
        (&json!("unknown"), &json!("no_success")),
        "{said:#}"
    );
    let said = bench.login("/nowhere", json!({"success_url": "/account"}));
    assert_eq!(said["outcome"], "unknown", "{said:#}");
    let failure = bench.mcp.fails(
        "workflow_login",
        json!({"url": bench.site.url("/single"), "username": "a", "secret": "shop", "success_selector": "::"}),
        "INVALID_INPUT",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("selector"),
        "{failure}"
    );
}

#[test]
fn what_is_missing_is_said_before_anything_is_sent() {
    let mut bench = Bench::open();
    let url = bench.site.url("/single");
    let failure = bench.mcp.fails(
        "workflow_login",
        json!({"url": url, "username": "a"}),
        "INVALID_INPUT",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("password"),
        "{failure}"
    );
    bench.mcp.fails(
        "workflow_login",
        json!({"url": url, "secret": "shop"}),
        "INVALID_INPUT",
    );
    let failure = bench.mcp.fails(
        "workflow_login",
        json!({"url": url, "secret": "nosuch"}),
        "NOT_FOUND",
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("szk secret"),
        "{failure}"
    );
    bench.mcp.fails(
        "workflow_login",
        json!({"url": url, "secret": "shop", "password": "x"}),
        "INVALID_INPUT",
    );
    let failure = bench.mcp.fails(
        "workflow_login",
        json!({"url": url, "password": 4711}),
        "INVALID_INPUT",
    );
    assert!(!failure.to_string().contains("4711"), "{failure}");
    let sent = bench
        .site
        .asked()
        .into_iter()
        .filter(|asked| asked.method == "POST");
    assert_eq!(sent.count(), 0);
}

#[test]
fn fields_that_a_caller_names() {
    let mut bench = Bench::open();
    let marks = json!({"username_field": "input[name=user]", "password_field": "[name=word]", "submit": "form button:nth-of-type(2)"});
    let said = bench.login("/single", marks);
    is_in(&said, &mut bench);
}
