//! What is fresher stays.

use serde_json::{Value, json};
use szk_runtime::state::{self, OriginState, Policy};

use crate::support::{Browser, Server, origin, texts};

/// In the profile: `a` and `mine`, database `d` of version 2 and `same` of version 1.
const FRESH: &str = r#"<script>
const open = (name, version, value) => new Promise((done) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => { if (value) request.result.createObjectStore("s").put(value, "k"); };
  request.onsuccess = () => { request.result.close(); done(1); };
});
const fill = async () => { localStorage.a = "fresh"; localStorage.mine = "fresh"; await open("d", 2, "fresh"); await open("same", 1, "fresh"); };
const value = (name) => new Promise((done) => {
  const request = indexedDB.open(name);
  request.onsuccess = () => {
    const db = request.result;
    const get = db.transaction("s").objectStore("s").get("k");
    get.onsuccess = () => { db.close(); done(`${name}${db.version} ${get.result}`); };
  };
});
const report = async () => {
  const names = (await indexedDB.databases()).map((info) => info.name).sort();
  return [localStorage.a, localStorage.b, localStorage.mine, ...await Promise.all(names.map(value))];
};
</script>"#;

fn older(place: &str) -> OriginState {
    let database = |name| json!({"name": name, "version": 1, "stores": [{"name": "s", "autoIncrement": false, "records": [{"key": "k", "value": "saved"}], "indexes": []}]});
    origin(
        place,
        json!([{"name": "a", "value": "saved"}, {"name": "b", "value": "saved"}]),
        json!([database("d"), database("same"), database("new")]),
    )
}

#[tokio::test]
async fn each_policy_keeps_what_it_says() {
    let server = Server::start(&[("/", FRESH)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    let newer = format!(
        "{}: database d: the one in the profile has a newer version",
        server.origin()
    );
    let cases: [(Policy, &[&str], Value); 4] = [
        (
            Policy::SessionOnly,
            &[],
            json!(["fresh", null, "fresh", "d2 fresh", "same1 fresh"]),
        ),
        (
            Policy::FillMissing,
            &[],
            json!([
                "fresh",
                "saved",
                "fresh",
                "d2 fresh",
                "new1 saved",
                "same1 fresh"
            ]),
        ),
        (
            Policy::PreferSaved,
            &[&newer],
            json!([
                "saved",
                "saved",
                "fresh",
                "d2 fresh",
                "new1 saved",
                "same1 saved"
            ]),
        ),
        (
            Policy::FillEverything,
            &[],
            json!([
                "saved",
                "saved",
                "fresh",
                "d1 saved",
                "new1 saved",
                "same1 saved"
            ]),
        ),
    ];
    page.open(&server.origin()).await;
    page.run::<Value>("fill()").await;
    // One after the other: each writes more than the one before.
    for (policy, warned, expected) in cases {
        let warnings =
            state::restore_origins(browser.connection(), &[older(&server.origin())], policy).await;
        assert_eq!(texts(&warnings), warned, "{policy:?}");
        page.comes_to("report()", expected).await;
    }
    browser.end().await;
}

#[tokio::test]
async fn a_record_that_does_not_fit_costs_itself() {
    let server = Server::start(&[("/", FRESH)]).await;
    let browser = Browser::start().await;
    let records = json!([{"key": "k", "value": "saved"}, {"key": {"no": "key"}, "value": 1}, {"key": "x", "valueEncoded": {"unknown": 1}}]);
    let state = origin(
        &server.origin(),
        json!([]),
        json!([{"name": "d", "version": 1, "stores": [{"name": "s", "autoIncrement": false, "records": records, "indexes": []}]}]),
    );
    let warnings =
        state::restore_origins(browser.connection(), &[state], Policy::FillEverything).await;
    assert_eq!(
        texts(&warnings),
        [format!(
            "{}: database d, store s, 2 records: they cannot be stored",
            server.origin()
        )]
    );
    let page = browser.page().await;
    page.open(&server.origin()).await;
    assert_eq!(page.run::<Value>("value('d')").await, "d1 saved");
    browser.end().await;
}
