//! Opens a session.

use std::time::{Duration, Instant};

use szk_config::Address;
use szk_store::Name;
use szk_tools::session::OpenInput;
use szk_tools::{Code, Done, Failure, Progress, Response};
use szk_wire::{Found, Start, failure, options};

use super::{Client, failed};
use crate::deadline;
use crate::keeper::Missing;
use crate::names;

/// Time budget of opening in milliseconds, if the call gives none.
const OPEN_BUDGET_MS: u64 = 60_000;

impl Client {
    /// The start message of a keeper for this call.
    ///
    /// # Errors
    /// `INVALID_INPUT`.
    pub fn start_for(&self, input: &OpenInput) -> Result<Start, Failure> {
        let name = names::parse(input.session.as_deref().unwrap_or(names::DEFAULT))?;
        let clone = input.clone.unwrap_or(false);
        if clone && !self.store.profile(&name).exists() {
            return Err(Failure::new(
                Code::SessionNotFound,
                format!("there is no profile `{name}` to clone"),
            )
            .hint("list the profiles with `session_list`, or open it once without `clone` to create it"));
        }
        let session = if clone {
            names::of_clone(&name)?
        } else {
            name.clone()
        };
        self.file_of(input.url.as_deref())?;
        let mut start = self.start(&session, input)?;
        self.check(&name, &start)?;
        start.clone_of = clone.then(|| name.to_string());
        Ok(start)
    }

    /// Checks a call before creating anything for it; the keeper would report the same errors.
    fn check(&self, name: &Name, start: &Start) -> Result<(), Failure> {
        // The keeper reports or repairs problems with the profile itself.
        let saved = self.store.profile(name).meta().ok().flatten();
        let identity = saved.map(|meta| meta.identity);
        self.config
            .resolve(None, identity.as_ref(), &start.options)
            .map(drop)
            .map_err(|errors| failure::config(&errors))
    }

    /// Joins the session's keeper, or starts one.
    pub(super) async fn open(
        &self,
        mut ask: OpenInput,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        if ask.session.is_none() {
            ask.session = Some(names::or_default(self, None).await?.to_string());
        }
        let start = self.start_for(&ask)?;
        let session = names::parse(&start.session)?;
        let budget = Duration::from_millis(ask.timeout_ms.unwrap_or(OPEN_BUDGET_MS));
        let begun = Instant::now();
        let mut reached = tokio::time::timeout(budget, self.reach(&start, Missing::Make, progress))
            .await
            .unwrap_or_else(|_| Err(self.slow(&session, budget)))?;
        ask.session = Some(start.session.clone());
        // One budget for everything: loading the page gets what is left.
        let left = budget.saturating_sub(begun.elapsed()).as_millis();
        ask.timeout_ms = Some(u64::try_from(left).unwrap_or(u64::MAX).max(1));
        if let Some(file) = self.file_of(ask.url.as_deref())? {
            let opened = self.http.open_file(&reached.socket, &file).await;
            opened.map_err(|failure| failed(failure, &session, reached.started))?;
            ask.url = Address::of_file(&file);
        }
        let found = match reached.started {
            true => Found::Closed,
            false => Found::Open,
        };
        self.on_reached(&session, &mut reached, &ask.into(), found, progress)
            .await
            .map_err(|failure| failed(failure, &session, reached.started))
    }

    /// The failure for a slow start. The keeper continues: aborting a start would cost the next caller
    /// more. One that somebody has stopped does not, and is named.
    fn slow(&self, session: &Name, budget: Duration) -> Failure {
        let profile = self.store.profile(session);
        if profile.keeper().is_some_and(|keeper| keeper.is_stopped()) {
            return deadline::unanswering(&profile).effect(Done::Unknown);
        }
        let message = format!(
            "session `{session}` was not open within {} ms",
            budget.as_millis()
        );
        Failure::new(Code::Timeout, message)
            .hint("it is still opening: call again to join it, or raise `timeout_ms`")
            .retryable()
            .effect(Done::Unknown)
    }

    /// The start message of the session's keeper.
    pub(super) fn start(&self, session: &Name, input: &OpenInput) -> Result<Start, Failure> {
        Ok(Start {
            store: self.store.root().to_owned(),
            session: session.to_string(),
            clone_of: None,
            share: self.share,
            page_first: input.url.is_some(),
            options: options::of(input)?,
            cwd: self.origin.cwd.clone(),
        })
    }
}
