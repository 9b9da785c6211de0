//! `szk secret`

use std::io::{IsTerminal, Read};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use szk_client::{Listed, Secret, SecretStore, secret_name, secret_origins};
use szk_tools::Failure;

use crate::command::{ByHand, Called};
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::table::{self, Cell, Column};

/// Keep passwords that agents use by name, without seeing them
///
/// They are kept in the desktop's keyring or, without one, encrypted in the store, with the key in
/// your configuration folder. No command prints a value.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk secret set shop\n  pass show shop | szk secret set shop\n  szk secret list"
)]
pub(crate) struct SecretArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Set(SetArgs),
    List(ListArgs),
    Rm(RmArgs),
}

/// Set a secret, from stdin or, on a terminal, from a hidden prompt
///
/// Drops one line break at the end of stdin.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk secret set shop --origin https://shop.example\n  pass show shop | szk secret set shop"
)]
struct SetArgs {
    /// Name, such as `shop` or `mail/jane@example.org`
    #[arg(value_name = "NAME")]
    name: String,
    /// Origin that the secret may be filled in at, such as `https://shop.example` or `*.shop.example`;
    /// can be repeated, `*` means any [default: its previous binding, otherwise any]
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Where to keep it [default: the keyring if there is one]
    #[arg(long = "in", value_enum, value_name = "PLACE")]
    place: Option<PlaceWord>,
}

/// List the names
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk secret list")]
struct ListArgs {}

/// Delete a secret
#[derive(Debug, Args)]
#[command(
    visible_alias = "remove",
    after_help = "Example:\n  szk secret rm shop"
)]
struct RmArgs {
    /// Name
    #[arg(value_name = "NAME")]
    name: String,
}

/// Where to keep a secret.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PlaceWord {
    /// The desktop's keyring
    Keyring,
    /// The encrypted file of the store
    File,
}

/// Longest value, in bytes.
const LONGEST: u64 = 64 << 10;

impl ByHand for SecretArgs {
    const NAME: &'static str = "secret";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        match self.action {
            Action::Set(args) => args.run(context).await,
            Action::List(ListArgs {}) => list(context).await,
            Action::Rm(args) => args.run(context).await,
        }
    }
}

impl SetArgs {
    async fn run(self, context: &Context) -> Outcome {
        let name = secret_name(&self.name)?;
        let origins = secret_origins(&self.origins)?;
        let value = value(&self.name)?;
        let place = self.place.map(|word| match word {
            PlaceWord::Keyring => SecretStore::Keyring,
            PlaceWord::File => SecretStore::File,
        });
        let client = &context.client;
        let set = client.set_secret(&name, &value, origins, place).await?;
        let ui = context.ui;
        if ui.is_json() {
            ui.json(&set)?;
        }
        ui.talk(&format!(
            "`{name}` is {}, for {}",
            word(set.place),
            bound_to(&set)
        ));
        Ok(Exit::OK)
    }
}

impl RmArgs {
    async fn run(self, context: &Context) -> Outcome {
        let name = secret_name(&self.name)?;
        context.client.remove_secret(&name).await?;
        if context.ui.is_json() {
            context.ui.json(&json!({ "removed": name }))?;
        }
        context.ui.talk(&format!("`{name}` is forgotten"));
        Ok(Exit::OK)
    }
}

async fn list(context: &Context) -> Outcome {
    let listed = context.client.list_secrets().await?;
    let answer = json!({ "secrets": listed });
    context.ui.answer(&answer, |_| table(&listed))?;
    if listed.is_empty() {
        context.ui.talk("no secret is set");
    }
    Ok(Exit::OK)
}

fn value(name: &str) -> Result<Secret, CliError> {
    let unreadable = |error: std::io::Error| {
        CliError::from(Failure::invalid(format!("cannot read the value: {error}")))
    };
    let stdin = std::io::stdin();
    let value = if stdin.is_terminal() {
        Secret::new(rpassword::prompt_password(format!("value of `{name}`: ")).map_err(unreadable)?)
    } else {
        let mut text = String::new();
        stdin
            .lock()
            .take(LONGEST + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        let cut = text.strip_suffix('\n').unwrap_or(&text);
        let length = cut.strip_suffix('\r').unwrap_or(cut).len();
        text.truncate(length);
        Secret::new(text)
    };
    match value.reveal().len() as u64 {
        0 => Err(Failure::invalid("the value is empty").into()),
        1..=LONGEST => Ok(value),
        _ => Err(Failure::invalid("the value is too long").into()),
    }
}

fn table(listed: &[Listed]) -> String {
    const COLUMNS: [Column; 3] = [
        Column {
            head: "NAME",
            right: false,
        },
        Column {
            head: "WHERE",
            right: false,
        },
        Column {
            head: "FOR",
            right: false,
        },
    ];
    if listed.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> = listed
        .iter()
        .map(|secret| {
            vec![
                Cell::new(secret.name.as_str()),
                Cell::new(word(secret.place)),
                Cell::new(bound_to(secret)),
            ]
        })
        .collect();
    table::render(&COLUMNS, &rows)
}

fn bound_to(secret: &Listed) -> String {
    let origins: Vec<String> = secret.origins.iter().map(ToString::to_string).collect();
    match origins.as_slice() {
        [] => "every site".to_owned(),
        origins => origins.join(", "),
    }
}

fn word(place: SecretStore) -> &'static str {
    match place {
        SecretStore::Keyring => "in the keyring",
        SecretStore::File => "in the encrypted file of the store",
    }
}
