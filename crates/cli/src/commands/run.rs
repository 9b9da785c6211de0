//! `szk run`

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitStatus;

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::session::{Endpoint, EndpointInput, Open};
use szk_tools::{Code, Failure};
use tokio::process::{Child, Command};

use super::launch::Launch;
use super::signals::Signals;
use crate::command::{ByHand, Called};
use crate::complete;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::spoken::Speech;

/// Run a program that finds the browser in its environment
///
/// Opens the profile in the background or joins it, and sets SZK_CDP_ENDPOINT, SZK_CDP_WS_ENDPOINT and
/// SZK_SESSION for the program. Exits with the program's code, or with 128 + n if signal n ended it.
/// The browser stays open.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk run work -- node app.mjs\n  szk run work -- npx playwright test\n  szk run work -- sh -c 'curl $SZK_CDP_ENDPOINT/json/list'"
)]
pub(crate) struct RunArgs {
    /// Profile; created if new
    #[arg(value_name = "PROFILE", add = complete::profiles())]
    session: String,
    /// Program and its arguments
    #[arg(last = true, required = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<OsString>,
    #[command(flatten)]
    launch: Launch,
}

impl ByHand for RunArgs {
    const NAME: &'static str = "run";

    /// Stays present until the program exits, so a clone lives as long as the program.
    async fn run(self, called: Called) -> Outcome {
        let context = &Context::sharing(&called.global, Presence::Stay)?;
        let input = self.launch.input(self.session);
        let opened = context.output::<Open>(&input).await?;
        for warning in &opened.warnings {
            context.ui.warn(warning);
        }
        let ask = EndpointInput {
            session: Some(opened.session),
            ..EndpointInput::default()
        };
        let endpoint = context.output::<Endpoint>(&ask).await?;
        program(context, &self.command, &endpoint.env).await
    }
}

/// Runs `command` with `env` added to our environment, and exits as it does.
async fn program(
    context: &Context,
    command: &[OsString],
    env: &BTreeMap<String, String>,
) -> Outcome {
    // Before the program starts: a signal in between must reach it, not just end us.
    let signals = Signals::listen()
        .map_err(|error| Failure::internal(format!("cannot listen for signals: {error}")))?;
    match start(command, env) {
        Ok(child) => Ok(Exit::of_program(attend(child, signals).await?)),
        Err((failure, exit)) => {
            context.ui.failure(&failure, &Speech::default());
            Err(CliError::Exit(exit))
        }
    }
}

/// Runs a program in the foreground until it exits, such as an editor.
pub(super) async fn foreground(command: &[OsString]) -> Result<ExitStatus, Failure> {
    let signals = Signals::listen()
        .map_err(|error| Failure::internal(format!("cannot listen for signals: {error}")))?;
    let child = start(command, &BTreeMap::new()).map_err(|(failure, _)| *failure)?;
    attend(child, signals).await
}

fn start(
    command: &[OsString],
    env: &BTreeMap<String, String>,
) -> Result<Child, (Box<Failure>, Exit)> {
    let (name, args) = command
        .split_first()
        .ok_or_else(|| (Failure::invalid("no program was given").into(), Exit::USAGE))?;
    let spawned = Command::new(name).args(args).envs(env).spawn();
    spawned.map_err(|error| {
        let exit = match error.kind() {
            ErrorKind::NotFound => Exit::NO_SUCH_COMMAND,
            _ => Exit::NOT_EXECUTABLE,
        };
        let message = format!("cannot run `{}`: {error}", name.to_string_lossy());
        (Failure::new(Code::NotFound, message).into(), exit)
    })
}

/// Waits for the program and forwards the signals that we receive.
async fn attend(mut child: Child, mut signals: Signals) -> Result<ExitStatus, Failure> {
    loop {
        tokio::select! {
            // Ends the wait: the program exited.
            ended = child.wait() => {
                return ended.map_err(|error| Failure::internal(format!("lost the program: {error}")));
            }
            // Ends nothing here: the program decides.
            signal = signals.next() => signal.pass_on(&child),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ended(script: &[&str]) -> u8 {
        let command: Vec<OsString> = script.iter().map(OsString::from).collect();
        let env = [(String::from("SZK_SESSION"), String::from("work"))].into();
        let signals = Signals::listen().unwrap();
        match start(&command, &env) {
            Ok(child) => Exit::of_program(attend(child, signals).await.unwrap()).0,
            Err((_, exit)) => exit.0,
        }
    }

    /// A single test, because a signal to this process reaches every program it is waiting for.
    #[tokio::test]
    async fn ends_as_the_program_does() {
        assert_eq!(ended(&["true"]).await, 0);
        assert_eq!(ended(&["sh", "-c", "exit 7"]).await, 7);
        assert_eq!(ended(&["sh", "-c", "kill -TERM $$"]).await, 143);
        assert_eq!(ended(&["szk-no-such-program"]).await, 127);
        assert_eq!(ended(&["/"]).await, 126);
        let finds = "test \"$SZK_SESSION\" = work";
        assert_eq!(ended(&["sh", "-c", finds]).await, 0);
        let told = "trap 'exit 9' USR1; kill -USR1 $PPID; while :; do :; done";
        assert_eq!(ended(&["sh", "-c", told]).await, 9);
    }
}
