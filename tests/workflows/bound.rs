//! Secrets bound to origins go only into fields of those.

use serde_json::{Value, json};

use super::Bench;
use super::site::{PASSWORD, USER};

/// Binds the secret of the test site.
fn bind(bench: &Bench, origins: &[&str]) {
    let mut args = vec!["secret", "set", "shop"];
    for origin in origins {
        args.extend(["--origin", origin]);
    }
    bench.env.szk(args).input(PASSWORD).ok();
}

/// The same page under another name of this machine.
fn elsewhere(bench: &Bench, path: &str) -> String {
    bench.site.url(path).replace("127.0.0.1", "localhost")
}

#[track_caller]
fn refused(bench: &mut Bench, url: &str) -> String {
    let input = json!({"url": url, "username": USER, "secret": "shop", "handoff": false});
    let failure = bench.mcp.fails("workflow_login", input, "POLICY_DENIED");
    assert_eq!(
        failure["effect"], "none",
        "not even the user name: {failure:#}"
    );
    let told = failure["message"].as_str().unwrap().to_owned();
    assert!(
        told.contains("`shop`") && !told.contains(PASSWORD),
        "{told}"
    );
    told
}

/// Whether any password field of the page holds something.
fn holds_any(bench: &mut Bench) -> Value {
    let code = "[...document.querySelectorAll('input[type=password]')].some(field => field.value)";
    bench.mcp.eval("work", code)
}

#[test]
fn a_login_elsewhere_gets_nothing() {
    let mut bench = Bench::open();
    let own = bench.site.origin();
    bind(&bench, &[&own]);
    let said = bench.login("/single", json!({}));
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    bench.leave();
    let other = elsewhere(&bench, "/single");
    let told = refused(&mut bench, &other);
    let named = other.trim_end_matches("/single");
    assert!(told.contains(&own) && told.contains(named), "{told}");
    assert_eq!(holds_any(&mut bench), false);
    // A new password stays bound to the same site.
    bind(&bench, &[]);
    refused(&mut bench, &other);
    bind(&bench, &["https://shop.example", "*"]);
    let said = bench.login("/single", json!({"url": other}));
    assert_ne!(said["steps"], json!([]), "it was filled in: {said:#}");
}

#[test]
fn the_frame_counts_and_not_the_page_around_it() {
    let mut bench = Bench::open();
    bind(&bench, &[&bench.site.origin()]);
    let around = bench.site.url("/across");
    let told = refused(&mut bench, &around);
    assert!(told.contains("http://localhost:"), "{told}");
    bind(&bench, &["localhost"]);
    let said = bench.login("/across", json!({}));
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
}

#[test]
fn forms_elsewhere_get_nothing_either() {
    let mut bench = Bench::open();
    bind(&bench, &[&bench.site.origin()]);
    let fields = json!({"fields": [{"field": "Password", "secret": "shop"}]});
    let url = elsewhere(&bench, "/single");
    bench.mcp.ok("browser_navigate", json!({"url": url}));
    let failure = bench
        .mcp
        .fails("workflow_fill_form", fields.clone(), "POLICY_DENIED");
    assert_eq!(failure["effect"], "none", "{failure:#}");
    assert_eq!(holds_any(&mut bench), false);
    let url = bench.site.url("/single");
    bench.mcp.ok("browser_navigate", json!({"url": url}));
    bench.mcp.ok("workflow_fill_form", fields);
    assert_eq!(holds_any(&mut bench), true);
}

#[test]
fn it_is_listed_with_what_it_is_for() {
    let bench = Bench::open();
    bind(&bench, &["https://shop.example", "*.shop.example"]);
    let listed = bench.env.szk(["secret", "list", "--json"]).json();
    assert_eq!(
        listed["secrets"][0],
        json!({"name": "shop", "place": "file", "origins": ["https://shop.example", "*.shop.example"]})
    );
    let table = bench.env.szk(["secret", "list"]).ok().stdout;
    assert!(
        table.contains("https://shop.example, *.shop.example"),
        "{table}"
    );
    assert!(table.contains("every site"), "{table}");
    // A new value, with the old binding.
    let set = bench
        .env
        .szk(["secret", "set", "shop", "--json"])
        .input(PASSWORD)
        .json();
    assert_eq!(set, listed["secrets"][0]);
    let wrong = [
        "secret",
        "set",
        "shop",
        "--origin",
        "https://shop.example/login",
    ];
    let failure = bench.env.szk(wrong).input("x").fails("INVALID_INPUT");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("is not an origin"),
        "{failure}"
    );
}
