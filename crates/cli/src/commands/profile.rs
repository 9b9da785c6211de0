//! `szk profile`

use std::path::{Path, PathBuf};

use clap::builder::ValueHint;
use clap::{Args, Subcommand};
use szk_client::{Exported, Maintained};
use szk_tools::Failure;

use crate::command::{ByHand, Called};
use crate::complete;
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::human;
use crate::render::style::STRONG;
use crate::render::table::{self, Cell, Column};

/// Archive, restore and clean up stored profiles
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk profile export work work.tar.zst\n  szk profile import work.tar.zst --as work2\n  szk profile maintain"
)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Export(ExportArgs),
    Import(ImportArgs),
    Maintain(MaintainArgs),
}

/// Write a whole profile to one file
///
/// Logins, identity and browser data, without caches, the endpoint's token and the list of secrets to
/// hide, whose key stays on this machine. The profile must be closed. Guard the file like a password;
/// only you can read it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk profile export work work.tar.zst")]
struct ExportArgs {
    /// Profile
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: String,
    /// File to write; must not exist yet
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: PathBuf,
}

/// Create a profile from such a file
///
/// Only import archives from people whom you would let use your browser.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk profile import work.tar.zst --as work2")]
struct ImportArgs {
    /// File to read
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: PathBuf,
    /// Name of the new profile [default: the archived name]
    #[arg(long = "as", value_name = "NAME")]
    session: Option<String>,
}

/// Drop caches and compact the databases of stored profiles
///
/// Removes nothing that a site would miss: pages load slower once. Skips open profiles.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  szk profile maintain\n  szk profile maintain work")]
struct MaintainArgs {
    /// Profile, or a pattern with `*` and `?`
    #[arg(value_name = "NAME|GLOB", default_value = "*", add = complete::profiles())]
    session: String,
}

impl ByHand for ProfileArgs {
    const NAME: &'static str = "profile";

    async fn run(self, called: Called) -> Outcome {
        let context = &called.context()?;
        match self.action {
            Action::Export(args) => args.run(context).await,
            Action::Import(args) => args.run(context).await,
            Action::Maintain(args) => args.run(context).await,
        }
    }
}

impl ExportArgs {
    async fn run(self, context: &Context) -> Outcome {
        let path = absolute(&self.path)?;
        let done = context.client.export_profile(&self.session, &path).await?;
        let ui = context.ui;
        ui.answer(&done, |done| done.path.display().to_string())?;
        ui.talk(&format!("exported `{}`: {}", done.session, said(&done)));
        for note in &done.notes {
            ui.talk(&format!("note: {note}"));
        }
        ui.talk("the file holds logins: keep it as you keep a password");
        Ok(Exit::OK)
    }
}

impl ImportArgs {
    async fn run(self, context: &Context) -> Outcome {
        let path = absolute(&self.path)?;
        let name = self.session.as_deref();
        let done = context.client.import_profile(&path, name).await?;
        let ui = context.ui;
        ui.answer(&done, |done| done.session.clone())?;
        ui.talk(&format!("imported `{}`: {}", done.session, said(&done)));
        Ok(Exit::OK)
    }
}

impl MaintainArgs {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.maintain(&self.session).await?;
        let ui = context.ui;
        ui.answer(&done, table)?;
        for row in &done.sessions {
            for note in &row.notes {
                ui.warn(&format!("`{}`: {note}", row.session));
            }
        }
        let freed = done
            .sessions
            .iter()
            .map(|row| row.before.saturating_sub(row.after))
            .sum();
        ui.talk(&format!("{} freed", human::size(freed)));
        Ok(Exit::OK)
    }
}

/// `path` made absolute from here.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::invalid(format!(
            "`{}` is not a usable path: {error}",
            path.display()
        ))
    })
}

fn said(done: &Exported) -> String {
    let files = human::count(
        usize::try_from(done.files).unwrap_or(usize::MAX),
        "file",
        "files",
    );
    format!("{files}, {}", human::size(done.bytes))
}

fn table(done: &Maintained) -> String {
    const COLUMNS: [Column; 5] = [
        Column {
            head: "NAME",
            right: false,
        },
        Column {
            head: "BEFORE",
            right: true,
        },
        Column {
            head: "AFTER",
            right: true,
        },
        Column {
            head: "CACHES",
            right: true,
        },
        Column {
            head: "DATABASES",
            right: true,
        },
    ];
    let rows: Vec<Vec<Cell>> = done
        .sessions
        .iter()
        .map(|row| {
            vec![
                Cell::styled(&row.session, STRONG),
                Cell::new(human::size(row.before)),
                Cell::new(human::size(row.after)),
                Cell::new(human::size(row.caches)),
                Cell::new(row.databases.to_string()),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    table::render(&COLUMNS, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_no_plural() {
        let done = |files: u64| Exported {
            session: "work".to_owned(),
            path: "w.tar.zst".into(),
            files,
            bytes: 10,
            left_out: 0,
            notes: Vec::new(),
        };
        assert_eq!(said(&done(1)), "1 file, 10 B");
        assert_eq!(said(&done(2)), "2 files, 10 B");
    }
}
