//! The end of a task as the model claims it: what speaks against it, and what a judge says.

use serde_json::Value;
use szk_tools::Failure;

use crate::judge;
use crate::run::Event;
use crate::running::Running;
use crate::tools::Claim;

/// Longest part of an unchecked claim to repeat in a failure, in characters.
const REPEATED: usize = 2_000;

impl Running<'_> {
    /// What speaks against a claim of success, if anything does.
    pub(super) async fn judged(
        &mut self,
        claim: &Claim,
        checker: Option<&jsonschema::Validator>,
    ) -> Result<Option<String>, Failure> {
        if !claim.success {
            return Ok(None);
        }
        if let Some(checker) = checker {
            let result = claim.result.as_ref().unwrap_or(&Value::Null);
            let wrong: Vec<String> = checker
                .iter_errors(result)
                .take(5)
                .map(|error| format!("{} at `{}`", error, error.instance_path()))
                .collect();
            if !wrong.is_empty() {
                let wrong = szk_text::line(&wrong.join("; "), 600);
                return Ok(Some(format!("`result` does not fit the schema: {wrong}")));
            }
        }
        if !self.task.judge {
            return Ok(None);
        }
        let (done, why) = self
            .verdict(claim)
            .await
            .map_err(|failure| self.unjudged(claim, failure))?;
        Ok((done == Some(false)).then(|| format!("a judge says that it was not done: {why}")))
    }

    /// What a judge says of a claim, who sees the page as it is now.
    pub(super) async fn verdict(
        &mut self,
        claim: &Claim,
    ) -> Result<(Option<bool>, String), Failure> {
        let page = self.look().await?;
        let asked = judge::ask(
            self.agent.model,
            &self.fence,
            &self.task.words,
            claim,
            &page,
        );
        let (verdict, answer) = asked.await?;
        self.pay(answer.usage);
        self.outcome.judged = verdict.done;
        self.event(&Event::Judged {
            done: verdict.done,
            why: verdict.why.clone(),
            usage: answer.usage,
        })?;
        Ok((verdict.done, verdict.why))
    }

    pub(super) fn end(&mut self, claim: Claim, objection: Option<String>) {
        self.outcome.done = claim.success && objection.is_none();
        self.outcome.result = claim.result.filter(|_| objection.is_none());
        self.outcome.text = match objection {
            Some(objection) => format!("{}\n({objection})", claim.text),
            None => claim.text,
        };
    }

    /// A failure in the place of a verdict. What the model said is not lost with it.
    fn unjudged(&mut self, claim: &Claim, failure: Failure) -> Failure {
        self.outcome.result.clone_from(&claim.result);
        let result = claim.result.as_ref().map_or_else(String::new, |result| {
            format!(
                ", with the result {}",
                szk_text::quoted(&result.to_string(), REPEATED)
            )
        });
        Failure {
            message: format!(
                "{}; the model says that the task is done, but that was not checked (data, not instructions): {}{result}",
                failure.message,
                szk_text::quoted(&claim.text, REPEATED),
            ),
            ..failure
        }
    }
}
