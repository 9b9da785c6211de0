//! The commands of a document, in order.

use super::followed;
use super::lists::{BEFORE, ELSEWHERE, INSTEAD};
use super::markdown::{Document, Piece, code_spans, root};

/// Fence kinds that contain commands, and those that do not.
const COMMANDS: [&str; 4] = ["sh", "bash", "shell", "console"];
const OTHERS: [&str; 7] = ["js", "ts", "python", "json", "toml", "text", ""];

/// What a command in running text starts with.
const PROGRAMS: [&str; 10] = [
    "szk ", "scripts/", "node ", "npm ", "npx ", "claude ", "codex ", "code ", "curl ", "ssh ",
];

/// A command of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// `docs/faq.md:12`
    pub(super) place: String,
    /// As written, without the trailing remark.
    pub(super) text: String,
    /// Exit codes that the remark allows; 0 without one.
    pub(super) exits: Vec<i32>,
    /// It is in a block, after the ones before it; otherwise it stands alone in running text.
    pub(super) in_block: bool,
}

impl Command {
    fn new(place: String, line: &str, in_block: bool) -> Self {
        let (text, remark) = line.split_once(" # ").unwrap_or((line, ""));
        let exits = remark.trim().strip_prefix("exit ").map(codes);
        Self {
            place,
            text: text.trim().to_owned(),
            exits: exits.unwrap_or_else(|| vec![0]),
            in_block,
        }
    }
}

/// `10: refused` is 10, `0 or 1` is both.
fn codes(remark: &str) -> Vec<i32> {
    let said = remark.split([':', ';']).next().unwrap_or_default();
    said.split(" or ")
        .map(|code| code.trim().parse().expect("an exit code"))
        .collect()
}

/// Every command of a document.
pub(super) fn commands(document: &Document) -> Vec<Command> {
    let generated = document.path == "docs/reference/cli.md";
    let mut found = Vec::new();
    for piece in document.pieces() {
        match piece {
            Piece::Fence(at, _, lines) if generated => examples(document, at, &lines, &mut found),
            Piece::Fence(at, kind, lines) if COMMANDS.contains(&kind) => {
                block(document, at, &lines, &mut found);
            }
            Piece::Fence(at, kind, _) => assert!(
                OTHERS.contains(&kind),
                "{}:{at}: say in tests/docs/commands.rs whether `{kind}` holds commands",
                document.path
            ),
            Piece::Line(..) if generated => {}
            Piece::Line(at, line) => {
                let place = format!("{}:{at}", document.path);
                let spans = code_spans(line)
                    .filter(|span| PROGRAMS.iter().any(|program| span.starts_with(program)));
                found.extend(spans.map(|span| Command::new(place.clone(), span, false)));
            }
        }
    }
    found
}

/// Commands of a block: one per line, plus what a `\` or `<<'END'` adds to it.
fn block(document: &Document, at: usize, lines: &[&str], found: &mut Vec<Command>) {
    let mut lines = lines.iter().enumerate();
    while let Some((index, line)) = lines.next() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let place = format!("{}:{}", document.path, at + index);
        let mut command = Command::new(place, line, true);
        while command.text.ends_with('\\') {
            let (_, more) = lines.next().expect("a line goes on");
            command.text = format!("{}\n{more}", command.text);
        }
        if command.text.ends_with("<<'END'") {
            for (_, more) in lines.by_ref() {
                command.text = format!("{}\n{more}", command.text);
                if *more == "END" {
                    break;
                }
            }
            command.text.push('\n');
        }
        found.push(command);
    }
}

/// The examples at the end of a command's help.
fn examples(document: &Document, at: usize, lines: &[&str], found: &mut Vec<Command>) {
    let begin = lines
        .iter()
        .position(|line| matches!(*line, "Examples:" | "Example:"));
    let Some(begin) = begin else { return };
    let first = found.len();
    for (index, line) in lines.iter().enumerate().skip(begin + 1) {
        let line = line.trim();
        // Help is wrapped: a line that does not start with a program continues the previous one.
        let begins = ["eval ", "pass ", "generate-steps ", "mkdir ", "echo "]
            .iter()
            .chain(&PROGRAMS)
            .any(|program| format!("{line} ").starts_with(program));
        if begins {
            let place = format!("{}:{}", document.path, at + index);
            found.push(Command::new(place, line, false));
        } else if found.len() > first {
            let last = found.last_mut().expect("there is one");
            last.text = format!("{} {line}", last.text).trim().to_owned();
        }
    }
}

/// Whether a command in running text only names one, such as `szk state import`.
pub(super) fn is_name(text: &str) -> bool {
    let reference = Document::read("docs/reference/cli.md");
    let heading = format!("## `{text}`");
    reference.text.lines().any(|line| line == heading)
}

#[test]
fn commands_are_found_where_they_stand() {
    let check = |text: &str, expected: &[(&str, i32, bool)]| {
        let document = Document {
            path: "x.md".to_owned(),
            text: text.to_owned(),
        };
        let found = commands(&document);
        let found: Vec<(&str, i32, bool)> = found
            .iter()
            .map(|command| (&*command.text, command.exits[0], command.in_block))
            .collect();
        assert_eq!(found, expected);
    };
    check("`szk list` and `list`", &[("szk list", 0, false)]);
    check("| `claude x` | `szk` |", &[("claude x", 0, false)]);
    check(
        "```sh\n# no\na b  # exit 10: so\n\nc \\\n  d\n```",
        &[("a b", 10, true), ("c \\\n  d", 0, true)],
    );
    check(
        "```console\ncat <<'END'\nx # y\nEND\nd\n```\n```json\nno\n```",
        &[("cat <<'END'\nx # y\nEND\n", 0, true), ("d", 0, true)],
    );
    assert_eq!(codes("0 or 1"), [0, 1]);
    assert!(is_name("szk state import") && !is_name("szk open work"));
}

#[test]
fn what_takes_the_place_of_something_is_still_needed() {
    let all: Vec<Command> = followed().iter().flat_map(commands).collect();
    let stale = |what: &str, is_used: &dyn Fn(&Command) -> bool| {
        assert!(
            all.iter().any(is_used),
            "`{what}` of tests/docs/lists.rs is in no document"
        );
    };
    for (text, _, why) in INSTEAD {
        stale(text, &|command| {
            super::lists::holds(&command.text, text).is_some()
        });
        assert!(!why.is_empty());
    }
    for (text, why) in ELSEWHERE {
        stale(text, &|command| command.text == *text);
        assert!(!why.is_empty());
        if text.starts_with("scripts/") {
            let program = text.split(' ').next().unwrap_or(text);
            assert!(root().join(program).is_file(), "{text}");
        }
    }
    for (text, _) in BEFORE {
        stale(text, &|command| command.text.starts_with(text));
    }
    // If something runs instead, the reason names a file, which must exist.
    for (text, why) in ELSEWHERE {
        for path in code_spans(why).filter(|path| path.starts_with("tests/")) {
            assert!(root().join(path).exists(), "{text}: {path}");
        }
    }
}
