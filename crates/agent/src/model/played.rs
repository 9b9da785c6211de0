//! A model that repeats the answers of a recorded run.

use std::path::Path;

use serde_json::json;
use szk_tools::Failure;

use super::{Answer, Ask, BoxFuture, ChatModel, ModelError, Scripted};
use crate::run::{self, Event};

/// Answers as the model of a run did, and judges as its judge did.
pub struct PlayedBack {
    answers: Scripted,
}

impl PlayedBack {
    /// Reads the answers of a run from its folder, or from its `events.jsonl`.
    ///
    /// # Errors
    /// There is no run, or an unreadable one.
    pub fn from_folder(folder: &Path) -> Result<Self, Failure> {
        let folder = match folder.ends_with(run::EVENTS) {
            true => folder.parent().unwrap_or(folder),
            false => folder,
        };
        let answers = run::read(folder)?.into_iter().filter_map(said);
        let answers: Vec<Answer> = answers.collect();
        Ok(Self {
            answers: Scripted::new(answers),
        })
    }
}

fn said(event: Event) -> Option<Answer> {
    match event {
        Event::Answer { answer, .. } => Some(answer),
        Event::Planned { plan, usage } => Some(Answer {
            text: plan.unwrap_or_default(),
            usage,
            ..Answer::default()
        }),
        Event::Judged { done, why, usage } => Some(Answer {
            text: json!({ "done": done, "why": why }).to_string(),
            usage,
            ..Answer::default()
        }),
        _ => None,
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
