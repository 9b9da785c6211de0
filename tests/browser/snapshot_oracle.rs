//! Compares roles and names with Chromium's own accessibility tree, on pages of every kind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Driver, Site, TestEnv};

/// At least this percentage of nodes must agree.
const RATE: f64 = 99.0;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The script as compiled in: its parts, in order.
fn script() -> String {
    let folder = root().join("crates/page/src/snapshot");
    let list = read(&folder.join("script.rs"));
    // A recording of a person's input takes the same parts and one more.
    let ours = list.split("const WATCH").next().unwrap();
    let parts = ours.lines().filter_map(|line| {
        line.trim()
            .strip_prefix("include_str!(\"")?
            .strip_suffix("\"),")
    });
    let parts: Vec<String> = parts.map(|part| read(&folder.join(part))).collect();
    assert!(parts.len() > 5, "the parts are found");
    format!("(() => {{\n'use strict';\n{}\n}})()", parts.concat())
}

#[test]
fn roles_and_names_agree_with_chromium() {
    let pages = root().join("tests/browser/pages");
    let mut names: Vec<String> = fs::read_dir(&pages)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.ends_with(".html"))
        .collect();
    names.sort();
    assert!(names.len() >= 25, "{names:?}");
    let plan = names.iter().fold(Site::plan(), |plan, name| {
        plan.page(&format!("/{name}"), &read(&pages.join(name)))
    });
    let site = plan.serve();
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    let oracle = root().join("tests/node/oracle.mjs").canonicalize().unwrap();
    let (oracle, script) = (json!(oracle), json!(script()));

    let (mut nodes, mut same, mut found) = (0, 0, BTreeSet::new());
    for name in &names {
        let url = json!(site.url(&format!("/{name}")));
        let one = puppeteer.run(&format!(
            "const {{ compare }} = await import('file://' + {oracle}); await page.goto({url}); return compare(page, {script})"
        ));
        nodes += one["nodes"].as_u64().unwrap();
        same += one["same"].as_u64().unwrap();
        for difference in one["differences"].as_array().unwrap() {
            found.insert(format!("{name} | {}", difference.as_str().unwrap()));
        }
    }
    let rate = 100.0 * same as f64 / nodes as f64;
    eprintln!("{same} of {nodes} nodes agree: {rate:.2} %");
    // Each with its reason on a line of its own above it.
    let listed: BTreeSet<String> = read(&pages.join("differences.txt"))
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    let over: Vec<&String> = listed.difference(&found).collect();
    assert!(
        new.is_empty() && over.is_empty(),
        "not listed: {new:#?}\nlisted, and not there: {over:#?}"
    );
    assert!(rate >= RATE, "{rate:.2} %");
}
