//! Reads a recipe, and says where it is wrong.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Deserialize;
use toml::Spanned;

use crate::recipe::{Do, Expect, Head, Param, Recipe, Step};
use crate::{address, template};

/// What is wrong with a recipe's file; `Display` shows the line with a caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    path: String,
    text: String,
    span: Range<usize>,
}

impl ParseError {
    /// What is wrong, in one sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        let before = self.text.get(..self.span.start).unwrap_or_default();
        before.matches('\n').count() + 1
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.text.get(self.span.clone()).unwrap_or_default();
        // A step is many lines: its first one is enough.
        let length = rest.find('\n').unwrap_or(rest.len());
        let span = self.span.start..self.span.start + length;
        let snippet = Snippet::source(self.text.as_str())
            .path(self.path.as_str())
            .annotation(AnnotationKind::Primary.span(span));
        let title = Level::ERROR.primary_title(self.message.as_str());
        f.write_str(&Renderer::plain().render(&[title.element(snippet)]))
    }
}

impl std::error::Error for ParseError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    recipe: Spanned<Head>,
    #[serde(default)]
    params: std::collections::BTreeMap<String, Param>,
    #[serde(default)]
    step: Vec<Spanned<Step>>,
}

/// Reads and checks a recipe; `path` is for messages.
///
/// # Errors
/// [`ParseError`] with the first thing that is wrong.
pub fn parse(text: &str, path: &str) -> Result<Recipe, ParseError> {
    let wrong = |message: String, span: Range<usize>| ParseError {
        message,
        path: path.to_owned(),
        text: text.to_owned(),
        span,
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        wrong(error.message().trim().to_owned(), span)
    })?;
    let head = file.recipe;
    let site = &head.get_ref().site;
    if address::origin(site).as_deref() != Some(site) {
        let message = format!("`site` is an origin such as `https://shop.example`, not `{site}`");
        return Err(wrong(message, head.span()));
    }
    // Where in a step a text stands; up to the next step.
    let place = |needle: &str, span: &Range<usize>| {
        let rest = text.get(span.start..)?;
        let header = "[[step]]";
        let end = rest.get(1..)?.find(header).map_or(rest.len(), |at| at + 1);
        let at = span.start + rest.get(..end)?.find(needle)?;
        Some(at..at + needle.len())
    };
    let mut steps = Vec::new();
    for step in file.step {
        let span = step.span();
        let step = step.into_inner();
        let known = |name: &str| file.params.contains_key(name);
        check(&step, &known).map_err(|mistake| {
            let at = mistake.text.and_then(|text| place(&text, &span));
            wrong(mistake.message, at.unwrap_or(span))
        })?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(wrong(
            "a recipe needs at least one `[[step]]`".to_owned(),
            head.span(),
        ));
    }
    Ok(Recipe {
        head: head.into_inner(),
        params: file.params,
        steps,
    })
}

/// What is wrong with a step.
struct Mistake {
    message: String,
    /// The text of it that is wrong, if it is a certain one.
    text: Option<String>,
}

impl From<String> for Mistake {
    fn from(message: String) -> Self {
        Self {
            message,
            text: None,
        }
    }
}

fn check(step: &Step, known: &dyn Fn(&str) -> bool) -> Result<(), Mistake> {
    let verb = step.act.word();
    if step.act.needs_element() && step.on.as_ref().is_none_or(crate::Identity::is_empty) {
        return Err(format!("`{verb}` needs `on`, an element to act on").into());
    }
    if step.act.needs_value() && step.value.is_none() {
        return Err(format!("`{verb}` needs `value`").into());
    }
    let missing = match step.act {
        Do::Wait if step.expect.as_ref().is_none_or(Expect::is_empty) => Some("expect"),
        Do::Drag if step.by.is_none() && step.to.as_ref().is_none_or(crate::Identity::is_empty) => {
            Some("to")
        }
        Do::Extract if step.schema.is_none() => Some("schema"),
        Do::Repeat if step.until.is_none() => Some("until"),
        Do::Repeat | Do::Each if step.steps.is_empty() => Some("steps"),
        _ => None,
    };
    if let Some(field) = missing {
        return Err(format!("`{verb}` needs `{field}`").into());
    }
    of_step(step)?;
    of_mouse(step)?;
    for text in texts(step) {
        let names = template::names(text).map_err(|error| error.to_string())?;
        if let Some(name) = names.into_iter().find(|name| !known(name)) {
            return Err(Mistake {
                message: format!("`{{{{{name}}}}}` is not a parameter: add `[params.{name}]`"),
                text: Some(text.clone()),
            });
        }
    }
    step.steps.iter().try_for_each(|inner| check(inner, known))
}

/// Refuses conditions on what a step did where no step did anything.
fn of_step(step: &Step) -> Result<(), Mistake> {
    let misplaced = |message: String, key: &str| {
        Err(Mistake {
            message,
            text: Some(format!("{key} =")),
        })
    };
    for (name, condition) in [("if", &step.when), ("until", &step.until)] {
        if let Some(key) = condition.as_ref().and_then(Expect::of_step) {
            return misplaced(
                format!(
                    "`{key}` is of the element that a step acts on: it belongs in `expect`, not in `{name}`"
                ),
                key,
            );
        }
    }
    let Some(expect) = &step.expect else {
        return Ok(());
    };
    if expect.changes == Some(false) {
        return misplaced("`changes` can only be `true`".to_owned(), "changes");
    }
    match expect.of_step() {
        Some(key) if !step.act.acts() => misplaced(
            format!(
                "`{}` acts on no element, so `{key}` says nothing",
                step.act.word()
            ),
            key,
        ),
        Some(key) if key != "changes" && step.on.is_none() => {
            misplaced(format!("`{key}` needs `on`, the element it is of"), key)
        }
        _ => Ok(()),
    }
}

/// Refuses what only certain acts of the mouse have.
fn of_mouse(step: &Step) -> Result<(), Mistake> {
    use Do::{Click, Drag, Hover};
    let given = [
        ("point", step.point.is_some(), &[Click, Hover, Drag][..]),
        ("to", step.to.is_some(), &[Drag][..]),
        ("to_point", step.to_point.is_some(), &[Drag][..]),
        ("by", step.by.is_some(), &[Drag][..]),
        ("button", step.button.is_some(), &[Click][..]),
        ("modifiers", !step.modifiers.is_empty(), &[Click][..]),
    ];
    let wrong = |key: &str, message: String| {
        Err(Mistake {
            message,
            text: Some(format!("{key} =")),
        })
    };
    for (key, is_given, acts) in given {
        if is_given && !acts.contains(&step.act) {
            return wrong(key, format!("`{}` has no `{key}`", step.act.word()));
        }
    }
    if step.by.is_some() && step.to.is_some() {
        return wrong("by", "give `to` or `by`, not both".to_owned());
    }
    if step.to_point.is_some() && step.to.is_none() {
        return wrong(
            "to_point",
            "`to_point` needs `to`, the element it is of".to_owned(),
        );
    }
    let known = ["Control", "Shift", "Alt", "Meta"];
    let mut modifiers = step.modifiers.iter();
    match modifiers.find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Mistake {
            message: format!(
                "`{key}` is not a modifier: they are `Control`, `Shift`, `Alt` and `Meta`"
            ),
            text: Some(format!("\"{key}\"")),
        }),
        None => Ok(()),
    }
}

/// The texts of a step that may name parameters.
fn texts(step: &Step) -> Vec<&String> {
    let mut texts: Vec<&String> = step.value.iter().collect();
    for on in step.on.iter().chain(&step.to) {
        texts.extend(on.texts().map(|(_, text)| text));
    }
    for condition in [&step.expect, &step.when, &step.until]
        .into_iter()
        .flatten()
    {
        texts.extend(&condition.navigates);
        texts.extend(&condition.text);
        texts.extend(&condition.no_text);
        texts.extend(condition.appears.iter().map(|thing| &thing.name));
        texts.extend(condition.gone.iter().map(|thing| &thing.name));
        let things = condition.appears.iter().chain(&condition.gone);
        texts.extend(things.filter_map(|thing| thing.state.value.as_ref()));
        texts.extend(&condition.state.value);
        texts.extend(condition.place.texts().map(|(_, text)| text));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[recipe]\nname = \"a\"\nsite = \"https://shop.example\"\n";

    #[track_caller]
    fn refused(rest: &str, message: &str, line: usize) -> String {
        let error = parse(&format!("{HEAD}{rest}"), "a.toml").unwrap_err();
        assert!(error.message().contains(message), "{error}");
        assert_eq!(error.line(), line, "{error}");
        error.to_string()
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        refused("[[step]]\ndo = \"clik\"", "unknown variant `clik`", 5);
        refused("[[step]]\ndo = \"click\"", "`click` needs `on`", 4);
        refused(
            "[[step]]\ndo = \"click\"\nclass = 1",
            "unknown field `class`",
            6,
        );
        let drag = "[[step]]\ndo = \"drag\"\non = { name = \"a\" }";
        refused(drag, "`drag` needs `to`", 4);
        refused("", "at least one", 1);
        let both = format!("{drag}\nto = {{ name = \"b\" }}\nby = {{ x = 5 }}");
        refused(&both, "`to` or `by`, not both", 8);
        let point = "point = { x = 1, y = 2, width = 3, height = 4 }";
        let nowhere = format!("{drag}\nby = {{ x = 5 }}\nto_{point}");
        refused(&nowhere, "`to_point` needs `to`", 8);
        let press = format!("[[step]]\ndo = \"press\"\nvalue = \"Enter\"\n{point}");
        refused(&press, "`press` has no `point`", 7);
        let click = "[[step]]\ndo = \"click\"\non = { name = \"a\" }\n";
        let held = format!("{click}modifiers = [\"Ctrl\"]");
        refused(&held, "`Ctrl` is not a modifier", 7);
        let never = format!("{click}expect = {{ changes = false }}");
        refused(&never, "`changes` can only be `true`", 7);
        let early = format!("{click}at = \"/\"\nif = {{ state = {{ checked = true }} }}");
        let shown = refused(&early, "belongs in `expect`, not in `if`", 8);
        assert!(shown.contains("^^^^^^^"), "{shown}");
        let press = "[[step]]\ndo = \"press\"\nvalue = \"Enter\"\nexpect = { place = { within = \"Done\" } }";
        refused(press, "`place` needs `on`", 7);
        let wait = "[[step]]\ndo = \"wait\"\nexpect = { changes = true }";
        refused(wait, "`wait` acts on no element", 6);
        let unknown = format!("{click}expect = {{ state = {{ chekced = true }} }}");
        refused(&unknown, "unknown field `chekced`", 7);
        let value = format!("{click}expect = {{ state = {{ value = \"{{{{city}}}}\" }} }}");
        refused(&value, "add `[params.city]`", 7);
        let shown = refused(
            "[[step]]\ndo = \"fill\"\nvalue = \"{{order}}\"\non = { role = \"textbox\" }",
            "add `[params.order]`",
            6,
        );
        assert!(
            shown.contains("a.toml:6:10") && shown.contains("^^^^^^^^^"),
            "{shown}"
        );
        let site = parse("[recipe]\nname = \"a\"\nsite = \"shop\"\n", "a.toml");
        assert!(site.unwrap_err().message().contains("origin"));
    }
}
