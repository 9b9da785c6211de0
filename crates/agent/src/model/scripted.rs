//! A model that says what it was told to say, for tests.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::{Answer, Ask, BoxFuture, ChatModel, ModelError};

/// Answers in order, whatever it is asked.
pub struct Scripted {
    // A std mutex: nothing awaits under it.
    answers: Mutex<VecDeque<Answer>>,
}

impl Scripted {
    /// A model with these answers.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
        }
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask<'a>(&'a self, _: Ask<'a>) -> BoxFuture<'a, Result<Answer, ModelError>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.pop_front().ok_or(ModelError::UsedUp);
        Box::pin(std::future::ready(answer))
    }
}
