//! The conversation, kept within a budget: old observations become one line each.

use crate::model::{Message, Role};

/// Bytes of text beyond which old observations are shortened.
const BUDGET: usize = 80_000;
/// The latest messages, which stay whole.
const WHOLE: usize = 6;
/// What is left of an old observation, in characters.
const LEFT: usize = 160;
/// Longest single observation, in bytes.
const LONGEST: usize = 30_000;

/// The conversation of a run.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Message>,
}

impl History {
    /// The messages, in order.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a message, and shortens old ones if there is too much text.
    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
        let size = |message: &Message| {
            let calls = message.calls.iter().map(|call| call.arguments.len());
            message.text.len() + calls.sum::<usize>()
        };
        let mut total: usize = self.messages.iter().map(size).sum();
        let old = self.messages.len().saturating_sub(WHOLE);
        // The rules and the task come first, and stay.
        for message in self.messages.iter_mut().take(old).skip(2) {
            if total <= BUDGET {
                return;
            }
            let before = message.text.len();
            if message.role == Role::Tool && before > 2 * LEFT {
                message.text = shortened(&message.text);
                total = total - before + message.text.len();
            }
        }
    }
}

/// What the model may read of one observation.
pub(crate) fn clipped(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
    let head = &text[..end.unwrap_or_default()];
    format!("{head}\n(cut off; look at a part with `browser_snapshot` and `scope`)")
}

fn shortened(text: &str) -> String {
    let said = text.lines().find(|line| !line.starts_with('<'));
    let head = szk_text::line(said.unwrap_or_default(), LEFT);
    format!("{head} (old; left out)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_stays_bounded_and_the_task_whole() {
        let mut history = History::default();
        history.push(Message::new(Role::System, "rules"));
        history.push(Message::new(Role::User, "task"));
        for number in 0..300 {
            let text = format!("<page>\nobservation {number}\n{}</page>", "x".repeat(4000));
            history.push(Message::new(Role::Tool, text));
        }
        let total: usize = history.messages().iter().map(|one| one.text.len()).sum();
        assert!(total < BUDGET + 300 * LEFT, "{total}");
        assert_eq!(history.messages()[1].text, "task");
        let last = history.messages().last().unwrap();
        assert!(last.text.len() > 4000);
        assert_eq!(history.messages()[2].text, "observation 0 (old; left out)");
    }
}
