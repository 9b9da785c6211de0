//! `szk do`

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use clap::builder::ValueHint;
use serde_json::Value;
use szk_agent::{Agent, Event, Front, Limits, More, Outcome as Came, Recipe, Task, model_of};
use szk_tools::{Code, Failure};

use crate::command::{ByHand, Called};
use crate::commands::confirm;
use crate::complete;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::operation::Typed;
use crate::render;
use crate::render::text::printable_lines;
use crate::ui::Ui;

/// Carry out a task in words, with a model
///
/// Works in the current tab of the profile, step by step, until the model says that the task is done and
/// another call of the model agrees. It never leaves the origins that it was given. The answer goes to
/// stdout, each step to stderr. Exits with 0 if the task was done and 1 if not. SZK_AGENT_MODEL names the
/// model, SZK_AGENT_KEY its key; `[agent]` of your configuration has the rest.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk do 'find the cheapest offer' -s work\n  szk do 'read my open orders' -s work --schema orders.json --json\n  szk do 'sign in' -s work --origins https://shop.example --secret shop"
)]
pub(crate) struct DoArgs {
    /// The task, in words
    #[arg(value_name = "TASK")]
    task: String,
    /// Profile [default: the only open one, else `default`]
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Origins that it may go to; can be repeated [default: that of the current tab]
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',')]
    origins: Vec<String>,
    /// File with a JSON schema that the result has to fit
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    schema: Option<PathBuf>,
    /// Secret that it may sign in with, by name; can be repeated
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<String>,
    /// Kind of steps that `[policy] approve` or an action of `[agent.actions]` holds back, and that may happen
    /// in this task; can be repeated [default: you are asked, if this is a terminal]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = KINDS)]
    approve: Vec<String>,
    /// Maximum number of model answers [default: as configured]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1000))]
    max_steps: Option<u64>,
    /// Maximum cost in US dollars [default: as configured]
    #[arg(long, value_name = "USD")]
    budget: Option<f64>,
    /// Take the model's word for it that the task was done
    #[arg(long)]
    no_judge: bool,
    /// Replay this recipe first; the model goes on where it stops [default: one saved after the same task]
    #[arg(long, value_name = "NAME", conflicts_with = "no_recipe")]
    recipe: Option<String>,
    /// Value of a parameter of the recipe, as NAME=VALUE; can be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", requires = "recipe", value_parser = parameter)]
    params: Vec<(String, String)>,
    /// Replay no recipe
    #[arg(long)]
    no_recipe: bool,
    /// Do not let the model write code that reads pages
    #[arg(long)]
    no_code: bool,
    /// Save what was done as a recipe of this name
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
    /// Print what happens as it happens, an event on each line as JSON, and the result as the last line
    #[arg(long)]
    events: bool,
}

/// What a task can be allowed beforehand: the words of `[policy] approve`, but for files, which no task gives
/// to a page; and the actions of `[agent.actions]`.
const KINDS: [&str; 7] = [
    "code", "login", "submit", "download", "origin", "close", "action",
];

impl ByHand for DoArgs {
    const NAME: &'static str = "do";

    async fn run(self, called: Called) -> Outcome {
        let (ui, events) = (Ui::new(&called.global), self.events);
        let ended = self.carried_out(&called).await;
        last_line(ui, events, ended)
    }
}

impl DoArgs {
    async fn carried_out(self, called: &Called) -> Outcome {
        let context = Context::new(&called.global, Presence::Stay)?;
        let settings = context.client.agent_settings()?;
        let task = Task {
            limits: Limits::of(&settings, self.max_steps, self.budget)?,
            schema: self.schema.as_deref().map(schema).transpose()?,
            words: self.task,
            session: self.session,
            origins: self.origins,
            secrets: self.secrets,
            judge: !self.no_judge,
            save: self.save,
            code: !self.no_code,
            approve: self.approve,
            recipe: match self.recipe {
                Some(name) => Recipe::Named(name, self.params.into_iter().collect()),
                None if self.no_recipe => Recipe::None,
                None => Recipe::Known,
            },
        };
        watched(&context, Work::Task(Box::new(task)), self.events).await
    }
}

/// Whoever follows the events hears of a failure where they hear of a result: in the last line.
pub(super) fn last_line(ui: Ui, events: bool, ended: Outcome) -> Outcome {
    if events && let Err(CliError::Failure(failure)) = &ended {
        ui.data(&render::failure::json(failure))?;
    }
    ended
}

/// What is carried out.
pub(super) enum Work {
    /// A new task.
    Task(Box<Task>),
    /// The rest of a run in a session.
    Resume(String, String, More),
}

/// Carries it out before the eyes of the person, until it ends or they stop it; with `events`, a program reads
/// along.
pub(super) async fn watched(context: &Context, work: Work, events: bool) -> Outcome {
    let model = model_of(&context.client.agent_settings()?)?;
    let ui = context.ui;
    let agree = confirm::somebody();
    let so_far = Mutex::new(SoFar::default());
    let agent = Agent {
        client: &context.client,
        model: &*model,
        tell: &|event| {
            let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
            so_far.hear(event);
            // The result follows by itself.
            if events && !matches!(event, Event::Ended { .. }) {
                // Err: stdout is closed. Printing the result fails, too, and reports it.
                let _ = ui.json(event);
            }
            let line = printable_lines(&event.line());
            if !line.is_empty() {
                ui.talk(&format!("{line}{}", so_far.cost(event)));
            }
        },
        ask: &person,
        agree: agree.then_some(&agrees),
        actions: &[],
        front: Front::Terminal,
    };
    if let Work::Resume(session, run, _) = &work {
        let mut so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.run = Some(format!("{run} -s {session}"));
    }
    let came = async {
        match &work {
            Work::Task(task) => agent.carry_out(task).await,
            Work::Resume(session, run, more) => agent.resume(session, run, *more).await,
        }
    };
    let came = tokio::select! {
        came = came => came?,
        _ = tokio::signal::ctrl_c() => {
            let so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
            return Err(stopped(so_far.run.as_deref()).into());
        }
    };
    tell(ui, &came, events)
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// What is known of a run while it goes on.
#[derive(Default)]
struct SoFar {
    /// Its name and its session, as `szk runs` takes them.
    run: Option<String>,
    cost: Option<f64>,
}

impl SoFar {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Began { run, session, .. } => self.run = Some(format!("{run} -s {session}")),
            Event::Answer { cost, .. } => self.cost = *cost,
            _ => {}
        }
    }

    /// What it has cost, beside a step.
    fn cost(&self, event: &Event) -> String {
        match (event, self.cost) {
            (Event::Acted { .. }, Some(cost)) => format!(" · ${cost:.4}"),
            _ => String::new(),
        }
    }
}

fn stopped(run: Option<&str>) -> Failure {
    let named = run.unwrap_or("RUN");
    let failure = Failure::new(
        Code::Cancelled,
        "the task was stopped; the page is as it was left",
    )
    .effect(szk_tools::Done::Unknown)
    .hint(format!(
        "go on with `szk runs resume {named}`; `szk runs list` names the runs"
    ));
    let id = run.and_then(|run| run.split_whitespace().next());
    Failure {
        run: id.map(Into::into),
        ..failure
    }
}

fn schema(path: &std::path::Path) -> Result<Value, CliError> {
    let text = Typed::<szk_tools::browser::RunCode>::text(path)?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::invalid(format!("`{}` is not valid JSON: {error}", path.display())).into()
    })
}

fn tell(ui: Ui, came: &Came, events: bool) -> Outcome {
    match events {
        true => ui.json(came)?,
        false => ui.answer(came, |came| match &came.result {
            Some(result) => szk_text::json(&format!("{result:#}")).into_owned(),
            None => printable_lines(&came.text),
        })?,
    }
    let cost = came
        .cost
        .map_or_else(String::new, |cost| format!(", ${cost:.4}"));
    if let Some(recipe) = &came.recipe {
        ui.talk(&format!(
            "saved as the recipe `{recipe}`: the same task replays it from now on"
        ));
    }
    for held in &came.unapproved {
        ui.talk(&format!("not approved: {}", printable_lines(held)));
    }
    let done = if came.done { "done" } else { "not done" };
    ui.talk(&format!(
        "{done} after {}, {}{cost}; `szk runs show {} -s {}` has each",
        szk_text::counted(came.steps, "step"),
        szk_text::counted(came.tokens.total(), "token"),
        came.run,
        came.session
    ));
    Ok(if came.done { Exit::OK } else { Exit::UNMET })
}

/// Whether the person at the terminal lets a step happen.
fn agrees(what: &str) -> bool {
    let question = format!("{}\nLet this happen, once?", printable_lines(what));
    confirm::ask(&question, "").is_ok()
}

/// The answer of the person at the terminal.
fn person(question: &str) -> Option<String> {
    if !confirm::somebody() {
        return None;
    }
    let mut err = std::io::stderr().lock();
    write!(err, "{}\n> ", printable_lines(question))
        .and_then(|()| err.flush())
        .ok()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).ok()?;
    Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty())
}
