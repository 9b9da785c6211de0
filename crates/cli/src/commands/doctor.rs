//! `szk doctor`

use clap::Args;
use szk_tools::doctor::{CheckStatus, DoctorAsk};

use crate::command::{ByHand, Called};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::checks;
use crate::ui::Ui;

/// Find what is wrong, and the command that fixes it
///
/// Exits with 1 if something keeps szk from working.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk doctor --json\n  szk doctor --stealth --report stealth.html"
)]
pub(crate) struct DoctorArgs {
    /// Compare what a page sees with the same browser started by hand
    ///
    /// Opens a new profile with your configuration, then the same browser without szk (with a display,
    /// both are visible for a few seconds). Names every difference and its cause.
    #[arg(long)]
    stealth: bool,
    /// Write the whole comparison as an HTML page
    #[arg(long, value_name = "FILE", requires = "stealth", value_hint = clap::ValueHint::FilePath)]
    report: Option<std::path::PathBuf>,
}

impl ByHand for DoctorArgs {
    const NAME: &'static str = "doctor";

    /// Creates no client: a broken configuration is one of the things to find.
    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        let host = &called.host;
        let ui = Ui::new(global);
        let line = ui.progress();
        line.say(if self.stealth {
            "comparing with the same browser started by hand"
        } else {
            "examining"
        });
        let ask = DoctorAsk {
            store: global.store.clone(),
            stealth: self.stealth,
            report: self.report,
        };
        let mut report = (host.doctor)(ask).await;
        // Without a client there is a failed check of the configuration already.
        if !self.stealth
            && let Ok(context) = called.context()
            && let Ok(settings) = context.client.agent_settings()
        {
            report.checks.push(szk_agent::check(&settings).await);
            let actions = szk_agent::check_actions(&settings.actions);
            report.checks.push(actions);
        }
        line.clear();
        ui.answer(&report, checks::report)?;
        ui.talk(&format!("\n{}", checks::verdict(&report)));
        Ok(match report.count(CheckStatus::Fail) {
            0 => Exit::OK,
            _ => Exit::DOCTOR,
        })
    }
}
