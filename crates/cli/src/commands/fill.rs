//! `szk fill-form`

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_tools::workflow::{FieldState, FillForm, FillFormInput, FormField};
use szk_tools::{Code, Failure};

use super::pick::Page;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Fill a form
///
/// Name a field by its label, name, placeholder, a ref or a CSS selector. szk finds all of them before
/// it touches the first. The value is true or false for a check box, and an option for a list.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk fill-form 'First name=Jane' 'Country=Poland' 'I agree=true' --submit\n  szk fill-form --secret 'Card number=card' --file 'Photo=me.png'\n  szk fill-form --fields fields.json --button Save"
)]
pub(crate) struct FillFormArgs {
    /// Fields and values, separated by the first `=`
    #[arg(id = "fields", value_name = "FIELD=VALUE")]
    pairs: Vec<String>,
    /// Fields and names of secrets
    #[arg(long, value_name = "FIELD=SECRET")]
    secret: Vec<String>,
    /// Fields and files
    #[arg(long, value_name = "FIELD=FILE")]
    file: Vec<String>,
    /// JSON list of fields, as the operation takes it; `-` is stdin
    #[arg(id = "list", long = "fields", value_name = "FILE", value_hint = ValueHint::FilePath)]
    list: Option<PathBuf>,
    /// Submit the form afterwards
    #[arg(long)]
    submit: bool,
    /// Submit button, by name or CSS selector
    #[arg(long, value_name = "NAME|CSS")]
    button: Option<String>,
    /// Fill the other fields if some are not found
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    page: Page,
}

/// Longest list of fields, in bytes.
const LONGEST: u64 = 16 << 20;

impl FillFormArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let mut fields = match &self.list {
            Some(path) => read(path)?,
            None => Vec::new(),
        };
        for pair in &self.pairs {
            let (field, value) = parted(pair)?;
            fields.push(FormField {
                field,
                value: Some(plainly(value)),
                ..FormField::default()
            });
        }
        for pair in &self.secret {
            let (field, name) = parted(pair)?;
            fields.push(FormField {
                field,
                secret: Some(name),
                ..FormField::default()
            });
        }
        for pair in &self.file {
            let (field, path) = parted(pair)?;
            fields.push(FormField {
                field,
                paths: Some(vec![PathBuf::from(path)]),
                ..FormField::default()
            });
        }
        let input = FillFormInput {
            session: self.page.session,
            tab: self.page.tab,
            fields,
            submit: self.submit.then_some(true),
            button: self.button,
            partial: self.partial.then_some(true),
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<FillForm>(&input).await?;
        let output = response.read::<FillForm>()?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
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
            "`{}` is no field with a value",
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
    let read = if path == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().take(LONGEST).read_to_string(&mut text);
        read.map(|_| text)
    } else {
        szk_files::text(path, LONGEST)
    };
    let text = read
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::invalid(format!(
            "`{}` is no list of fields: {error}",
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
