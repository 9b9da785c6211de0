//! Data of pages in databases is restored unchanged.

use std::time::Duration;

use serde_json::{Value, json};
use szk_runtime::state::{self, CaptureOptions, StorageState, Truth};

use crate::support::{Browser, Page, Server, saved, texts};

/// Everything that a database can hold, and a description that distinguishes any two values.
const PAGE: &str = r#"<script>
const half = "\ud800x";
const cyclic = { name: "cyclic" }; cyclic.self = cyclic;
const shared = { n: 1 };
const values = {
  plain: { a: [1, "two", true, null, { b: 0.1 + 0.2 }], "ü": "\u2028</script\u003e" }, text: "text", number: 1e308,
  odd: JSON.parse('{"__proto__":{"x":1},"constructor":2,"toJSON":3,"v":"NaN","szk":{"t":"blob"},"ref":1}'),
  oddDate: { ...JSON.parse('{"__proto__":{"x":1},"v":"NaN","szk":4}'), at: new Date(5) },
  date: new Date(86400000), noDate: new Date(NaN), expression: /a\/b/giu, big: 123456789012345678901234567890n,
  nan: NaN, infinite: [Infinity, -Infinity, -0], nothing: undefined, no: null, half, inside: { half, missing: undefined },
  map: new Map([[{ a: 1 }, new Set([1, "x", new Date(1)])], ["k", undefined]]), hole: [1, , 3], cyclic, shared: [shared, shared],
  bytes: new Uint8Array([0, 255, 128]), floats: new Float64Array([0.1, -1e300, NaN]), bigs: new BigInt64Array([-1n]),
  clamped: new Uint8ClampedArray([300]), view: new DataView(new Uint8Array([1, 2, 3]).buffer, 1), buffer: new Uint8Array([9]).buffer,
  large: new Uint8Array(300000).fill(7),
  blob: new Blob(["hé"], { type: "text/plain" }), file: [new File(["f"], "n.txt", { lastModified: 5 })],
  error: new TypeError("boom"), boxed: [Object("s"), Object(-0), Object(false), Object(5n)],
};
const keys = { 1: 1, float: -0.5, text: half, date: new Date(3), bytes: new Uint8Array([1, 2]), list: [1, ["a", new Date(4)]], far: Infinity };

const seen = new Map();
async function tell(value) {
  const type = Object.prototype.toString.call(value).slice(8, -1);
  const units = (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).join(".");
  if (typeof value === "string") return `"${units(value)}"`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (value === null || typeof value !== "object") return `${typeof value} ${String(value)}`;
  if (seen.has(value)) return `#${seen.get(value)}`;
  seen.set(value, seen.size);
  const list = async (items) => (await Promise.all(Array.from(items).map(tell))).join();
  const bytes = (buffer, ...at) => new Uint8Array(buffer, ...at).join();
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof Map) return `map ${await list([...value].flat())}`;
  if (value instanceof Set) return `set ${await list(value)}`;
  if (ArrayBuffer.isView(value)) return `${type} ${bytes(value.buffer, value.byteOffset, value.byteLength)}`;
  if (value instanceof ArrayBuffer) return `${type} ${bytes(value)}`;
  if (value instanceof Blob) return `${type} ${value.type} ${value.name} ${value.lastModified > 1e9 ? "now" : value.lastModified} ${await value.text()}`;
  if (value instanceof Error) return `${type} ${value.name} ${value.message} ${value instanceof TypeError}`;
  if (["String", "Number", "Boolean", "BigInt"].includes(type)) return `boxed ${await tell(value.valueOf())}`;
  const own = Object.keys(value).map(async (key) => `${units(key)}: ${await tell(value[key])}`);
  return `${type} ${value.length} ${Object.getPrototypeOf(value) === Object.prototype} {${(await Promise.all(own)).join()}}`;
}

const done = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
const open = (name, version, upgrade) => { const request = indexedDB.open(name, version); request.onupgradeneeded = () => upgrade(request.result); return done(request); };

async function fill(secret) {
  localStorage.setItem("length", half);
  localStorage.setItem(half, "2");
  sessionStorage.setItem("step", "3");
  const db = await open("rich", 3, (db) => {
    db.createObjectStore("values");
    db.createObjectStore("keys", { autoIncrement: true });
    const inside = db.createObjectStore("inside", { keyPath: ["a", "b.c"] });
    inside.createIndex("by", ["d", "e"], { unique: true });
    inside.createIndex("tags", "tags", { multiEntry: true });
    db.createObjectStore("many", { keyPath: "id", autoIncrement: true });
  });
  const write = db.transaction(db.objectStoreNames, "readwrite");
  for (const [key, value] of Object.entries(values)) write.objectStore("values").put(value, key);
  for (const [name, key] of Object.entries(keys)) write.objectStore("keys").put(name, key);
  write.objectStore("inside").put({ a: 1, b: { c: "x" }, d: 1, e: 2, tags: ["p", "q"] });
  for (let n = 0; n < 700; n++) write.objectStore("many").put({ n });
  await new Promise((resolve) => { write.oncomplete = resolve; });
  if (secret) {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
    await done(db.transaction("values", "readwrite").objectStore("values").put({ key }, "secret"));
  }
  db.close();
  (await open("empty", 1, () => {})).close();
}

async function report() {
  const lines = [];
  for (const area of [localStorage, sessionStorage]) for (let n = 0; n < area.length; n++) lines.push(await tell([area.key(n), area.getItem(area.key(n))]));
  lines.sort();
  for (const { name, version } of (await indexedDB.databases()).sort((a, b) => a.name < b.name ? -1 : 1)) {
    const db = await open(name);
    lines.push(`${name} ${version}`);
    for (const storeName of db.objectStoreNames) {
      const store = db.transaction(storeName).objectStore(storeName);
      const indexes = [...store.indexNames].map((index) => store.index(index)).map((index) => [index.name, index.keyPath, index.unique, index.multiEntry]);
      const all = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      lines.push(JSON.stringify([storeName, store.keyPath, store.autoIncrement, indexes]));
      for (const list of all) for (const item of list) { seen.clear(); lines.push(await tell(item)); }
    }
    if (db.objectStoreNames.contains("many")) lines.push(await done(db.transaction("many", "readwrite").objectStore("many").add({ next: true })));
    db.close();
  }
  return lines;
}
</script>"#;

async fn restored(server: &Server, browser: Browser, text: &[u8]) -> (Vec<Value>, Browser) {
    let browser = browser.on_a_new_profile().await;
    let state = saved(std::str::from_utf8(text).unwrap());
    let warnings = state::restore_origins(browser.connection(), &state, Truth::Nothing).await;
    assert_eq!(texts(&warnings), [""; 0]);
    let page = browser.page().await;
    page.open(&server.origin()).await;
    page.run::<Value>("sessionStorage.setItem('step', '3')")
        .await;
    (page.run("report()").await, browser)
}

async fn filled(server: &Server) -> (Browser, Page) {
    let browser = Browser::start().await;
    let page = browser.page().await;
    page.open(&server.origin()).await;
    (browser, page)
}

#[tokio::test]
async fn everything_comes_back() {
    let server = Server::start(&[("/", PAGE)]).await;
    let (browser, page) = filled(&server).await;
    page.run::<Value>("fill(true)").await;
    let storage = page.capture().await;
    let secret = format!(
        "{}: database rich, store values, 1 records: a CryptoKey",
        server.origin()
    );
    assert_eq!(texts(&storage.warnings), [secret]);
    assert_eq!(
        (storage.session_storage.len(), storage.unread.len()),
        (1, 0)
    );
    page.run::<Value>("open('rich').then((db) => done(db.transaction('values', 'readwrite').objectStore('values').delete('secret')))").await;
    let expected: Vec<Value> = page.run("report()").await;
    assert!(expected.len() > 700, "{expected:?}");

    let mut state = StorageState::default();
    state.absorb(storage);
    state.sort();
    let (seen, browser) = restored(&server, browser, &state.to_bytes()).await;
    for (seen, expected) in seen.iter().zip(&expected) {
        assert_eq!(seen, expected);
    }
    assert_eq!(seen.len(), expected.len());

    // It is also there after a restart, so it was written to the profile.
    let browser = browser.again().await;
    let page = browser.page().await;
    page.open(&server.origin()).await;
    // A report ends with a record of its own; this test does not restore sessionStorage.
    assert_eq!(
        page.run::<Vec<Value>>("report()").await.len(),
        expected.len() + 2 - 1
    );
    browser.end().await;
}

#[tokio::test]
async fn the_page_does_not_notice() {
    let server = Server::start(&[("/", PAGE)]).await;
    let (browser, page) = filled(&server).await;
    page.run::<Value>("fill(false)").await;
    let trace = "JSON.stringify([Object.getOwnPropertyNames(window), window.heard])";
    page.run::<Value>("window.heard = []; for (const type of ['storage', 'error', 'unhandledrejection']) addEventListener(type, () => heard.push(type))").await;
    let before: String = page.run(trace).await;
    let one = page.capture().await;
    let two = page.capture().await;
    assert_eq!(one, two);
    assert_eq!(page.run::<String>(trace).await, before);
    // No connection of ours blocks it.
    let gone: bool = page.run("new Promise((done) => { const request = indexedDB.deleteDatabase('rich'); request.onblocked = () => done(false); request.onsuccess = () => done(true); })").await;
    assert!(gone);
    browser.end().await;
}

#[tokio::test]
async fn a_database_being_upgraded_is_left_alone() {
    let server = Server::start(&[("/", PAGE)]).await;
    let (browser, page) = filled(&server).await;
    // The old connection stays open, so that the upgrade waits, and everyone after it.
    page.run::<Value>("(async () => { window.old = await open('busy', 1, (db) => db.createObjectStore('s')); window.upgrade = open('busy', 2, () => {}); })()").await;
    let storage = page.capture().await;
    assert_eq!(
        storage
            .unread
            .iter()
            .map(|name| name.to_str().into_owned())
            .collect::<Vec<_>>(),
        ["busy"]
    );
    assert_eq!(storage.warnings.len(), 1);
    let version: u32 = page
        .run("(old.close(), upgrade.then((db) => { db.close(); return db.version; }))")
        .await;
    assert_eq!(version, 2);
    let gone: bool = page.run("new Promise((done) => { const request = indexedDB.deleteDatabase('busy'); request.onblocked = () => done(false); request.onsuccess = () => done(true); })").await;
    assert!(gone, "our late connection is closed");
    browser.end().await;
}

#[tokio::test]
async fn a_database_that_is_too_large_is_left_out_completely() {
    let server = Server::start(&[("/", PAGE)]).await;
    let (browser, page) = filled(&server).await;
    page.run::<Value>("fill(false)").await;
    let options = CaptureOptions {
        max_bytes: 100_000,
        open_limit: Duration::from_secs(2),
        ..CaptureOptions::default()
    };
    let storage =
        state::capture_origin_with(&page.connection, &page.session, &page.target, &options)
            .await
            .unwrap()
            .unwrap();
    assert_eq!(
        texts(&storage.warnings),
        [format!(
            "{}: database rich: it is too large",
            server.origin()
        )]
    );
    assert_eq!(storage.state.indexed_db.unwrap().len(), 1);
    assert_eq!(storage.state.local_storage.len(), 2);
    browser.end().await;
}

#[tokio::test]
async fn a_state_file_of_playwright_is_restored() {
    let server = Server::start(&[("/", PAGE)]).await;
    let (browser, page) = filled(&server).await;
    // As Playwright 1.65 writes them.
    let records = json!([
        {"key": "plain", "value": {"a": [1, "two"]}},
        {"keyEncoded": {"d": "1970-01-01T00:00:00.003Z"}, "valueEncoded": {"o": [{"k": "when", "v": {"d": "1970-01-02T00:00:00.000Z"}}, {"k": "none", "v": {"v": "null"}}, {"k": "me", "v": {"ref": 1}}], "id": 1}},
        {"key": "bytes", "valueEncoded": {"a": [{"ta": {"b": "AP+A", "k": "ui8"}}, {"ab": {"b": "CQ=="}}, {"bi": "5"}, {"r": {"p": "a", "f": "g"}}], "id": 1}},
        {"key": "map", "valueEncoded": {"m": [{"k": "k", "v": {"s": [1, {"v": "-Infinity"}], "id": 2}}], "id": 1}},
    ]);
    let text = json!({"cookies": [], "origins": [{"origin": server.origin(), "localStorage": [], "indexedDB": [
        {"name": "pw", "version": 1, "stores": [{"name": "s", "records": records, "indexes": [], "autoIncrement": false}]}]}]});
    drop(page);
    let (seen, browser) = restored(&server, browser, text.to_string().as_bytes()).await;
    let expected = [
        r#"["s",null,false,[]]"#,
        "date 3",
        "\"98.121.116.101.115\"",
        "\"109.97.112\"",
        "\"112.108.97.105.110\"",
        "Object undefined true {119.104.101.110: date 86400000,110.111.110.101: object null,109.101: #0}",
        "Array 4 false {48: Uint8Array 0,255,128,49: ArrayBuffer 9,50: bigint 5,51: /a/g}",
        "map \"107\",set 1,-Infinity",
        "Object undefined true {97: Array 2 false {48: 1,49: \"116.119.111\"}}",
    ];
    assert_eq!(seen[2..], expected.map(Value::from));
    browser.end().await;
}
