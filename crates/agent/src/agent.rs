//! Carries out tasks: opens the session, and keeps a record of the run.

use serde_json::Value;
use szk_client::{Client, Origins};
use szk_tools::Failure;
use szk_tools::browser::{TabRow, Tabs, TabsInput};
use szk_tools::session::{Open, OpenInput};
use tokio::time::timeout;

use crate::circles::Circles;
use crate::fence::Fence;
use crate::history::History;
use crate::model::ChatModel;
use crate::place::current;
use crate::run::{Event, Recorder};
use crate::running::Running;
use crate::task::{Outcome, Task};
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
}

impl Agent<'_> {
    /// Carries out a task to its end.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unusable schema or origins; the failures of the session and of the model. A
    /// task that could not be done is an [`Outcome`].
    pub async fn carry_out(&self, task: &Task) -> Result<Outcome, Failure> {
        let checker = task.schema.as_ref().map(checker).transpose()?;
        if let Some(session) = &task.session {
            // A typing error must not make a profile.
            self.client.runs_of(session)?;
        }
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
        let tab = current(&self.rows(&session).await?);
        let origins = match task.origins.as_slice() {
            [] => Origins::read(&[origin_of(tab.as_ref().map(|tab| &*tab.url))?])?,
            origins => Origins::read(origins)?,
        };
        let fence = Fence::fresh()?;
        let (recorder, run) = Recorder::begin(&self.client.runs_of(&session)?)?;
        let mut running = Running {
            agent: self,
            task,
            tab: tab.map(|tab| tab.id).unwrap_or_default(),
            tools: tools::offered(task.schema.as_ref(), !task.secrets.is_empty()),
            history: History::new(fence.clone()),
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
        running.event(&Event::Began {
            run,
            session: running.session.clone(),
            task: task.words.clone(),
            model: self.model.name().to_owned(),
            origins: running.origins.words(),
        })?;
        let ended = match task.limits.time {
            Some(time) => match timeout(time, running.work(checker.as_ref())).await {
                Ok(ended) => ended,
                Err(_) => {
                    running.outcome.text = format!("it took all of its {} seconds", time.as_secs());
                    Ok(())
                }
            },
            None => running.work(checker.as_ref()).await,
        };
        if let Err(failure) = &ended {
            running.outcome.done = false;
            running.outcome.text = failure.to_string();
        } else if running.outcome.done
            && let Some(name) = &task.save
        {
            // The task is done all the same.
            if let Err(failure) = running.save(name).await {
                let said = format!("\n(recipe `{name}` was not saved: {failure})");
                running.outcome.text.push_str(&said);
            }
        }
        let outcome = running.outcome;
        running.recorder.end(&outcome)?;
        (self.tell)(&Event::Ended {
            outcome: outcome.clone(),
        });
        ended.map(|()| outcome)
    }

    pub(super) async fn rows(&self, session: &str) -> Result<Vec<TabRow>, Failure> {
        let input = TabsInput {
            session: Some(session.to_owned()),
            ..TabsInput::default()
        };
        let answer = self.client.run::<Tabs>(input, &|_| {}).await?;
        Ok(answer.read::<Tabs>()?.tabs)
    }
}

/// The origin of an address, as a pattern.
fn origin_of(address: Option<&str>) -> Result<String, Failure> {
    let url = address.and_then(|address| url::Url::parse(address).ok());
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(|url| url.origin().ascii_serialization())
        .ok_or_else(|| {
            Failure::invalid("the current tab is at no web page, so the task has no origins")
                .hint("open a page first with `browser_navigate` (`szk navigate URL`), or name `origins` (`--origins`)")
        })
}

fn checker(schema: &Value) -> Result<jsonschema::Validator, Failure> {
    jsonschema::validator_for(schema)
        .map_err(|error| Failure::invalid(format!("the schema is unusable: {error}")))
}
