//! `szk fill-form`

use std::path::{Path, PathBuf};

use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::Value;
use szk_tools::workflow::{FieldState, FillForm, FormField};
use szk_tools::{Code, Failure};

use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};

impl Terminal for FillForm {
    fn table() -> Table {
        Table::new(&[
            "szk fill-form 'First name=Jane' 'Country=Poland' 'I agree=true' --submit",
            "szk fill-form --secret 'Card number=card' --file 'Photo=me.png'",
            "szk fill-form --fields fields.json --button Save",
        ])
        .details(
            "Name a field by its label, name, placeholder, a ref or a CSS selector. szk finds all of them \
             before it touches the first. The value is true or false for a check box, and an option for \
             a list.",
        )
        .made("fields", "of pairs, or of a file")
        .value("button", "NAME|CSS")
        .own(fields)
    }

    async fn run(mut typed: Typed<Self>) -> Outcome {
        let fields = all(&typed)?;
        typed.set("fields", fields)?;
        let response = typed.call().await?;
        let output = response.read::<Self>()?;
        typed.summary(&response)?;
        let well = output
            .fields
            .iter()
            .all(|field| matches!(field.state, FieldState::Filled | FieldState::Already));
        Ok(match well {
            true => Exit::OK,
            false => Exit::of_code(Code::NotActionable),
        })
    }
}

/// Fields and values in the ways in which one types them.
fn fields(command: Command) -> Command {
    let pairs = Arg::new("fields").value_name("FIELD=VALUE").num_args(0..);
    let secret = Arg::new("secret").long("secret").value_name("FIELD=SECRET");
    let file = Arg::new("file").long("file").value_name("FIELD=FILE");
    let list = Arg::new("list").long("fields").value_name("FILE");
    command.args([
        pairs
            .action(ArgAction::Append)
            .help("Fields and values, separated by the first `=`"),
        secret
            .action(ArgAction::Append)
            .help("Fields and names of secrets"),
        file.action(ArgAction::Append).help("Fields and files"),
        list.value_hint(ValueHint::FilePath)
            .value_parser(value_parser!(PathBuf))
            .help("JSON list of fields, as the operation takes it; `-` is stdin"),
    ])
}

/// The fields of the file, then those of the command line.
fn all(typed: &Typed<FillForm>) -> Result<Vec<FormField>, Failure> {
    let mut fields = match typed.value::<PathBuf>("list") {
        Some(path) => read(&path)?,
        None => Vec::new(),
    };
    for pair in typed.values::<String>("fields") {
        let (field, value) = parted(&pair)?;
        fields.push(FormField {
            field,
            value: Some(plainly(value)),
            ..FormField::default()
        });
    }
    for pair in typed.values::<String>("secret") {
        let (field, name) = parted(&pair)?;
        fields.push(FormField {
            field,
            secret: Some(name),
            ..FormField::default()
        });
    }
    for pair in typed.values::<String>("file") {
        let (field, path) = parted(&pair)?;
        fields.push(FormField {
            field,
            paths: Some(vec![PathBuf::from(path)]),
            ..FormField::default()
        });
    }
    Ok(fields)
}

fn parted(pair: &str) -> Result<(String, String), Failure> {
    // A selector may contain one too: `[name="q"]=text`.
    let within = pair.find(']').filter(|_| pair.starts_with('['));
    let from = within.unwrap_or(0);
    match pair[from..].find('=') {
        Some(at) if from + at > 0 => Ok((
            pair[..from + at].to_owned(),
            pair[from + at + 1..].to_owned(),
        )),
        _ => Err(Failure::invalid(format!(
            "`{}` is not of the form FIELD=VALUE",
            pair.chars().take(40).collect::<String>()
        ))
        .hint("write `FIELD=VALUE`")),
    }
}

/// `true` and `false` are for check boxes; to type them as text, give a list of fields.
fn plainly(value: String) -> Value {
    match value.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::String(value),
    }
}

fn read(path: &Path) -> Result<Vec<FormField>, Failure> {
    let text = Typed::<FillForm>::text(path)?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::invalid(format!(
            "`{}` is not a list of fields: {error}",
            path.display()
        ))
        .hint(r#"such as [{"field": "First name", "value": "Jane"}]"#)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_values_are_parted_at_the_first_sign_that_parts() {
        let check = |pair: &str, field: &str, value: &str| {
            assert_eq!(
                parted(pair).unwrap(),
                (field.into(), value.into()),
                "{pair}"
            );
        };
        check("First name=Jane", "First name", "Jane");
        check("a=b=c", "a", "b=c");
        check("a=", "a", "");
        check("[name='q']=x=y", "[name='q']", "x=y");
        assert!(parted("a").is_err() && parted("=a").is_err());
    }
}
