//! Code first: the model writes code that reads the page, and whose value says what is to be done.
//!
//! The browser itself stops code that would change or send anything, so it cannot pass on what it reads.
//! What is to be done goes through the same acts as everything else.

use serde_json::Value;
use szk_tools::Failure;
use szk_tools::browser::{BatchInput, RunCode, RunCodeInput};

use crate::page_address::{ActReport, is_final};
use crate::running::Running;
use crate::tools;

/// Acts that one piece of code may ask for.
const MOST: usize = 50;
/// Milliseconds that it may take.
const LIMIT: u64 = 6_000;
/// Milliseconds that its acts may take.
const ACTS: u64 = 120_000;

impl Running<'_> {
    /// Runs code that reads, and carries out the acts that it returns.
    pub(super) async fn code(&mut self, code: String) -> Result<ActReport, Failure> {
        if let Some(back) = self.come_back().await? {
            return Ok(ActReport {
                failed: true,
                ..back.said().into()
            });
        }
        let input = RunCodeInput {
            session: Some(self.session.clone()),
            tab: None,
            code,
            args: None,
            world: None,
            runner: None,
            reads: Some(true),
            dir: None,
            timeout_ms: Some(LIMIT),
        };
        let value = match self.call(input.into()).await {
            Ok(answer) => answer.read::<RunCode>()?.value,
            Err(failure) if is_final(&failure) => return Err(failure),
            // The page has a say in what is thrown.
            Err(failure) => return Err(self.heard(failure)),
        };
        match value["acts"].as_array() {
            Some(acts) if !acts.is_empty() => {
                let batch = self.batch(acts)?;
                self.act(batch.into()).await
            }
            _ => {
                let text = match &value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                Ok(self.fence.around(&text).into())
            }
        }
    }

    fn batch(&self, acts: &[Value]) -> Result<BatchInput, Failure> {
        if acts.len() > MOST {
            let message = format!("{} acts are too many: at most {MOST}", acts.len());
            return Err(Failure::invalid(message).hint("return the first ones, then the rest"));
        }
        let given = self.given();
        let steps = acts.iter().map(|act| tools::step(act, &given));
        Ok(BatchInput {
            session: Some(self.session.clone()),
            tab: None,
            steps: steps.collect::<Result<_, _>>()?,
            through_navigation: None,
            timeout_ms: Some(ACTS),
        })
    }
}
