//! Commands of one terminal are one client; those of two terminals are two, unless they share a name.

use serde_json::Value;

use crate::harness::{Site, TestEnv};

/// `szk` with these words, as a line for a shell.
fn line(words: &str) -> String {
    format!("{} {words} -s work --json", env!("CARGO_BIN_EXE_szk"))
}

/// Lines in another terminal, which lives as long as they run: a shell does not become what is not last.
fn elsewhere(lines: &[String]) -> String {
    format!("setsid --wait bash -euc '{}; true'", lines.join("; "))
}

#[test]
fn each_terminal_has_a_tab_of_its_own_and_a_name_has_one_in_all_of_them() {
    let env = TestEnv::new();
    let site = Site::of("<title>a</title>");
    env.open("work");
    let go = format!("navigate {}", site.url("/"));
    let named = format!("--client ci {go}");
    let here = [
        line(&go),
        elsewhere(&[line(&go), line("tabs")]),
        line(&go),
        line("tabs"),
        line(&named),
        elsewhere(&[line(&named)]),
    ];
    // The first terminal reads its lines, which have quotes of their own.
    let here = format!("setsid --wait bash -eu <<'END'\n{}\nEND", here.join("\n"));
    let shell = env.program("bash", ["-c", &here]);
    let told = shell.env("SZK_CLIENT", "").ok().stdout;
    let answers: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [first, other, seen, again, listed, ci, ci_again] = answers.as_slice() else {
        panic!("{told}");
    };
    assert_ne!(other["tab"], first["tab"]);
    assert_eq!(again["tab"], first["tab"]);
    assert!(![&first["tab"], &other["tab"]].contains(&&ci["tab"]));
    assert_eq!(ci_again["tab"], ci["tab"]);
    // Each sees which tab is its own, and who has the other.
    let row = |listed: &Value, tab: &Value| {
        let rows = listed["tabs"].as_array().unwrap().iter();
        rows.clone().find(|row| row["id"] == *tab).unwrap().clone()
    };
    assert_eq!(row(seen, &other["tab"])["yours"], true, "{seen:#}");
    let theirs = row(seen, &first["tab"]);
    assert!(
        theirs["client"].as_str().unwrap().starts_with("terminal "),
        "{theirs:#}"
    );
    assert_eq!(row(listed, &first["tab"])["yours"], true, "{listed:#}");
}
