//! A run that was killed goes on: what the task was, and what had been done, from the events of the run.

use std::collections::VecDeque;

use szk_tools::{Code, Failure};

use crate::fence::Fence;
use crate::model::{Message, Role, ToolCall};
use crate::repair;
use crate::run::Event;
use crate::running::{LEFT_OUT, Running, SAID, TOO_EARLY};
use crate::task::{Recipe, Task};
use crate::tools::{self, DONE, REMEMBER};

/// What the model is told of an act whose outcome nobody saw.
const UNKNOWN: &str = "szk was stopped during this act. It may have been done or not: look at the page before you repeat it.";

/// Limits that a person raises for the rest of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct More {
    /// Answers of the model, those before included.
    pub steps: Option<u64>,
    /// US dollars, those before included.
    pub budget: Option<f64>,
}

/// The task of a run, and the marks of page text in it.
///
/// # Errors
/// `INVALID_INPUT` for a run that is done, or that an older szk began.
pub(crate) fn task(events: &[Event], more: More) -> Result<(Task, Fence), Failure> {
    let done = |event: &Event| matches!(event, Event::Ended { outcome } if outcome.done);
    if events.last().is_some_and(done) {
        return Err(Failure::invalid("the task of this run is done")
            .hint("give it again with `szk do` if you want it repeated"));
    }
    let Some(Event::Began {
        session,
        task,
        origins,
        terms: Some(terms),
        ..
    }) = events.first()
    else {
        return Err(Failure::new(
            Code::InvalidInput,
            "this run does not say how it was begun, so it cannot go on",
        )
        .hint("give the task again with `szk do`"));
    };
    let mut limits = terms.limits;
    limits.steps = more.steps.unwrap_or(limits.steps);
    limits.budget = more.budget.unwrap_or(limits.budget);
    limits.check()?;
    let task = Task {
        words: task.clone(),
        session: Some(session.clone()),
        origins: origins.clone(),
        schema: terms.schema.clone(),
        secrets: terms.secrets.clone(),
        limits,
        judge: terms.judge,
        save: terms.save.clone(),
        recipe: Recipe::None,
        code: terms.code,
        approve: terms.approve.clone(),
    };
    Ok((task, Fence::of(&terms.marks)?))
}

/// Where the log of acts ended when a run began.
pub(crate) fn after(events: &[Event]) -> Option<u64> {
    match events.first() {
        Some(Event::Began {
            terms: Some(terms), ..
        }) => terms.after,
        _ => None,
    }
}

impl Running<'_> {
    /// Takes up the conversation where the events end; returns how often a claim of the model was refused.
    pub(super) fn replay(&mut self, events: &[Event]) -> Result<usize, Failure> {
        let mut open: VecDeque<ToolCall> = VecDeque::new();
        let mut refused = 0;
        for event in events {
            match event {
                Event::Answer { step, answer, .. } => {
                    self.outcome.steps = *step;
                    self.pay(answer.usage);
                    open = self.said(answer.clone()).into();
                    if open.is_empty() {
                        self.circles.note(SAID.to_owned(), &answer.text);
                    }
                }
                Event::Acted {
                    tool,
                    arguments,
                    outcome,
                    failed,
                    ..
                } => {
                    refused += usize::from(*failed && is_refused_claim(tool, arguments, outcome));
                    self.done_before(tool, arguments, *failed);
                    let mut message = Message::new(Role::Tool, outcome.as_str());
                    message.answers = open.pop_front().map(|call| call.id);
                    self.history.push(message);
                    let act = format!("{tool} {arguments}");
                    self.circles.note(act, outcome);
                }
                Event::Replayed {
                    recipe,
                    stopped: Some(stopped),
                    ..
                } => {
                    self.outcome.replayed = Some(recipe.clone());
                    self.stopped(recipe, stopped);
                }
                Event::Planned { plan, usage } => {
                    self.pay(*usage);
                    // What else the answer wanted belonged to the old plan.
                    open.clear();
                    if let Some(plan) = plan {
                        self.history.restart(plan);
                    }
                }
                Event::Judged { usage, .. } => self.pay(*usage),
                Event::Began { .. }
                | Event::Resumed { .. }
                | Event::Replayed { .. }
                | Event::Ended { .. } => {}
            }
        }
        // It was at the first of these; the others had not begun.
        for (at, call) in open.iter().enumerate() {
            let told = if at == 0 { UNKNOWN } else { LEFT_OUT };
            self.told(call, told.to_owned(), true)?;
        }
        Ok(refused)
    }

    /// Takes over what an act of before left behind: a note, or something that no recipe can repeat.
    fn done_before(&mut self, tool: &str, arguments: &str, failed: bool) {
        if tool == REMEMBER && !failed {
            let given = repair::json(arguments).map(|read| read.value);
            let note = given.and_then(|given| Some(given["note"].as_str()?.to_owned()));
            self.history.remember(&note.unwrap_or_default());
        }
        let own = self.agent.actions.iter().any(|one| one.tool().name == tool);
        let configured = self.configured.iter().any(|one| one.name == tool);
        self.irreproducible |= own || configured;
    }
}

/// Whether a failed call was a claim of success that was judged: one that was wrong in itself, or came too
/// early, was not.
fn is_refused_claim(tool: &str, arguments: &str, outcome: &str) -> bool {
    let given = repair::json(arguments).map(|read| read.value);
    let claims = given.and_then(|given| tools::claim(given.as_object()?).ok());
    let unjudged = [LEFT_OUT, UNKNOWN, TOO_EARLY];
    tool == DONE
        && claims.is_some_and(|claim| claim.success)
        && !unjudged.iter().any(|told| outcome.contains(told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use crate::run::Terms;

    fn began(terms: Option<Terms>) -> Event {
        Event::Began {
            run: "r".to_owned(),
            session: "work".to_owned(),
            task: "look".to_owned(),
            model: "m".to_owned(),
            origins: vec!["https://a.example".to_owned()],
            terms,
        }
    }

    fn terms() -> Terms {
        Terms {
            marks: "0123456789abcdef01234567".to_owned(),
            secrets: vec!["shop".to_owned()],
            judge: true,
            ..Terms::default()
        }
    }

    #[test]
    fn a_run_says_how_it_was_begun() {
        let more = More {
            steps: Some(70),
            budget: None,
        };
        let (task, fence) = task(&[began(Some(terms()))], more).unwrap();
        assert_eq!((&*task.words, task.limits.steps), ("look", 70));
        assert_eq!((task.secrets.len(), task.judge), (1, true));
        assert_eq!(fence.word(), terms().marks);
    }

    #[test]
    fn only_a_judged_claim_counts_as_refused() {
        let claim = r#"{"success": true, "text": "x"}"#;
        let check = |tool: &str, arguments: &str, outcome: &str, expected: bool| {
            let refused = is_refused_claim(tool, arguments, outcome);
            assert_eq!(refused, expected, "{tool} {arguments} {outcome}");
        };
        check(
            DONE,
            claim,
            "INVALID_INPUT: a judge says that it was not done",
            true,
        );
        check(DONE, "{}", "INVALID_INPUT: `done` needs `success`", false);
        check(DONE, claim, &format!("INVALID_INPUT: {TOO_EARLY}"), false);
        check(DONE, claim, LEFT_OUT, false);
        check(REMEMBER, claim, "x", false);
    }

    #[test]
    fn what_cannot_go_on_says_so() {
        let ended = |done| Event::Ended {
            outcome: Outcome {
                done,
                ..Outcome::default()
            },
        };
        let check = |events: &[Event], expected: bool| {
            let task = task(events, More::default());
            assert_eq!(task.is_ok(), expected, "{events:?}");
        };
        check(&[], false);
        check(&[began(None)], false);
        check(&[began(Some(terms())), ended(true)], false);
        // A limit ended it, or a failure.
        check(&[began(Some(terms())), ended(false)], true);
        let forged = Terms {
            marks: "x>".to_owned(),
            ..terms()
        };
        check(&[began(Some(forged))], false);
    }
}
