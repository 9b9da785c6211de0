//! The subset of Markdown that the documents use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A document of the repository.
pub(super) struct Document {
    /// Path from the repository's root.
    pub(super) path: String,
    pub(super) text: String,
}

/// A piece of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A fenced block: the line of its first line, its kind, its lines.
    Fence(usize, &'a str, Vec<&'a str>),
    /// A line outside of fences.
    Line(usize, &'a str),
}

/// The repository's root.
pub(super) fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository is there")
}

impl Document {
    pub(super) fn read(path: &str) -> Self {
        let text =
            fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self {
            path: path.to_owned(),
            text,
        }
    }

    /// Fences and the lines between them, in order; line numbers start at 1.
    pub(super) fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut open: Option<(usize, &str, Vec<&str>)> = None;
        for (index, line) in self.text.lines().enumerate() {
            match (&mut open, line.trim_start().strip_prefix("```")) {
                (None, Some(kind)) => open = Some((index + 2, kind.trim(), Vec::new())),
                (Some(_), Some("")) => {
                    let (at, kind, lines) = open.take().expect("it was matched");
                    pieces.push(Piece::Fence(at, kind, lines));
                }
                (Some((_, _, lines)), _) => lines.push(line),
                (None, None) => pieces.push(Piece::Line(index + 1, line)),
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.path);
        pieces
    }

    /// Targets of links and pictures, each with its line.
    pub(super) fn links(&self) -> Vec<(usize, String)> {
        let mut links = Vec::new();
        for piece in self.pieces() {
            let Piece::Line(number, line) = piece else {
                continue;
            };
            let line = without_code(line);
            for part in line.split("](").skip(1) {
                let target = part.split(')').next().unwrap_or_default();
                links.push((number, target.to_owned()));
            }
        }
        links
    }

    /// Valid `#…` anchors of this document.
    pub(super) fn anchors(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut anchors = Vec::new();
        for piece in self.pieces() {
            let Piece::Line(_, line) = piece else {
                continue;
            };
            let Some(heading) = heading(line) else {
                continue;
            };
            let anchor = anchor(heading);
            let before = seen.entry(anchor.clone()).or_default();
            anchors.push(match *before {
                0 => anchor,
                more => format!("{anchor}-{more}"),
            });
            *before += 1;
        }
        anchors
    }
}

/// Text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len() && text.starts_with(' ')).then(|| text.trim())
}

/// A heading's anchor, as Markdown web sites and mdBook generate it.
fn anchor(heading: &str) -> String {
    let kept = heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    kept.replace(' ', "-")
}

/// The code spans of a line.
pub(super) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A line without its code spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

#[test]
fn markdown_is_read_as_it_is_written() {
    let document = Document {
        path: "x.md".to_owned(),
        text: "# A `b` c!\n[x](y.md#z) `[no](code)` ![p](q.png)\n```sh\nszk list\n```\n# A b c\n"
            .to_owned(),
    };
    assert_eq!(document.anchors(), ["a-b-c", "a-b-c-1"]);
    let links = [(2, "y.md#z".to_owned()), (2, "q.png".to_owned())];
    assert_eq!(document.links(), links);
    assert_eq!(
        document.pieces()[2],
        Piece::Fence(4, "sh", vec!["szk list"])
    );
    assert_eq!(code_spans("a `b` c `d`").collect::<Vec<_>>(), ["b", "d"]);
}
