//! From what was typed to the fields of an input.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::{Map, Value};
use szk_tools::{Code, Failure, Field, Kind};

use super::{Form, Table};

/// Longest file to read a value from, in bytes.
const LONGEST: u64 = 16 << 20;

/// The fields that were given, and the matches of the action that was chosen or else of the command.
pub(super) fn given(
    table: &Table,
    fields: &[Field],
    args: &ArgMatches,
) -> Result<(Map<String, Value>, ArgMatches), Failure> {
    if let (Some(field), Some((word, below))) = (table.action, args.subcommand())
        && let Some((_, table)) = table.actions.iter().find(|(known, _)| *known == word)
    {
        let (mut given, args) = given(table, fields, below)?;
        given.insert(field.to_owned(), word.into());
        return Ok((given, args));
    }
    let mut given = Map::new();
    for field in fields.iter().filter(|field| table.takes(&field.name)) {
        if let Some(value) = value(table.form_of(&field.name), field, args)? {
            given.insert(field.name.clone(), value);
        }
    }
    Ok((given, args.clone()))
}

fn value(form: Option<Form>, field: &Field, args: &ArgMatches) -> Result<Option<Value>, Failure> {
    let id = &*field.name;
    if let Some(Form::Flags(flags)) = form {
        let mut flags = flags.iter().map(|(word, _)| *word);
        return Ok(flags.find(|word| args.get_flag(word)).map(Value::from));
    }
    if matches!(
        args.value_source(id),
        None | Some(ValueSource::DefaultValue)
    ) {
        return Ok(None);
    }
    match (form, &field.kind) {
        (Some(Form::No(_)), _) => Ok(Some(false.into())),
        (Some(Form::Switch), _) => Ok(args.get_one::<bool>(id).map(|value| (*value).into())),
        (_, Kind::Flag) => Ok(Some(true.into())),
        (_, Kind::List(of)) if **of == Kind::Json => {
            let file = args.get_one::<PathBuf>(id);
            file.map(|file| parsed(file)).transpose()
        }
        (_, Kind::List(of)) => Ok(Some(Value::Array(each(of, id, args)))),
        (_, Kind::Map(_)) => {
            let pairs = args.get_many::<(String, String)>(id);
            let pairs = pairs.into_iter().flatten().cloned();
            let pairs = pairs.map(|(name, value)| (name, Value::from(value)));
            Ok(Some(Value::Object(pairs.collect())))
        }
        (_, kind) => Ok(each(kind, id, args).into_iter().next_back()),
    }
}

/// The values of an argument by their type.
fn each(kind: &Kind, id: &str, args: &ArgMatches) -> Vec<Value> {
    fn of<T: Into<Value> + Clone + Send + Sync + 'static>(
        args: &ArgMatches,
        id: &str,
    ) -> Vec<Value> {
        let values = args.get_many::<T>(id).into_iter().flatten();
        values.map(|value| value.clone().into()).collect()
    }
    match kind {
        Kind::Integer(_) => of::<i64>(args, id),
        Kind::Number => of::<f64>(args, id),
        Kind::Json => of::<Value>(args, id),
        _ => of::<String>(args, id),
    }
}

/// The JSON in a file; `-` is stdin.
fn parsed(path: &Path) -> Result<Value, Failure> {
    let text = text(path)?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::invalid(format!("`{}` is not JSON: {error}", path.display())))
}

/// The text of a file; `-` is stdin.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let stdin = path == Path::new("-");
    let read = if stdin {
        let mut text = String::new();
        let read = std::io::stdin().take(LONGEST).read_to_string(&mut text);
        read.map(|_| text)
    } else {
        szk_files::text(path, LONGEST)
    };
    read.map_err(|error| {
        let name = if stdin {
            "stdin".into()
        } else {
            path.display().to_string()
        };
        let text = format!("cannot read `{name}`: {error}");
        match error.kind() {
            ErrorKind::NotFound => Failure::new(Code::NotFound, text),
            _ => Failure::invalid(text).hint("give a text file, or `-` for stdin"),
        }
    })
}
