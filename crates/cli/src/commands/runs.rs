//! `szk runs`

use clap::{Args, Subcommand};
use serde_json::json;
use szk_agent::{Event, More, run};
use szk_tools::{Code, Failure};

use super::task::{self, Work};
use crate::command::{ByHand, Called};
use crate::complete;
use crate::context::{Context, Presence};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;
use crate::ui::Ui;

/// Look at what `szk do` did, and go on with it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk runs list -s work\n  szk runs show 20260101-120000-a1b2c3 -s work\n  szk runs resume 20260101-120000-a1b2c3 -s work"
)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(ListArgs),
    Show(ShowArgs),
    Resume(ResumeArgs),
}

/// List the runs of a profile, newest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk runs list -s work")]
struct ListArgs {
    /// Profile [default: the only open one, else `default`]
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
}

/// Show the steps of a run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  szk runs show 20260101-120000-a1b2c3 -s work")]
struct ShowArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,
    /// Profile [default: the only open one, else `default`]
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
}

/// Go on with a run that was interrupted, from its last step
///
/// Also with one that a limit or a failure of the provider ended. The task, its origins and secrets stay as
/// they were; the model is the configured one. Exits like `szk do`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  szk runs resume 20260101-120000-a1b2c3 -s work --max-steps 100"
)]
struct ResumeArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,
    /// Profile [default: the only open one, else `default`]
    #[arg(short, long, value_name = "PROFILE", add = complete::profiles())]
    session: Option<String>,
    /// Maximum number of model answers, including those so far [default: as when it began]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1000))]
    max_steps: Option<u64>,
    /// Maximum cost in US dollars, including what was spent so far [default: as when it began]
    #[arg(long, value_name = "USD")]
    budget: Option<f64>,
    /// Print what happens as it happens, an event on each line as JSON, and the result as the last line
    #[arg(long)]
    events: bool,
}

impl ByHand for RunsArgs {
    const NAME: &'static str = "runs";

    async fn run(self, called: Called) -> Outcome {
        match self.action {
            Action::List(args) => {
                let context = called.context()?;
                let session = meant(&context, args.session).await?;
                list(&context, &session)
            }
            Action::Show(args) => {
                let context = called.context()?;
                let session = meant(&context, args.session).await?;
                show(&context, &session, &args.run)
            }
            Action::Resume(args) => {
                let (ui, events) = (Ui::new(&called.global), args.events);
                task::last_line(ui, events, resume(&called, args).await)
            }
        }
    }
}

/// The named profile, else the one that `szk do` would work in.
async fn meant(context: &Context, named: Option<String>) -> Result<String, Failure> {
    match named {
        Some(name) => Ok(name),
        None => context.client.usual_session().await,
    }
}

async fn resume(called: &Called, args: ResumeArgs) -> Outcome {
    let context = Context::new(&called.global, Presence::Stay)?;
    let session = meant(&context, args.session).await?;
    let more = More {
        steps: args.max_steps,
        budget: args.budget,
    };
    let work = Work::Resume(session, args.run, more);
    task::watched(&context, work, args.events).await
}

fn list(context: &Context, session: &str) -> Outcome {
    let runs = run::list(&context.client.runs_of(session)?)?;
    let rows = runs.iter().map(|(id, events)| {
        let task = events.iter().find_map(|event| match event {
            Event::Began { task, .. } => Some(szk_text::line(task, 80)),
            _ => None,
        });
        let done = events.iter().rev().find_map(|event| match event {
            Event::Ended { outcome } => Some(Some(outcome.done)),
            Event::Resumed { .. } => Some(None),
            _ => None,
        });
        let done = done.flatten();
        json!({ "run": id, "task": task, "done": done })
    });
    let rows: Vec<_> = rows.collect();
    context.ui.answer(&json!({ "runs": rows }), |_| {
        let lines = rows.iter().map(|row| {
            let done = match row["done"].as_bool() {
                Some(true) => "done",
                Some(false) => "not done",
                None => "unfinished",
            };
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            format!("{}  {done:10}  {}", text("run"), text("task"))
        });
        lines.collect::<Vec<_>>().join("\n")
    })?;
    if rows.is_empty() {
        context.ui.talk(&format!("`{session}` has no runs"));
    }
    Ok(Exit::OK)
}

/// An event in one line; its end, too, which `szk do` tells otherwise.
fn told(event: &Event) -> String {
    match event {
        Event::Ended { outcome } => {
            let done = if outcome.done { "done" } else { "not done" };
            format!("{done}: {}", szk_text::line(&outcome.text, 200))
        }
        event => event.line(),
    }
}

fn show(context: &Context, session: &str, id: &str) -> Outcome {
    if !run::is_id(id) {
        let message = format!("`{}` is not the name of a run", szk_text::line(id, 60));
        return Err(Failure::new(Code::NotFound, message)
            .hint(format!("list them with `szk runs list -s {session}`"))
            .into());
    }
    let folder = context.client.runs_of(session)?.join(id);
    let events = run::read(&folder)?;
    context
        .ui
        .answer(&json!({ "run": id, "events": events }), |_| {
            let lines = events
                .iter()
                .map(|event| printable_lines(&told(event)))
                .filter(|line| !line.is_empty());
            let lines: Vec<_> = lines.collect();
            lines.join("\n")
        })?;
    let page = folder.join("index.html");
    if page.exists() {
        context.ui.talk(&format!("all of it: {}", page.display()));
    }
    Ok(Exit::OK)
}
