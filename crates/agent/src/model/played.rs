//! A model that repeats the answers of a recorded run.

use std::path::Path;

use szk_tools::Failure;

use super::{Answer, Ask, BoxFuture, ChatModel, ModelError, Scripted};
use crate::run;

/// Answers as the model of a run did.
pub struct PlayedBack {
    answers: Scripted,
}

impl PlayedBack {
    /// Reads the answers of a run from its folder.
    ///
    /// # Errors
    /// The folder holds no run, or an unreadable one.
    pub fn from_folder(folder: &Path) -> Result<Self, Failure> {
        let events = run::read(folder)?;
        let answers = events.into_iter().filter_map(|event| match event {
            run::Event::Answer { answer, .. } => Some(answer),
            _ => None,
        });
        let answers: Vec<Answer> = answers.collect();
        Ok(Self {
            answers: Scripted::new(answers),
        })
    }
}

impl ChatModel for PlayedBack {
    fn name(&self) -> &str {
        "played back"
    }

    fn ask<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Result<Answer, ModelError>> {
        self.answers.ask(ask)
    }
}
