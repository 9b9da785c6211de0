//! A command of szk: an operation of the catalogue, or written by hand.

use std::pin::Pin;

use clap::{ArgMatches, Args, Command};
use szk_tools::Spec;

use crate::Host;
use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::operation::{self, Terminal, Typed};

/// A command that was typed.
pub(crate) struct Called {
    /// Its arguments.
    pub(crate) args: ArgMatches,
    /// The options that every command understands.
    pub(crate) global: Global,
    /// What runs in this process.
    pub(crate) host: Host,
}

impl Called {
    /// A client for one call.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    pub(crate) fn context(&self) -> Result<Context, CliError> {
        Ok(Context::new(&self.global, Presence::Visit)?)
    }
}

/// A command whose arguments are its own.
pub(crate) trait ByHand: Args {
    /// Its name.
    const NAME: &'static str;
    /// Whether only szk itself calls it.
    const HIDDEN: bool = false;

    /// Carries it out.
    async fn run(self, called: Called) -> Outcome;
}

type Running = Pin<Box<dyn Future<Output = Outcome>>>;

/// A command.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The operation that it is, if it is one.
    pub(crate) operation: Option<&'static Spec>,
    /// Its name, where it is not the operation's.
    name: Option<&'static str>,
    /// Adds its help and its arguments.
    define: fn(Command) -> Command,
    run: fn(Called) -> Running,
    /// What it adds to its operation.
    #[cfg(test)]
    pub(crate) table: Option<fn() -> operation::Table>,
}

/// The command of an operation.
pub(crate) const fn operation<O: Terminal + 'static>() -> Entry {
    Entry {
        operation: Some(const { &Spec::of::<O>() }),
        name: O::COMMAND,
        define: |command| {
            let table = O::table();
            let command = command.about(operation::about::<O>());
            let command = match table.alias {
                Some(alias) => command.visible_alias(alias),
                None => command,
            };
            command.defer(operation::define::<O>)
        },
        run: |called| {
            Box::pin(async move {
                let typed = Typed::<O>::new(&called)?;
                O::run(typed).await
            })
        },
        #[cfg(test)]
        table: Some(O::table),
    }
}

/// A command that is written by hand.
pub(crate) const fn by_hand<A: ByHand + 'static>() -> Entry {
    Entry {
        operation: None,
        name: Some(A::NAME),
        define: |command| A::augment_args(command).hide(A::HIDDEN),
        run: |called| {
            Box::pin(async move {
                let args = A::from_arg_matches(&called.args).map_err(CliError::Usage)?;
                args.run(called).await
            })
        },
        #[cfg(test)]
        table: None,
    }
}

impl Entry {
    /// The word that runs it.
    pub(crate) fn name(&self) -> String {
        match (self.name, self.operation) {
            (Some(name), _) => name.to_owned(),
            (None, operation) => operation.map(|spec| own_name(spec).1).unwrap_or_default(),
        }
    }

    /// The command for clap under this name.
    pub(crate) fn command(&self, name: String) -> Command {
        (self.define)(Command::new(name))
    }

    /// Runs it.
    pub(crate) async fn run(&self, called: Called) -> Outcome {
        (self.run)(called).await
    }
}

/// The family and the name of an operation in the terminal: `browser_run_code` is `browser run-code`.
pub(crate) fn own_name(spec: &Spec) -> (&'static str, String) {
    let (family, name) = spec.name.split_once('_').unwrap_or((spec.name, ""));
    (family, name.replace('_', "-"))
}
