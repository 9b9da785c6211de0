//! `szk endpoint`: for people, and one part at a time for scripts.

use crate::harness::TestEnv;
use crate::harness::http::{get, parts};

#[test]
fn each_part_can_be_had_alone() {
    let env = TestEnv::new();
    env.open("work");
    let endpoint = env.endpoint("work");
    let text = |key: &str| endpoint[key].as_str().unwrap().to_owned();
    let part = |flag: &str| env.szk(["endpoint", "work", flag]).ok().stdout;
    assert_eq!(part("--url"), format!("{}\n", text("http_url")));
    assert_eq!(part("--ws"), format!("{}\n", text("ws_url")));
    // A shell can use the lines as they are.
    let script = format!("{}\nprintf %s \"$SZK_CDP_ENDPOINT\"", part("--env"));
    let shell = env.program("sh", ["-c", &script]).ok();
    assert_eq!(shell.stdout, text("http_url"));
    assert_eq!(
        env.szk(["endpoint", "work", "--url", "--ws"]).run().code,
        Some(2)
    );
}

#[test]
fn people_get_a_snippet_for_each_tool() {
    let env = TestEnv::new();
    env.open("work");
    let shown = env.szk(["endpoint"]).ok().stdout;
    let endpoint = env.endpoint("work");
    for tool in [
        "Playwright",
        "Puppeteer",
        "@playwright/mcp",
        "chrome-devtools-mcp",
        "agent-browser",
    ] {
        assert!(shown.contains(tool), "{tool}: {shown}");
    }
    assert!(
        shown.contains(endpoint["http_url"].as_str().unwrap()),
        "{shown}"
    );
    // Every address in a snippet works.
    for snippet in endpoint["snippets"].as_array().unwrap() {
        let code = snippet["code"].as_str().unwrap();
        if let Some(words) = code.strip_prefix("szk ") {
            // It is for tools that need a different kind of address, and says how to get one.
            env.szk(words.split(' ')).ok();
            continue;
        }
        let start = code
            .find("://127.0.0.1:")
            .unwrap_or_else(|| panic!("no address: {code}"));
        let rest = &code[start..];
        let end = rest.find(['\'', '"', ' ', '\n']).unwrap_or(rest.len());
        let (port, path) = parts(&rest[..end]);
        let token = path.split('/').nth(1).unwrap();
        assert_eq!(
            get(port, &format!("/{token}/json/version")).status,
            200,
            "{code}"
        );
    }
}

#[test]
fn without_an_open_session_it_says_what_to_do() {
    let env = TestEnv::new();
    let failure = env.szk(["endpoint"]).fails("SESSION_NOT_FOUND");
    assert!(
        failure["hint"].as_str().unwrap().contains("szk open"),
        "{failure}"
    );
    let failure = env.szk(["endpoint", "work"]).fails("SESSION_NOT_FOUND");
    assert!(
        failure["hint"].as_str().unwrap().contains("szk list"),
        "{failure}"
    );
    assert!(!env.store().join("work").exists());
}
