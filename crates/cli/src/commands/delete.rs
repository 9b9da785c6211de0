//! `szk delete`

use clap::Args;
use szk_tools::Failure;
use szk_tools::session::{Delete, DeleteInput, DeleteOutput};

use super::confirm;
use crate::complete;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::human;

/// Delete stored profiles, with their logins
///
/// Never deletes an open session: close it first. On a terminal szk asks first; elsewhere a pattern
/// needs `--yes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk delete old-shop\n  szk delete 'test-*' --dry-run\n  szk delete 'test-*' --yes\n  szk delete '*' --unused-days 90 --dry-run"
)]
pub(crate) struct DeleteArgs {
    /// Profile, or a pattern with `*` and `?`
    #[arg(value_name = "NAME|GLOB", add = complete::profiles())]
    session: String,
    /// Only profiles that have not been opened for this many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    unused_days: Option<u32>,
    /// Only show what would be deleted
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

impl DeleteArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        if !self.dry_run && !self.yes {
            self.confirm(context).await?;
        }
        let done = self.call(context, self.dry_run).await?;
        let ui = context.ui;
        ui.answer(&done, |done| done.deleted.join("\n"))?;
        let profiles = human::count(done.deleted.len(), "profile", "profiles");
        if done.deleted.is_empty() {
            let since = self
                .unused_days
                .map(|days| format!(" and was not used for {days} days"));
            ui.talk(&format!(
                "no profile fits `{}`{}",
                self.session,
                since.unwrap_or_default()
            ));
        } else if done.dry_run {
            ui.talk(&format!("{profiles} would be deleted"));
        } else {
            ui.talk(&format!("deleted {profiles}"));
        }
        Ok(Exit::OK)
    }

    async fn call(&self, context: &Context, dry_run: bool) -> Result<DeleteOutput, CliError> {
        let input = DeleteInput {
            session: self.session.clone(),
            unused_days: self.unused_days,
            dry_run: dry_run.then_some(true),
        };
        context.output::<Delete>(&input).await
    }

    /// Asks the person; if there is none, only a single name is unambiguous enough.
    async fn confirm(&self, context: &Context) -> Result<(), CliError> {
        if confirm::somebody() {
            let doomed = self.call(context, true).await?.deleted;
            return sure(&doomed);
        }
        if self.session.contains(['*', '?']) {
            let message = format!(
                "`{}` may be several profiles, and nobody is there to ask",
                self.session
            );
            let hint = "look with `--dry-run`, then say `--yes`";
            return Err(Failure::invalid(message).hint(hint).into());
        }
        Ok(())
    }
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
