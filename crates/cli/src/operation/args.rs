//! Arguments from fields.

use std::ops::RangeInclusive;

use clap::builder::{
    BoolishValueParser, PossibleValue, PossibleValuesParser, RangedI64ValueParser, ValueHint,
    ValueParser,
};
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::Value;
use szk_tools::{Field, Kind, Word};

use super::{Form, Table, help, usual};

/// The command with an argument for each field that it takes.
pub(super) fn added(command: Command, table: &Table, fields: &[Field]) -> Command {
    let taken = |field: &&Field| table.takes(&field.name);
    let position = |field: &Field| {
        let mut positions = table.positions.iter();
        positions.position(|name| *name == field.name)
    };
    let mut placed: Vec<&Field> = fields.iter().filter(taken).collect();
    placed.retain(|field| position(field).is_some());
    placed.sort_by_key(|field| position(field));
    let named = |field: &&Field| position(field).is_none();
    let is_where = |field: &Field| usual::WHERE.contains(&&*field.name);
    let what = fields.iter().filter(taken).filter(named);
    let what = what.filter(|field| !is_where(field));
    let wheres = usual::WHERE
        .iter()
        .filter_map(|name| fields.iter().find(|field| field.name == *name));

    let speech = Speech { table, fields };
    let placed = placed.into_iter().map(|field| speech.positional(field));
    let command = command.args(placed.collect::<Vec<_>>());
    let command = command.args(what.flat_map(|field| speech.named(field)));
    let command = table.own.map_or(command.clone(), |own| own(command));
    let wheres = wheres.filter(taken).filter(named);
    let command = command.args(wheres.flat_map(|field| speech.named(field)));
    with_actions(command, table, fields)
}

fn with_actions(mut command: Command, table: &Table, fields: &[Field]) -> Command {
    for (word, below) in &table.actions {
        let field = fields
            .iter()
            .find(|field| Some(&*field.name) == table.action);
        let meaning = field.and_then(|field| match &field.kind {
            Kind::Choice(words) => words.iter().find(|one| one.name == *word)?.about.clone(),
            _ => None,
        });
        let about = match (below.about, meaning) {
            (Some(about), _) => about.to_owned(),
            (None, meaning) => meaning.unwrap_or_default().trim_end_matches('.').to_owned(),
        };
        let fields: Vec<Field> = fields
            .iter()
            .map(|field| Field {
                about: help::of_action(&field.about),
                ..field.clone()
            })
            .collect();
        let action = Command::new(*word).about(about);
        let action = help::described(action, below, below.details.unwrap_or_default());
        command = command.subcommand(added(action, below, &fields));
    }
    command
}

/// The fields of a command, which may mention each other.
struct Speech<'a> {
    table: &'a Table,
    fields: &'a [Field],
}

impl Speech<'_> {
    fn positional(&self, field: &Field) -> Arg {
        let arg = usual::dressed(&field.name, self.bare(field));
        let arg = arg.long(None).short(None).required(field.required);
        let arg = match &field.kind {
            Kind::List(of) if **of != Kind::Json => arg.num_args(0..),
            _ => arg,
        };
        self.table.tweaked(&field.name, arg)
    }

    /// The arguments of a field that is not given by position: one, but for [`Form::Flags`].
    fn named(&self, field: &Field) -> Vec<Arg> {
        if let (Some(Form::Flags(flags)), Kind::Choice(words)) =
            (self.table.form_of(&field.name), &field.kind)
        {
            let flags = flags.iter().map(|(word, long)| {
                let words = words.iter().find(|one| one.name == *word);
                let about = words.and_then(|word| word.about.as_deref());
                let arg = Arg::new(*word).long(*long).action(ArgAction::SetTrue);
                let arg = arg.help(self.help(&Field {
                    about: about.unwrap_or_default().to_owned(),
                    ..field.clone()
                }));
                self.table.tweaked(word, arg)
            });
            return flags.collect();
        }
        vec![self.option(field)]
    }

    fn option(&self, field: &Field) -> Arg {
        let arg = self.bare(field).required(field.required);
        self.table
            .tweaked(&field.name, usual::dressed(&field.name, arg))
    }

    /// An option as its type and its form suggest.
    fn bare(&self, field: &Field) -> Arg {
        let arg = Arg::new(field.name.clone())
            .long(field.name.replace('_', "-"))
            .value_name(field.name.to_uppercase())
            .help(self.help(field));
        match (self.table.form_of(&field.name), &field.kind) {
            (Some(Form::No(long)), _) => arg.long(long).action(ArgAction::SetTrue),
            (Some(Form::Switch), _) => arg
                .value_name("BOOL")
                .value_parser(BoolishValueParser::new())
                .hide_possible_values(true)
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true"),
            (Some(Form::Parted(sign)), _) => arg
                .action(ArgAction::Append)
                .value_parser(move |text: &str| pair(text, sign)),
            (_, kind) => by_kind(arg, kind),
        }
    }

    fn help(&self, field: &Field) -> String {
        help::of(field, |word| {
            let field = self.fields.iter().find(|field| field.name == word)?;
            let known = self.table.takes(word) && !self.table.positions.contains(&word);
            let arg = known.then(|| {
                let arg = Arg::new(word.to_owned()).long(field.name.replace('_', "-"));
                self.table.tweaked(word, usual::dressed(word, arg))
            })?;
            arg.get_long().map(|long| format!("--{long}"))
        })
    }
}

fn by_kind(arg: Arg, kind: &Kind) -> Arg {
    match kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::List(of) if **of == Kind::Json => arg
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(std::path::PathBuf)),
        Kind::List(of) => by_kind(arg, of).action(ArgAction::Append),
        Kind::Map(_) => arg
            .action(ArgAction::Append)
            .value_parser(|text: &str| pair(text, '=')),
        Kind::Integer(range) => arg
            .allow_negative_numbers(*range.start() < 0)
            .value_parser(whole(range)),
        Kind::Number => arg.value_parser(value_parser!(f64)),
        Kind::Text => arg,
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words.iter().map(value))),
        Kind::Json => arg.value_parser(json),
    }
}

fn whole(range: &RangeInclusive<i64>) -> ValueParser {
    RangedI64ValueParser::<i64>::new()
        .range(range.clone())
        .into()
}

fn value(word: &Word) -> PossibleValue {
    let value = PossibleValue::new(word.name.clone());
    match &word.about {
        Some(about) => value.help(about.trim_end_matches('.').to_owned()),
        None => value,
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// A name and a value; spaces around `:` are not part of them.
fn pair(text: &str, sign: char) -> Result<(String, String), String> {
    let pair = text.split_once(sign).map(|(name, value)| match sign {
        ':' => (name.trim(), value.trim()),
        _ => (name, value),
    });
    let pair = pair.filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("write a name, `{sign}` and a value"))
}
