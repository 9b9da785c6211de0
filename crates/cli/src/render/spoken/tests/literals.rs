//! The string literals of szk's own sources, without those of tests and of comments.

use std::fs;
use std::path::Path;

/// Those of all sources of the crates in a folder.
pub(super) fn of_folder(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        if path.is_dir() {
            if !matches!(name, "tests" | "testing") {
                of_folder(&path, texts);
            }
        } else if name.ends_with(".rs") && !name.contains("test") {
            let source = fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            of_source(source, texts);
        }
    }
}

/// What is said of wrong input: the first literal after each `Failure::invalid(` in a folder, and the fields
/// that it is about.
pub(super) fn complaints(folder: &Path, found: &mut Vec<(String, Vec<String>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            complaints(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            for call in source.split("Failure::invalid(").skip(1) {
                let argument = call
                    .trim_start()
                    .trim_start_matches("format!(")
                    .trim_start();
                let Some(literal) = argument.strip_prefix('"') else {
                    continue;
                };
                let (text, after) = plain(literal);
                found.push((text, fields(after)));
            }
        }
    }
}

/// The names in `.about([…])`, if that comes next; those that are computed are left out.
fn fields(after: &str) -> Vec<String> {
    let statement = after.split([';', '}']).next().unwrap_or_default();
    let Some((_, list)) = statement.split_once(".about([") else {
        return Vec::new();
    };
    let list = list.split(']').next().unwrap_or_default();
    let names = list.split('"').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

fn of_source(source: &str, texts: &mut Vec<String>) {
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'', '#']) {
        let here = &rest[at..];
        rest = if here.starts_with("//") {
            here.split_once('\n').map_or("", |(_, after)| after)
        } else if here.starts_with("'\"'") || here.starts_with("'\\\"'") {
            here.split_once("\"'").map_or("", |(_, after)| after)
        } else if let (Some(raw), true) = (here.strip_prefix("#\""), rest[..at].ends_with('r')) {
            let (raw, after) = raw.split_once("\"#").unwrap_or((raw, ""));
            texts.push(raw.to_owned());
            after
        } else if let Some(literal) = here.strip_prefix('"') {
            let (text, after) = plain(literal);
            texts.push(text);
            after
        } else {
            &here[1..]
        };
    }
}

/// A literal with its escapes read, and what comes after it.
fn plain(literal: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = literal.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, &literal[at + 1..]),
            '\\' => match letters.next() {
                Some((_, 'n')) => text.push('\n'),
                // The next line goes on where its text begins.
                Some((end, '\n')) => {
                    let next = literal[end..].trim_start();
                    let (rest, after) = plain(next);
                    return (text + &rest, after);
                }
                Some((_, other)) => text.push(other),
                None => {}
            },
            letter => text.push(letter),
        }
    }
    (text, "")
}
