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
use crate::command::named;

/// The command with an argument for each field that it takes.
pub(super) fn added(command: Command, table: &Table, fields: &[Field]) -> Command {
    let all = Fields { table, fields };
    let find = |name: &&str| fields.iter().find(|field| field.name == **name);
    let is_option =
        |field: &&Field| table.takes(&field.name) && !table.positions.contains(&&*field.name);
    let options = fields.iter().filter(is_option);
    let options = options.filter(|field| !usual::WHERE.contains(&&*field.name));
    let last = usual::WHERE.iter().filter_map(find).filter(is_option);

    let positions = table.positions.iter().filter_map(find);
    let command = command.args(positions.map(|field| all.positional(field)));
    let command = command.args(options.flat_map(|field| all.options(field)));
    let command = match table.own {
        Some(own) => own(command),
        None => command,
    };
    let command = command.args(last.flat_map(|field| all.options(field)));
    let actions = table.actions.iter();
    command.subcommands(actions.map(|(word, below)| all.action(word, below)))
}

/// The fields of a command, which may mention each other.
struct Fields<'a> {
    table: &'a Table,
    fields: &'a [Field],
}

impl Fields<'_> {
    /// The command of an action: a word of one field, with some of the others.
    fn action(&self, word: &'static str, table: &Table) -> Command {
        let of_word = || {
            let mut fields = self.fields.iter();
            let field = fields.find(|field| Some(&*field.name) == self.table.action)?;
            meaning(field, word)
        };
        let about = table.about.map(str::to_owned).or_else(of_word);
        let fields = self.fields.iter().map(|field| Field {
            about: help::of_action(&field.about),
            ..field.clone()
        });
        let fields: Vec<Field> = fields.collect();
        let command = named(word).about(about.unwrap_or_default());
        let command = help::described(command, table, table.details.unwrap_or_default());
        added(command, table, &fields)
    }

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
    fn options(&self, field: &Field) -> Vec<Arg> {
        let Some(Form::Flags(flags)) = self.table.form_of(&field.name) else {
            let arg = self.bare(field).required(field.required);
            let arg = usual::dressed(&field.name, arg);
            return vec![self.table.tweaked(&field.name, arg)];
        };
        let flags = flags.iter().map(|(word, long)| {
            let arg = Arg::new(*word).long(*long).action(ArgAction::SetTrue);
            let arg = arg.help(meaning(field, word).unwrap_or_default());
            self.table.tweaked(word, arg)
        });
        flags.collect()
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

/// What a word of this field means.
fn meaning(field: &Field, word: &str) -> Option<String> {
    let Kind::Choice(words) = &field.kind else {
        return None;
    };
    let found = words.iter().find(|known| known.name == word)?;
    found.about.as_deref().map(help::line)
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
        Some(about) => value.help(help::line(about)),
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
