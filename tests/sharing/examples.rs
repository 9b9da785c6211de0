//! The code that the documentation tells people to copy works as it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Ended, Site, TestEnv};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of an example, with the packages that it needs.
fn example(env: &TestEnv, name: &str) {
    for entry in fs::read_dir(repository().join("examples").join(name)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), env.work().join(entry.file_name())).unwrap();
        }
    }
    env.packages();
}

/// The Python that `scripts/test` set up, with the packages that the example needs.
fn python(program: &str) -> String {
    let path = repository().join("target/python/bin").join(program);
    assert!(
        path.exists(),
        "the packages of PyPI are not installed: run `scripts/python` (scripts/test does)"
    );
    // Not resolved: a virtual environment is where its link is.
    std::path::absolute(&path)
        .unwrap_or(path)
        .display()
        .to_string()
}

fn run(env: &TestEnv, command: &[&str]) -> Ended {
    let mut all = vec!["run", "work", "--"];
    all.extend(command);
    env.szk(all).ok()
}

#[test]
fn playwright_test() {
    let env = TestEnv::new();
    example(&env, "playwright");
    let ended = run(
        &env,
        &["node", "node_modules/@playwright/test/cli.js", "test"],
    );
    assert!(ended.stdout.contains("1 passed"), "{ended:#?}");
    assert_eq!(env.eval("work", "1 + 1"), 2, "the browser stays");
}

#[test]
fn playwright_in_python() {
    let env = TestEnv::new();
    example(&env, "playwright-python");
    let ended = run(
        &env,
        &[
            &python("python"),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
        ],
    );
    assert!(ended.stdout.contains("1 passed"), "{ended:#?}");
}

#[test]
fn puppeteer() {
    let env = TestEnv::new();
    example(&env, "puppeteer");
    let ended = run(&env, &["node", "--test"]);
    assert!(ended.stdout.contains("pass 1"), "{ended:#?}");
}

/// The snippets of `session_endpoint`, each as a whole program.
#[test]
fn snippets() {
    let env = TestEnv::new();
    let site = Site::of("<title>snippet</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.packages();
    let endpoint = env.endpoint("work");
    let code = |tool: &str| {
        let all = endpoint["snippets"].as_array().unwrap();
        let found = all.iter().find(|snippet| snippet["tool"] == tool);
        found.expect("the tool has a snippet")["code"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let write = |name: &str, text: String| fs::write(env.work().join(name), text).unwrap();
    write(
        "playwright.mjs",
        format!(
            "import {{ chromium }} from 'playwright-core';\n{}\nconsole.log(await page.title());\nprocess.exit();",
            code("Playwright")
        ),
    );
    write(
        "puppeteer.mjs",
        format!(
            "import puppeteer from 'puppeteer-core';\n{}\nconsole.log(await (await browser.pages())[0].title());\nprocess.exit();",
            code("Puppeteer")
        ),
    );
    write(
        "snippet.py",
        format!(
            "from playwright.sync_api import sync_playwright\nwith sync_playwright() as p:\n    {}\n    print(browser.contexts[0].pages[0].title())\n",
            code("Playwright (Python)")
        ),
    );
    let python = python("python");
    for command in [
        ["node", "playwright.mjs"],
        ["node", "puppeteer.mjs"],
        [python.as_str(), "snippet.py"],
    ] {
        let ended = env.program(command[0], [command[1]]).run();
        assert_eq!(ended.stdout.trim(), "snippet", "{command:?}: {ended:#?}");
    }
}
