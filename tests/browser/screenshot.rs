//! `browser_screenshot`.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Mcp, Site, TestEnv};

const PAGE: &str = "<title>picture</title><style>body { margin: 0 }</style>
<div id=box style='width: 120px; height: 80px; background: red'></div><div style='height: 4000px'></div>";

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
    );
    (mcp, site)
}

fn size(output: &Value) -> (u64, u64) {
    (
        output["width"].as_u64().unwrap(),
        output["height"].as_u64().unwrap(),
    )
}

#[test]
fn the_picture_comes_back() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let result = mcp.call("browser_screenshot", json!({}));
    assert_eq!(result["isError"], false, "{result:#}");
    let image = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .find(|block| block["type"] == "image")
        .expect("a picture");
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    assert_eq!(size(&result["structuredContent"]), (1000, 700));
    let full = mcp.ok("browser_screenshot", json!({"full_page": true}));
    assert_eq!(size(&full), (1000, 4080));
    let part = mcp.ok(
        "browser_screenshot",
        json!({"selector": "#box", "format": "jpeg", "quality": 50}),
    );
    assert_eq!(size(&part), (120, 80));
    let clip = mcp.ok("browser_screenshot", json!({"clip": "10,20,300,2000"}));
    assert_eq!(size(&clip), (300, 2000));
    for wrong in ["", "1,2,3", "0,0,0,9", "-1,0,9,9", "a,b,c,d"] {
        mcp.fails(
            "browser_screenshot",
            json!({"clip": wrong}),
            "INVALID_INPUT",
        );
    }
    // Looking changes nothing that a page can see.
    assert_eq!(
        mcp.eval("work", "[innerWidth, innerHeight, scrollY]"),
        json!([1000, 700, 0])
    );
}

#[test]
fn or_goes_into_a_file() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let path = env.work().join("page.webp");
    let output = mcp.ok(
        "browser_screenshot",
        json!({"path": path, "format": "webp"}),
    );
    let bytes = fs::read(&path).unwrap();
    assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
    assert_eq!(output["bytes"].as_u64(), Some(bytes.len() as u64));
    let told = env
        .szk(["screenshot", "-s", "work", "--out", "page.png"])
        .ok();
    assert_eq!(
        told.stdout.trim(),
        env.work().join("page.png").display().to_string()
    );
    assert!(
        fs::read(env.work().join("page.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn an_element_must_be_one() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "#none"}),
        "NOT_FOUND",
    );
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "div"}),
        "AMBIGUOUS",
    );
    mcp.fails(
        "browser_screenshot",
        json!({"selector": "::::"}),
        "INVALID_INPUT",
    );
    mcp.fails(
        "browser_screenshot",
        json!({"path": "/nowhere/at/all.png"}),
        "STORAGE",
    );
    assert_eq!(mcp.eval("work", "1"), 1);
}
