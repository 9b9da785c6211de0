//! Does what a reader of a document would: runs its commands in order, in a fresh home and store.
//!
//! Commands in a block follow one another exactly as written. A command in running text stands alone:
//! before it, only `work` is open, on the first page of the site.

use std::collections::HashSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use serde_json::Value;

use super::commands::{Command, commands, is_name};
use super::lists::{BEFORE, ELSEWHERE, replaced};
use super::markdown::{Document, root};
use super::site;
use crate::harness::{PATIENTLY, Running, Signal, Site, TestEnv, node, wait_until};

/// For `szk doctor --stealth`, which starts two browsers and visits every realm in both.
const PATIENTLY_INDEED: Duration = Duration::from_secs(240);

/// Programs that a reader has and a test does not; the clients are in `client.mjs`.
const PROGRAMS: [(&str, &str); 6] = [
    ("claude", "exec node '{client}' \"$@\""),
    ("codex", "exec node '{client}' \"$@\""),
    ("code", "exec node '{client}' \"$@\""),
    ("pass", "echo made-up"),
    ("generate-steps", "cat steps.json"),
    ("imgcat", "test \"$(head -c 4 | tail -c 3)\" = PNG"),
];

/// A reader in the middle of a document.
struct Reader {
    env: TestEnv,
    site: Site,
    /// What runs until Ctrl-C, or until the session closes.
    running: Vec<(String, Running)>,
    /// Commands that stand alone, as far as they have been run.
    alone: HashSet<String>,
}

impl Reader {
    fn new(document: &Document) -> Self {
        let mut env = TestEnv::new();
        let site = site::serve();
        let bin = env.path().join("bin");
        // Python with the packages that `scripts/python` installed.
        let python = root().join("target/python/bin");
        let path = std::env::var("PATH").expect("programs are found");
        env.set(
            "PATH",
            &format!("{}:{}:{path}", bin.display(), python.display()),
        );
        env.set("PASSWORD", "made-up");
        fs::create_dir(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_szk"), bin.join("szk")).unwrap();
        let client = root().join("tests/docs/client.mjs").display().to_string();
        for (name, script) in PROGRAMS {
            let script = format!("#!/bin/sh\n{}\n", script.replace("{client}", &client));
            fs::write(bin.join(name), script).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let reader = Self {
            env,
            site,
            running: Vec::new(),
            alone: HashSet::new(),
        };
        site::files(&reader.env, &reader.url(""));
        if document.text.contains("--from chrome") {
            reader.chrome();
        }
        reader
    }

    /// A browser of the reader's own, signed in to the site: written by Chromium, in Chrome's place.
    fn chrome(&self) {
        self.env.open("source");
        self.env.navigate("source", &self.url("/"));
        self.env
            .eval_main("source", "document.cookie = 'sid=1; max-age=9999'");
        self.env.close("source");
        let config = self.env.path().join("home/config");
        fs::create_dir_all(&config).unwrap();
        fs::rename(
            self.env.in_profile("source", "profile"),
            config.join("google-chrome"),
        )
        .unwrap();
        self.env.szk(["delete", "source", "--yes"]).ok();
    }

    /// As `localhost`, which has subdomains like `example.com`.
    fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.site.port())
    }

    fn follow(&mut self, command: &Command) {
        if ELSEWHERE.iter().any(|(text, _)| *text == command.text) {
            return;
        }
        if !command.in_block && is_name(&command.text) {
            self.run(command, &format!("{} --help", command.text));
            return;
        }
        // Begun in the same way, the same command does the same again.
        if !command.in_block && !self.alone.insert(command.text.clone()) {
            return;
        }
        if !command.in_block && command.text.starts_with("szk ") {
            self.alone_at_work();
        }
        for (beginning, lines) in BEFORE {
            if command.text.starts_with(beginning) {
                let lines = self.filled(lines);
                self.env.shell(&lines).ok();
            }
        }
        let text = self.filled(&replaced(&command.text));
        if text.starts_with("szk open ") && !text.contains(" --detach") {
            self.open(command, &text);
        } else if is_handed_over(&text) {
            self.hand_over(command, &text);
        } else {
            self.run(command, &text);
        }
    }

    /// Makes sure that only `work` is open, on the first page.
    fn alone_at_work(&self) {
        let mut is_open = false;
        for session in self.sessions().filter(|row| row["status"] == "open") {
            let name = session["session"].as_str().expect("it has a name");
            is_open |= name == "work";
            if name != "work" {
                self.env.close(name);
            }
        }
        if !is_open {
            self.env.open("work");
        }
        self.env.navigate("work", &self.url("/"));
    }

    fn sessions(&self) -> impl Iterator<Item = Value> {
        let list = self.env.szk(["list", "--json"]).json();
        let rows = list["sessions"].as_array().expect("a list").clone();
        rows.into_iter()
    }

    /// Text with the braces filled in.
    fn filled(&mut self, text: &str) -> String {
        let mut text = text
            .replace("{site}", &self.url(""))
            .replace("{szk}", env!("CARGO_BIN_EXE_szk"));
        if text.contains("{packages}") {
            let packages = node::folder().join("node_modules");
            text = text.replace("{packages}", packages.to_str().expect("Unicode"));
        }
        if text.contains("{port}") {
            let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
            let port = listener.local_addr().expect("it is bound").port();
            text = text.replace("{port}", &port.to_string());
        }
        if text.contains("{ref}") {
            let places = self.env.szk(["find", "Send", "-s", "work"]).ok().stdout;
            let found = places.split(['[', ']']).nth(1).expect("it has a ref");
            text = text.replace("{ref}", found);
        }
        if text.contains("{tab}") {
            let opened = self
                .env
                .szk(["tabs", "open", "-s", "work", "--json"])
                .json();
            let tab = opened["tab"].as_str().expect("it has an id");
            text = text.replace("{tab}", tab);
        }
        if text.contains("{clone}") {
            text = text.replace("{clone}", &self.clone_name());
        }
        text
    }

    /// The open clone; opens one if there is none.
    fn clone_name(&mut self) -> String {
        let find = |reader: &Self| reader.sessions().find(|row| row["kind"] == "clone");
        let row = find(self).unwrap_or_else(|| {
            let mut clone = self.env.shell("exec szk open work --clone").start();
            clone.until("a clone", is_open);
            self.running.push(("a clone".to_owned(), clone));
            find(self).expect("it is open")
        });
        row["session"].as_str().expect("it has a name").to_owned()
    }

    /// Runs a command to its end.
    fn run(&self, command: &Command, text: &str) {
        let asks = text.starts_with("szk secret set") || text.ends_with(" --ask");
        let input = if asks { "made-up\n" } else { "" };
        let shell = self.env.shell(text).limit(PATIENTLY_INDEED).input(input);
        let ended = shell.run();
        assert!(
            ended.code.is_some_and(|code| command.exits.contains(&code)),
            "{}: `{}`, as `{text}`: {ended:#?}",
            command.place,
            command.text
        );
    }

    /// Opens a session in the foreground, as in a separate terminal.
    fn open(&mut self, command: &Command, text: &str) {
        let mut running = self.env.shell(&format!("exec {text}")).start();
        running.until(&command.place, is_open);
        self.running.push((command.place.clone(), running));
    }

    /// Hands a page off, and plays the person who says that it is done.
    fn hand_over(&self, command: &Command, text: &str) {
        let waiting = self.env.shell(&format!("exec {text}")).start();
        wait_until(&command.place, PATIENTLY, || {
            self.env.szk(["handoff", "work", "--done"]).run().code == Some(0)
        });
        let ended = waiting.end();
        assert_eq!(ended.code, Some(0), "{}: {ended:#?}", command.place);
    }

    /// Presses Ctrl-C for everything still running.
    fn end(self) {
        for (place, running) in self.running {
            running.signal(Signal::INT);
            let ended = running.end();
            assert_eq!(ended.code, Some(0), "{place}: {ended:#?}");
        }
    }
}

/// The last line that `szk open` prints.
fn is_open(line: &str) -> bool {
    line.starts_with('╰')
}

/// Whether a command waits for a person.
fn is_handed_over(text: &str) -> bool {
    let ways_out = ["--no-wait", "--done", "--give-up"];
    text.starts_with("szk handoff ") && !ways_out.iter().any(|way| text.contains(way))
}

fn follow(path: &str) {
    assert!(super::FOLLOWED.contains(&path));
    let document = Document::read(path);
    let mut reader = Reader::new(&document);
    for command in commands(&document) {
        reader.follow(&command);
    }
    reader.end();
}

/// A test for each document.
macro_rules! followed {
    ($($name:ident: $path:literal,)*) => {
        $(#[test]
        fn $name() {
            follow($path);
        })*

        #[test]
        fn every_document_is_followed() {
            assert_eq!([$($path),*], super::FOLLOWED);
        }
    };
}

followed! {
    readme: "README.md",
    introduction: "docs/README.md",
    quick_start: "docs/quick-start.md",
    profiles: "docs/profiles.md",
    durability: "docs/durability.md",
    workflows: "docs/workflows.md",
    agent: "docs/agent.md",
    sharing: "docs/sharing.md",
    endpoint: "docs/endpoint.md",
    server: "docs/server.md",
    stealth: "docs/stealth.md",
    safety: "docs/safety.md",
    faq: "docs/faq.md",
    examples_of_the_help: "docs/reference/cli.md",
    skill: "docs/skill/SKILL.md",
}
