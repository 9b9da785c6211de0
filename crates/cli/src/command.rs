//! A command of szk: an operation of the catalogue, or written by hand.

use std::pin::Pin;

use clap::builder::Str;
use clap::{ArgMatches, Args, Command};
use szk_tools::Spec;

use crate::Host;
use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::{CliError, Outcome};
use crate::operation::{self, Table, Terminal, Typed};

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
    arguments: Arguments,
    run: fn(Called) -> Running,
}

/// Where a command has its name, its help and its arguments from.
#[derive(Clone, Copy)]
enum Arguments {
    Derived(Derived),
    ByHand {
        name: &'static str,
        hidden: bool,
        define: fn(Command) -> Command,
    },
}

/// The operation that a command is.
#[derive(Clone, Copy)]
pub(crate) struct Derived {
    /// The operation.
    pub(crate) spec: &'static Spec,
    /// What the command adds to it.
    pub(crate) table: fn() -> Table,
    /// Its name, where it is not the operation's.
    name: Option<&'static str>,
    define: fn(Command) -> Command,
}

impl Derived {
    /// The command with its arguments, under this name.
    pub(crate) fn command(&self, name: String) -> Command {
        (self.define)(named(name))
    }
}

/// The command of an operation.
pub(crate) const fn operation<O: Terminal + 'static>() -> Entry {
    Entry {
        arguments: Arguments::Derived(Derived {
            spec: const { &Spec::of::<O>() },
            table: O::table,
            name: O::COMMAND,
            define: operation::define::<O>,
        }),
        run: |called| {
            Box::pin(async move {
                let typed = Typed::<O>::new(&called)?;
                O::run(typed).await
            })
        },
    }
}

/// A command that is written by hand.
pub(crate) const fn by_hand<A: ByHand + 'static>() -> Entry {
    Entry {
        arguments: Arguments::ByHand {
            name: A::NAME,
            hidden: A::HIDDEN,
            define: A::augment_args,
        },
        run: |called| {
            Box::pin(async move {
                let args = A::from_arg_matches(&called.args).map_err(CliError::Usage)?;
                args.run(called).await
            })
        },
    }
}

impl Entry {
    /// The word that runs it.
    pub(crate) fn name(&self) -> String {
        match self.arguments {
            Arguments::ByHand { name, .. } => name.to_owned(),
            Arguments::Derived(of) => of.name.map_or_else(|| own_name(of.spec).1, str::to_owned),
        }
    }

    /// The operation that it is, if it is one.
    pub(crate) fn operation(&self) -> Option<Derived> {
        match self.arguments {
            Arguments::Derived(of) => Some(of),
            Arguments::ByHand { .. } => None,
        }
    }

    /// The command for clap under this name. The arguments of an operation are added only if it is
    /// typed: most calls need one of them.
    pub(crate) fn command(&self, name: String) -> Command {
        match self.arguments {
            Arguments::ByHand { hidden, define, .. } => define(named(name)).hide(hidden),
            Arguments::Derived(of) => {
                let table = (of.table)();
                named(name)
                    .about(table.about.unwrap_or(of.spec.title))
                    .visible_aliases(table.alias)
                    .defer(of.define)
            }
        }
    }

    /// Runs it.
    pub(crate) async fn run(&self, called: Called) -> Outcome {
        (self.run)(called).await
    }
}

/// A command of this name. `Command::new` is how other code starts a program, which a test looks for.
pub(crate) fn named(name: impl Into<Str>) -> Command {
    Command::default().name(name)
}

/// The family and the name of an operation in the terminal: `browser_run_code` is `browser run-code`.
pub(crate) fn own_name(spec: &Spec) -> (&'static str, String) {
    let (family, name) = spec.name.split_once('_').unwrap_or((spec.name, ""));
    (family, name.replace('_', "-"))
}
