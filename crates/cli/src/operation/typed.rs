//! A command of an operation that was typed.

use std::marker::PhantomData;
use std::path::Path;

use clap::ArgMatches;
use serde::Serialize;
use serde_json::{Map, Value};
use szk_tools::{Failure, Response};

use super::{Terminal, read};
use crate::Host;
use crate::command::Called;
use crate::context::Context;
use crate::error::{CliError, Outcome};
use crate::exit::Exit;
use crate::render::spoken::Speech;
use crate::render::text::printable_lines;

/// What was typed, and what to carry it out with.
pub(crate) struct Typed<O> {
    /// Calls and prints.
    pub(crate) context: Context,
    /// What runs in this process.
    pub(crate) host: Host,
    given: Map<String, Value>,
    args: ArgMatches,
    operation: PhantomData<fn() -> O>,
}

impl<O: Terminal> Typed<O> {
    /// Reads the fields from what was typed.
    ///
    /// # Errors
    /// `INVALID_CONFIG`; `INVALID_INPUT` or `NOT_FOUND` for a file that cannot be read.
    pub(crate) fn new(called: &Called) -> Result<Self, Failure> {
        let (given, args) = read::given(&O::table(), &super::fields::<O>(), &called.args)?;
        Ok(Self {
            context: O::context(&called.global)?,
            host: called.host,
            given,
            args,
            operation: PhantomData,
        })
    }

    /// Whether this flag, which only the terminal has, was given.
    pub(crate) fn flag(&self, id: &str) -> bool {
        self.args.get_flag(id)
    }

    /// The value of an argument that only the terminal has.
    pub(crate) fn value<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Option<T> {
        self.args.get_one::<T>(id).cloned()
    }

    /// All values of an argument that only the terminal has.
    pub(crate) fn values<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Vec<T> {
        let values = self.args.get_many::<T>(id);
        values.into_iter().flatten().cloned().collect()
    }

    /// Gives a field.
    ///
    /// # Errors
    /// `INTERNAL` for what JSON cannot hold.
    pub(crate) fn set(&mut self, field: &str, value: impl Serialize) -> Result<(), Failure> {
        let value = serde_json::to_value(value)
            .map_err(|error| Failure::internal(format!("`{field}` cannot be written: {error}")))?;
        self.given.insert(field.to_owned(), value);
        Ok(())
    }

    /// The text of a file; `-` is stdin.
    ///
    /// # Errors
    /// `NOT_FOUND` or `INVALID_INPUT`.
    pub(crate) fn text(path: &Path) -> Result<String, Failure> {
        read::text(path)
    }

    /// The input of the operation.
    ///
    /// # Errors
    /// `INVALID_INPUT` for what its types do not allow.
    pub(crate) fn input(&self) -> Result<O::Input, Failure> {
        szk_tools::decode_input::<O>(Value::Object(self.given.clone()))
    }

    /// Calls the operation.
    ///
    /// # Errors
    /// The operation's failure.
    pub(crate) async fn call(&self) -> Result<Response, Failure> {
        self.context.call::<O>(&self.input()?).await
    }

    /// Calls the operation and decodes its output.
    ///
    /// # Errors
    /// The operation's failure.
    pub(crate) async fn output(&self) -> Result<O::Output, CliError> {
        Ok(self.call().await?.read::<O>()?)
    }

    /// Shows the answer as the operation words it. What it found wanting is exit code 1.
    pub(crate) fn summary(&self, response: &Response) -> Outcome {
        self.summary_as(response, Self::said)
    }

    /// The same with its text put into words by someone else.
    pub(crate) fn summary_as(
        &self,
        response: &Response,
        said: impl FnOnce(&str) -> String,
    ) -> Outcome {
        let text = |_: &_| said(&response.summary);
        self.context.ui.answer(&response.data, text)?;
        Ok(match response.unmet {
            true => Exit::UNMET,
            false => Exit::OK,
        })
    }

    /// A text of the operation in the terminal's words.
    pub(crate) fn said(text: &str) -> String {
        Speech::running::<O>().answer(&printable_lines(text))
    }

    /// Shows the answer as this text.
    pub(crate) fn show(
        &self,
        output: &O::Output,
        text: impl FnOnce(&O::Output) -> String,
    ) -> Outcome {
        self.context.ui.answer(output, text)?;
        Ok(Exit::OK)
    }
}
