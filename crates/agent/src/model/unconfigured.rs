//! No model: enough for tasks that a recipe carries out.

use szk_tools::Failure;

use super::{Answer, Ask, BoxFuture, ChatModel, ModelError};

/// Fails when it is asked.
#[derive(Debug)]
pub struct Unconfigured;

impl ChatModel for Unconfigured {
    fn name(&self) -> &str {
        "no model"
    }

    fn ready(&self) -> Result<(), Failure> {
        Err(ModelError::Unconfigured.into())
    }

    fn ask<'a>(&'a self, _: Ask<'a>) -> BoxFuture<'a, Result<Answer, ModelError>> {
        Box::pin(std::future::ready(Err(ModelError::Unconfigured)))
    }
}
