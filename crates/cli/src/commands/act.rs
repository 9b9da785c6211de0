//! `szk act`

use std::path::PathBuf;

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use szk_tools::Failure;
use szk_tools::browser::{Act, ActInput, ActKind};

use crate::error::Outcome;
use crate::operation::{Table, Terminal, Typed};

impl Terminal for Act {
    fn table() -> Table {
        Table::new(&[
            "szk act click '#send'",
            "szk act click e12 --snapshot",
            "szk act click --name Send --role button",
            "szk act fill '#user' jane",
            "szk act press Enter",
            "szk act select '#size' Large",
            "szk act drag '#card' '#done'",
            "szk act drag '#card' --dx 120",
            "szk act down '#done@10,20'",
            "szk act move --dx 8 --dy 4",
            "szk act up",
            "szk act wait '#result' --state visible",
            "szk act wait --text '/results|found/i'",
            "szk act scroll --to bottom",
        ])
        .about("Act on an element of the page")
        .details(
            "TARGET is a ref from a snapshot (`e12`), a point (`120,80`), `text=` and what it says, or a CSS \
             selector or an XPath (`//button[2]`, `xpath=…`) that matches one element; `e12@10,20` is a point of the element, from its upper left corner. VALUE is the text to type or fill in, the key to press, the options to select, \
             the files to upload, the size to resize to, or the target to drag to.",
        )
        .positions(&["kind"])
        .arg("kind", |arg| arg.required(true))
        .arg("ref", |arg| arg.conflicts_with_all(["target", "selector"]))
        .arg("selector", |arg| arg.conflicts_with("target"))
        .arg("x", |arg| arg.requires("y"))
        .arg("y", |arg| arg.requires("x"))
        .value("count", "N")
        .arg("modifiers", |arg| arg.value_name("KEY").value_delimiter(','))
        .arg("text", |arg| arg.allow_hyphen_values(true))
        .arg("key", |arg| arg.allow_hyphen_values(true))
        .help("button", "click: mouse button [default: left]")
        .help("paths", "upload: files, for a file field or whatever opens a chooser")
        .value("values", "OPTION")
        .value("to", "PLACE")
        .value("after", "TEXT")
        .value("dialog", "ANSWER")
        .value("dialog_text", "TEXT")
        .value("input", "PACE")
        .own(words)
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let words = typed.value("target").into_iter();
        let words = words.chain(typed.values("value")).collect();
        let input = placed(typed.input()?, words)?;
        typed.summary(&typed.context.call::<Self>(&input).await?)
    }
}

/// What follows the kind: which field a word is depends on it.
fn words(command: Command) -> Command {
    let target = Arg::new("target").value_name("TARGET");
    let value = Arg::new("value").value_name("VALUE").num_args(0..);
    command.args([
        target
            .help("Ref, point or selector")
            .allow_negative_numbers(true),
        value
            .help("Text, key, options, files, size or second target")
            .action(ArgAction::Append)
            // A number, not an option.
            .allow_negative_numbers(true)
            .value_hint(ValueHint::FilePath),
    ])
}

/// The fields of an act with the words of its line in their places.
pub(super) fn given(
    given: Map<String, Value>,
    args: &ArgMatches,
) -> Result<Map<String, Value>, Failure> {
    let words = args.get_one::<String>("target").into_iter();
    let words = words.chain(args.get_many("value").into_iter().flatten());
    let words = words.cloned().collect();
    let input = szk_tools::decode_input::<Act>(Value::Object(given))?;
    let input = serde_json::to_value(placed(input, words)?);
    match input {
        Ok(Value::Object(input)) => Ok(input),
        _ => Err(Failure::internal("an act is an object")),
    }
}

/// The input with each word in the field that this kind of act uses.
fn placed(mut input: ActInput, mut words: Vec<String>) -> Result<ActInput, Failure> {
    // A single word is the key, the text for the focused element, or the size.
    let alone = words.len() == 1
        && match input.kind {
            ActKind::Press => input.key.is_none(),
            ActKind::Type => input.text.is_none(),
            ActKind::Resize => true,
            _ => false,
        };
    // No selector starts with a digit: `wait 500` is a duration.
    if input.kind == ActKind::Wait
        && let Some(time) = words.first().and_then(|word| word.parse().ok())
    {
        input.time_ms = Some(time);
        words.remove(0);
    }
    if !alone && !words.is_empty() && !named(&input) {
        let mut word = words.remove(0);
        if let Some((element, (x, y))) = within(&word) {
            (input.x, input.y) = (Some(x), Some(y));
            word = element.to_owned();
        }
        match target(&word) {
            Word::Ref => input.r#ref = Some(word),
            Word::Selector => input.selector = Some(word),
            Word::Point(x, y) => (input.x, input.y) = (Some(x), Some(y)),
        }
    }
    values(&mut input, words)?;
    Ok(input)
}

/// Whether an option has already named the target.
fn named(input: &ActInput) -> bool {
    let name = input.name.is_some() || input.role.is_some();
    let point = input.x.is_some() && !alone_with_target(input.kind);
    name || input.r#ref.is_some() || input.selector.is_some() || point
}

/// Whether this kind of act takes no word but its target, of which `--x` and `--y` are then a point.
fn alone_with_target(kind: ActKind) -> bool {
    use ActKind::{Check, Click, Down, Focus, Hover, Move, Scroll, Uncheck, Up};
    matches!(
        kind,
        Check | Click | Down | Focus | Hover | Move | Scroll | Uncheck | Up
    )
}

/// An element and a point of it: `e12@10,20`.
fn within(word: &str) -> Option<(&str, (i32, i32))> {
    let (element, at) = word.rsplit_once('@')?;
    (!element.is_empty()).then_some((element, point(at)?))
}

fn point(word: &str) -> Option<(i32, i32)> {
    let (x, y) = word.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

enum Word {
    Ref,
    Selector,
    Point(i32, i32),
}

fn target(word: &str) -> Word {
    // Also in the forms that other tools' snapshots use.
    let name = word.trim_start_matches('@').trim_start_matches("ref=");
    let is_ref = name
        .strip_prefix('e')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    if is_ref {
        return Word::Ref;
    }
    point(word).map_or(Word::Selector, |(x, y)| Word::Point(x, y))
}

/// Assigns the words after the target to the field that this kind of act uses.
fn values(input: &mut ActInput, words: Vec<String>) -> Result<(), Failure> {
    if words.is_empty() {
        return Ok(());
    }
    match input.kind {
        ActKind::Type | ActKind::Fill | ActKind::Wait => input.text = Some(words.join(" ")),
        ActKind::Press => input.key = words.into_iter().next(),
        ActKind::Select => input.values = Some(words),
        ActKind::Upload => input.paths = Some(words.into_iter().map(PathBuf::from).collect()),
        ActKind::Drag => input.to = words.into_iter().next(),
        ActKind::Resize => {
            let size = words
                .first()
                .and_then(|word| word.split_once('x'))
                .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
            let Some((width, height)) = size else {
                return Err(Failure::invalid("a size looks like `1280x800`"));
            };
            (input.width, input.height) = (Some(width), Some(height));
        }
        _ => {
            return Err(Failure::invalid(format!(
                "`{}` is too much",
                words.join(" ")
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::typed_input;

    fn read(line: &str) -> ActInput {
        let (input, args) = typed_input::<Act>(line);
        let words = args.get_one::<String>("target").into_iter();
        let words = words.chain(args.get_many("value").into_iter().flatten());
        placed(input, words.cloned().collect()).unwrap()
    }

    #[test]
    fn words_find_their_place() {
        assert_eq!(read("click e12").r#ref.as_deref(), Some("e12"));
        assert_eq!(read("click @e12").r#ref.as_deref(), Some("@e12"));
        let point = read("click canvas --x 20 --y 10");
        assert_eq!(
            (point.selector.as_deref(), point.x),
            (Some("canvas"), Some(20))
        );
        let drag = read("drag --x 20 --y 10 e5");
        assert_eq!((drag.to.as_deref(), drag.selector), (Some("e5"), None));
        assert_eq!(read("click #go").selector.as_deref(), Some("#go"));
        let path = "xpath=//a[@id='b']";
        assert_eq!(
            read(&format!("click {path}")).selector.as_deref(),
            Some(path)
        );
        assert_eq!(
            read("click (//li)[2]").selector.as_deref(),
            Some("(//li)[2]")
        );
        let at = read("hover 10,20");
        assert_eq!((at.x, at.y), (Some(10), Some(20)));
        let at = read("down #pad@10,-20");
        assert_eq!(
            (at.selector.as_deref(), at.x, at.y),
            (Some("#pad"), Some(10), Some(-20))
        );
        let at = read("move @e5@1,2 --count 4");
        assert_eq!((at.r#ref.as_deref(), at.x), (Some("@e5"), Some(1)));
        assert_eq!(read("press Enter").key.as_deref(), Some("Enter"));
        let press = read("press #q Enter");
        assert_eq!(
            (press.selector.as_deref(), press.key.as_deref()),
            (Some("#q"), Some("Enter"))
        );
        assert_eq!(read("fill #q hello").text.as_deref(), Some("hello"));
        assert_eq!(read("fill e4 -5").text.as_deref(), Some("-5"));
        assert_eq!(read("drag #a #b").to.as_deref(), Some("#b"));
        let size = read("resize 800x600");
        assert_eq!((size.width, size.height), (Some(800), Some(600)));
        assert_eq!(read("select #s a b").values.unwrap(), ["a", "b"]);
        assert_eq!(
            read("upload #f a.txt").paths.unwrap(),
            [PathBuf::from("a.txt")]
        );
        assert_eq!(read("scroll --dy -300").dy, Some(-300));
        assert_eq!(read("wait 500").time_ms, Some(500));
        assert_eq!(read("wait #done").selector.as_deref(), Some("#done"));
    }
}
