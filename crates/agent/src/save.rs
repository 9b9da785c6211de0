//! Ends a task as a recipe, which has all that was done or is not made.

use szk_tools::Failure;
use szk_tools::browser::{LogKind, Logs, LogsInput};
use szk_tools::recipe::{Save, SaveInput};

use crate::agent::Agent;
use crate::replay;
use crate::running::Running;

/// Entries of the log among which the newest is looked for: they are in the order of their last change.
const LATEST: u32 = 20;

impl Agent<'_> {
    /// The newest entry of the log of acts.
    pub(crate) async fn latest_act(&self, session: &str) -> Result<u64, Failure> {
        let input = LogsInput {
            session: Some(session.to_owned()),
            kind: Some(LogKind::Acts),
            limit: Some(LATEST),
            ..LogsInput::default()
        };
        let answer = self.client.run::<Logs>(input, &|_| {}).await?;
        let entries = answer.read::<Logs>()?.entries;
        let ids = entries.iter().filter_map(|entry| entry["id"].as_u64());
        Ok(ids.max().unwrap_or_default())
    }
}

impl Running<'_> {
    /// Makes a recipe of what was done since the run began.
    pub(super) async fn save(&mut self, name: &str) -> Result<(), Failure> {
        if self.irreproducible {
            return Err(Failure::invalid(
                "the task called actions, which a recipe cannot repeat",
            ));
        }
        let Some(after) = self.after.filter(|_| !self.restarted) else {
            return Err(Failure::invalid(
                "szk was started again meanwhile, so what was done before is not known any more",
            ));
        };
        let input = SaveInput {
            session: Some(self.session.clone()),
            name: name.to_owned(),
            about: Some(replay::about(&self.task.words)),
            from: Some(after + 1),
            values: Some(true),
            whole: Some(true),
            ..SaveInput::default()
        };
        let saved = self.agent.client.call(input.into(), &|_| {}).await?;
        self.outcome.recipe = Some(name.to_owned());
        for note in saved.read::<Save>()?.notes {
            let said = format!("\n(recipe `{name}`: {note})");
            self.outcome.text.push_str(&said);
        }
        Ok(())
    }
}
