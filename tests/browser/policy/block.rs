//! `[browser] block`: pages do not get certain kinds of resources.

use serde_json::json;

use crate::harness::{Answer, Site, TestEnv};

#[test]
fn kinds_of_resources_do_not_load_and_others_do() {
    let env = TestEnv::new();
    env.config("[browser]\nblock = [\"image\", \"font\"]\n");
    let page = "<title>in</title><link rel=stylesheet href=/style.css><p>text</p>
        <script>loaded = new Promise(done => onload = () => done('loaded'))</script>
        <img id=i src=/picture.png><script src=/script.js></script>";
    let site = Site::plan()
        .page("/", page)
        .on("/style.css", |_| {
            Answer::html("@font-face { font-family: f; src: url(/font.woff2) } p { font-family: f; color: rgb(1, 2, 3) }")
                .header("content-type", "text/css")
        })
        .script("/script.js", "ran = true")
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let code = "loaded.then(() => [ran, document.getElementById('i').naturalWidth, getComputedStyle(document.querySelector('p')).color])";
    let seen = mcp.ok("browser_run_code", json!({"world": "main", "code": code}))["value"].clone();
    assert_eq!(seen, json!([true, 0, "rgb(1, 2, 3)"]));
    let asked = format!("{:?}", site.asked());
    assert!(
        asked.contains("/style.css") && asked.contains("/script.js"),
        "{asked}"
    );
    assert!(
        !asked.contains("picture") && !asked.contains("font.woff2"),
        "{asked}"
    );
}
