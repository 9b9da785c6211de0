//! `szk batch`

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::Path;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};
use szk_tools::browser::{Act, ActKind, Batch, BatchStep};
use szk_tools::{Failure, Operation, Part, Response};

use super::act;
use crate::command::Derived;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::spoken::Speech;
use crate::render::text::printable_lines;
use crate::words::with_modes;

impl Terminal for Batch {
    fn table() -> Table {
        Table::new(&[
            "szk batch 'click \"Add to cart\"' 'wait --text Added' 'click text=Checkout'",
            "szk batch 'click #more --until \"The end\" --repeat 10' snapshot",
            "szk batch steps.json",
            "generate-steps | szk batch -",
        ])
        .about("Run several page operations in one call")
        .details(
            "Each STEP is a line such as `click e57`, `fill e3 Jane`, `navigate URL` or `snapshot`: a page \
             command without `szk`, or what follows `szk act`. `--if TEXT` and `--unless TEXT` skip a step, \
             `--repeat N` and `--until TEXT` repeat it. A file, or `-` for stdin, has one step per line, or a \
             JSON list of `{\"tool\": \"browser_…\", \"input\": {…}}`. Stops at the first error, and after a \
             step other than `navigate` that took the tab to another document, unless the next step waits for \
             the address; says at the end what all steps changed.",
        )
        .made("steps", "they are lines, or in a file")
        .help("through_navigation", "Continue after a navigation that no `navigate` asked for")
        .own(steps)
    }

    async fn run(mut typed: Typed<Self>) -> Outcome {
        let (steps, lines) = read(&typed.values::<String>("step"))?;
        let spoken = Spoken::of(&steps);
        typed.set("steps", steps)?;
        let typed_here = lines && !typed.context.ui.is_json();
        let said = |failure: Failure| match typed_here {
            // Steps that were typed are commands; those of a file have the catalogue's own words.
            true => spoken.failure(failure),
            false => failure,
        };
        let response = typed.call().await.map_err(said)?;
        let steps = response.read::<Self>()?.steps;
        let failed = steps.into_iter().find_map(|step| step.error);
        let shown = match lines {
            true => typed.summary_as(&response, |_| spoken.answer(&response))?,
            false => typed.summary(&response)?,
        };
        Ok(failed.map_or(shown, |failure| Exit::of_code(failure.code)))
    }
}

/// What is said of each step, in the words of its command.
struct Spoken(Vec<Speech>);

impl Spoken {
    fn of(steps: &[Value]) -> Self {
        let tool = |step: &Value| step["tool"].as_str().unwrap_or_default().to_owned();
        let each = steps.iter().map(|step| Speech::of_operation(&tool(step)));
        Self(each.collect())
    }

    /// The words for the step of this number, counted from 1.
    fn step(&self, number: u32) -> Speech {
        let at = usize::try_from(number).unwrap_or_default().checked_sub(1);
        let step = at.and_then(|at| self.0.get(at));
        step.cloned().unwrap_or_else(Speech::running::<Batch>)
    }

    /// A failure of the whole call: that of the step which it names, or of the first one.
    fn failure(&self, failure: Failure) -> Failure {
        self.step(failure.step.map_or(1, NonZeroU32::get))
            .failure(failure)
    }

    /// The answer: what is said of each step, then what is said of all.
    fn answer(&self, response: &Response) -> String {
        let whole = |text: &str| Speech::running::<Batch>().answer(&printable_lines(text));
        let parts: Vec<String> = response.parts.iter().map(Part::to_string).collect();
        // A truncated answer may end in one of the parts.
        match response.summary.strip_prefix(&parts.join("\n")) {
            Some(rest) => {
                let told: Vec<String> = response.parts.iter().map(|part| self.part(part)).collect();
                told.join("\n") + &whole(rest)
            }
            None => whole(&response.summary),
        }
    }

    fn part(&self, part: &Part) -> String {
        let speech = self.step(part.step);
        let text = speech.answer(&printable_lines(&part.text));
        match part.failure.clone() {
            Some(failure) => text + &printable_lines(&speech.failure(failure).to_string()),
            None => text,
        }
    }
}

fn steps(command: Command) -> Command {
    let step = Arg::new("step").value_name("STEP").num_args(1..);
    command.arg(
        step.required(true)
            .help("A step; or a file with steps, `-` for stdin"),
    )
}

/// The steps of the arguments, or of the content of one file, and whether they are lines.
fn read(words: &[String]) -> Result<(Vec<Value>, bool), Failure> {
    let steps: Result<Vec<Value>, Failure> = match words {
        [only] if only == "-" || Path::new(only).is_file() => {
            let text = Typed::<Batch>::text(Path::new(only))?;
            if text.trim_start().starts_with(['[', '{']) {
                let steps = serde_json::from_str(&text);
                return steps.map(|steps| (steps, false)).map_err(|error| {
                    Failure::invalid(format!("`{only}` is not a JSON list: {error}"))
                });
            }
            let lines = text.lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            lines.map(step).collect()
        }
        lines => lines.iter().map(|line| step(line)).collect(),
    };
    Ok((steps?, true))
}

/// One step as a person types it.
fn step(line: &str) -> Result<Value, Failure> {
    let wrong = |why: String| Failure::invalid(format!("step `{line}`: {why}"));
    let mut words = split(line).map_err(|why| wrong(why.to_owned()))?;
    let first = words.first().cloned().unwrap_or_default();
    if serde_json::from_value::<ActKind>(first.clone().into()).is_ok() {
        words.insert(0, "act".to_owned());
    }
    let of = words.first().and_then(|word| operation(word));
    let of = of.ok_or_else(|| {
        wrong(format!("`{first}` is not a step"))
            .hint("steps are `click`, `fill` and the other kinds of `szk act`, `navigate`, `snapshot`, `find` and other page commands")
    })?;
    let command = conditions(of.command(words[0].clone()));
    let args = command
        .try_get_matches_from(with_modes(words.into_iter().map(OsString::from).collect()))
        .map_err(|error| wrong(usage(&error)))?;
    let mut input = of.given(&args).map_err(|failure| wrong(failure.message))?;
    if of.spec.name == Act::NAME {
        input = act::given(input, &args).map_err(|failure| wrong(failure.message))?;
    }
    let text = |id: &str| args.get_one::<String>(id).cloned();
    let step = BatchStep {
        tool: of.spec.name.to_owned(),
        input,
        name: Some(line.to_owned()),
        if_text: text("if"),
        unless_text: text("unless"),
        until_text: text("until"),
        repeat: args.get_one::<u32>("repeat").copied(),
    };
    let step = serde_json::to_value(step);
    step.map_err(|error| wrong(error.to_string()))
}

/// The page operation of this command.
fn operation(word: &str) -> Option<Derived> {
    let of = super::find(&[word.to_owned()])?.operation()?;
    let allowed = of.spec.name.starts_with("browser_") && of.spec.name != Batch::NAME;
    allowed.then_some(of)
}

fn conditions(command: Command) -> Command {
    let of = |id: &'static str, name: &'static str| Arg::new(id).long(id).value_name(name);
    command.args([
        of("if", "TEXT"),
        of("unless", "TEXT"),
        of("until", "TEXT"),
        of("repeat", "N").value_parser(value_parser!(u32)),
    ])
}

/// The first line of what clap says.
fn usage(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

/// Words as a shell splits them: quotes hold spaces, a backslash takes the next character as it is; in double quotes
/// only a quote or another backslash.
fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let next = letters.next().ok_or("it ends with a backslash")?;
                let word = word.get_or_insert_default();
                // In quotes it stays before what needs none: `"\d+"`.
                if quote.is_some() && !matches!(next, '"' | '\\') {
                    word.push('\\');
                }
                word.push(next);
            }
            ('"' | '\'', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (_, Some(open)) if open == letter => quote = None,
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

/// What a derived command reads, as one map of fields.
pub(super) type Given = Map<String, Value>;

impl Derived {
    /// The fields that were typed.
    fn given(&self, args: &ArgMatches) -> Result<Given, Failure> {
        crate::operation::given_of(&(self.table)(), self.spec, args)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(line: &str, tool: &str, input: Value) -> Value {
        let step = step(line).unwrap();
        assert_eq!((&step["tool"], &step["name"]), (&json!(tool), &json!(line)));
        assert_eq!(
            step.get("input").cloned().unwrap_or_else(|| json!({})),
            input
        );
        step
    }

    #[test]
    fn lines_are_read_like_the_command_line() {
        check(
            "click e57",
            "browser_act",
            json!({"kind": "click", "ref": "e57"}),
        );
        check(
            "act click e57",
            "browser_act",
            json!({"kind": "click", "ref": "e57"}),
        );
        check(
            "wait --text 'All done'",
            "browser_act",
            json!({"kind": "wait", "text": "All done"}),
        );
        check(
            r#"wait --text "/\d+ \"items\"/""#,
            "browser_act",
            json!({"kind": "wait", "text": r#"/\d+ "items"/"#}),
        );
        check(
            "fill e3 -5",
            "browser_act",
            json!({"kind": "fill", "ref": "e3", "text": "-5"}),
        );
        check(
            "click --name OK --role button",
            "browser_act",
            json!({"kind": "click", "name": "OK", "role": "button"}),
        );
        check(
            "snapshot --mode full",
            "browser_snapshot",
            json!({"mode": "full"}),
        );
        check(
            "navigate https://a/",
            "browser_navigate",
            json!({"url": "https://a/"}),
        );
        let step = check(
            "click text=More --until 'The end' --repeat 9",
            "browser_act",
            json!({"kind": "click", "selector": "text=More"}),
        );
        assert_eq!(
            (&step["until_text"], &step["repeat"]),
            (&json!("The end"), &json!(9))
        );
    }

    #[test]
    fn a_line_that_is_no_step_says_what_is_wrong_with_it() {
        for (line, why) in [
            ("clack e57", "`clack` is not a step"),
            ("open work", "`open` is not a step"),
            ("click 'e57", "a quote is not closed"),
            (
                "click e57 --colour red",
                "unexpected argument '--colour' found",
            ),
            ("", "`` is not a step"),
        ] {
            let failure = step(line).unwrap_err();
            assert_eq!(failure.message, format!("step `{line}`: {why}"));
        }
    }
}
