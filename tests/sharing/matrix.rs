//! What clients can do, on a bare Chromium and through szk; `docs/endpoint.md` has the table.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::control::Control;
use crate::harness::{TestEnv, script};

/// What differs, and why. Everything else must be the same on both.
const DIFFERENCES: [(&str, &str); 2] = [
    (
        "console: arguments as handles",
        "needs `Runtime.enable`; the text is there, the objects are with `--no-shield`",
    ),
    (
        "colour scheme and time zone",
        "pages keep the identity of the profile; `endpoint.identity = \"client\"` lets it through",
    ),
];

const BEGIN: &str = "<!-- matrix: written by the test of the same name -->\n";
const END: &str = "<!-- end of the matrix -->";

/// Which features worked for a client, in the order tried.
struct Tried {
    names: Vec<String>,
    failed: BTreeMap<String, String>,
    given: Value,
}

fn attempt(env: &TestEnv, client: &str, endpoint: &Value) -> Tried {
    let text = |key: &str| endpoint[key].as_str().expect("an address").to_owned();
    let (http, ws) = (text("http_url"), text("ws_url"));
    let said = script(env, "matrix/run.mjs", &[client, &http, &ws]);
    Tried {
        names: serde_json::from_value(said["tried"].clone()).unwrap(),
        failed: serde_json::from_value(said["failed"].clone()).unwrap(),
        given: said["given"].clone(),
    }
}

/// Both, compared; a row per feature.
fn compare(env: &TestEnv, client: &str, control: &Control) -> Vec<[String; 2]> {
    let direct = attempt(env, client, &control.endpoint);
    assert!(
        direct.failed.is_empty(),
        "{client} on the control: {:#?}",
        direct.failed
    );
    assert_ne!(
        direct.given["getters"], 0,
        "the pages do not see even a bare client"
    );
    let through = attempt(env, client, &env.endpoint("work"));
    let expected: Vec<&str> = DIFFERENCES.iter().map(|(name, _)| *name).collect();
    let unexpected: Vec<_> = through
        .failed
        .iter()
        .filter(|(name, _)| !expected.contains(&name.as_str()))
        .collect();
    assert!(
        unexpected.is_empty(),
        "{client} through szk: {unexpected:#?}"
    );
    for name in expected {
        let works =
            through.names.iter().any(|tried| tried == name) && !through.failed.contains_key(name);
        assert!(!works, "{client}: `{name}` works; take it off the list");
    }
    // The pages were looking for a client all the time.
    assert_eq!(
        through.given,
        serde_json::json!({"getters": 0, "stacks": 0}),
        "{client}"
    );
    let works = |yes: bool| if yes { "yes" } else { "**no**" }.to_owned();
    let row = |name: &String| [name.clone(), works(!through.failed.contains_key(name))];
    through.names.iter().map(row).collect()
}

#[test]
fn matrix() {
    let env = TestEnv::new();
    env.open("work");
    let control = Control::start(&env);
    let mut rows: BTreeMap<String, [String; 2]> = BTreeMap::new();
    let mut order = Vec::new();
    for (column, client) in ["playwright", "puppeteer"].into_iter().enumerate() {
        for [name, works] in compare(&env, client, &control) {
            if !rows.contains_key(&name) {
                order.push(name.clone());
            }
            let row = rows
                .entry(name)
                .or_insert_with(|| ["–".to_owned(), "–".to_owned()]);
            row[column] = works;
        }
    }
    for endpoint in [&control.endpoint, &env.endpoint("work")] {
        let both = attempt(&env, "both", endpoint);
        assert!(both.failed.is_empty(), "{:#?}", both.failed);
    }
    order.push("interception by two clients at once".to_owned());
    let both = ["yes".to_owned(), "yes".to_owned()];
    rows.insert("interception by two clients at once".to_owned(), both);

    let mut table =
        String::from("| feature | Playwright | Puppeteer | why it differs |\n|---|---|---|---|\n");
    for name in order {
        let [playwright, puppeteer] = &rows[&name];
        let why = DIFFERENCES.iter().find(|(differs, _)| *differs == name);
        let why = why.map_or("", |(_, why)| why);
        table.push_str(&format!(
            "| {name} | {playwright} | {puppeteer} | {why} |\n"
        ));
    }
    documented(&table);
}

/// Checks that the documentation has this table; `BLESS=1` writes it there.
fn documented(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/endpoint.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the table has its place");
    let (written, after) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written, table, "`BLESS=1` writes it anew");
}
