//! Asks while the call waits: by a request to the client, or as a question of the task.

use std::time::Duration;

use rmcp::model::{ElicitRequest, ElicitationAction, InputRequest, ServerRequest};
use szk_client::Approver;
use szk_tools::session::{Handoff, HandoffEnd, HandoffInput, HandoffState};
use szk_tools::workflow::{Login, LoginInput, LoginOutput};
use szk_tools::{Call, Failure, Response};
use tokio_util::sync::CancellationToken;

use super::{HANDOFF, LOGIN, PARTS, Person, Way, action, approve, begins, end, wait};
use crate::Caller;
use crate::call::{self, Origin};

/// One call of a client, with everything needed to make more calls for it.
struct Asking<'a, C> {
    caller: &'a C,
    origin: &'a Origin,
    stop: &'a CancellationToken,
    way: Way,
    /// Whether it answers questions, too, and not only opens links.
    forms: bool,
}

/// Runs a call; if it needs a person and the client can ask its user (`person`), asks them.
pub(crate) async fn run<C: Caller>(
    caller: &C,
    call: Call,
    origin: &Origin,
    person: Option<Person>,
    stop: &CancellationToken,
) -> Result<Response, Failure> {
    let Some(Person { way, forms }) = person else {
        return call::run(caller, call, Approver::Nobody, origin, stop).await;
    };
    let asking = Asking {
        caller,
        origin,
        stop,
        way,
        forms,
    };
    match call {
        Call::SessionHandoff(input) => asking.handoff(input).await,
        Call::WorkflowLogin(input) => asking.login(input).await,
        call => asking.call(call).await,
    }
}

impl<C: Caller> Asking<'_, C> {
    async fn call(&self, call: impl Into<Call>) -> Result<Response, Failure> {
        let call = call.into();
        if !self.forms {
            return self.run(call, Approver::Nobody).await;
        }
        let mut outcome = self.run(call.clone(), Approver::Person).await;
        // What a call turns out to do is asked once it is known: there may be several questions.
        while let Err(Failure {
            approval: Some(_), ..
        }) = &outcome
        {
            outcome = self.asked(&call, outcome).await;
        }
        outcome
    }

    /// Asks the person about a call that was refused, and makes it again if they agree.
    async fn asked(
        &self,
        call: &Call,
        outcome: Result<Response, Failure>,
    ) -> Result<Response, Failure> {
        let failure = match outcome {
            Err(failure) => failure,
            done => return done,
        };
        let Some(approval) = &failure.approval else {
            return Err(failure);
        };
        let Some(question) = approve::question(&failure) else {
            return Err(Failure {
                approval: None,
                ..failure
            });
        };
        let limit = Duration::from_secs(approval.seconds);
        match tokio::time::timeout(limit, self.put(question)).await {
            Ok(Some(ElicitationAction::Accept)) => {
                let agreed = Approver::Agreed(&approval.token);
                self.run(call.clone(), agreed).await
            }
            Ok(Some(_)) => Err(approve::declined(failure)),
            Ok(None) => Err(Failure {
                approval: None,
                ..failure
            }),
            Err(_) => Err(approve::unanswered(failure)),
        }
    }

    async fn run(&self, call: Call, approver: Approver<'_>) -> Result<Response, Failure> {
        call::run(self.caller, call, approver, self.origin, self.stop).await
    }

    async fn handoff(&self, input: HandoffInput) -> Result<Response, Failure> {
        if !begins(&input) {
            return self.call(input).await;
        }
        let waits = input.wait == Some(true);
        let first = HandoffInput {
            wait: None,
            ..input.clone()
        };
        let response = self.call(first).await?;
        let Ok(open) = response.read::<Handoff>() else {
            return Ok(response);
        };
        let reason = input.reason.as_deref().unwrap_or(HANDOFF);
        match &open.url {
            Some(url) if open.state == HandoffState::Waiting => {
                let limit = input.timeout_ms;
                let ended = self.person(&open.session, reason, url, limit).await?;
                // A client that cannot ask after all shows the link, like any other.
                match (ended, waits) {
                    (Some(ended), _) => Ok(ended),
                    (None, true) => self.call(wait(&open.session, limit)).await,
                    (None, false) => Ok(response),
                }
            }
            _ => Ok(response),
        }
    }

    async fn login(&self, mut input: LoginInput) -> Result<Response, Failure> {
        let mut response = self.call(input.clone()).await?;
        for _ in 0..PARTS {
            let Ok(LoginOutput {
                session,
                tab,
                handoff_url: Some(url),
                ..
            }) = response.read::<Login>()
            else {
                break;
            };
            let ended = self.person(&session, LOGIN, &url, None).await?;
            let Some(ended) = ended else { break };
            let done = ended.read::<Handoff>();
            if !done.is_ok_and(|ended| ended.state == HandoffState::Done) {
                response.summary = format!("{}\n{}", response.summary, ended.summary);
                break;
            }
            // From where the person left the page.
            input.url = None;
            input.session = Some(session);
            input.tab = Some(tab);
            response = self.call(input.clone()).await?;
        }
        Ok(response)
    }

    /// Shows the user the link and waits until they say they are done, in the live view or in the
    /// client.
    async fn person(
        &self,
        session: &str,
        reason: &str,
        url: &str,
        limit: Option<u64>,
    ) -> Result<Option<Response>, Failure> {
        let waiting = self.call(wait(session, limit));
        tokio::pin!(waiting);
        let said = tokio::select! {
            // Finished in the live view, or out of time.
            ended = &mut waiting => return ended.map(Some),
            said = self.ask(reason, url) => said,
        };
        let how = match (said, self.way) {
            // A user who opens the link says in the live view when they are done.
            (Some(ElicitationAction::Accept), Way::Url) => return waiting.await.map(Some),
            (None, _) => return Ok(None),
            (Some(ElicitationAction::Accept), Way::Form) => HandoffEnd::Done,
            (Some(_), _) => HandoffEnd::GivenUp,
        };
        self.call(end(session, how)).await.map(Some)
    }

    /// The user's response; `None` if the client could not ask.
    async fn ask(&self, reason: &str, url: &str) -> Option<ElicitationAction> {
        self.put(self.way.question(reason, url)?).await
    }

    async fn put(&self, question: ElicitRequest) -> Option<ElicitationAction> {
        let request = match self.origin {
            Origin::Request { context, .. } => context,
            Origin::Task(task) => {
                return match task.ask(InputRequest::Elicitation(question)).await {
                    Some(answer) => action(&answer),
                    // Cancelled: the call that waits beside this one ends with that.
                    None => std::future::pending().await,
                };
            }
        };
        let question = ServerRequest::ElicitRequest(question);
        match request.peer.send_request(question).await {
            Ok(result) => action(&serde_json::to_value(&result).ok()?),
            Err(error) => {
                tracing::info!(%error, "the client did not ask its person");
                None
            }
        }
    }
}
