//! From argv to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};
use szk_tools::Failure;

use crate::args::{self, Cli};
use crate::command::Called;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::spoken::Speech;
use crate::ui::Ui;
use crate::{Host, commands, complete, render, words};

/// The whole program: answers a completion request, or runs this process's command line.
///
/// One thread is enough: a terminal command waits for one answer, and a foreground keeper is bound by
/// Chromium's pipe.
pub fn main_impl(host: Host) -> ExitCode {
    if let Some(exit) = complete::answer_shell() {
        return exit.into();
    }
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            let failure = Failure::internal(format!("cannot start: {error}"));
            let ui = Ui::new(&args::Global::default());
            return fail(ui, failure.into(), &[]).into();
        }
    };
    let code = runtime.block_on(run(std::env::args_os(), host));
    // A thread may still block on reading stdin; no one waits for its result.
    runtime.shutdown_background();
    code
}

/// Runs one command line; `args` starts with the program's name.
pub async fn run(args: impl Iterator<Item = OsString>, host: Host) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let early = args::Global::early(&args);
    let matches = match parse(args) {
        Ok(matches) => matches,
        Err(error) => return usage(Ui::new(&early), &error).into(),
    };
    let global = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli.global,
        Err(error) => return usage(Ui::new(&early), &error).into(),
    };
    global.color.apply();
    let ui = Ui::new(&global);
    let (path, args) = chosen(matches);
    let outcome = match commands::find(&path) {
        Some(command) => {
            let called = Called { args, global, host };
            command.run(called).await
        }
        None => ui.data(render::welcome::TEXT).map(|()| Exit::OK),
    };
    settle(ui, outcome, &path).into()
}

/// clap learns the colour choice by parsing, but colours its help and errors while parsing.
fn parse(args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let choice = args::Color::early(&args).clap();
    let args = words::translated(args)?;
    args::command()
        .color(choice)
        .try_get_matches_from(&args)
        .map_err(|error| words::with_tip(error, &args))
}

/// The path of the command that was typed, such as `["state", "export"]`, and its arguments: below a
/// family those of the operation.
fn chosen(matches: ArgMatches) -> (Vec<String>, ArgMatches) {
    let path = path(&matches);
    let below = |mut matches: ArgMatches| match matches.remove_subcommand() {
        Some((_, below)) => below,
        None => ArgMatches::default(),
    };
    let args = below(matches);
    match path.first() {
        Some(word) if commands::is_family(word) => (path, below(args)),
        _ => (path, args),
    }
}

fn path(matches: &ArgMatches) -> Vec<String> {
    let mut path = Vec::new();
    let mut below = matches.subcommand();
    while let Some((word, matches)) = below {
        path.push(word.to_owned());
        below = matches.subcommand();
    }
    path
}

/// Help and version are answers; everything else is a usage error.
fn usage(ui: Ui, error: &clap::Error) -> Exit {
    if ui.is_json() && error.use_stderr() {
        ui.failure(&misused(&error.render().to_string()), &Speech::default());
        return Exit::USAGE;
    }
    // If even this cannot be written, no one is left to tell.
    let _ = error.print();
    if error.use_stderr() {
        Exit::USAGE
    } else {
        Exit::OK
    }
}

/// What clap says, as a failure: its first paragraph is the message, the others are hints.
fn misused(text: &str) -> Failure {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let words: Vec<&str> = message.split_whitespace().collect();
    let message = words.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let lines = rest.lines().map(str::trim).filter(|line| !line.is_empty());
    let hints: Vec<&str> = lines
        .map(|line| line.strip_prefix("tip: ").unwrap_or(line))
        .collect();
    Failure::invalid(message).hint(hints.join("; "))
}

fn settle(ui: Ui, outcome: Outcome, path: &[String]) -> Exit {
    outcome.unwrap_or_else(|error| fail(ui, error, path))
}

fn fail(ui: Ui, error: CliError, path: &[String]) -> Exit {
    match error {
        CliError::Failure(failure) => {
            ui.failure(&failure, &Speech::of(args::command(), path));
            Exit::of_code(failure.code)
        }
        CliError::Usage(error) => usage(ui, &error),
        CliError::BrokenPipe => Exit::OK,
        CliError::Exit(exit) => exit,
    }
}
