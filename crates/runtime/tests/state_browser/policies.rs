//! Fresher data stays.

use serde_json::{Value, json};
use szk_runtime::state::{self, OriginState, Truth};

use crate::support::{Browser, Server, origin, stored, texts};

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
async fn each_trusted_source_wins_where_it_should() {
    let server = Server::start(&[("/", FRESH)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    // Existing databases are never cleared; an import adds its records to them.
    let cases: [(Truth, Value); 4] = [
        (
            Truth::Files,
            json!(["fresh", null, "fresh", "d2 fresh", "same1 fresh"]),
        ),
        (
            Truth::Later,
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
            Truth::Reading,
            json!([
                "saved",
                "saved",
                "fresh",
                "d2 fresh",
                "new1 saved",
                "same1 fresh"
            ]),
        ),
        (
            Truth::Nothing,
            json!([
                "saved",
                "saved",
                "fresh",
                "d2 saved",
                "new1 saved",
                "same1 saved"
            ]),
        ),
    ];
    page.open(&server.origin()).await;
    page.run::<Value>("fill()").await;
    // One after the other: each writes more than the previous one.
    for (truth, expected) in cases {
        let warnings = state::restore_origins(
            browser.connection(),
            &stored([older(&server.origin())]),
            truth,
        )
        .await;
        assert_eq!(texts(&warnings), [""; 0], "{truth:?}");
        page.comes_to("report()", expected).await;
    }
    browser.end().await;
}

#[tokio::test]
async fn a_record_that_cannot_be_stored_costs_only_itself() {
    let server = Server::start(&[("/", FRESH)]).await;
    let browser = Browser::start().await;
    let records = json!([{"key": "k", "value": "saved"}, {"key": {"no": "key"}, "value": 1}, {"key": "x", "valueEncoded": {"unknown": 1}}]);
    let state = origin(
        &server.origin(),
        json!([]),
        json!([{"name": "d", "version": 1, "stores": [{"name": "s", "autoIncrement": false, "records": records, "indexes": []}]}]),
    );
    let warnings =
        state::restore_origins(browser.connection(), &stored([state]), Truth::Nothing).await;
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

/// A key that no saved state can hold, beside a record that one can, in stores of two databases.
const KEYS: &str = r#"<script>
const open = (version, upgrade) => new Promise((done) => {
  const request = indexedDB.open("keys", version);
  request.onupgradeneeded = () => upgrade?.(request.result);
  request.onsuccess = () => done(request.result);
});
const make = async () => {
  const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  const db = await open(2, (db) => { db.createObjectStore("s"); db.createObjectStore("only-here"); });
  const transaction = db.transaction(["s", "only-here"], "readwrite");
  transaction.objectStore("s").put(privateKey, "key");
  transaction.objectStore("s").put("fresh", "k");
  transaction.objectStore("only-here").put(new Blob(["x"]), "file");
  await new Promise((done) => { transaction.oncomplete = done; });
  db.close();
};
const report = async () => {
  const db = await open();
  const transaction = db.transaction(["s", "only-here"]);
  const get = (store, key) => new Promise((done) => {
    const request = transaction.objectStore(store).get(key);
    request.onsuccess = () => done(request.result);
  });
  const [key, k, file] = [await get("s", "key"), await get("s", "k"), await get("only-here", "file")];
  const signed = key && await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, new Uint8Array(1));
  const version = db.version;
  db.close();
  return [version, signed?.byteLength ?? 0, k, file?.size ?? 0];
};
</script>"#;

#[tokio::test]
async fn data_that_a_saved_state_cannot_hold_is_never_cleared() {
    let server = Server::start(&[("/", KEYS)]).await;
    let browser = Browser::start().await;
    let page = browser.page().await;
    page.open(&server.origin()).await;
    page.run::<Value>("make().then(() => 1)").await;
    let saved = |version: u32| {
        let records = json!([{"key": "k", "value": "saved"}]);
        let store = json!({"name": "s", "autoIncrement": false, "records": records, "indexes": []});
        let database = json!({"name": "keys", "version": version, "stores": [store]});
        stored([origin(&server.origin(), json!([]), json!([database]))])
    };
    for truth in [Truth::Files, Truth::Later, Truth::Reading] {
        let warnings = state::restore_origins(browser.connection(), &saved(2), truth).await;
        assert_eq!(texts(&warnings), [""; 0], "{truth:?}");
        page.comes_to("report()", json!([2, 64, "fresh", 1])).await;
    }
    // An import replaces the records it contains, whatever the version, and leaves the rest.
    for (version, left) in [(1, 2), (2, 2), (5, 5)] {
        let state = saved(version);
        let warnings = state::restore_origins(browser.connection(), &state, Truth::Nothing).await;
        assert_eq!(texts(&warnings), [""; 0], "{version}");
        page.comes_to("report()", json!([left, 64, "saved", 1]))
            .await;
    }
    browser.end().await;
}
