//! A secret reaches the field, and nothing else.

use std::fs;

use serde_json::{Value, json};

use super::Bench;
use super::site::{PASSWORD, USER};
use crate::harness::process::Process;

/// A part that looks the same in every encoding of the password.
const PART: &str = "nter2";

#[track_caller]
fn nothing(what: &str, text: &str) {
    nothing_of(PART, what, text);
}

#[track_caller]
fn nothing_of(part: &str, what: &str, text: &str) {
    if let Some(at) = text.find(part) {
        let around = &text.as_bytes()[at.saturating_sub(120)..(at + 60).min(text.len())];
        panic!(
            "{what} shows the secret: …{}…",
            String::from_utf8_lossy(around)
        );
    }
}

/// All readable command lines on this machine.
fn command_lines() -> Vec<String> {
    let all = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .collect()
}

#[test]
fn a_secret_is_nowhere_to_be_seen() {
    let mut bench = Bench::open();
    bench.env.close("work");
    bench.env.set("SZK_LOG", "trace");
    let mut mcp = bench.env.mcp();
    mcp.open_session("work");
    mcp.ok(
        "browser_logs",
        json!({"session": "work", "kind": "console"}),
    );
    // Everything that a client receives, verbatim.
    let mut heard: Vec<String> = Vec::new();
    let mut ask = |mcp: &mut crate::harness::Mcp, tool: &str, input: Value| {
        let result = mcp.call(tool, input);
        heard.push(result.to_string());
        result
    };
    for path in ["/single", "/steps", "/code", "/across", "/closed", "/echo"] {
        let url = bench.site.url(path);
        ask(
            &mut mcp,
            "workflow_login",
            json!({"url": url, "username": USER, "secret": "shop", "handoff": false}),
        );
        for (tool, input) in [
            ("browser_snapshot", json!({"mode": "full"})),
            ("browser_extract", json!({"form": "html"})),
            ("browser_extract", json!({"form": "forms"})),
            ("browser_find", json!({"regex": "."})),
            ("browser_tabs", json!({})),
            ("session_list", json!({})),
        ] {
            ask(&mut mcp, tool, input);
        }
        mcp.ok("browser_navigate", json!({"url": bench.site.url("/leave")}));
    }
    // The echo page repeats what it got, in its text, in a request, in the console.
    let url = bench.site.url("/echo");
    let said = ask(
        &mut mcp,
        "workflow_login",
        json!({"url": url, "username": USER, "secret": "shop"}),
    );
    assert_eq!(
        said["structuredContent"]["message"], "Wrong password: ***",
        "{said:#}"
    );
    let file = bench.env.work().join("snapshot.txt");
    ask(
        &mut mcp,
        "browser_snapshot",
        json!({"mode": "full", "path": file}),
    );
    ask(&mut mcp, "browser_snapshot", json!({"mode": "full"}));
    for kind in ["network", "console", "errors"] {
        let logs = ask(
            &mut mcp,
            "browser_logs",
            json!({"kind": kind, "limit": 500}),
        );
        assert_eq!(logs["isError"], false, "{logs}");
    }
    let failure = ask(
        &mut mcp,
        "browser_run_code",
        json!({"code": "throw new Error(document.querySelector('[role=alert]').textContent)"}),
    );
    assert_eq!(failure["isError"], true);
    // Even for a caller that asks for the field's own value.
    ask(
        &mut mcp,
        "workflow_fill_form",
        json!({"fields": [{"field": "E-mail", "secret": "shop"}]}),
    );
    let read = ask(
        &mut mcp,
        "browser_run_code",
        json!({"code": "document.querySelector('[name=user]').value"}),
    );
    assert_eq!(read["structuredContent"]["value"], "***", "{read}");
    let seen = bench
        .site
        .asked()
        .into_iter()
        .any(|asked| asked.path == "/seen");
    assert!(seen, "the page did repeat it");
    let right = bench
        .site
        .asked()
        .into_iter()
        .any(|asked| asked.field("word") == PASSWORD);
    assert!(right, "the site did get it");
    for text in &heard {
        nothing("an answer", text);
    }
    // The terminal, and what others see of it while it runs.
    let url = bench.site.url("/single");
    let running = bench
        .env
        .szk([
            "login", &url, "-s", "work", "-u", USER, "--secret", "shop", "--json",
        ])
        .start();
    let pid = running.pid();
    let (mut looked, mut own) = (0, false);
    while Process::find(pid).is_some() && looked < 400 {
        for line in command_lines() {
            nothing("a command line", &line);
            own |= line.contains(&url);
        }
        looked += 1;
    }
    assert!(own, "its own was among {looked} times all");
    let ended = running.end();
    nothing("stdout", &ended.stdout);
    nothing("stderr", &ended.stderr);
    for line in command_lines() {
        nothing("a command line", &line);
    }
    for file in [
        "keeper.log",
        "artifacts/journal.jsonl",
        "logins.json",
        "meta.json",
    ] {
        let text = fs::read(bench.env.in_profile("work", file)).expect(file);
        assert!(!text.is_empty(), "{file}");
        nothing(file, &String::from_utf8_lossy(&text));
    }
    nothing("the snapshot", &fs::read_to_string(file).unwrap());
    drop(mcp);
    stays_hidden(&bench);
}

/// What one keeper has filled in, the next ones hide: the pages come back with it. The site sends it in
/// an address, under a name that says nothing, and repeats it in a title and in Markdown.
fn stays_hidden(bench: &Bench) {
    let word = "my_pass_word1";
    bench.env.szk(["secret", "set", "under"]).input(word).ok();
    let url = bench.site.url("/get");
    let mut mcp = bench.env.mcp();
    mcp.open_session("work");
    let input = json!({"url": url, "username": USER, "secret": "under", "handoff": false});
    let mut heard = vec![mcp.call("workflow_login", input).to_string()];
    drop(mcp);
    bench.env.close("work");
    let mut mcp = bench.env.mcp();
    for (tool, input) in [
        ("session_open", json!({"session": "work"})),
        ("browser_navigate", json!({"history": "reload"})),
        ("browser_tabs", json!({})),
        ("browser_snapshot", json!({"mode": "full"})),
        ("browser_extract", json!({})),
        ("browser_logs", json!({"kind": "network", "limit": 500})),
    ] {
        let answer = mcp.call(tool, input);
        assert_eq!(answer["isError"], false, "{tool}: {answer}");
        heard.push(answer.to_string());
    }
    let tabs = mcp.ok("browser_tabs", json!({}));
    let tab = &tabs["tabs"][0];
    assert_eq!(tab["title"], "In with ***", "{tabs}");
    let came_back = tab["url"].as_str().unwrap().ends_with("&x7=***");
    assert!(came_back, "{tabs}");
    for text in &heard {
        // Without what Markdown and JSON put before a character.
        nothing_of(word, "an answer", &text.replace('\\', ""));
    }
    for file in ["keeper.log", "artifacts/journal.jsonl", "filled.sealed"] {
        let text = fs::read(bench.env.in_profile("work", file)).expect(file);
        assert!(!text.is_empty(), "{file}");
        nothing_of(word, file, &String::from_utf8_lossy(&text));
    }
}

#[test]
fn a_password_from_stdin_and_a_user_name_by_secret() {
    let mut bench = Bench::open();
    let url = bench.site.url("/single");
    let ended = bench
        .env
        .szk(["login", &url, "-s", "work", "-u", USER, "--ask", "--json"])
        .input(format!("{PASSWORD}\n"))
        .ok();
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["outcome"], "logged_in", "{said:#}");
    nothing("stdout", &ended.stdout);
    bench.leave();
    bench
        .env
        .szk(["secret", "set", "shop-user"])
        .input(USER)
        .ok();
    let said = bench.login(
        "/echo",
        json!({"username": null, "username_secret": "shop-user"}),
    );
    assert_eq!(said["outcome"], "refused");
    bench.login(
        "/single",
        json!({"username": null, "username_secret": "shop-user"}),
    );
    let read = bench
        .mcp
        .ok("browser_run_code", json!({"code": format!("'{USER}'")}));
    assert_eq!(read["value"], "***", "its value is hidden as any secret is");
}

/// A person's password can be any word.
#[test]
fn a_secret_that_is_a_word_of_an_answer_breaks_none() {
    let mut bench = Bench::open();
    let url = bench.site.url("/single");
    // The unit test of `redacted.rs` tries every word of every answer; these follow a person's path.
    for word in ["wrong", "tab", "t1"] {
        bench.env.szk(["secret", "set", "word"]).input(word).ok();
        let said = bench.login("/single", json!({"secret": "word"}));
        assert_eq!(said["outcome"], "refused", "{word}: {said:#}");
        let shown = bench
            .env
            .szk([
                "login", &url, "-s", "work", "-u", USER, "--secret", "word", "--json",
            ])
            .run();
        let shown: Value = serde_json::from_str(&shown.stdout).expect(word);
        assert_eq!(shown["tab"], "t1", "{word}: {shown:#}");
        for (tool, input) in [
            ("browser_snapshot", json!({})),
            ("browser_tabs", json!({})),
            ("browser_extract", json!({"form": "forms"})),
            ("browser_logs", json!({"kind": "network"})),
            ("session_list", json!({})),
        ] {
            let answer = bench.mcp.ok(tool, input);
            assert!(
                szk_tools::check_answer(tool, answer).is_ok(),
                "{tool}, {word}"
            );
        }
        // What the page says is redacted all the same.
        let code = format!("document.title = 'it is {word}'; return 'it is {word}'");
        let read = bench.mcp.ok("browser_run_code", json!({"code": code}));
        let hidden = if word.len() < 4 { word } else { "***" };
        assert_eq!(read["value"], format!("it is {hidden}"));
        let tabs = bench.mcp.ok("browser_tabs", json!({}));
        assert_eq!(tabs["tabs"][0]["title"], format!("it is {hidden}"));
    }
}
