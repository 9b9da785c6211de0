//! Carries out tasks: opens the session, and keeps a record of the run.

use serde_json::Value;
use szk_client::{Client, Origins};
use szk_tools::browser::{TabRow, Tabs, TabsInput};
use szk_tools::session::{Open, OpenInput, Started};
use szk_tools::{Done, Failure};
use tokio::time::timeout;

use crate::action::{self, Action};
use crate::actions::Configured;
use crate::circles::Circles;
use crate::effect::Effect;
use crate::fence::Fence;
use crate::front::Front;
use crate::history::History;
use crate::model::ChatModel;
use crate::place::current;
use crate::replay::Ready;
use crate::resume::{self, More};
use crate::run::{Event, Recorder, Terms};
use crate::running::{Running, all_of};
use crate::task::{Outcome, Recipe, Task};
use crate::tools;

/// Carries out tasks.
pub struct Agent<'a> {
    /// How operations are called.
    pub client: &'a Client,
    /// Who decides.
    pub model: &'a dyn ChatModel,
    /// Hears of each event as it happens.
    pub tell: &'a (dyn Fn(&Event) + Send + Sync),
    /// Answers a question, if a person is there.
    pub ask: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    /// Asks the person whether a step that `[policy] approve` names may happen, once. `None`: nobody is
    /// there.
    pub agree: Option<&'a (dyn Fn(&str) -> bool + Send + Sync)>,
    /// What the model may do besides the operations.
    pub actions: &'a [&'a dyn Action],
    /// Where its tasks come from.
    pub front: Front,
}

impl<'a> Agent<'a> {
    /// An agent that tells nobody and asks nobody.
    pub fn new(client: &'a Client, model: &'a dyn ChatModel) -> Self {
        Self {
            client,
            model,
            tell: &|_| {},
            ask: &|_| None,
            agree: None,
            actions: &[],
            front: Front::Program,
        }
    }
}

impl Agent<'_> {
    /// Carries out a task to its end.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unusable schema or origins; the failures of the session and of the model. A
    /// task that could not be done is an [`Outcome`].
    pub async fn carry_out(&self, task: &Task) -> Result<Outcome, Failure> {
        let checker = task.schema.as_ref().map(checker).transpose()?;
        if task.words.trim().is_empty() {
            return Err(Failure::invalid("the task is empty")
                .about(["task"])
                .hint("say in words what is to be done"));
        }
        self.has_secrets(task).await?;
        if let Some(session) = &task.session {
            // A typing error must not make a profile.
            self.client.runs_of(session)?;
        }
        let session = task.session.as_deref();
        let needs_model = match &task.recipe {
            Recipe::None => true,
            Recipe::Known => !self.client.may_have_recipes(session).await,
            Recipe::Named(..) => false,
        };
        // A browser that is started for nothing stays.
        if needs_model {
            self.model.ready()?;
        }
        let entered = self.enter(task.session.clone()).await?;
        let started = entered.started.then(|| entered.session.clone());
        let begun = Box::pin(self.begin(task, checker, entered)).await;
        let (work, session, tab) = begun.map_err(|failure| match started {
            Some(session) => and_started(failure, &session),
            None => failure,
        })?;
        Box::pin(self.finish(work, session, tab)).await
    }

    /// Makes ready what a task needs in its session.
    async fn begin<'a>(
        &'a self,
        task: &'a Task,
        checker: Option<jsonschema::Validator>,
        entered: Entered,
    ) -> Result<(Work<'a>, String, Option<TabRow>), Failure> {
        let Entered { session, tab, .. } = entered;
        let recipe = Box::pin(self.recipe(task, &session)).await?;
        if recipe.is_none() {
            self.model.ready()?;
        }
        let address = tab.as_ref().map(|tab| &*tab.url);
        let origins = match (task.origins.as_slice(), &recipe) {
            // It begins by going there.
            ([], Some(recipe)) => Origins::read(std::slice::from_ref(&recipe.site))?,
            ([], None) => Origins::read(&[origin_of(address)?])?,
            (origins, _) => Origins::read(origins)?,
        };
        let configured = self.configured(&session, &origins).await?;
        action::check(self.actions, &configured)?;
        let after = match task.save {
            Some(_) => Some(self.latest_act(&session).await?),
            None => None,
        };
        let fence = Fence::fresh()?;
        let (recorder, run) = Recorder::begin(&self.client.runs_of(&session)?)?;
        recorder_event(
            self,
            &recorder,
            &Event::Began {
                run: run.clone(),
                session: session.clone(),
                task: task.words.clone(),
                model: self.model.name().to_owned(),
                origins: origins.words(),
                terms: Some(Terms {
                    marks: fence.word().to_owned(),
                    schema: task.schema.clone(),
                    secrets: task.secrets.clone(),
                    judge: task.judge,
                    save: task.save.clone(),
                    code: task.code,
                    approve: task.approve.clone(),
                    after,
                    limits: task.limits,
                }),
            },
        )?;
        let work = Work {
            task,
            checker,
            origins,
            fence,
            recorder,
            run,
            recipe,
            restarted: false,
            configured,
            after,
            before: &[],
        };
        Ok((work, session, tab))
    }

    /// Goes on with a run that was interrupted, from its last step.
    ///
    /// # Errors
    /// `NOT_FOUND` if there is no such run, `SESSION_BUSY` if it is going on, `INVALID_INPUT` if it is
    /// done; those of [`Agent::carry_out`].
    pub async fn resume(&self, session: &str, run: &str, more: More) -> Result<Outcome, Failure> {
        let (recorder, events) = Recorder::again(&self.client.runs_of(session)?, run)?;
        let (task, fence) = resume::task(&events, more)?;
        let checker = task.schema.as_ref().map(checker).transpose()?;
        self.has_secrets(&task).await?;
        self.model.ready()?;
        // The folder is the profile's; what stands in it may be a copy.
        let entered = self.enter(Some(session.to_owned())).await?;
        let origins = Origins::read(&task.origins)?;
        let configured = self.configured(&entered.session, &origins).await?;
        action::check(self.actions, &configured)?;
        recorder_event(
            self,
            &recorder,
            &Event::Resumed {
                model: self.model.name().to_owned(),
            },
        )?;
        let work = Work {
            origins,
            task: &task,
            checker,
            fence,
            recorder,
            run: run.to_owned(),
            recipe: None,
            restarted: entered.started,
            configured,
            after: resume::after(&events),
            before: &events,
        };
        Box::pin(self.finish(work, entered.session, entered.tab)).await
    }

    /// Refuses a task with a secret that there is not: the model would find out in the middle.
    async fn has_secrets(&self, task: &Task) -> Result<(), Failure> {
        for name in &task.secrets {
            self.client.has_secret(name).await?;
        }
        Ok(())
    }

    /// Opens the session.
    async fn enter(&self, session: Option<String>) -> Result<Entered, Failure> {
        let open = OpenInput {
            session,
            ..OpenInput::default()
        };
        let opened = self
            .client
            .run::<Open>(open, &|_| {})
            .await?
            .read::<Open>()?;
        let input = TabsInput {
            session: Some(opened.session.clone()),
            ..TabsInput::default()
        };
        let answer = self.client.run::<Tabs>(input, &|_| {}).await?;
        let rows = answer.read::<Tabs>()?.tabs;
        Ok(Entered {
            tab: current(&rows),
            started: opened.started == Started::Started,
            session: opened.session,
        })
    }

    async fn finish(
        &self,
        work: Work<'_>,
        session: String,
        tab: Option<TabRow>,
    ) -> Result<Outcome, Failure> {
        let task = work.task;
        let mut running = Running {
            agent: self,
            task,
            tab: tab.map(|tab| tab.id).unwrap_or_default(),
            tools: tools::offered(
                task.schema.as_ref(),
                !task.secrets.is_empty(),
                task.writes_code(),
                self.actions,
                &work.configured,
            ),
            history: History::new(work.fence.clone()),
            circles: Circles::default(),
            restarted: work.restarted,
            paused: None,
            configured: work.configured,
            irreproducible: false,
            effect: Effect::default(),
            within: None,
            after: work.after,
            recorder: work.recorder,
            outcome: Outcome {
                run: work.run,
                session: session.clone(),
                ..Outcome::default()
            },
            session,
            origins: work.origins,
            fence: work.fence,
        };
        let checker = work.checker.as_ref();
        let worked = running.work(checker, work.recipe.as_ref(), work.before);
        let ended = match task.limits.time {
            Some(time) => timeout(time, worked).await.ok(),
            None => Some(worked.await),
        };
        let ended = ended.unwrap_or_else(|| {
            let seconds = task.limits.time.unwrap_or_default().as_secs();
            running.outcome.text = format!("it took {}", all_of(seconds, "second"));
            Ok(())
        });
        if let Err(failure) = &ended {
            running.outcome.done = false;
            running.outcome.text = failure.to_string();
        } else if running.outcome.done
            && let Some(name) = &task.save
            && running.outcome.steps > 0
        {
            // The task is done all the same.
            if let Err(failure) = running.save(name).await {
                let said = format!("\n(recipe `{name}` was not saved: {failure})");
                running.outcome.text.push_str(&said);
            }
        }
        let (outcome, effect) = (running.outcome, running.effect);
        let kept = running.recorder.end(&outcome);
        (self.tell)(&Event::Ended {
            outcome: outcome.clone(),
        });
        let failed = |failure| self.front.can_go_on(effect.of_task(failure), &outcome);
        match ended.and(kept) {
            Ok(()) => Ok(outcome),
            Err(failure) => Err(failed(failure)),
        }
    }
}

/// A session that was opened.
struct Entered {
    session: String,
    /// The tab that calls mean.
    tab: Option<TabRow>,
    /// Whether the browser was started for it.
    started: bool,
}

/// A task, with what was made ready for it.
struct Work<'a> {
    task: &'a Task,
    checker: Option<jsonschema::Validator>,
    origins: Origins,
    fence: Fence,
    recorder: Recorder,
    run: String,
    recipe: Option<Ready>,
    restarted: bool,
    /// Actions of the configuration.
    configured: Vec<Configured>,
    /// The newest entry of the log of acts when the run began.
    after: Option<u64>,
    /// What was done before an interruption.
    before: &'a [Event],
}

fn recorder_event(agent: &Agent<'_>, recorder: &Recorder, event: &Event) -> Result<(), Failure> {
    (agent.tell)(event);
    recorder.add(event)
}

/// A failure of a task that has done nothing but start its session.
fn and_started(failure: Failure, session: &str) -> Failure {
    let mut failure = failure.effect(Done::Done);
    let open = format!("; `{session}` was opened for this task, and is open");
    failure.message.push_str(&open);
    failure
}

/// The origin of an address, as a pattern.
fn origin_of(address: Option<&str>) -> Result<String, Failure> {
    let url = address.and_then(|address| url::Url::parse(address).ok());
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(|url| url.origin().ascii_serialization())
        .ok_or_else(|| {
            Failure::invalid("the current tab does not show a web page, so the task has no origins")
                .hint("open a page first with `browser_navigate` (`szk navigate URL`), or name its `origins`")
        })
}

fn checker(schema: &Value) -> Result<jsonschema::Validator, Failure> {
    jsonschema::validator_for(schema)
        .map_err(|error| Failure::invalid(format!("the schema is unusable: {error}")))
}
