//! `szk delete`

use clap::{Arg, ArgAction};
use szk_text::counted;
use szk_tools::Failure;
use szk_tools::session::{Delete, DeleteInput};

use super::confirm;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};
use crate::render::human;

impl Terminal for Delete {
    fn table() -> Table {
        Table::new(&[
            "szk delete old-shop",
            "szk delete 'test-*' --dry-run",
            "szk delete 'test-*' --yes",
            "szk delete '*' --unused-days 90 --dry-run",
        ])
        .about("Delete stored profiles, with their logins")
        .details(
            "Never deletes an open session: close it first. On a terminal szk asks first; elsewhere a \
             pattern needs `--yes`.",
        )
        .positions(&["session"])
        .arg("session", |arg| {
            arg.value_name("NAME|GLOB")
                .help("Profile, or a pattern with `*` and `?`")
        })
        .value("unused_days", "DAYS")
        .own(|command| {
            let yes = Arg::new("yes").long("yes").short('y');
            command.arg(yes.help("Do not ask").action(ArgAction::SetTrue))
        })
    }

    async fn run(typed: Typed<Self>) -> Outcome {
        let input = typed.input()?;
        if input.dry_run != Some(true) && !typed.flag("yes") {
            confirm(&typed.context, &input).await?;
        }
        let done = typed.output().await?;
        let ui = typed.context.ui;
        ui.answer(&done, |done| done.deleted.join("\n"))?;
        let profiles = human::count(done.deleted.len(), "profile", "profiles");
        if done.deleted.is_empty() {
            let since = input
                .unused_days
                .map(|days| format!(" and was not used for {}", counted(days.into(), "day")));
            ui.talk(&format!(
                "no profile fits `{}`{}",
                input.session,
                since.unwrap_or_default()
            ));
        } else if done.dry_run {
            ui.talk(&format!("{profiles} would be deleted"));
        } else {
            ui.talk(&format!("deleted {profiles}"));
        }
        Ok(Exit::OK)
    }
}

/// Asks for confirmation. Without a person to ask, only a single name is unambiguous enough.
async fn confirm(context: &Context, input: &DeleteInput) -> Result<(), CliError> {
    if confirm::somebody() {
        let rehearsal = DeleteInput {
            dry_run: Some(true),
            ..input.clone()
        };
        return sure(&context.output::<Delete>(&rehearsal).await?.deleted);
    }
    if input.session.contains(['*', '?']) {
        let message = format!(
            "`{}` may match several profiles, and szk cannot ask without a terminal",
            input.session
        );
        let hint = "look with `--dry-run`, then say `--yes`";
        return Err(Failure::invalid(message).hint(hint).into());
    }
    Ok(())
}

fn sure(doomed: &[String]) -> Result<(), CliError> {
    if doomed.is_empty() {
        return Ok(());
    }
    let what = match doomed {
        [one] => format!("`{one}` with its logins"),
        several => format!(
            "{} profiles with their logins ({})",
            several.len(),
            several.join(", ")
        ),
    };
    confirm::ask(&format!("delete {what}?"), "nothing was deleted")
}
