//! One task at work: the model says what to do, szk does it, and the model hears what came of it.

use serde_json::{Map, Value};
use szk_client::Origins;
use szk_tools::browser::Act;
use szk_tools::{Failure, Image, Operation};

use crate::actions::Configured;
use crate::agent::Agent;
use crate::circles::{Circles, Course};
use crate::effect::Effect;
use crate::fence::Fence;
use crate::history::History;
use crate::model::{Answer, Ask, Message, Role, Tool, ToolCall, Usage};
use crate::page_address::{ActReport, is_final};
use crate::plan::Turn;
use crate::prompt;
use crate::replay::Ready;
use crate::run::{Event, Recorder};
use crate::task::{Outcome, Task};
use crate::tools::{self, CallTerms, ModelCall};

/// Calls of one answer that are carried out at most; further ones are as if they had not been made.
const MOST: usize = 20;
/// What the model is told of calls that another one of the same answer makes pointless.
pub(super) const LEFT_OUT: &str =
    "Not done: look first at what came of the call before it in the same answer.";

/// The answer to a `done` that follows acts in the same message.
pub(super) const TOO_EARLY: &str = "see first what came of your acts, then call `done`";
/// Added to the outcome when the model repeats an act that keeps having the same one.
const AGAIN: &str = "\nYou have done this several times with the same outcome. Make another plan, or end with `done`.";
/// Why a task ends that goes round in circles.
const LOST: &str = "it went round in circles: the same act with the same outcome again and again";
/// The same without acts.
const SILENT: &str =
    "it went round in circles: the model said the same again and again, and called no tool";
/// What an answer without a call counts as, among the acts of circles.
pub(super) const SAID: &str = "(no tool)";

/// The task has ended; what came of it is known.
struct End;

/// A task that is being carried out.
pub(super) struct Running<'a> {
    pub(super) agent: &'a Agent<'a>,
    pub(super) task: &'a Task,
    pub(super) session: String,
    /// The tab that it works in.
    pub(super) tab: String,
    pub(super) origins: Origins,
    pub(super) fence: Fence,
    pub(super) tools: Vec<Tool>,
    pub(super) history: History,
    pub(super) circles: Circles,
    /// Whether this run had to start the browser.
    pub(super) restarted: bool,
    /// The recipe that stopped, and can be taken up again.
    pub(super) paused: Option<String>,
    /// Actions of the configuration.
    pub(super) configured: Vec<Configured>,
    /// Whether something was done that no recipe can repeat.
    pub(super) irreproducible: bool,
    /// The newest entry of the log of acts when the run began, if it is known.
    pub(super) after: Option<u64>,
    /// What was done, for a failure of the whole.
    pub(super) effect: Effect,
    /// The tab that was within the origins when it was last looked at, since the run began.
    pub(super) within: Option<String>,
    pub(super) recorder: Recorder,
    pub(super) outcome: Outcome,
}

impl Running<'_> {
    pub(super) fn event(&self, event: &Event) -> Result<(), Failure> {
        (self.agent.tell)(event);
        self.recorder.add(event)
    }

    /// Works until the task has ended one way or the other.
    pub(super) async fn work(
        &mut self,
        checker: Option<&jsonschema::Validator>,
        recipe: Option<&Ready>,
        before: &[Event],
    ) -> Result<(), Failure> {
        let task = self.task;
        let rules = prompt::rules(&self.fence, &self.origins.words(), &task.secrets);
        self.history.push(Message::new(Role::System, rules));
        let words = prompt::task(&task.words, task.schema.as_ref());
        let mut objections = 0;
        if before.is_empty() {
            self.history.push(Message::new(Role::User, words));
            if let Some(recipe) = recipe
                && self.replay_recipe(recipe, checker).await?
            {
                return Ok(());
            }
            let seen = self.look().await?;
            let now = format!("The page now:\n{seen}");
            self.history.push(Message::new(Role::User, now));
        } else {
            self.history.push(Message::new(Role::User, words));
            objections = self.replay(before)?;
            let seen = self.look().await?;
            let browser = match self.restarted {
                true => {
                    "The browser was started again meanwhile: its tabs were loaded anew, logins are kept, and what was typed and not sent is lost."
                }
                false => "The page may have been loaded anew.",
            };
            let now = format!(
                "szk was interrupted, and goes on with the task. {browser} Refs of earlier steps no longer count. The page now:\n{seen}"
            );
            self.history.push(Message::new(Role::User, now));
        }
        loop {
            if let Some(limit) = self.limit() {
                self.outcome.text = limit;
                return Ok(());
            }
            let (said, calls) = Box::pin(self.next()).await?;
            let ended = match calls.is_empty() {
                // Behind pointers: what a task does in a step is deep, and its caller may have a small stack.
                true => Box::pin(self.without_a_call(&said)).await?,
                false => Box::pin(self.carry_out(calls, checker, &mut objections)).await?,
            };
            if let Some(End) = ended {
                return Ok(());
            }
        }
    }

    /// Carries out the calls of one answer in order, until one ends the task or turns out otherwise than the
    /// model could expect: the rest was decided without knowing that.
    async fn carry_out(
        &mut self,
        calls: Vec<ToolCall>,
        checker: Option<&jsonschema::Validator>,
        objections: &mut usize,
    ) -> Result<Option<End>, Failure> {
        let mut surprised = false;
        for (at, call) in calls.iter().enumerate() {
            if surprised {
                self.told(call, LEFT_OUT.to_owned(), true)?;
                continue;
            }
            let wanted = tools::read(call, &self.given());
            let outcome = match wanted {
                // It has not seen yet what its acts came to.
                Ok(ModelCall::Done(_)) if at > 0 => Err(Failure::invalid(TOO_EARLY)),
                Ok(ModelCall::Done(claim)) => match Box::pin(self.judged(&claim, checker)).await? {
                    // Once more; then it stands as it is.
                    Some(objection) if claim.success && *objections < 2 => {
                        *objections += 1;
                        Err(Failure::invalid(objection))
                    }
                    objection => {
                        self.end(claim, objection);
                        return Ok(Some(End));
                    }
                },
                Ok(ModelCall::Ask(question)) => {
                    Ok(ActReport::from(match (self.agent.ask)(&question).await {
                        Some(answer) => format!("The person says: {answer}"),
                        None => {
                            "Nobody can be asked. Go on without, or end with `done`.".to_owned()
                        }
                    }))
                }
                Ok(ModelCall::Remember(note)) => self.remember(&note),
                Ok(ModelCall::Code(code)) => self.code(code).await,
                Ok(ModelCall::Action(action, given)) => self.own(action, &given).await,
                Ok(ModelCall::Configured(at, given)) => self.configured(at, given).await,
                Ok(ModelCall::Operation(operation)) => Box::pin(self.act(*operation)).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = &outcome
                && is_final(failure)
            {
                return Err(failure.clone());
            }
            let ActReport {
                mut text,
                images,
                turned,
                failed,
            } = outcome.unwrap_or_else(|failure| ActReport {
                failed: true,
                ..failure.to_string().into()
            });
            // Only acts go together: what is read is for the next answer.
            surprised = failed || turned || call.name != Act::NAME;
            let course = self
                .circles
                .note(format!("{} {}", call.name, call.arguments), &text);
            if course == Course::Round {
                text.push_str(AGAIN);
            }
            self.shown(call, text, failed, images)?;
            match Box::pin(self.turn(course, LOST)).await? {
                Turn::On => {}
                // What else the answer wanted belonged to the old plan.
                Turn::Anew => return Ok(None),
                Turn::End => return Ok(Some(End)),
            }
        }
        Ok(None)
    }

    /// Answers an answer without a call: the model hears that it has to make one, and that it says the same
    /// again and again.
    async fn without_a_call(&mut self, text: &str) -> Result<Option<End>, Failure> {
        let course = self.circles.note(SAID.to_owned(), text);
        if course == Course::Round {
            let text = "You have said this several times. Call a tool; if the task has ended, call `done`.";
            self.history.push(Message::new(Role::User, text));
        }
        Ok(match self.turn(course, SILENT).await? {
            Turn::On | Turn::Anew => None,
            Turn::End => Some(End),
        })
    }

    fn remember(&mut self, note: &str) -> Result<ActReport, Failure> {
        if note.trim().is_empty() {
            return Err(Failure::invalid("`remember` needs `note`").about(["remember", "note"]));
        }
        match self.history.remember(note) {
            true => Ok("Kept.".to_owned().into()),
            false => Err(Failure::invalid("there are too many notes already")),
        }
    }

    /// What calls of the model are read with.
    pub(super) fn given(&self) -> CallTerms<'_> {
        CallTerms {
            session: &self.session,
            origins: &self.origins,
            tools: &self.tools,
            secrets: &self.task.secrets,
            recipe: self.paused.as_deref(),
            code: self.task.writes_code(),
            actions: self.agent.actions,
            configured: &self.configured,
        }
    }

    /// What ends the run, if anything does by now.
    fn limit(&self) -> Option<String> {
        let limits = &self.task.limits;
        let usage = self.outcome.tokens;
        if self.outcome.steps >= limits.steps {
            return Some(format!("it took {}", all_of(limits.steps, "step")));
        }
        if limits.tokens > 0 && usage.total() >= limits.tokens {
            return Some(format!("it used {}", all_of(limits.tokens, "token")));
        }
        let cost = self.outcome.cost.unwrap_or_default();
        (limits.budget > 0.0 && cost >= limits.budget)
            .then(|| format!("it cost {cost:.4} of its {} US dollars", limits.budget))
    }

    pub(super) fn pay(&mut self, usage: Usage) {
        self.outcome.tokens.add(usage);
        let usage = self.outcome.tokens;
        #[expect(
            clippy::cast_precision_loss,
            reason = "money, to a millionth of a cent"
        )]
        let cost = |(read, written)| {
            (usage.input as f64 * read + usage.output as f64 * written) / 1_000_000.0
        };
        self.outcome.cost = self.task.limits.prices.map(cost);
    }

    /// What the model says next, and its calls; none if it made none, and was told so.
    async fn next(&mut self) -> Result<(String, Vec<ToolCall>), Failure> {
        let ask = Ask {
            messages: self.history.messages(),
            tools: &self.tools,
            schema: None,
        };
        let answer = self.agent.model.ask(ask).await?;
        self.outcome.steps += 1;
        self.pay(answer.usage);
        self.event(&Event::Answer {
            step: self.outcome.steps,
            answer: answer.clone(),
            cost: self.outcome.cost,
        })?;
        Ok((answer.text.clone(), self.said(answer)))
    }

    /// Takes an answer into the conversation; returns the calls that it makes.
    pub(super) fn said(&mut self, answer: Answer) -> Vec<ToolCall> {
        let mut message = Message::new(Role::Assistant, answer.text.clone());
        let mut calls = answer.calls;
        calls.truncate(MOST);
        if calls.is_empty() {
            calls.extend(tools::in_text(&answer.text));
        }
        message.calls.clone_from(&calls);
        self.history.push(message);
        if calls.is_empty() {
            let text = "Call a tool; if the task has ended, call `done`.";
            self.history.push(Message::new(Role::User, text));
        }
        calls
    }

    pub(super) fn told(
        &mut self,
        call: &ToolCall,
        text: String,
        failed: bool,
    ) -> Result<(), Failure> {
        self.shown(call, text, failed, Vec::new())
    }

    /// Tells the model what came of a call, with pictures.
    fn shown(
        &mut self,
        call: &ToolCall,
        text: String,
        failed: bool,
        images: Vec<Image>,
    ) -> Result<(), Failure> {
        let mut message = Message::new(Role::Tool, text.as_str());
        message.answers = Some(call.id.clone());
        self.history.push(message);
        // In a picture a secret could not be hidden.
        let pictures = match self.task.secrets.is_empty() {
            true => self.recorder.keep(self.outcome.steps, &images)?,
            false => Vec::new(),
        };
        self.history.show(images);
        self.event(&Event::Acted {
            step: self.outcome.steps,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            outcome: text,
            failed,
            pictures,
        })
    }

    /// Does what the program lets the model do.
    async fn own(
        &mut self,
        action: usize,
        given: &Map<String, Value>,
    ) -> Result<ActReport, Failure> {
        self.irreproducible = true;
        let said = self.agent.actions[action].call(given).await;
        self.effect.note(said.as_ref().map(|_| ()));
        self.said_by_action(said)
    }

    /// What an action says, which is data: it may come from anywhere.
    pub(super) fn said_by_action(
        &self,
        said: Result<String, Failure>,
    ) -> Result<ActReport, Failure> {
        match said {
            Ok(said) => Ok(self.fence.around(&said).into()),
            Err(failure) => Err(Failure {
                message: self.fence.around(&failure.message),
                ..failure
            }),
        }
    }
}

/// All that a task may have of something.
pub(super) fn all_of(count: u64, noun: &str) -> String {
    match count {
        1 => format!("its only {noun}"),
        count => format!("all of its {count} {noun}s"),
    }
}
