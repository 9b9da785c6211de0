//! What is wrong with the configuration, reported all at once.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};

use crate::Source;
use crate::file::SourceFile;

/// Every problem that was found; never empty.
///
/// `Display` shows each with file, line, column, source line and caret, in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq)]
pub struct Problem {
    message: String,
    hint: Option<String>,
    at: Option<Location>,
    /// Whether a variable of the environment is wrong.
    of_a_variable: bool,
}

/// A stretch of a configuration file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Range<usize>,
}

impl ConfigErrors {
    /// The problems, in the order of layers and lines.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub(crate) fn of(problem: Problem) -> Self {
        Self {
            problems: vec![problem],
        }
    }

    /// `Ok` if nothing is wrong.
    pub(crate) fn check(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            return Ok(());
        }
        Err(Self { problems })
    }
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            at: None,
            of_a_variable: false,
        }
    }

    pub(crate) fn at(mut self, at: Option<Location>) -> Self {
        self.at = at;
        self
    }

    pub(crate) fn set_by(mut self, source: &Source) -> Self {
        self.of_a_variable = matches!(source, Source::Env { .. });
        self
    }

    pub(crate) fn with_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// What is wrong, in one sentence with its literal values.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The file it is in; `None` for the environment and the call.
    pub fn path(&self) -> Option<&Path> {
        self.at.as_ref().map(|at| at.file.path.as_path())
    }

    /// Whether the call is wrong, or the profile, rather than a file or a variable.
    pub fn is_of_the_call(&self) -> bool {
        self.at.is_none() && !self.of_a_variable
    }

    /// Line and column, both from 1, the column in characters.
    pub fn position(&self) -> Option<(usize, usize)> {
        let at = self.at.as_ref()?;
        Some(at.file.position(at.span.start))
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(at) = &self.at else {
            write!(f, "error: {}", self.message)?;
            return self
                .hint
                .iter()
                .try_for_each(|hint| write!(f, "\nhelp: {hint}"));
        };
        let title = Level::ERROR.primary_title(self.message.as_str());
        let hint = self.hint.as_deref().map(|hint| Level::HELP.message(hint));
        let group = title.element(at.snippet()).elements(hint);
        f.write_str(&Renderer::plain().render(&[group]))
    }
}

/// Prints only what is safe to print: the file's text can hold a proxy's password.
impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, position) = (self.path(), self.position());
        write!(f, "Problem({:?}, {path:?}, {position:?})", self.message)
    }
}

impl Location {
    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let text = self.file.masked();
        let span = self.file.on_one_line(&self.span);
        Snippet::source(text)
            .path(self.file.path.display().to_string())
            .annotation(AnnotationKind::Primary.span(span))
    }
}
