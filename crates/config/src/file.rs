//! One configuration file: its text, and positions in it.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::Problem;

/// Longest configuration file, in bytes: far more than any project needs.
const LONGEST: u64 = 1 << 20;

/// A file's text, kept for as long as errors may quote it.
#[derive(PartialEq, Eq)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl SourceFile {
    /// Reads the file; every failure names the file and the reason.
    pub(crate) fn read(path: &Path) -> Result<Self, Problem> {
        let shown = path.display();
        let bytes = szk_files::read(path, LONGEST).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Problem::new(format!("`{shown}` does not exist")),
            io::ErrorKind::IsADirectory => {
                Problem::new(format!("`{shown}` is a folder, not a configuration file"))
            }
            _ => Problem::new(format!("cannot read `{shown}`: {e}")),
        })?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
            Problem::new(format!("`{shown}` is not UTF-8 text (line {line})"))
        })?;
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// Line and column of a byte offset, both from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(offset)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = 1 + before.matches('\n').count();
        (line, 1 + before[line_start..].chars().count())
    }

    /// The part of the span on its first line: a caret shows where to look, not how far the mistake
    /// reaches.
    pub(crate) fn on_one_line(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.floor(span.start);
        let end = self.floor(span.end).max(start);
        let text = &self.text[start..end];
        let length = text.find(['\n', '\r']).unwrap_or(text.len());
        start..start + length
    }

    /// The text with the logins in URLs replaced by stars, byte for byte, so positions stay valid.
    pub(crate) fn masked(&self) -> String {
        self.text.split_inclusive('\n').map(masked_line).collect()
    }

    /// The nearest character boundary at or before the offset.
    fn floor(&self, offset: usize) -> usize {
        let at_most = offset.min(self.text.len());
        let mut boundaries = (0..=at_most).rev();
        boundaries
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or(0)
    }
}

/// Replaces with stars what stands between `://`, or the opening quote on a line about a proxy, and
/// the last `@`.
fn masked_line(line: &str) -> String {
    if let Some(value) = key_in(line) {
        let (before, value) = line.split_at(value);
        let end = value.trim_end().len();
        return format!("{before}{}{}", "*".repeat(end), &value[end..]);
    }
    let Some(end) = line.rfind('@') else {
        return line.to_owned();
    };
    let start = match line[..end].find("://") {
        Some(at) => at + 3,
        None if line.contains("proxy") => line[..end].find(['"', '\'']).map_or(0, |at| at + 1),
        None => return line.to_owned(),
    };
    let stars = "*".repeat(end - start);
    format!("{}{stars}{}", &line[..start], &line[end..])
}

/// Where the value of `key = …` begins, which is a provider's key.
fn key_in(line: &str) -> Option<usize> {
    let name = line.split(['=', '{']).find(|part| part.trim() == "key")?;
    let after = name.as_ptr() as usize - line.as_ptr() as usize + name.len();
    let value = line[after..].strip_prefix('=')?;
    Some(line.len() - value.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile {
            path: PathBuf::from("szk.config.toml"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn positions_count_characters() {
        let file = file("a = 1\nü = \"é\"\n");
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position("a = 1\nü = ".len()), (2, 5));
        assert_eq!(file.position(9999), (3, 1));
    }

    #[test]
    fn logins_are_starred_out() {
        let check = |line: &str, expected: &str| assert_eq!(file(line).masked(), expected);
        check(
            "proxy = \"http://jane:pw@host\"\n",
            "proxy = \"http://*******@host\"\n",
        );
        check("proxy = \"jane:pw@host\"", "proxy = \"*******@host\"");
        check("label = \"a@b\"", "label = \"a@b\"");
        check("key = \"sk-1\"\n", "key = ******\n");
        check("agent = { key = 'sk' }", "agent = { key = ******");
        check("keyboard = \"us\"\n", "keyboard = \"us\"\n");
    }
}
