//! `szk skill`

use clap::Args;

use crate::args::Global;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::manual;
use crate::ui::Ui;

/// Print the skill file for agents
///
/// Says what szk is for, what its operations are, and how to use them.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mkdir -p ~/.claude/skills/szk && szk skill > ~/.claude/skills/szk/SKILL.md"
)]
pub(crate) struct SkillArgs {}

impl SkillArgs {
    pub(super) fn run(self, global: &Global) -> Outcome {
        Ui::new(global).data(&manual::skill())?;
        Ok(Exit::OK)
    }
}
