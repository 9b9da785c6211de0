//! `szk delete`

use clap::{Arg, ArgAction};
use szk_text::counted;
use szk_tools::Failure;
use szk_tools::session::{Delete, DeleteInput, DeleteOutput};

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
        ui.talk(&said(&input, &done));
        Ok(Exit::OK)
    }
}

fn said(input: &DeleteInput, done: &DeleteOutput) -> String {
    let profiles = human::count(done.deleted.len(), "profile", "profiles");
    if done.deleted.is_empty() {
        let since = input
            .unused_days
            .map(|days| format!(" and was not used for {}", counted(days.into(), "day")));
        format!(
            "no profile fits `{}`{}",
            input.session,
            since.unwrap_or_default()
        )
    } else if done.dry_run {
        format!("{profiles} would be deleted")
    } else {
        format!("deleted {profiles}")
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
        let hint = "preview with `--dry-run`, then pass `--yes`";
        return Err(Failure::invalid(message).hint(hint).into());
    }
    Ok(())
}

fn sure(doomed: &[String]) -> Result<(), CliError> {
    if doomed.is_empty() {
        return Ok(());
    }
    confirm::ask(&question(doomed), "nothing was deleted")
}

fn question(doomed: &[String]) -> String {
    match doomed {
        [one] => format!("delete `{one}` with its logins?"),
        several => format!(
            "delete {} profiles with their logins ({})?",
            several.len(),
            several.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_profile_and_one_day_have_no_plural() {
        let check = |deleted: &[&str], dry_run: bool, expected: &str| {
            let input = DeleteInput {
                session: "a*".to_owned(),
                unused_days: Some(1),
                dry_run: Some(dry_run),
            };
            let deleted = deleted.iter().map(|name| (*name).to_owned()).collect();
            let done = DeleteOutput { deleted, dry_run };
            assert_eq!(said(&input, &done), expected);
        };
        check(&["a"], false, "deleted 1 profile");
        check(&["a"], true, "1 profile would be deleted");
        check(&["a", "ab"], false, "deleted 2 profiles");
        check(&[], true, "no profile fits `a*` and was not used for 1 day");
        let names = ["a", "ab"].map(str::to_owned);
        assert_eq!(question(&names[..1]), "delete `a` with its logins?");
        assert_eq!(
            question(&names),
            "delete 2 profiles with their logins (a, ab)?"
        );
    }
}
