//! The typed clients of `clients/`, over `szk mcp` and over `szk serve`, as their users run them.

mod python;
mod rust;
mod typescript;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Site, Szk, TestEnv};
use crate::serve::{Server, token};

/// What both examples read, click and print.
fn site() -> Site {
    Site::of(
        "<title>Example</title>\
         <button onclick=\"this.remove(); document.body.append('gone')\">Go</button>",
    )
}

const PRINTED: &str = "Example\n1\nNOT_FOUND none\n";

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients")
}

/// A server, and the variables with which an example finds it.
fn served(env: &TestEnv) -> (Server, [(&'static str, String); 2]) {
    let server = Server::start(env);
    let url = server.url.clone();
    let token = token(env, "client", &["--scope", "all"]);
    (server, [("SZK_URL", url), ("SZK_TOKEN", token)])
}

/// A program that finds szk by its name, as a person's shell does.
fn runs<'a>(env: &TestEnv, program: &str, args: impl IntoIterator<Item = &'a str>) -> Szk {
    let szk = Path::new(env!("CARGO_BIN_EXE_szk")).parent().unwrap();
    let others = std::env::var("PATH").unwrap();
    let path = format!("{}:{others}", szk.display());
    env.program(program, args).env("PATH", &path)
}

fn with(program: Szk, variables: &[(&'static str, String)]) -> Szk {
    let add = |program: Szk, (name, value): &(&'static str, String)| program.env(name, value);
    variables.iter().fold(program, add)
}

/// The operations and codes of a client's log, which holds nothing that was typed.
fn logged(file: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).unwrap();
    assert!(!text.contains("promise of nothing"), "{text}");
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["ms"].is_u64() && line["time"].is_string(), "{line}");
        let word = |field: &str| line[field].as_str().unwrap().to_owned();
        (word("operation"), word("code"))
    });
    lines.collect()
}

/// What each client logs of a call that it gives up between two that end well.
fn given_up() -> Vec<(String, String)> {
    let lines = [
        ("session_open", "OK"),
        ("browser_run_code", "CANCELLED"),
        ("browser_run_code", "OK"),
        ("session_close", "OK"),
    ];
    let owned = lines.map(|(operation, code)| (operation.to_owned(), code.to_owned()));
    owned.to_vec()
}
