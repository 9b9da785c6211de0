//! The README's programs, exactly as printed, plus a line that reports where it is.

use std::fs;

use super::markdown::{Document, Piece, root};
use crate::harness::{Site, TestEnv};

/// Blocks of this kind, each as one text.
pub(super) fn blocks(document: &Document, wanted: &str) -> Vec<String> {
    let pieces = document.pieces().into_iter();
    pieces
        .filter_map(|piece| match piece {
            Piece::Fence(_, kind, lines) if kind == wanted => Some(lines.join("\n")),
            _ => None,
        })
        .collect()
}

/// The README's program for Playwright.
pub(super) fn playwright() -> String {
    let readme = Document::read("README.md");
    let program = blocks(&readme, "js").remove(0);
    format!("{program}\nconsole.log(await page.title());\nawait browser.close();\n")
}

#[test]
fn programs_of_the_readme_join_and_leave() {
    let env = TestEnv::new();
    let site = Site::of("<title>hello</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.packages();
    let readme = Document::read("README.md");
    let scripts = blocks(&readme, "js");
    assert_eq!(scripts.len(), 2, "Playwright and Puppeteer");
    let python = blocks(&readme, "python").remove(0);
    let write = |name: &str, text: String| fs::write(env.work().join(name), text).unwrap();
    write("playwright.mjs", playwright());
    write(
        "puppeteer.mjs",
        format!(
            "{}\nconsole.log(await page.title());\nawait browser.disconnect();\n",
            scripts[1]
        ),
    );
    write("python.py", format!("{python}\n    print(page.title())\n"));
    // Not resolved: a virtual environment is where its link is.
    let python = root().join("target/python/bin/python");
    let python = python.to_str().expect("names are Unicode");
    for command in [
        ["node", "playwright.mjs"],
        ["node", "puppeteer.mjs"],
        [python, "python.py"],
    ] {
        let ended = env
            .szk(["run", "work", "--"].into_iter().chain(command))
            .ok();
        assert_eq!(ended.stdout.trim(), "hello", "{command:?}: {ended:#?}");
    }
    assert_eq!(env.eval("work", "document.title"), "hello", "it stays open");
}
