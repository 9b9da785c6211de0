//! Files stay small, and tests run.

use super::{only_in, sources};

/// Hard limit of lines; aim for 120.
const LIMIT: usize = 500;

#[test]
fn no_file_is_longer_than_500_lines() {
    // Nobody reads what is written from the code; a test of `szk-bindings` compares it.
    let by_hand = |text: &str| {
        !text.starts_with("# Written by szk") && !text.starts_with("// Written by szk")
    };
    let long: Vec<String> = sources(&["rs", "js", "mjs", "ts", "sh", "py", "md"])
        .iter()
        .filter(|source| by_hand(&source.text))
        .filter_map(|source| {
            Some((source, source.text.lines().count())).filter(|(_, lines)| *lines > LIMIT)
        })
        .map(|(source, lines)| format!("{}: {lines} lines", source.path))
        .collect();
    assert!(long.is_empty(), "split these:\n{}", long.join("\n"));
}

#[test]
fn no_test_is_ignored_and_nothing_is_left_to_do() {
    // Split in two, so that this file does not find itself.
    let marks = [
        ["#[ig", "nore"],
        ["to", "do!("],
        ["unimple", "mented!("],
        ["TO", "DO"],
        ["FIX", "ME"],
    ]
    .map(|parts| parts.concat());
    let found: Vec<String> = sources(&["rs", "js", "mjs", "sh", "py", "toml"])
        .iter()
        .flat_map(|source| {
            source
                .text
                .lines()
                .enumerate()
                .map(move |(index, line)| (source, index, line))
        })
        .filter(|(_, _, line)| {
            marks.iter().any(|mark| line.contains(mark.as_str())) && !line.contains("clippy")
        })
        .filter(|(source, _, line)| {
            !(source.path == "Cargo.toml" && line.starts_with(&marks[1][..4]))
        })
        .map(|(source, index, line)| format!("{}:{}: {}", source.path, index + 1, line.trim()))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Words that name a type and say nothing: an address, a listener and a lease were all called so.
const VAGUE: [&str; 4] = ["Place", "Held", "Told", "Asked"];

/// The name of the type that a line declares, however visible it is.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().filter(|word| {
        // `pub(in some::path)` has a space in it.
        !word.starts_with("pub") && !word.ends_with(')') && *word != "unsafe"
    });
    let kind = words.next()?;
    let name = words.next()?;
    let is_type = matches!(kind, "struct" | "enum" | "type" | "trait" | "union");
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    is_type.then(|| &name[..end.unwrap_or(name.len())])
}

#[test]
fn types_are_named_for_what_they_are() {
    for (line, expected) in [
        ("pub(super) enum Place {", Some("Place")),
        ("    pub(in crate::a) struct Held<'a>(u8);", Some("Held")),
        ("enum Told;", Some("Told")),
        ("pub type Asked = u8;", Some("Asked")),
        ("use crate::Place;", None),
    ] {
        assert_eq!(declared(line), expected, "{line}");
    }
    let vague = |line: &str| declared(line).is_some_and(|name| VAGUE.contains(&name));
    only_in(&[], "says nothing as the name of a type", vague);
}

#[test]
fn tests_do_not_sleep() {
    let found: Vec<String> = sources(&["rs"])
        .iter()
        .filter(|source| {
            source.path.starts_with("tests/")
                && source.path != "tests/harness/wait.rs"
                && !source.path.starts_with("tests/invariants/")
        })
        .filter(|source| source.text.contains("sleep("))
        .map(|source| source.path.clone())
        .collect();
    assert!(found.is_empty(), "wait for a condition instead: {found:?}");
}

#[test]
fn only_the_terminal_writes_to_stdout() {
    only_in(
        // It runs when szk is built, and tells Cargo what to do.
        &["crates/szk/build.rs"],
        "stdout of `szk mcp` carries JSON-RPC and nothing else",
        |line| {
            ["println!(", "print!(", "dbg!("]
                .iter()
                .any(|call| line.contains(call))
        },
    );
}

#[test]
fn scripts_of_the_stealth_layer_are_compiled_in() {
    let listed = sources(&["rs"])
        .into_iter()
        .find(|source| source.path.ends_with("runtime/src/stealth/script.rs"))
        .expect("the list");
    for script in sources(&["js", "md"])
        .iter()
        .filter(|source| source.path.starts_with("config/stealth/") && source.path.ends_with(".js"))
    {
        let name = script.path.rsplit('/').next().unwrap();
        assert!(
            listed.text.contains(&format!("\"{name}\"")),
            "`{}` is not in BUILT_IN",
            script.path
        );
    }
}

/// For a crate that may have examples, Cargo reads all of its code once more.
#[test]
fn examples_in_docs_are_run_where_there_are_some() {
    let code = sources(&["rs"]);
    let begins = |line: &str| {
        let line = line.trim_start();
        line.starts_with("/// ```") || line.starts_with("//! ```")
    };
    for manifest in sources(&["toml"]) {
        let Some(folder) = manifest.path.strip_suffix("Cargo.toml") else {
            continue;
        };
        let src = format!("{folder}src/");
        let mut files = code.iter().filter(|file| file.path.starts_with(&src));
        let library = format!("{src}lib.rs");
        if code.iter().any(|file| file.path == library) {
            let has_examples = files.any(|file| file.text.lines().any(begins));
            let off = manifest.text.contains("\n[lib]\ndoctest = false\n");
            assert_ne!(has_examples, off, "`doctest` in {}", manifest.path);
        }
    }
}
