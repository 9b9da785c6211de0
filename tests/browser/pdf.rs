//! `browser_pdf`.

use std::fs;

use serde_json::json;

use crate::harness::{Lease, Site};

const PAGE: &str = "<title>paper</title><h1>first</h1><p style='break-before: page'>second</p>";

/// How many pages a PDF has, by its page tree.
fn pages(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.matches("/Type /Page\n")
        .count()
        .max(text.matches("/Type /Page ").count())
}

#[test]
fn a_page_goes_onto_paper() {
    let env = Lease::take();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let path = env.work().join("page.pdf");
    let printed = mcp.ok(
        "browser_pdf",
        json!({"path": path, "paper": "a4", "margin": "1cm"}),
    );
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"%PDF-"));
    assert_eq!(printed["bytes"], bytes.len());
    assert_eq!(pages(&bytes), 2);
    assert!(
        String::from_utf8_lossy(&bytes).contains("/MediaBox [0 0 59"),
        "A4"
    );
    let one = mcp.ok(
        "browser_pdf",
        json!({"pages": "2", "landscape": true, "paper": "200x100mm"}),
    );
    let kept = fs::read(one["path"].as_str().unwrap()).unwrap();
    assert!(
        one["path"].as_str().unwrap().contains("/artifacts/"),
        "{one}"
    );
    assert_eq!(pages(&kept), 1);
    let told = env.szk(["pdf", "-s", "work", "--out", "cli.pdf"]).ok();
    assert_eq!(
        told.stdout.trim(),
        env.work().join("cli.pdf").display().to_string()
    );
}

#[test]
fn what_is_no_paper_is_refused() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    for input in [
        json!({"paper": "a99"}),
        json!({"margin": "wide"}),
        json!({"margin": "50cm"}),
        json!({"paper": "15x15mm"}),
        json!({"paper": "6000x100mm", "margin": "0mm"}),
        json!({"scale": 9}),
        json!({"scale": 0}),
        json!({"pages": "7"}),
        json!({"pages": "9-1"}),
        json!({"pages": "x"}),
    ] {
        mcp.fails("browser_pdf", input, "INVALID_INPUT");
    }
}
