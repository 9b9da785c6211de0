//! Keeper decodes, decides and reports; what it does to a page is in `page`.

use super::sources;

/// What keeper may know of CDP: which sessions there are, what ended a call, and how to wait. None of it is
/// a command.
const KEEPER_KNOWS: [&str; 9] = [
    "CallError",
    "Connection",
    "Done",
    "Event",
    "Reply",
    "SessionId",
    "Subscription",
    "SubscriptionError",
    "uncaught",
];

/// Where keeper sends commands by itself all the same.
const EXCEPTIONS: &[&str] = &[
    // A person's own input goes through as it comes, event by event; no mechanics are in between.
    "crates/keeper/src/handoff/input.rs",
];

#[test]
fn handlers_speak_to_pages_through_the_page_crate() {
    let sources = sources(&["rs"]);
    let keeper = sources
        .iter()
        .filter(|source| source.path.starts_with("crates/keeper/src/"));
    let mut found = Vec::new();
    let mut excepted = Vec::new();
    for source in keeper {
        let code: Vec<&str> = source.code().map(|(_, line)| line.trim()).collect();
        let mut names = names_of(&code.join(" "));
        names.retain(|name| !KEEPER_KNOWS.contains(&name.as_str()));
        match EXCEPTIONS.iter().find(|path| source.path == **path) {
            Some(path) if !names.is_empty() => excepted.push(*path),
            _ => found.extend(names.iter().map(|name| format!("{}: {name}", source.path))),
        }
    }
    assert!(
        found.is_empty(),
        "a command for a page belongs into `crates/page`, with a typed input and output:\n{}",
        found.join("\n")
    );
    excepted.sort_unstable();
    assert_eq!(
        excepted, EXCEPTIONS,
        "no exception is needed here any more: correct this list"
    );
}

/// The names that code takes from `szk_cdp`, by path or by import.
fn names_of(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("szk_cdp") {
        let rest = &code[at + "szk_cdp".len()..];
        let Some(rest) = rest.strip_prefix("::") else {
            // `use szk_cdp as cdp`, `use szk_cdp;`: then the names could not be found.
            names.push("szk_cdp itself".to_owned());
            continue;
        };
        let list = match rest.strip_prefix('{') {
            Some(list) => outer(list),
            None => vec![rest],
        };
        names.extend(list.into_iter().map(|name| first_word(name).to_owned()));
    }
    names
}

/// The items of an import list, up to its closing brace; the list may contain lists.
fn outer(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                items.push(list[from..at].trim());
                from = at + 1;
                if letter == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

fn first_word(path: &str) -> &str {
    let end = path.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '*');
    &path[..end.unwrap_or(path.len())]
}

#[test]
fn every_way_to_name_a_command_is_found() {
    let check = |code: &str, expected: &[&str]| assert_eq!(names_of(code), expected, "{code}");
    check("use szk_cdp::CallError;", &["CallError"]);
    check(
        "use szk_cdp::{ CallError, Reply, };",
        &["CallError", "Reply"],
    );
    check(
        "use szk_cdp::{protocol::{page, dom}, own::*, SessionId};",
        &["protocol", "own", "SessionId"],
    );
    check(
        "let x = szk_cdp::protocol::page::ReloadParams::default();",
        &["protocol"],
    );
    check("use szk_cdp::*;", &["*"]);
    check("use szk_cdp as cdp;", &["szk_cdp itself"]);
}
