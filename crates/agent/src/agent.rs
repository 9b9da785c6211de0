//! The loop: the model says what to do, szk does it, and the model hears what came of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use szk_client::{Client, Origins};
use szk_tools::browser::{
    History as Move, NavigateInput, SnapshotInput, TabRow, Tabs, TabsAction, TabsInput,
};
use szk_tools::session::{Open, OpenInput};
use szk_tools::{Call, Code, Done, Failure, Response, recipe};

use crate::circles::{Circles, Course};
use crate::fence::Fence;
use crate::history::{self, History};
use crate::model::{Answer, Ask, ChatModel, Message, Role, Tool, ToolCall, Usage};
use crate::run::{Event, Recorder};
use crate::tools::{self, Claim, Wanted};
use crate::{Limits, judge, prompt};

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Task {
    /// In words.
    pub words: String,
    /// The session to work in.
    pub session: Option<String>,
    /// Where it may go, as patterns; none means the origin of the current tab.
    pub origins: Vec<String>,
    /// What the result has to look like, as a JSON schema.
    pub schema: Option<Value>,
    /// Secrets that it may log in with, by name.
    pub secrets: Vec<String>,
    /// How far it may go.
    pub limits: Limits,
    /// Whether a judge looks at what was done.
    pub judge: bool,
    /// The recipe that it becomes.
    pub save: Option<String>,
}

/// What came of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it was done, as far as the model and the judge know.
    pub done: bool,
    /// The answer, or why it was not done.
    pub text: String,
    /// The result, if it has to fit a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The run.
    pub run: String,
    /// The session.
    pub session: String,
    /// Answers of the model.
    pub steps: u64,
    /// Tokens, those of the judge included.
    pub usage: Usage,
    /// US dollars, if prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What the judge said; missing if it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<bool>,
    /// The recipe that was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// Carries out tasks.
pub struct Agent<'a> {
    /// How operations are called.
    pub client: Arc<Client>,
    /// Who decides.
    pub model: &'a dyn ChatModel,
    /// Hears of each event as it happens.
    pub tell: &'a (dyn Fn(&Event) + Send + Sync),
    /// Answers a question, if a person is there.
    pub ask: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
}

/// A task that is being carried out.
struct Running<'a> {
    agent: &'a Agent<'a>,
    task: &'a Task,
    session: String,
    /// The tab that it works in.
    tab: String,
    origins: Origins,
    fence: Fence,
    tools: Vec<Tool>,
    history: History,
    circles: Circles,
    recorder: Recorder,
    outcome: Outcome,
}

impl Agent<'_> {
    /// Carries out a task to its end.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unusable schema or origins; the failures of the session and of the model. A
    /// task that could not be done is an [`Outcome`].
    pub async fn carry_out(&self, task: &Task) -> Result<Outcome, Failure> {
        let checker = task.schema.as_ref().map(checker).transpose()?;
        let open = OpenInput {
            session: task.session.clone(),
            ..OpenInput::default()
        };
        let opened = self
            .client
            .run::<Open>(open, &|_| {})
            .await?
            .read::<Open>()?;
        let session = opened.session;
        let tab = current(&self.rows(&session).await?)
            .ok_or_else(|| Failure::new(Code::NotFound, "the session has no tab"))?;
        let origins = match task.origins.as_slice() {
            [] => Origins::read(&[origin_of(&tab.url)?])?,
            origins => Origins::read(origins)?,
        };
        let fence = Fence::fresh()?;
        let (recorder, run) = Recorder::begin(&self.client.runs_of(&session)?)?;
        let mut running = Running {
            agent: self,
            task,
            tab: tab.id,
            tools: tools::offered(task.schema.as_ref(), !task.secrets.is_empty()),
            history: History::default(),
            circles: Circles::default(),
            recorder,
            outcome: Outcome {
                run: run.clone(),
                session: session.clone(),
                ..Outcome::default()
            },
            session,
            origins,
            fence,
        };
        running.event(Event::Began {
            run,
            session: running.session.clone(),
            task: task.words.clone(),
            model: self.model.name().to_owned(),
            origins: running.origins.words(),
        })?;
        let ended = running.work(checker.as_ref()).await;
        if let Err(failure) = &ended {
            running.outcome.done = false;
            running.outcome.text = failure.to_string();
        } else if running.outcome.done
            && let Some(name) = &task.save
        {
            running.save(name).await?;
        }
        let outcome = running.outcome;
        running.recorder.end(&outcome)?;
        (self.tell)(&Event::Ended {
            outcome: outcome.clone(),
        });
        ended.map(|()| outcome)
    }

    async fn rows(&self, session: &str) -> Result<Vec<TabRow>, Failure> {
        let input = TabsInput {
            session: Some(session.to_owned()),
            ..TabsInput::default()
        };
        let answer = self.client.run::<Tabs>(input, &|_| {}).await?;
        Ok(answer.read::<Tabs>()?.tabs)
    }
}

impl Running<'_> {
    fn event(&mut self, event: Event) -> Result<(), Failure> {
        (self.agent.tell)(&event);
        self.recorder.add(event)
    }

    /// Works until the task has ended one way or the other.
    async fn work(&mut self, checker: Option<&jsonschema::Validator>) -> Result<(), Failure> {
        let task = self.task;
        let rules = prompt::rules(&self.fence, &self.origins.words(), &task.secrets);
        self.history.push(Message::new(Role::System, rules));
        let seen = self.look().await?;
        let words = prompt::task(&task.words, task.schema.as_ref());
        let first = format!("{words}\n\nThe page now:\n{seen}");
        self.history.push(Message::new(Role::User, first));
        let mut objections = 0;
        loop {
            if let Some(limit) = self.limit() {
                self.outcome.text = limit;
                return Ok(());
            }
            let Some(call) = self.next().await? else {
                continue;
            };
            let wanted = tools::read(&call, &self.session, &self.origins, &task.secrets);
            let outcome = match wanted {
                Ok(Wanted::Done(claim)) => match self.judged(&claim, checker).await? {
                    // Once more; then it stands as it is.
                    Some(objection) if claim.success && objections < 2 => {
                        objections += 1;
                        Err(Failure::invalid(objection))
                    }
                    objection => {
                        self.end(claim, objection);
                        return Ok(());
                    }
                },
                Ok(Wanted::Ask(question)) => Ok(match (self.agent.ask)(&question) {
                    Some(answer) => format!("The person says: {answer}"),
                    None => "Nobody can be asked. Go on without, or end with `done`.".to_owned(),
                }),
                Ok(Wanted::Operation(operation)) => self.act(*operation).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = &outcome
                && is_final(failure)
            {
                return Err(failure.clone());
            }
            let failed = outcome.is_err();
            let mut text = outcome.unwrap_or_else(|failure| failure.to_string());
            let course = self
                .circles
                .note(format!("{} {}", call.name, call.arguments), &text);
            if course == Course::Round {
                text.push_str("\nYou have done this several times with the same outcome. Make another plan, or end with `done`.");
            }
            self.told(&call, text, failed)?;
            if course == Course::Lost {
                self.outcome.text =
                    "it went round in circles: the same act with the same outcome again and again"
                        .to_owned();
                return Ok(());
            }
        }
    }

    /// What ends the run, if anything does by now.
    fn limit(&self) -> Option<String> {
        let limits = &self.task.limits;
        let usage = self.outcome.usage;
        if self.outcome.steps >= limits.steps {
            return Some(format!("it took all of its {} steps", limits.steps));
        }
        if limits.tokens > 0 && usage.total() >= limits.tokens {
            return Some(format!("it used all of its {} tokens", limits.tokens));
        }
        let cost = self.outcome.cost.unwrap_or_default();
        (limits.budget > 0.0 && cost >= limits.budget)
            .then(|| format!("it cost {cost:.4} of its {} US dollars", limits.budget))
    }

    fn pay(&mut self, answer: &Answer) {
        self.outcome.usage.add(answer.usage);
        let usage = self.outcome.usage;
        #[expect(
            clippy::cast_precision_loss,
            reason = "money, to a millionth of a cent"
        )]
        let cost = |(read, written)| {
            (usage.input as f64 * read + usage.output as f64 * written) / 1_000_000.0
        };
        self.outcome.cost = self.task.limits.prices.map(cost);
    }

    /// The next call of the model; `None` if it made none, and was told so.
    async fn next(&mut self) -> Result<Option<ToolCall>, Failure> {
        let ask = Ask {
            messages: self.history.messages(),
            tools: &self.tools,
            schema: None,
        };
        let answer = self.agent.model.ask(ask).await?;
        self.outcome.steps += 1;
        self.pay(&answer);
        self.event(Event::Answer {
            step: self.outcome.steps,
            answer: answer.clone(),
            cost: self.outcome.cost,
        })?;
        let mut message = Message::new(Role::Assistant, answer.text.clone());
        let call = answer.calls.into_iter().next();
        let call = call.or_else(|| tools::in_text(&answer.text));
        // Of several calls only the first is carried out: the page may differ for the next.
        message.calls = call.iter().cloned().collect();
        self.history.push(message);
        if call.is_none() {
            let text = "Call a tool; if the task has ended, call `done`.";
            self.history.push(Message::new(Role::User, text));
        }
        Ok(call)
    }

    fn told(&mut self, call: &ToolCall, text: String, failed: bool) -> Result<(), Failure> {
        let mut message = Message::new(Role::Tool, history::clipped(&text));
        message.answers = Some(call.id.clone());
        self.history.push(message);
        self.event(Event::Acted {
            step: self.outcome.steps,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            outcome: text,
            failed,
        })
    }

    async fn call(&self, call: Call) -> Result<Response, Failure> {
        let client = &self.agent.client;
        client.call_within(call, &self.origins, &|_| {}).await
    }

    /// Carries out an operation, and says what came of it.
    async fn act(&mut self, call: Call) -> Result<String, Failure> {
        // Pages go elsewhere by themselves: nothing is done there.
        if let Some(back) = self.come_back().await? {
            return Ok(back);
        }
        let outcome = self.call(call).await;
        let back = self.come_back().await?;
        let said = match outcome {
            // What a failure quotes may come from the page as well.
            Err(failure) if is_final(&failure) => return Err(failure),
            Err(failure) => Failure {
                message: self.fence.around(&failure.message),
                ..failure
            }
            .to_string(),
            Ok(_) if back.is_some() => String::new(),
            Ok(response) => self.fence.around(&response.summary),
        };
        Ok(match back {
            Some(back) => format!("{said}\n{back}"),
            None => said,
        })
    }

    /// Brings the tab back within its origins, closes tabs that it opened elsewhere, and says so.
    async fn come_back(&mut self) -> Result<Option<String>, Failure> {
        let rows = self.agent.rows(&self.session).await?;
        let mut said = Vec::new();
        for row in &rows {
            let opened = row.opener.as_ref() == Some(&self.tab);
            if opened && !self.origins.hold(&row.url) {
                let input = TabsInput {
                    session: Some(self.session.clone()),
                    action: Some(TabsAction::Close),
                    tab: Some(row.id.clone()),
                    ..TabsInput::default()
                };
                self.call(input.into()).await?;
                said.push("A tab outside of the origins of the task was closed.".to_owned());
            }
        }
        let Some(row) = current(&rows) else {
            return Ok(None);
        };
        self.tab.clone_from(&row.id);
        // At the very start it may be anywhere; the model sees nothing of it.
        if !self.origins.hold(&row.url) && self.outcome.steps > 0 {
            let back = NavigateInput {
                session: Some(self.session.clone()),
                tab: Some(row.id.clone()),
                history: Some(Move::Back),
                ..NavigateInput::default()
            };
            // Whether it worked shows in what is read next.
            let went = self.call(back.into()).await;
            said.push(match went {
                Ok(_) => "The page had left the origins of the task; szk went back.".to_owned(),
                Err(_) => "The page has left the origins of the task. Go to an address within them with `browser_navigate`.".to_owned(),
            });
        }
        Ok((!said.is_empty()).then(|| said.join("\n")))
    }

    /// The page as the model may see it.
    async fn look(&self) -> Result<String, Failure> {
        let rows = self.agent.rows(&self.session).await?;
        let Some(row) = current(&rows).filter(|row| self.origins.hold(&row.url)) else {
            return Ok("It is outside of the origins of the task. Go to an address within them with `browser_navigate`.".to_owned());
        };
        let input = SnapshotInput {
            session: Some(self.session.clone()),
            tab: Some(row.id),
            ..SnapshotInput::default()
        };
        let seen = self.call(input.into()).await?;
        Ok(history::clipped(&self.fence.around(&seen.summary)))
    }

    /// What speaks against a claim of success, if anything does.
    async fn judged(
        &mut self,
        claim: &Claim,
        checker: Option<&jsonschema::Validator>,
    ) -> Result<Option<String>, Failure> {
        if !claim.success {
            return Ok(None);
        }
        if let Some(checker) = checker {
            let result = claim.result.as_ref().unwrap_or(&Value::Null);
            let wrong: Vec<String> = checker
                .iter_errors(result)
                .take(5)
                .map(|error| format!("{} at `{}`", error, error.instance_path()))
                .collect();
            if !wrong.is_empty() {
                let wrong = szk_text::line(&wrong.join("; "), 600);
                return Ok(Some(format!("`result` does not fit the schema: {wrong}")));
            }
        }
        if !self.task.judge {
            return Ok(None);
        }
        let page = self.look().await?;
        let asked = judge::ask(
            self.agent.model,
            &self.fence,
            &self.task.words,
            claim,
            &page,
        );
        let (verdict, answer) = asked.await?;
        self.pay(&answer);
        self.outcome.judged = verdict.done;
        self.event(Event::Judged {
            done: verdict.done,
            why: verdict.why.clone(),
        })?;
        Ok((verdict.done == Some(false))
            .then(|| format!("a judge says that it was not done: {}", verdict.why)))
    }

    fn end(&mut self, claim: Claim, objection: Option<String>) {
        self.outcome.done = claim.success && objection.is_none();
        self.outcome.result = claim.result.filter(|_| objection.is_none());
        self.outcome.text = match objection {
            Some(objection) => format!("{}\n({objection})", claim.text),
            None => claim.text,
        };
    }

    async fn save(&mut self, name: &str) -> Result<(), Failure> {
        let input = recipe::SaveInput {
            session: Some(self.session.clone()),
            name: name.to_owned(),
            about: Some(szk_text::line(&self.task.words, 200)),
            ..recipe::SaveInput::default()
        };
        self.agent.client.call(input.into(), &|_| {}).await?;
        self.outcome.recipe = Some(name.to_owned());
        Ok(())
    }
}

/// The tab that calls without a tab mean.
fn current(rows: &[TabRow]) -> Option<TabRow> {
    let current = rows.iter().find(|row| row.current);
    current.or_else(|| rows.first()).cloned()
}

/// The origin of an address, as a pattern.
fn origin_of(address: &str) -> Result<String, Failure> {
    let url = url::Url::parse(address).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(|url| url.origin().ascii_serialization())
        .ok_or_else(|| {
            Failure::invalid("the current tab is at no web page, so the task has no origins")
                .hint("open a page first (`szk go URL`), or name them with `--origins`")
        })
}

fn checker(schema: &Value) -> Result<jsonschema::Validator, Failure> {
    jsonschema::validator_for(schema)
        .map_err(|error| Failure::invalid(format!("the schema is unusable: {error}")))
}

/// Whether there is no going on after it: the session is gone, or the model.
fn is_final(failure: &Failure) -> bool {
    matches!(
        failure.code,
        Code::SessionNotFound
            | Code::SessionBusy
            | Code::ProfileLocked
            | Code::BrowserNotFound
            | Code::Storage
            | Code::Cancelled
            | Code::Internal
    ) || (failure.code == Code::BrowserCrashed
        && failure.effect == Done::None
        && !failure.retryable)
}
