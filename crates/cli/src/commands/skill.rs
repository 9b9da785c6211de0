//! `szk skill`

use clap::Args;

use crate::command::{ByHand, Called};
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

impl ByHand for SkillArgs {
    const NAME: &'static str = "skill";

    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        Ui::new(global).data(&manual::skill())?;
        Ok(Exit::OK)
    }
}
