//! `szk token`

use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use serde_json::json;
use szk_client::{TokenRow, token_expiry};
use szk_tools::Permission;

use crate::command::{ByHand, Called};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::table::{self, Cell, Column};

/// Make and revoke the tokens with which programs use `szk serve`
///
/// The store keeps only a hash of each.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk token create ci --scope read,write --session 'shop-*' --expires 30d\n  szk token list\n  szk token revoke ci"
)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Create(CreateArgs),
    List(ListArgs),
    Revoke(RevokeArgs),
}

/// Make a token and print it, once
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk token create ci --scope read,write\n  szk token create shop --session 'shop-*' --expires 30d"
)]
struct CreateArgs {
    /// Name, such as `ci`
    #[arg(value_name = "NAME")]
    name: String,
    /// What it allows; can be repeated [default: read,write]
    #[arg(
        long = "scope",
        value_enum,
        value_name = "SCOPE",
        value_delimiter = ',',
        hide_possible_values = false
    )]
    scopes: Vec<Scope>,
    /// Sessions that exist for it, by name or with `*` and `?`; can be repeated [default: all]
    #[arg(long = "session", value_name = "PATTERN")]
    sessions: Vec<String>,
    /// When it stops working: a time, the end of a day such as `2027-01-31` (UTC), or `30d` or `12h` from now
    /// [default: never]
    #[arg(long, value_name = "TIME", value_parser = token_expiry)]
    expires: Option<Timestamp>,
}

/// List the tokens, without their values
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk token list")]
struct ListArgs {}

/// Make a token stop working
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk token revoke ci")]
struct RevokeArgs {
    /// Name
    #[arg(value_name = "NAME")]
    name: String,
}

/// What a token allows.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// Read pages and lists
    Read,
    /// Change pages, tabs and sessions
    Write,
    /// Delete what cannot be restored
    Destroy,
    /// Run JavaScript, programs and tests
    Code,
    /// Speak the DevTools protocol with a session
    Cdp,
    /// Log in with secrets, and handle cookies as data
    Secrets,
    /// Name paths on the server's disk
    Files,
    /// Give tasks in words to the model that you configured, at your expense
    Agent,
    /// Make and revoke tokens, read the audit log, and drain the server
    Admin,
    /// All of these
    All,
}

impl Scope {
    fn permissions(self) -> &'static [Permission] {
        match self {
            Self::Read => &[Permission::Read],
            Self::Write => &[Permission::Write],
            Self::Destroy => &[Permission::Destroy],
            Self::Code => &[Permission::Code],
            Self::Cdp => &[Permission::Cdp],
            Self::Secrets => &[Permission::Secrets],
            Self::Files => &[Permission::Files],
            Self::Agent => &[Permission::Agent],
            Self::Admin => &[Permission::Admin],
            Self::All => Permission::ALL,
        }
    }
}

impl ByHand for TokenArgs {
    const NAME: &'static str = "token";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        match self.action {
            Action::Create(args) => args.run(context).await,
            Action::List(ListArgs {}) => list(context),
            Action::Revoke(args) => args.run(context).await,
        }
    }
}

impl CreateArgs {
    async fn run(self, context: &Context) -> Outcome {
        let mut scopes: Vec<Permission> = match self.scopes.as_slice() {
            [] => vec![Permission::Read, Permission::Write],
            scopes => scopes
                .iter()
                .flat_map(|scope| scope.permissions())
                .copied()
                .collect(),
        };
        scopes.sort_unstable();
        scopes.dedup();
        let sessions = match self.sessions.is_empty() {
            true => vec!["*".to_owned()],
            false => self.sessions,
        };
        let client = &context.client;
        let began = Instant::now();
        let made = client.create_token(&self.name, &scopes, &sessions, self.expires);
        let what = vec![("name", json!(self.name))];
        let failed = made.as_ref().err();
        let lost = client.audit("token_create", what, failed, began).await;
        let ui = context.ui;
        lost.iter().for_each(|lost| ui.warn(lost));
        let (row, token) = made?;
        match ui.is_json() {
            true => ui.json(&json!({ "token": token, "about": row }))?,
            false => ui.data(&token)?,
        }
        ui.talk(&format!(
            "`{}` allows {} in {}; it is not shown again",
            row.name,
            scopes_of(&row),
            row.sessions.join(", ")
        ));
        Ok(Exit::OK)
    }
}

impl RevokeArgs {
    async fn run(self, context: &Context) -> Outcome {
        let began = Instant::now();
        let revoked = context.client.revoke_token(&self.name);
        let what = vec![("name", json!(self.name))];
        let failed = revoked.as_ref().err();
        let client = &context.client;
        let lost = client.audit("token_revoke", what, failed, began).await;
        lost.iter().for_each(|lost| context.ui.warn(lost));
        revoked?;
        if context.ui.is_json() {
            context.ui.json(&json!({ "revoked": self.name }))?;
        }
        context.ui.talk(&format!("`{}` no longer works", self.name));
        Ok(Exit::OK)
    }
}

fn list(context: &Context) -> Outcome {
    let rows = context.client.tokens()?;
    let answer = json!({ "tokens": rows });
    context.ui.answer(&answer, |_| table(&rows))?;
    if rows.is_empty() {
        context
            .ui
            .talk("there is no token: `szk token create NAME` makes one");
    }
    Ok(Exit::OK)
}

fn table(rows: &[TokenRow]) -> String {
    const COLUMNS: [Column; 4] = [
        Column {
            head: "NAME",
            right: false,
        },
        Column {
            head: "ALLOWS",
            right: false,
        },
        Column {
            head: "SESSIONS",
            right: false,
        },
        Column {
            head: "EXPIRES",
            right: false,
        },
    ];
    if rows.is_empty() {
        return String::new();
    }
    let now = Timestamp::now();
    let cells: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let expires = match row.expires {
                None => "never".to_owned(),
                Some(_) if row.is_expired(now) => "has expired".to_owned(),
                Some(at) => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            };
            vec![
                Cell::new(row.name.as_str()),
                Cell::new(scopes_of(row)),
                Cell::new(row.sessions.join(", ")),
                Cell::new(expires),
            ]
        })
        .collect();
    table::render(&COLUMNS, &cells)
}

fn scopes_of(row: &TokenRow) -> String {
    let names: Vec<&str> = row.scopes.iter().map(|scope| scope.name()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_can_be_given() {
        let scopes = Scope::value_variants()
            .iter()
            .filter(|scope| !matches!(scope, Scope::All));
        let given: Vec<Permission> = scopes
            .flat_map(|scope| scope.permissions())
            .copied()
            .collect();
        assert_eq!(given, Permission::ALL);
        assert_eq!(Scope::All.permissions(), Permission::ALL);
    }
}
