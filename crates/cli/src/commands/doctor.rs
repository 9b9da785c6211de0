//! `szk doctor`

use clap::Args;
use szk_tools::doctor::{CheckStatus, DoctorAsk};

use crate::Host;
use crate::args::Global;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::checks;
use crate::ui::Ui;

/// Find what is wrong, and the command that mends it
///
/// Exits with 1 when something keeps szk from working.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk doctor --json")]
pub(crate) struct DoctorArgs {}

impl DoctorArgs {
    /// Makes no client: a broken configuration is one of the things to be found.
    pub(super) async fn run(self, global: &Global, host: Host) -> Outcome {
        let ui = Ui::new(global);
        let line = ui.progress();
        line.say("examining");
        let ask = DoctorAsk {
            store: global.store.clone(),
        };
        let report = (host.doctor)(ask).await;
        line.clear();
        ui.answer(&report, checks::report)?;
        ui.talk(&format!("\n{}", checks::verdict(&report)));
        Ok(match report.count(CheckStatus::Fail) {
            0 => Exit::OK,
            _ => Exit::DOCTOR,
        })
    }
}
