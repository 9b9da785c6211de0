//! An operation as a command: clap's arguments, help and completion come from the fields of its input.
//!
//! [`Terminal`] is what a command adds to its operation: a [`Table`] of what the types cannot say
//! (positions, short flags, conflicts, examples), and how to carry it out where that is more than one
//! call. Arguments have the ids of their fields.

mod args;
mod help;
mod read;
mod table;
mod typed;
mod usual;

#[cfg(test)]
mod tests;

use clap::{ArgMatches, Command};
use serde_json::{Map, Value};
use szk_tools::{Failure, Field, Operation, Spec};

pub(crate) use table::{Form, Table};
pub(crate) use typed::Typed;

use crate::args::Global;
use crate::context::{Context, Presence};
use crate::error::Outcome;

/// An operation in the terminal.
pub(crate) trait Terminal: Operation + Sized {
    /// The command's name, where it is not the operation's own without its family.
    const COMMAND: Option<&'static str> = None;

    /// What the types of the operation do not say.
    fn table() -> Table;

    /// The client to call with.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with every mistake found.
    fn context(global: &Global) -> Result<Context, Failure> {
        Context::new(global, Presence::Visit)
    }

    /// Carries out what was typed, and shows the answer.
    async fn run(typed: Typed<Self>) -> Outcome {
        let response = typed.call().await?;
        typed.summary(&response)
    }
}

/// Adds the help and the arguments of `O` to its command. clap calls this only for the command that is
/// typed.
pub(crate) fn define<O: Terminal>(command: Command) -> Command {
    let table = O::table();
    let details = table.details.unwrap_or(O::SUMMARY);
    with_fields::<O>(help::described(command, &table, details), &table)
}

/// Adds the arguments for the fields that `table` takes of `O`.
pub(crate) fn with_fields<O: Operation>(command: Command, table: &Table) -> Command {
    args::added(command, table, &fields::<O>())
}

/// The input of `O` from the arguments that [`with_fields`] added.
///
/// # Errors
/// `INVALID_INPUT` for what its types do not allow.
pub(crate) fn input_of<O: Operation>(
    table: &Table,
    args: &ArgMatches,
) -> Result<O::Input, Failure> {
    let (given, _) = read::given(table, &fields::<O>(), args)?;
    szk_tools::decode_input::<O>(Value::Object(given))
}

/// The fields of an operation that were typed.
///
/// # Errors
/// `INVALID_INPUT` or `NOT_FOUND` for a file that cannot be read.
pub(crate) fn given_of(
    table: &Table,
    spec: &Spec,
    args: &ArgMatches,
) -> Result<Map<String, Value>, Failure> {
    Ok(read::given(table, &(spec.fields)(), args)?.0)
}

fn fields<O: Operation>() -> Vec<Field> {
    (Spec::of::<O>().fields)()
}

/// The input and the matches of a command line without its program.
#[cfg(test)]
pub(crate) fn typed_input<O: Terminal>(line: &str) -> (O::Input, ArgMatches) {
    let command = define::<O>(crate::command::named("szk"));
    let words = std::iter::once("szk").chain(line.split(' '));
    let args = command.try_get_matches_from(words).unwrap();
    (input_of::<O>(&O::table(), &args).unwrap(), args)
}
