//! `szk act`

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::Failure;
use szk_tools::browser::{
    Act, ActInput, ActKind, DialogAnswer, ElementState, InputPace, MouseButton,
};

use super::launch::absolute;
use super::pick::{Page, Show, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

const KINDS: &[&str] = &[
    "click", "type", "fill", "press", "hover", "drag", "select", "check", "uncheck", "scroll",
    "upload", "wait", "resize", "focus",
];

/// Act on an element of the page
///
/// TARGET is a ref from a snapshot (`e12`), a point (`120,80`) or a CSS selector that matches one
/// element. VALUE is the text to type or fill in, the key to press, the options to select, the files
/// to upload, the size to resize to, or the target to drag to.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk act click '#send'\n  szk act click e12 --snapshot\n  szk act fill '#user' jane\n  szk act press Enter\n  szk act select '#size' Large\n  szk act drag '#card' '#done'\n  szk act wait '#result' --state visible\n  szk act scroll --to bottom"
)]
pub(crate) struct ActArgs {
    /// What to do
    #[arg(value_name = "KIND", value_parser = word::<ActKind>(KINDS))]
    kind: ActKind,
    /// Ref, point or selector
    #[arg(value_name = "TARGET", allow_hyphen_values = false)]
    target: Option<String>,
    /// Text, key, options, files, size or second target
    #[arg(value_name = "VALUE", value_hint = ValueHint::FilePath)]
    value: Vec<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    page: Page,
}

/// Other ways to name the target.
#[derive(Debug, Args)]
struct Place {
    /// Ref from a snapshot
    #[arg(long, value_name = "REF", conflicts_with_all = ["target", "selector", "x"])]
    r#ref: Option<String>,
    /// CSS selector
    #[arg(long, value_name = "CSS", conflicts_with_all = ["target", "x"])]
    selector: Option<String>,
    /// Selector of the frame that the target is in
    #[arg(long, value_name = "CSS")]
    frame: Option<String>,
    /// Point in the viewport, in CSS pixels
    #[arg(long, value_name = "PX", requires = "y", conflicts_with = "target")]
    x: Option<i32>,
    /// See --x
    #[arg(long, value_name = "PX", requires = "x")]
    y: Option<i32>,
}

/// How to do it.
#[derive(Debug, Args)]
struct How {
    /// Mouse button [default: left]
    #[arg(long, value_name = "BUTTON", value_parser = word::<MouseButton>(&["left", "middle", "right"]))]
    button: Option<MouseButton>,
    /// Number of clicks in a row, or of key presses
    #[arg(long, value_name = "N")]
    count: Option<u32>,
    /// Keys to hold while clicking: Control, Shift, Alt, Meta
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    modifiers: Option<Vec<String>>,
    /// Text to type, fill in or wait for
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// Key or chord to press
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    key: Option<String>,
    /// Options to select, by label or value
    #[arg(long, value_name = "OPTION")]
    values: Option<Vec<String>>,
    /// Pixels to scroll to the right
    #[arg(long, value_name = "PX", allow_negative_numbers = true)]
    dx: Option<i32>,
    /// Pixels to scroll down
    #[arg(long, value_name = "PX", allow_negative_numbers = true)]
    dy: Option<i32>,
    /// Scroll to `top` or `bottom`, or drag to this target
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
    /// Files to upload
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    paths: Option<Vec<PathBuf>>,
    /// State of the target to wait for, or `networkidle`: no request for half a second [default:
    /// visible]
    #[arg(
        long,
        value_name = "STATE",
        value_parser = word::<ElementState>(&["visible", "hidden", "attached", "detached", "enabled", "networkidle"])
    )]
    state: Option<ElementState>,
    /// Address to wait for: part of it, or a pattern with `*`
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Just wait this long
    #[arg(long, value_name = "MS")]
    time_ms: Option<u64>,
    /// Width of the viewport
    #[arg(long, value_name = "PX")]
    width: Option<u32>,
    /// Height of the viewport
    #[arg(long, value_name = "PX")]
    height: Option<u32>,
    /// Answer dialogs that this opens [default: as armed; otherwise alerts are accepted, questions
    /// reported and held]
    #[arg(long, value_name = "ANSWER", value_parser = word::<DialogAnswer>(&["accept", "dismiss"]))]
    dialog: Option<DialogAnswer>,
    /// Text to answer a prompt with
    #[arg(long, value_name = "TEXT")]
    dialog_text: Option<String>,
    /// Pace of mouse and keyboard [default: from the configuration]
    #[arg(long, value_name = "PACE", value_parser = word::<InputPace>(&["fast", "human"]))]
    input: Option<InputPace>,
}

impl ActArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = self.input()?;
        let response = context.call::<Act>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }

    fn input(self) -> Result<ActInput, Failure> {
        let (place, how) = (self.place, self.how);
        let mut input = ActInput {
            kind: self.kind,
            session: self.page.session,
            tab: self.page.tab,
            r#ref: place.r#ref,
            selector: place.selector,
            frame: place.frame,
            x: place.x,
            y: place.y,
            button: how.button,
            count: how.count,
            modifiers: how.modifiers,
            text: how.text,
            key: how.key,
            values: how.values,
            dx: how.dx,
            dy: how.dy,
            to: how.to,
            paths: how.paths,
            state: how.state,
            url: how.url,
            time_ms: how.time_ms,
            width: how.width,
            height: how.height,
            dialog: how.dialog,
            dialog_text: how.dialog_text,
            input: how.input,
            snapshot: self.show.snapshot,
            timeout_ms: self.page.timeout_ms,
        };
        let mut words: Vec<String> = self.target.into_iter().chain(self.value).collect();
        // A single word is the key, the text for the focused element, or the size.
        let alone = words.len() == 1
            && match self.kind {
                ActKind::Press => input.key.is_none(),
                ActKind::Type => input.text.is_none(),
                ActKind::Resize => true,
                _ => false,
            };
        // No selector starts with a digit: `wait 500` is a duration.
        if self.kind == ActKind::Wait
            && let Some(time) = words.first().and_then(|word| word.parse().ok())
        {
            input.time_ms = Some(time);
            words.remove(0);
        }
        if !alone && !words.is_empty() && !named(&input) {
            let word = words.remove(0);
            match target(&word) {
                Word::Ref => input.r#ref = Some(word),
                Word::Selector => input.selector = Some(word),
                Word::Point(x, y) => (input.x, input.y) = (Some(x), Some(y)),
            }
        }
        values(&mut input, words)?;
        if let Some(paths) = input.paths.take() {
            let paths = paths.iter().map(|path| absolute(path));
            input.paths = Some(paths.collect::<Result<_, _>>()?);
        }
        Ok(input)
    }
}

/// Whether an option has already named the target.
fn named(input: &ActInput) -> bool {
    input.r#ref.is_some() || input.selector.is_some() || input.x.is_some()
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
    let point = word
        .split_once(',')
        .and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    point.map_or(Word::Selector, |(x, y)| Word::Point(x, y))
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
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        act: ActArgs,
    }

    fn read(line: &str) -> ActInput {
        let words = std::iter::once("act").chain(line.split(' '));
        Line::try_parse_from(words).unwrap().act.input().unwrap()
    }

    #[test]
    fn words_find_their_place() {
        assert_eq!(read("click e12").r#ref.as_deref(), Some("e12"));
        assert_eq!(read("click @e12").r#ref.as_deref(), Some("@e12"));
        assert_eq!(read("click #go").selector.as_deref(), Some("#go"));
        let at = read("hover 10,20");
        assert_eq!((at.x, at.y), (Some(10), Some(20)));
        assert_eq!(read("press Enter").key.as_deref(), Some("Enter"));
        let press = read("press #q Enter");
        assert_eq!(
            (press.selector.as_deref(), press.key.as_deref()),
            (Some("#q"), Some("Enter"))
        );
        assert_eq!(read("fill #q hello").text.as_deref(), Some("hello"));
        assert_eq!(read("drag #a #b").to.as_deref(), Some("#b"));
        let size = read("resize 800x600");
        assert_eq!((size.width, size.height), (Some(800), Some(600)));
        assert_eq!(read("select #s a b").values.unwrap(), ["a", "b"]);
        assert!(read("upload #f a.txt").paths.unwrap()[0].is_absolute());
        assert_eq!(read("scroll --dy -300").dy, Some(-300));
        assert_eq!(read("wait 500").time_ms, Some(500));
        assert_eq!(read("wait #done").selector.as_deref(), Some("#done"));
    }
}
