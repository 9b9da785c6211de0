//! `agent_run`: whoever makes the client says who carries out tasks, because the crate that asks models
//! calls this one.

use std::future::Future;
use std::pin::Pin;

use szk_tools::agent::RunInput;
use szk_tools::{Code, Failure, Progress, Response};

use crate::{Client, approval};

/// Carries out a task with the calls of this client.
pub type CarryOut =
    for<'a> fn(
        &'a Client,
        RunInput,
        &'a (dyn Fn(Progress) + Send + Sync),
    ) -> Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send + 'a>>;

impl Client {
    /// Lets the client carry out tasks.
    #[must_use]
    pub fn with_tasks(mut self, carry_out: CarryOut) -> Self {
        self.tasks = Some(carry_out);
        self
    }

    /// Carries out a task. Nobody is asked during it: the question would be about an act that whoever
    /// gave the task knows nothing of.
    pub(crate) async fn task(
        &self,
        input: RunInput,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let Some(carry_out) = self.tasks else {
            return Err(
                Failure::new(Code::PolicyDenied, "tasks cannot be carried out here").hint(
                    "use `agent_run` of `szk mcp` or `szk serve`, or run `szk do` in a terminal",
                ),
            );
        };
        approval::unasked(carry_out(self, input, progress)).await
    }
}
